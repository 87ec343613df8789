"""With an editor: what an edit of an open document and a keystroke cost the server, and what a full house adds.

The editor is scripted, and runs in this process; the server's own CPU is what counts, since the editor is no part of
it. Never: a figure of a document that ended otherwise than the disk.
"""

from __future__ import annotations

import asyncio
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.figures import Figure
from tests.benchmarks.processes import cpu_seconds
from tests.benchmarks.texts import line, lines_of
from tests.e2e.agents import Agent, Place, agent
from tests.fakes.editor import Document, ScriptedEditor
from tests.fakes.editor_process import EditorProcess

LINES = 180
"""Of the document that is edited: 10 KB."""
_REST = 0.5
"""Seconds in which a server that is at rest works for a fiftieth at most."""
_QUIET = {"side_effects": {"diagnostics": False}}


def run(quick: bool) -> list[Figure]:
    """Three servers: one with a document, one with a full house, one with a document of 10 MB."""
    edits, house, keys = (3, 5, 3) if quick else (60, 1_000, 100)
    size = 20_000 if quick else 10_000_000
    alone = asyncio.run(_edits(edits, 0))
    crowded = asyncio.run(_edits(edits, house))
    return [
        Figure("an edit of an open document, from call to answer", alone.seconds * 1e3, "ms"),
        Figure("the same, without what the editor did of it", alone.added * 1e3, "ms", goal=3),
        Figure("the server's CPU for it", alone.cpu * 1e3, "ms"),
        Figure(
            f"the same with {house:,} open documents, {house * 10:,} observations",
            crowded.cpu / alone.cpu,
            "times",
            goal=1.1,
            note=f"{crowded.cpu * 1e3:.1f} ms of CPU",
        ),
        asyncio.run(_keystrokes(size, keys)),
    ]


class _Times:
    """Medians over many edits, in seconds."""

    def __init__(self, seconds: list[float], editor: list[float], cpu: list[float]) -> None:
        self.seconds = statistics.median(seconds)
        self.added = statistics.median(whole - part for whole, part in zip(seconds, editor, strict=True))
        self.cpu = statistics.median(cpu)


@contextmanager
def _place() -> Iterator[Place]:
    base = Path(tempfile.mkdtemp(prefix="coeditor-bench-"))
    try:
        yield Place(base, _QUIET)
    finally:
        shutil.rmtree(base, ignore_errors=True)


class _TimedEditor(ScriptedEditor):
    """Notes how long it takes to answer."""

    def __init__(self) -> None:
        super().__init__()
        self.took = 0.0

    async def answer(self, method: str, params: dict[str, object]) -> object:
        started = time.perf_counter()
        try:
            return await super().answer(method, params)
        finally:
            self.took += time.perf_counter() - started


async def _edits(count: int, house: int) -> _Times:
    with _place() as place:
        editor = _TimedEditor()
        document = editor.open(place.write("a.txt", lines_of(LINES)))
        for number in range(house):
            editor.open(place.write(f"open/{number}.txt", f"document {number}\n"))
        process = EditorProcess(editor, place.folder, place.environment)
        await process.start()
        try:
            await process.told("coeditor/agents")
            async with agent(place) as one:
                for number in range(house * 10):
                    path = f"seen/{number % 100}/{number}.txt"
                    place.write(path, f"file {number}\n")
                    await one.call("read", file_path=path)
                await _at_rest(process)
                return await _edit_often(place, one, editor, document, process, count)
        finally:
            await process.stop()


async def _edit_often(
    place: Place, one: Agent, editor: _TimedEditor, document: Document, process: EditorProcess, count: int
) -> _Times:
    await one.call("read", file_path="a.txt")
    seconds, took, cpu = [], [], []
    for number in range(count + 3):  # the first ones warm up
        old = line((number * 37 + 5) % LINES)
        editor.took, started, before = 0.0, time.perf_counter(), _cpu(process)
        done = await one.call("edit", file_path="a.txt", old_string=old, new_string=f"{old} edited")
        seconds.append(time.perf_counter() - started)
        took.append(editor.took)
        cpu.append(_cpu(process) - before)
        assert done["ok"], done
    assert document.text == place.text("a.txt")
    return _Times(seconds[3:], took[3:], cpu[3:])


async def _keystrokes(size: int, count: int) -> Figure:
    with _place() as place:
        editor = ScriptedEditor()
        document = editor.open(place.write("big.txt", lines_of(size // (len(line(0)) + 1))))
        process = EditorProcess(editor, place.folder, place.environment)
        await process.start()
        try:
            await process.told("coeditor/agents")
            async with agent(place) as one:
                await one.call("read", file_path="big.txt", limit=20)
                await _at_rest(process)
                before = _cpu(process)
                middle = document.text.count("\n") // 2
                for number in range(1, count + 1):
                    editor.send("textDocument/didChange", _key(document, number, middle))
                seen = await one.call("status")
                assert seen["unsaved_documents"], "the last key has arrived"
                cost = (_cpu(process) - before) / count
        finally:
            await process.stop()
    return Figure(f"the server's CPU for a key in {size:,} bytes", cost * 1e3, "ms", goal=5)


def _key(document: Document, number: int, line: int) -> dict[str, object]:
    """The ``number``-th one of many in one line; the scripted editor itself needs longer for it than the server."""
    at = {"line": line, "character": number}
    return {
        "textDocument": {"uri": document.uri, "version": document.version + number},
        "contentChanges": [{"range": {"start": at, "end": at}, "text": "x"}],
    }


async def _at_rest(process: EditorProcess) -> None:
    """What the start and a full house left to do is done: the server sleeps. Errors: TimeoutError after a minute."""
    async with asyncio.timeout(60):
        before = -1.0
        while _cpu(process) - before > _REST * 0.02:
            before = _cpu(process)
            await asyncio.sleep(_REST)


def _cpu(process: EditorProcess) -> float:
    assert process.process is not None
    return cpu_seconds([process.process.pid])
