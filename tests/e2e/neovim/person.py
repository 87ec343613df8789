"""A person at a Neovim with our plugin: opens files, presses keys, looks at buffers.

Never: a shortcut into the plugin; what is asked of Lua is what any script of the person's could ask.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from tests.e2e.agents import PATIENCE, Place
from tests.e2e.neovim.rpc import NeovimError, Rpc

HERE = Path(__file__).resolve().parent
PLUGIN = HERE.parents[2] / "editor_clients" / "neovim"
NVIM = Path(sys.executable).with_name("nvim")

TRIES = 4
QUIET = {"side_effects": {"diagnostics": False}}
"""Settings for tests that are not about diagnostics, for which an edit waits a while."""
ATTACHED = """
local client = vim.lsp.get_clients({ name = "coeditor" })[1]
local document = require("coeditor.documents").of(vim.fn.bufnr(...))
return client ~= nil and document ~= nil and document.told ~= nil and not document.version
"""
TOLD = """
local documents = require("coeditor.documents")
local document = documents.of(vim.fn.bufnr())
local is_same = document.shape == require("coeditor.text").shape(0)
return is_same and document.tick == documents.version(document)
"""
IN_SERVICE = "return require('coeditor.agents').is_in_service()"


class Person:
    """One Neovim, and who sits before it."""

    def __init__(self, place: Place, process: asyncio.subprocess.Process) -> None:
        self.place = place
        self.process = process
        self._news = asyncio.Event()
        self._rpc = Rpc(process, self._heard)
        self.call = self._rpc.call

    def _heard(self, method: str, arguments: list[Any]) -> None:
        if method == "news":
            self._news.set()

    async def lua(self, code: str, *arguments: Any) -> Any:
        """What a piece of Lua returns."""
        return await self.call("nvim_exec_lua", code, list(arguments))

    async def command(self, command: str) -> None:
        await self.call("nvim_command", command)

    async def press(self, keys: str) -> None:
        """Keys as a keyboard sends them, in Neovim's notation."""
        await self.call("nvim_input", keys)

    async def until(self, code: str, *arguments: Any) -> Any:
        """Return when a piece of Lua finds something true, with what it found; it is asked at each news."""
        async with asyncio.timeout(PATIENCE):
            while True:
                self._news.clear()
                found = await self.lua(code, *arguments)
                if found:
                    return found
                await self._news.wait()

    async def open(self, name: str) -> None:
        """Open a file of the workspace; the server knows it afterwards."""
        path = self.place.folder / name
        await self.command(f"edit {path}")
        await self.until(ATTACHED, str(path))

    async def text(self, name: str) -> str:
        """What a write of the buffer would write, byte order mark aside."""
        path = str(self.place.folder / name)
        found: str = await self.lua(
            "return (require('coeditor.text').of(vim.fn.bufnr(...)))",
            path,
        )
        return found

    async def until_text(self, name: str, wanted: str) -> None:
        """Return when the buffer of a file holds exactly ``wanted``."""
        await self.until(
            "return (require('coeditor.text').of(vim.fn.bufnr((...)))) == select(2, ...)",
            str(self.place.folder / name),
            wanted,
        )

    async def lines(self) -> list[str]:
        """The current buffer's lines."""
        found: list[str] = await self.call("nvim_buf_get_lines", 0, 0, -1, True)
        return found

    async def is_modified(self) -> bool:
        found: bool = await self.lua("return vim.bo.modified")
        return found

    async def typed(self, keys: str, sight: str) -> None:
        """Press keys, and return when the current buffer holds ``sight``."""
        await self.press(keys)
        await self.until(
            "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\\n'):find(..., 1, true)", sight
        )

    async def told(self) -> None:
        """The server was told all that was typed into the current buffer."""
        await self.until(TOLD)

    async def is_blocked(self) -> bool:
        """Whether Neovim waits for a key and does nothing else."""
        found: bool = (await self.call("nvim_get_mode"))["blocking"]
        return found

    async def quit(self) -> None:
        """Leave without saving. Neovim drops keys that wait while it shows an error, so they may be pressed again."""
        for _ in range(TRIES):
            if self.process.returncode is None:
                with suppress(ConnectionError, NeovimError):  # it is leaving already
                    await self.press("<Esc><C-\\><C-n>:qa!<CR>")
            with suppress(TimeoutError):
                await self._rpc.ended(PATIENCE / TRIES)
                return
        await self.die()
        raise AssertionError("Neovim did not leave")

    async def problems(self) -> list[str]:
        """What went wrong in some script of the editor's."""
        shown: str = (await self.call("nvim_exec2", "messages", {"output": True}))["output"]
        return [line for line in shown.splitlines() if "Error" in line]

    async def die(self) -> None:
        """Neovim is killed, and leaves everything as it lies."""
        self.process.kill()
        await self._rpc.ended()


def environment(place: Place, settings: Mapping[str, Any], *, swap: bool) -> dict[str, str]:
    """A Neovim of its own, with nothing of whoever runs the tests."""
    found = dict(place.environment)
    for name in ("data", "cache"):
        (place.base / name).mkdir(mode=0o700, exist_ok=True)
        found[f"XDG_{name.upper()}_HOME"] = str(place.base / name)
    found |= {
        "HOME": str(place.base),
        "NVIM_LOG_FILE": str(place.base / "nvim.log"),
        "COEDITOR_TEST_PLUGIN": str(PLUGIN),
        "COEDITOR_TEST_COMMAND": json.dumps([sys.executable, "-m", "lsp_server", "serve"]),
        "COEDITOR_TEST_SETTINGS": json.dumps(dict(settings)),
        "COEDITOR_TEST_SWAP": "1" if swap else "0",
    }
    return found


@asynccontextmanager
async def person(
    place: Place, *names: str, settings: Mapping[str, Any] | None = None, swap: bool = False
) -> AsyncIterator[Person]:
    """A person who has started Neovim in the workspace and opened ``names``; a screen is attached."""
    process = await asyncio.create_subprocess_exec(
        str(NVIM),
        "--embed",
        "-u",
        str(HERE / "init.lua"),
        "-i",
        "NONE",
        cwd=place.folder,
        env=environment(place, settings or {}, swap=swap),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    one = Person(place, process)
    try:
        await one.call("nvim_ui_attach", 100, 30, {})
        for name in names:
            await one.open(name)
        if names:
            await one.until(IN_SERVICE)
        yield one
        assert process.returncode is not None or not await one.problems()
    finally:
        await one.quit()
