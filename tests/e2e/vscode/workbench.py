"""One window of the real VS Code with the packaged extension in it, as a person and as its extension host see it.

Never: a mock of any part, or a way into the server that an agent does not have.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.agents import Agent, Place, agent
from tests.e2e.vscode.install import Installed, run
from tests.e2e.vscode.lines import Lines
from tests.e2e.vscode.packing import pack_companion

PATIENCE = 60.0
"""Seconds that any single step may take on a loaded machine."""
STARTING = 180.0
ARTIFACTS = Path(__file__).resolve().parents[2] / "artifacts" / "vscode"
_ENDING_WITH_US = ("setpriv", "--pdeathsig", "TERM")
"""Before a command: it ends when the tests are killed, too."""
_DRIVER = Path(__file__).with_name("driver.cjs")

SETTINGS: Mapping[str, object] = {
    # No network, no greetings, nothing that changes what is typed, and no saving by itself.
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "extensions.autoUpdate": False,
    "extensions.autoCheckUpdates": False,
    "extensions.ignoreRecommendations": True,
    "workbench.enableExperiments": False,
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.editor.enablePreview": False,
    "chat.disableAIFeatures": True,
    "files.autoSave": "off",
    "files.hotExit": "off",
    "editor.minimap.enabled": False,
    "editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
    "editor.wordBasedSuggestions": "off",
    "editor.autoClosingBrackets": "never",
    "editor.autoClosingQuotes": "never",
    "editor.autoIndent": "none",
    "editor.foldingStrategy": "indentation",
    "editor.unusualLineTerminators": "off",
    "git.enabled": False,
    "remote.autoForwardPorts": False,
    "window.confirmBeforeClose": "never",
}


@dataclass
class Workbench:
    """The window, and the folder that is open in it."""

    place: Place
    run: Path
    driver: Lines
    companion: Lines
    url: str
    number: int = 0
    """Of the window, among those of the same browser."""

    # As a person.

    async def open(self, name: str, line: int | None = None) -> str:
        """Show a file of the workspace (or a URI) with the keyboard in it; gives its path or URI."""
        path = self.path(name)
        where = {} if line is None else {"line": line}
        await self._host("show", path=path, **where)
        if line is None:
            await self._window("focus")
            await self.press("Control+Home")
        await self.until(name, active=True)
        return path

    async def type(self, text: str, delay: int = 0) -> None:
        """``delay``: ms between keys."""
        await self._window("type", text=text, delay=delay)

    async def press(self, *keys: str) -> None:
        await self._window("press", keys=list(keys))

    async def wait(self, selector: str, state: str = "visible") -> None:
        await self._window("wait", selector=selector, state=state)

    async def texts(self, selector: str) -> list[str]:
        found: list[str] = await self._window("texts", selector=selector)
        return found

    async def attribute(self, selector: str, name: str) -> str | None:
        found: str | None = await self._window("attribute", selector=selector, name=name)
        return found

    async def style(self, selector: str, name: str) -> str:
        """A property of its style, as it comes out."""
        found: str = await self._window("style", selector=selector, name=name)
        return found

    async def click(self, selector: str) -> None:
        await self._window("click", selector=selector)

    async def hover(self, selector: str) -> None:
        await self._window("hover", selector=selector)

    async def picture(self, name: str, *, upper: bool = False) -> None:
        """Keep what the window shows now, to be looked at; ``upper``: its upper left part, for documents."""
        clip = {"clip": {"x": 0, "y": 35, "width": 1120, "height": 560}} if upper else {}
        await self.screenshot(ARTIFACTS / f"{name}.png", **clip)

    async def key_times(self) -> list[float]:
        """From each key until the window was drawn with it, in ms; of the keys since this was asked before."""
        found: list[float] = await self._window("keyTimes")
        return found

    async def screenshot(self, path: Path, **how: Any) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        await self._window("screenshot", path=str(path), **how)

    async def palette(self, command: str) -> None:
        """Run a command by its name, as a person does."""
        await self.press("F1")
        await self.wait(".quick-input-widget input")
        await self.type(command)
        await self.wait(f'.quick-input-list .monaco-list-row.focused:has-text("{command}")')
        await self.press("Enter")

    # As the extension host.

    async def state(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = await self._host("state", path=self.path(name))
        return found

    async def text(self, name: str) -> str:
        found = (await self.state(name))["text"]
        assert found is not None, f"{name} is not open"
        return str(found)

    async def until(
        self, name: str, *, contains: str | None = None, problems: Sequence[str] | None = None, **wanted: Any
    ) -> dict[str, Any]:
        """Wait until the document's state has the wanted values, a text in it, messages among its problems."""
        more: dict[str, Any] = {} if contains is None else {"contains": contains}
        if problems is not None:
            more["problems"] = list(problems)
        path = self.path(name)
        found: dict[str, Any] = await self._host("until", path=path, wanted=wanted, seconds=PATIENCE, **more)
        return found

    async def edit(self, name: str, *edits: tuple[Sequence[int], str]) -> None:
        """One undo step that is not an agent's: LSP ranges (line, column, line, column) and their new texts."""
        assert await self._host("edit", path=self.path(name), edits=[[list(at), new] for at, new in edits])

    async def save(self, name: str) -> bool:
        return bool(await self._host("save", path=self.path(name)))

    async def command(self, name: str, *arguments: Any) -> Any:
        return await self._host("command", name=name, args=list(arguments))

    async def host(self, op: str, **params: Any) -> Any:
        """Any other operation of the companion."""
        return await self._host(op, **params)

    async def backed_up(self, text: str) -> None:
        """Wait until VS Code has put unsaved text away, as it does a moment after typing."""
        async with asyncio.timeout(PATIENCE):
            while not any(text in found for found in self._backups()):  # noqa: ASYNC110
                await asyncio.sleep(0.1)

    def _backups(self) -> Iterator[str]:
        for path in (self.run / "data").rglob("Backups/*/*/*"):
            with suppress(OSError):
                yield path.read_text(errors="replace")

    async def leave(self) -> None:
        """Close the window."""
        await self._window("leave")

    async def reset(self) -> None:
        """Every document as on disk, every tab and toast closed."""
        await self._host("reset")

    def path(self, name: str) -> str:
        return name if ":" in name else str(self.place.folder / name)

    async def server_pid(self, *, other_than: int | None = None, patience: float = PATIENCE) -> int:
        """The process that serves this window, once it is there."""
        async with asyncio.timeout(patience):
            while True:
                with suppress(OSError, ValueError):
                    for pid in self.place.server_pids():
                        if pid != other_than:
                            return pid
                await asyncio.sleep(0.05)

    async def _host(self, op: str, **params: Any) -> Any:
        return await self.companion.ask(op, patience=PATIENCE + 10, **params)

    async def _window(self, op: str, **params: Any) -> Any:
        return await self.driver.ask(op, patience=PATIENCE + 10, window=self.number, **params)


