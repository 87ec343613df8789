"""Texts: an edit of a large file against reading and writing it, and what a miss and many hits cost.

Never: a language server, or a door; the tools are called in this process.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from ledger.errors import CoeditorError
from ledger.types import Caller, ScopeKey
from lsp_server.app import App, build
from lsp_server.edits.matching import match_edit
from lsp_server.service import CallContext
from lsp_server.settings import Settings, merge
from tests.benchmarks.figures import Figure, best

LINE = "    total = total + price_of(item_{}) * count\n"
KINDS = {"ASCII": "", "UTF-8": "# für den Preis: 10 €\n", "UTF-16": "# für den Preis: 10 €\n"}


def run(quick: bool) -> list[Figure]:
    """An edit in a file of 10 MiB, through the whole walk on disk."""
    size, rounds = (1 << 18, 1) if quick else (10 << 20, 5)
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="coeditor-bench-")))
    try:
        found = [figure for kind in KINDS for figure in _edits(folder, kind, size, rounds)]
        return [*found, *_matching(quick)]
    finally:
        shutil.rmtree(folder)


def _edits(folder: Path, kind: str, size: int, rounds: int) -> Iterator[Figure]:
    root = folder / kind / "ws"
    root.mkdir(parents=True)
    (root / "pyproject.toml").write_text("")
    encoding = "utf-16" if kind == "UTF-16" else "utf-8"
    data = _text(size // (2 if kind == "UTF-16" else 1), KINDS[kind]).encode(encoding)
    path = root / "large.py"
    path.write_bytes(data)
    plain = best(lambda: _plainly(path, encoding), rounds=rounds)
    path.write_bytes(data)
    with _service(folder / kind, root) as (app, runner):
        edits = _Edits(app, root, path, encoding)
        runner.run(edits.read())
        edit = best(lambda: runner.run(edits.edit()), rounds=rounds)
        tools = best(lambda: runner.run(edits.read_and_write()), rounds=rounds)
    of = f"10 MiB of {kind}" if size == 10 << 20 else f"{size} bytes of {kind}"
    yield Figure(
        f"reading and writing {of}", plain * 1000, "ms", note="read, decode, replace, encode, write, fsync"
    )
    yield Figure(
        f"an edit in {of}", edit * 1000, "ms", note="the whole walk but language servers, snapshot included"
    )
    yield Figure(f"the same against a plain program, {kind}", edit / plain, "times")
    yield Figure(f"reading and writing {of} by the tools", tools * 1000, "ms", note="read of a part, write")
    yield Figure(f"an edit against reading and writing by the tools, {kind}", edit / tools, "times", goal=2.0)


def _text(size: int, more: str) -> str:
    lines: list[str] = []
    length = 0
    while length < size:
        line = LINE.format(len(lines)) + more
        lines.append(line)
        length += len(line)
    return "".join(lines)


def _plainly(path: Path, encoding: str) -> None:
    """What a program does that keeps nothing and checks nothing."""
    with path.open("r", encoding=encoding, errors="strict", newline="") as file:
        text = file.read()
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding=encoding, newline="") as file:
        file.write(text.replace("(item_1000)", "(item_x)", 1))
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


class _Edits:
    """One edit after the other, each to a text that was not there before, so that all of it is kept anew."""

    def __init__(self, app: App, root: Path, path: Path, encoding: str) -> None:
        self._app, self._path, self._encoding = app, str(path), encoding
        self._context = CallContext(Caller(ScopeKey("bench")), "mcp", str(root))
        self._words = "price_of(item_1000) * count"
        self._made = 0

    async def read(self) -> None:
        await self._app.call("read", {"file_path": self._path, "offset": 990, "limit": 30}, self._context)

    async def read_and_write(self) -> None:
        """The whole text read, and written again with a change."""
        old, new = self._next()
        text = self._text()
        await self._app.call("read", {"file_path": self._path, "refresh": True}, self._context)
        arguments = {"file_path": self._path, "content": text.replace(old, new)}
        await self._app.call("write", arguments, self._context)

    def _text(self) -> str:
        return Path(self._path).read_bytes().decode(self._encoding).removeprefix("\ufeff")

    async def edit(self) -> None:
        old, new = self._next()
        arguments = {"file_path": self._path, "old_string": old, "new_string": new}
        await self._app.call("edit", arguments, self._context)

    def _next(self) -> tuple[str, str]:
        self._made += 1
        old, self._words = self._words, f"price_of(item_1000) * {self._made}"
        return old, self._words


@contextmanager
def _service(base: Path, root: Path) -> Iterator[tuple[App, asyncio.Runner]]:
    state = {"XDG_STATE_HOME": str(base / "state"), "XDG_RUNTIME_DIR": str(base / "run")}
    settings = merge(Settings(), {"side_effects": {"diagnostics": False}, "read_first": False}, "user")
    with mock.patch.dict(os.environ, state), asyncio.Runner() as runner:

        async def made() -> App:
            return build(str(root), settings=settings)

        app = runner.run(made())
        try:
            yield app, runner
        finally:
            runner.run(app.close())


def _matching(quick: bool) -> Iterator[Figure]:
    lines = 2_000 if quick else 100_000
    text = "x\n" * lines
    rounds = 1 if quick else 3

    def missed() -> None:
        try:
            match_edit(text, "x\n" * 3_000 + "z", "y")
        except CoeditorError:
            return
        raise AssertionError("it fits")

    yield Figure("a miss of 3,000 lines in 100,000", best(missed, rounds=rounds), "s", goal=3.0)
    many = best(lambda: match_edit(text, "x", "y", replace_all=True), rounds=rounds)
    yield Figure("100,000 hits replaced", many, "s", goal=2.0)
    folded = text.replace("x", "x ")
    many = best(lambda: match_edit(folded, "x\n", "y\n", replace_all=True), rounds=rounds)
    yield Figure("100,000 hits with blanks at line ends replaced", many, "s")
