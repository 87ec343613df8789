"""Who looks for a pattern: ripgrep, or a program of our own with the same answers.

::

    ripgrep beside this Python  ->  ripgrep on the PATH  ->  search_child

Every one is asked the same two questions: which files may have a hit (those that are not plain UTF-8 with LF
are always among them), and which lines of given texts have one. What is shown comes from the texts, never from
the program.

Never: a half answer; a program that was ended early counts for nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from editor_clients.rust_regex import refuse_text_anchors
from ledger.errors import Code, CoeditorError

Hit = tuple[int, int]
"""Line and column in UTF-8 bytes, both 1-based, of the first hit in a line; with ``multiline`` all columns are 1."""

Take = Callable[[bytes], object]

_NOT_PLAIN = r"[^\x00\r\x{FEFF}]*"
"""What a line of a plain file is; every line that is not entirely this makes a candidate."""
_MOST_ARGUMENTS = 200_000
"""Bytes of paths in one command line."""
_PIECE = 1 << 16
_HOME = str(Path(__file__).resolve().parent.parent)
"""Where the child finds our packages, whatever its current folder holds."""
_ROW = re.compile(rb"([^\0\n]+)\0(\d+):(?:(\d+):)?[^\n]*\n")


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for."""

    pattern: str
    """A regular expression of Rust's."""
    multiline: bool = False


class SearchEngine(Protocol):
    """One program that searches. Cancelling a call ends what it started."""

    name: str

    async def check(self, query: Query) -> None:
        """Errors: INVALID_ARGUMENT for a pattern that this engine cannot search for."""
        ...

    async def candidates(self, query: Query, paths: Sequence[str]) -> set[str]:
        """Those of the files that have a hit, or are not plain UTF-8 with LF. Unreadable ones are not."""
        ...

    async def lines(self, query: Query, texts: Sequence[str], most: int) -> list[list[Hit]]:
        """For each text (LF ends its lines) the first ``most`` lines with hits, in order."""
        ...


def find_engine(environ: Mapping[str, str] | None = None) -> SearchEngine:
    """The best engine that is there."""
    beside = os.path.join(os.path.dirname(sys.executable), "rg")
    if os.access(beside, os.X_OK):
        return Ripgrep(beside)
    found = shutil.which("rg", path=(environ or os.environ).get("PATH", os.defpath))
    return Ripgrep(found) if found else PythonEngine()


class Ripgrep:
    """Searches with ripgrep 13 or later."""

    name = "ripgrep"

    def __init__(self, program: str) -> None:
        self._program = program

    async def check(self, query: Query) -> None:
        """See ``SearchEngine``."""
        refuse_text_anchors(query.pattern)
        code, _, said = await self._run(query, ["--quiet"], [os.devnull])
        if code == 2:
            why = said.decode("utf-8", "replace").removeprefix("rg: ").strip()
            raise _refused(query.pattern, why)

    async def candidates(self, query: Query, paths: Sequence[str]) -> set[str]:
        """See ``SearchEngine``."""
        found: set[str] = set()
        plain = Query(_NOT_PLAIN)
        for chunk in _chunks(paths):
            hits, odd = await asyncio.gather(
                self._run(query, ["--files-with-matches", "--null"], chunk),
                self._run(
                    plain, ["--files-with-matches", "--null", "--invert-match", "--line-regexp"], chunk
                ),
            )
            for code, names, _ in (hits, odd):
                _refuse_killed(code)
                found.update(name.decode() for name in names.split(b"\0") if name)
        return found

    async def lines(self, query: Query, texts: Sequence[str], most: int) -> list[list[Hit]]:
        """See ``SearchEngine``."""
        flags = ["--with-filename", "--no-heading", "--null", "--line-number"]
        flags += [] if query.multiline else ["--column"]
        # A hit's line is known from its number; the text itself is not wanted, however long it is.
        flags += ["--max-columns=1", "--no-max-columns-preview"]
        # Over line ends, versions count differently what they stop at.
        flags += [] if query.multiline else [f"--max-count={most}"]
        with _held(texts) as (paths, descriptors):
            taker = _Hits(paths, most)
            code, _, _ = await self._run(query, flags, paths, descriptors, taker.take)
            _refuse_killed(code)
        return taker.found()

    async def _run(
        self,
        query: Query,
        flags: Sequence[str],
        paths: Sequence[str],
        descriptors: Sequence[int] = (),
        take: Take | None = None,
    ) -> tuple[int, bytes, bytes]:
        every = ["--no-config", "--color=never", "--no-messages", "--no-ignore", "--hidden", "--no-mmap"]
        every += ["--text", "--encoding=none", "--case-sensitive", "--engine=default", "--no-crlf"]
        if query.multiline:
            every += ["--multiline", "--no-multiline-dotall"]
        command = [self._program, *every, *flags, f"--regexp={query.pattern}", "--", *paths]
        return await _run(command, descriptors=descriptors, take=take)