async def server_sees(one: Agent, name: str, part: str, **wanted: object) -> None:
    """Wait until typing has come to the server: another session reads there, so that ``one`` has seen nothing."""
    async with asyncio.timeout(PATIENCE):
        while True:
            seen = await one.call("read", {"session": "onlooker"}, file_path=name, refresh=True)
            assert "text" in seen, seen
            if part in seen["text"] and all(seen[key] == value for key, value in wanted.items()):
                return
            await asyncio.sleep(0.02)


@asynccontextmanager
async def workbench(
    installed: Installed,
    extension: Path,
    place: Place,
    *,
    ask_for_trust: bool = False,
    workspace: Path | None = None,
) -> AsyncIterator[Workbench]:
    """A window on ``place``; everything is ended afterwards.

    ``ask_for_trust``: the folder is not trusted yet. ``workspace``: a file that names the folders, in place of one.
    """
    base = place.base / "code"
    environment = _prepare(base, place, ask_for_trust)
    common = [str(installed.entry), "--config", str(base / "config.yaml")]
    common += ["--user-data-dir", str(base / "data"), "--extensions-dir", str(base / "extensions")]
    install = [str(installed.node), *common]
    for package in (extension, pack_companion(base / "companion.vsix")):
        install += ["--install-extension", str(package)]
    await asyncio.to_thread(run, install, base, environment)
    flags = ["--bind-addr", "127.0.0.1:0", "--auth", "none", "--disable-telemetry", "--disable-update-check"]
    # A window that is closed takes its extension host along after so many seconds, where it did not do so at once.
    flags += ["--disable-getting-started-override", "--reconnection-grace-time", "15"]
    flags += [] if ask_for_trust else ["--disable-workspace-trust"]
    with (base / "server.log").open("wb") as log:
        server = await asyncio.create_subprocess_exec(
            *_ENDING_WITH_US,
            str(installed.node),
            *common,
            *flags,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        address = await _address(base / "server.log")
        driver = await _start_driver(installed)
        try:
            shown = f"folder={place.folder}" if workspace is None else f"workspace={workspace}"
            url = f"{address}/?{shown}"
            milliseconds = int(PATIENCE * 1000)
            await driver.ask(
                "open",
                patience=STARTING,
                url=url,
                executable=str(installed.chromium),
                milliseconds=milliseconds,
            )
            companion = await _companion(_socket(place, 0))
            bench = Workbench(place, base, driver, companion, url)
            await bench.server_pid(patience=STARTING)
            yield bench
            await companion.close()
        finally:
            with suppress(AssertionError, TimeoutError):
                await driver.ask("close", patience=20)
            await driver.close()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGTERM)
        with suppress(TimeoutError):
            await asyncio.wait_for(server.wait(), 5)
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
        await server.wait()


