"""A person at an Emacs with eglot: opens files, types, undoes, saves.

Never: anything of ours in the editor beyond the README's recipe.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.e2e.agents import PATIENCE, Place
from tests.house.readme import blocks, section

EMACS = shutil.which("emacs")
CLIENT = shutil.which("emacsclient")
UTF_8 = {"LC_ALL": "C.UTF-8"}
MANAGED = '(with-current-buffer (find-file-noselect "{}") (and (eglot-current-server) t))'
TELLING = "(eglot--signal-textDocument/didChange)"
UNDO = f"(undo-boundary) (let ((last-command nil)) (undo)) (undo-boundary) {TELLING}"


class Person:
    """One Emacs, and who sits before it."""

    def __init__(self, place: Place, process: asyncio.subprocess.Process, socket: Path) -> None:
        self.place = place
        self._process = process
        self._socket = socket

    async def eval(self, code: str) -> str:
        """What an expression gives, as Lisp prints it. Errors: AssertionError with what Emacs said."""
        assert CLIENT is not None
        process = await asyncio.create_subprocess_exec(
            CLIENT, "-s", str(self._socket), "--eval", code,
            env=self.place.environment | UTF_8,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, error = await asyncio.wait_for(process.communicate(), PATIENCE)
        assert process.returncode == 0, error.decode()
        return out.decode().strip()

    async def within(self, name: str, code: str) -> str:
        """The same, in the buffer of a file."""
        return await self.eval(self._in_buffer(name, code))

    def _in_buffer(self, name: str, code: str) -> str:
        return f'(with-current-buffer (find-file-noselect "{self.place.folder / name}") {code})'

    async def open(self, name: str) -> None:
        """Open a file; eglot manages it afterwards."""
        await self.within(name, "(run-hooks 'post-command-hook)")  # as after every key, where eglot waits
        async with asyncio.timeout(PATIENCE):
            while await self.eval(MANAGED.format(self.place.folder / name)) != "t":
                await self.eval("(accept-process-output nil 0.1)")

    async def type(self, name: str, text: str) -> None:
        """At the top of the buffer, as a step of its own; eglot tells it at once."""
        typed = json.dumps(text, ensure_ascii=False)
        insert = f"(goto-char (point-min)) (undo-boundary) (insert {typed}) (undo-boundary)"
        await self.within(name, f"{insert} {TELLING}")

    async def undo(self, name: str) -> None:
        await self.within(name, UNDO)

    async def save(self, name: str) -> None:
        await self.within(name, "(basic-save-buffer)")

    async def text(self, name: str) -> str:
        shown: str = json.loads(await self.within(name, "(json-encode (buffer-string))"))
        found: str = json.loads(shown)
        return found

    async def answers(self, title: str, *, undoes: str | None = None) -> None:
        """Whatever is asked in the minibuffer from now on, this is typed there; there is no screen to do so.

        ``undoes``: a file in whose buffer the person takes their last step back before.
        """
        act = "" if undoes is None else self._in_buffer(undoes, UNDO)
        typed = f"(lambda (prompt &rest _) (setq coeditor-asked prompt) {act} {json.dumps(title)})"
        await self.eval(f'(progn (setq coeditor-asked "") (advice-add \'completing-read :override {typed}))')

    async def asked(self) -> str:
        """The last prompt in the minibuffer."""
        found: str = json.loads(await self.eval("(substring-no-properties coeditor-asked)"))
        return found

    async def is_modified(self, name: str) -> bool:
        return await self.within(name, "(buffer-modified-p)") == "t"


@asynccontextmanager
async def person(place: Place) -> AsyncIterator[Person]:
    """An Emacs in its own home, with the recipe."""
    assert EMACS is not None
    home = place.base / "home"
    home.mkdir(exist_ok=True)
    init = home / "init.el"
    (recipe,) = blocks(section("Any editor, by LSP"), "elisp")
    recipe = recipe.replace('"coeditor"', f'"{sys.executable}" "-m" "lsp_server"')
    init.write_text(f"{recipe}\n(setq eglot-connect-timeout 120)\n")  # for busy machines
    log = (home / "log").open("wb")
    process = await asyncio.create_subprocess_exec(
        EMACS, "-q", "--fg-daemon=coeditor", "-l", str(init),
        env=place.environment | UTF_8 | {"HOME": str(home)}, cwd=place.folder,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=log,
    )  # fmt: skip
    socket = place.base / "run" / "emacs" / "coeditor"
    try:
        async with asyncio.timeout(PATIENCE):
            while not socket.is_socket():
                assert process.returncode is None, "Emacs ended at once"
                await asyncio.sleep(0.05)
        one = Person(place, process, socket)
        yield one
        await one.eval("(eglot-shutdown-all)")
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        log.close()
