"""A folder's files in a temporary one, with a service of its own: what a change would come to, tried out.

Never: a change of the folder itself, or of what is known of it; nothing of the rehearsal is left.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from ledger.errors import CoeditorError
from ledger.types import Caller, ScopeKey
from lsp_server.app import App, build
from lsp_server.service import CallContext
from lsp_server.settings import Settings, from_environment

_OURS = ("STATE_HOME", "RUNTIME_DIR")
_READ_TOO = ".editorconfig"


class Rehearsal:
    """Takes the calls that would go to the folder's server, for as long as the block runs."""

    def __init__(self, folder: str, files: Iterable[str], session: str) -> None:
        """``files``: those below ``folder`` that may be read or changed, as they are on disk."""
        self._folder = folder
        self._files = tuple(files)
        self._session = session
        self._open = ExitStack()
        self.root = ""
        """Where the copies are."""

    def __enter__(self) -> Rehearsal:
        with ExitStack() as opened:
            base = os.path.realpath(opened.enter_context(tempfile.TemporaryDirectory(prefix="coeditor-")))
            self.root = os.path.join(base, "files")
            os.mkdir(self.root)
            self._copy()
            settings = from_environment(self._folder)
            quiet = replace(settings, side_effects=dict.fromkeys(settings.side_effects, False), roots=())
            homes = {f"XDG_{name}": os.path.join(base, name) for name in _OURS}
            for home in homes.values():
                os.mkdir(home, 0o700)
            self._runner = opened.enter_context(asyncio.Runner())
            opened.enter_context(_environment(homes))
            self._app = self._runner.run(_built(self.root, quiet))
            opened.callback(lambda: self._runner.run(self._app.close()))
            self._open = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def ask(self, tool: str, sent: Mapping[str, Any], *, turn: str | None = None, **_: Any) -> dict[str, Any]:
        """As the server would answer, with the folder's own paths in errors. Errors: whatever the tool says."""
        caller = Caller(ScopeKey(self._session), turn=turn)
        try:
            return self._runner.run(self._app.call(tool, sent, CallContext(caller, "cli", self.root)))
        except CoeditorError as error:
            error.message = error.message.replace(self.root, self._folder)
            raise

    def _copy(self) -> None:
        for path in {*self._files, *self._configurations()}:
            if os.path.isfile(path):
                there = os.path.join(self.root, os.path.relpath(path, self._folder))
                os.makedirs(os.path.dirname(there), exist_ok=True)
                shutil.copy2(path, there)

    def _configurations(self) -> set[str]:
        """Whatever says how the files are written: from their folders up to the one that is rehearsed."""
        top = Path(self._folder)
        folders = {
            folder for path in self._files for folder in Path(path).parents if folder.is_relative_to(top)
        }
        return {str(folder / _READ_TOO) for folder in folders}


async def _built(root: str, settings: Settings) -> App:
    return build(root, settings=settings)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Where our own state is, for as long as the block runs."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