@asynccontextmanager
async def second_window(first: Workbench, *, calm: bool = True) -> AsyncIterator[Workbench]:
    """One more window of the same VS Code on the same folder; afterwards it is closed, and its server has ended.

    ``calm``: its documents are put back and its tabs closed before.
    """
    milliseconds = int(PATIENCE * 1000)
    number = await first.driver.ask("open", patience=STARTING, url=first.url, milliseconds=milliseconds)
    companion = await _companion(_socket(first.place, 1))
    bench = Workbench(first.place, first.run, first.driver, companion, first.url, number)
    try:
        yield bench
    finally:
        if calm:
            with suppress(AssertionError):
                await bench.reset()  # else it asks whether to leave
        await bench.leave()
        await asyncio.wait_for(companion.ended(), PATIENCE)
        await companion.close()
        async with agent(first.place) as one, asyncio.timeout(PATIENCE):
            while (await one.call("status"))["editor"].get("others"):  # noqa: ASYNC110
                await asyncio.sleep(0.1)


def _socket(place: Place, number: int) -> Path:
    """Where the companion of a window listens."""
    return place.base / "run" / ("companion" + (f"-{number}" if number else ""))


def server_command() -> list[str]:
    """What serves the window: the code as it is here."""
    return [sys.executable, "-m", "lsp_server"]


def _prepare(base: Path, place: Place, ask_for_trust: bool) -> dict[str, str]:
    for name in ("data/User", "data/Machine", "extensions", "home"):
        (base / name).mkdir(parents=True, exist_ok=True)
    (base / "config.yaml").write_text("cert: false\n")
    trust = {
        "security.workspace.trust.enabled": ask_for_trust,
        "security.workspace.trust.startupPrompt": "never",
    }
    (base / "data/User/settings.json").write_text(json.dumps({**SETTINGS, **trust}))
    machine = {"coeditor.server.command": server_command()}
    (base / "data/Machine/settings.json").write_text(json.dumps(machine))
    found = {name: value for name, value in place.environment.items() if not name.startswith("VSCODE_")}
    return found | {"HOME": str(base / "home"), "COEDITOR_TEST_SOCKET": str(_socket(place, 0))}


async def _address(log: Path) -> str:
    async with asyncio.timeout(STARTING):
        while True:
            found = re.search(r"listening on (http://127\.0\.0\.1:\d+)", log.read_text(errors="replace"))  # noqa: ASYNC240
            if found:
                return found[1]
            await asyncio.sleep(0.05)


async def _start_driver(installed: Installed) -> Lines:
    process = await asyncio.create_subprocess_exec(
        str(installed.node),
        str(_DRIVER),
        str(installed.modules / "playwright-core"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=64 << 20,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    return Lines(process.stdout, process.stdin, "driver")


async def _companion(path: Path) -> Lines:
    async with asyncio.timeout(STARTING):
        while True:
            with suppress(OSError):
                return Lines(*await asyncio.open_unix_connection(str(path), limit=64 << 20), "companion")
            await asyncio.sleep(0.05)