class PythonEngine:
    """Searches with Python's ``re`` in a process of its own."""

    name = "python"

    async def check(self, query: Query) -> None:
        """See ``SearchEngine``; ``data.construct`` names what this engine alone cannot do."""
        await self._job("check", query, ())

    async def candidates(self, query: Query, paths: Sequence[str]) -> set[str]:
        """See ``SearchEngine``."""
        found = await self._job("candidates", query, paths)
        return {name.decode() for name in found.split(b"\0") if name}

    async def lines(self, query: Query, texts: Sequence[str], most: int) -> list[list[Hit]]:
        """See ``SearchEngine``."""
        with _held(texts) as (paths, descriptors):
            taker = _Hits(paths, most)
            await self._job("lines", query, paths, most=most, descriptors=descriptors, take=taker.take)
        return taker.found()

    async def _job(
        self,
        job: str,
        query: Query,
        paths: Sequence[str],
        *,
        most: int = 0,
        descriptors: Sequence[int] = (),
        take: Take | None = None,
    ) -> bytes:
        asked: dict[str, Any] = {"job": job, "pattern": query.pattern, "multiline": query.multiline}
        asked |= {"paths": list(paths), "most": most}
        code, out, said = await _run(
            [sys.executable, "-P", "-m", "editor_clients.search_child"],
            sent=json.dumps(asked).encode(),
            descriptors=descriptors,
            environ={**os.environ, "PYTHONPATH": _HOME},
            take=take,
        )
        if code == 2:
            told = json.loads(said)
            if "data" in told:
                raise CoeditorError(Code.INVALID_ARGUMENT, told["message"], data=told["data"])
            raise _refused(query.pattern, told["message"])
        if code != 0:
            raise CoeditorError(Code.INTERNAL, f"The search program ended with {code}.")
        return out


def _refuse_killed(code: int) -> None:
    # 2 is also the code for a file that cannot be read; the pattern was checked before.
    if code not in (0, 1, 2):
        raise CoeditorError(Code.INTERNAL, f"The search program ended with {code}.")


def _refused(pattern: str, why: str) -> CoeditorError:
    return CoeditorError(
        Code.INVALID_ARGUMENT,
        f"The pattern {pattern[:80]!r} is not a regular expression that can be searched for. {why}",
        data={"argument": "pattern"},
    )


class _Hits:
    """Takes rows as they come, and keeps no more of a text than is wanted."""

    def __init__(self, paths: Sequence[str], most: int) -> None:
        self._most = most
        self._found: dict[str, list[Hit]] = {path: [] for path in paths}
        self._rest = b""

    def take(self, piece: bytes) -> None:
        """The next piece of the output."""
        rows = self._rest + piece
        end = 0
        for row in _ROW.finditer(rows):
            end = row.end()
            hits = self._found[row[1].decode()]
            if len(hits) < self._most:
                hits.append((int(row[2]), int(row[3] or 1)))
        self._rest = rows[end:]

    def found(self) -> list[list[Hit]]:
        """By text."""
        return list(self._found.values())


def _chunks(paths: Sequence[str]) -> Iterator[list[str]]:
    """``paths`` in pieces that a command line can hold."""
    chunk: list[str] = []
    size = 0
    for path in paths:
        cost = len(path.encode()) + 9
        if chunk and size + cost > _MOST_ARGUMENTS:
            yield chunk
            chunk, size = [], 0
        chunk.append(path)
        size += cost
    if chunk:
        yield chunk


@contextmanager
def _held(texts: Sequence[str]) -> Iterator[tuple[list[str], list[int]]]:
    """``texts`` under paths that a child process can read; unsaved text stays off the disk where that goes."""
    with ExitStack() as stack:
        paths: list[str] = []
        descriptors: list[int] = []
        folder = ""
        if not hasattr(os, "memfd_create"):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="coeditor-"))
        for number, text in enumerate(texts):
            data = text.encode("utf-8")
            if folder:
                paths.append(os.path.join(folder, str(number)))
                Path(paths[-1]).write_bytes(data)
                continue
            descriptor = os.memfd_create("coeditor-search")
            stack.callback(os.close, descriptor)
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            descriptors.append(descriptor)
            paths.append(f"/proc/self/fd/{descriptor}")
        yield paths, descriptors


async def _run(
    command: Sequence[str],
    *,
    sent: bytes = b"",
    descriptors: Sequence[int] = (),
    environ: Mapping[str, str] | None = None,
    take: Take | None = None,
) -> tuple[int, bytes, bytes]:
    """Exit code, output (unless ``take`` has it piece by piece) and errors of a program.

    It does not outlive the call.
    """
    with tempfile.TemporaryFile() as source:
        source.write(sent)
        source.seek(0)
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=source,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            pass_fds=tuple(descriptors),
            env=None if environ is None else dict(environ),
            cwd="/",
        )
    assert process.stdout is not None
    assert process.stderr is not None
    out: list[bytes] = []
    said = asyncio.ensure_future(process.stderr.read())
    try:
        while piece := await process.stdout.read(_PIECE):
            (take or out.append)(piece)
        return await process.wait(), b"".join(out), await said
    finally:
        if process.returncode is None:
            process.kill()
            await asyncio.shield(process.wait())
        said.cancel()
