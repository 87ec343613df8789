"""How the cost of one edit grows with the file, what was observed, who is at work, and how long the history is.

CPU of a whole service in this process, without doors and diagnostics. Never: wall time, which tells more of the disk
and of the machine's other work than of growth.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from unittest.mock import patch

from ledger.types import Caller, ScopeKey
from lsp_server.app import App, build
from lsp_server.service import CallContext
from lsp_server.settings import Settings, merge
from tests.benchmarks.figures import Figure
from tests.benchmarks.texts import line, lines_of

_HOMES = {"XDG_RUNTIME_DIR": "run", "XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config"}
LINES = 180
"""Of the file where its size is not what grows: 10 KB."""


def run(quick: bool) -> list[Figure]:
    """Each figure is one edit in the middle of something that is so much, and how much more that is than alone."""
    edits = 3 if quick else 40
    sizes = (1, 10) if quick else (10, 100, 1_000, 10_000)
    many = (20,) if quick else (1_000, 10_000)
    found = [
        _figure(f"an edit in a file of {size:,} KB", _measured(edits, lines=size * 18)) for size in sizes
    ]
    alone = _measured(edits)
    found.append(_figure("an edit, alone in a folder", alone))
    found += [_figure(f"after {count:,} observations", _measured(edits, seen=count), alone) for count in many]
    agents = (3,) if quick else (10, 100)
    found += [_figure(f"beside {count} agents", _measured(edits, agents=count), alone) for count in agents]
    history = (10,) if quick else (100, 1_000)
    return found + [
        _figure(f"after {count:,} edits of other files", _measured(edits, before=count), alone)
        for count in history
    ]


def _figure(name: str, seconds: float, alone: float | None = None) -> Figure:
    note = "CPU" if alone is None else f"CPU, {seconds / alone:.2f} times that of one alone"
    return Figure(name, seconds * 1e3, "ms", note=note)


def _measured(edits: int, *, lines: int = LINES, seen: int = 0, agents: int = 0, before: int = 0) -> float:
    """Seconds of CPU for one edit, the middle of ``edits``."""
    base = Path(tempfile.mkdtemp(prefix="coeditor-bench-")).resolve()
    homes = {name: str(base / folder) for name, folder in _HOMES.items()}
    try:
        for folder in ("ws", *_HOMES.values()):
            (base / folder).mkdir(mode=0o700)
        with patch.dict(os.environ, homes):
            return asyncio.run(_walked(base / "ws", edits, lines, seen, agents, before))
    finally:
        shutil.rmtree(base, ignore_errors=True)


async def _walked(root: Path, edits: int, lines: int, seen: int, agents: int, before: int) -> float:
    app = build(str(root), settings=merge(Settings(), {"side_effects": {"diagnostics": False}}, "user"))
    try:
        for number in range(seen):
            _put(root, f"seen/{number % 100}/{number}.txt", f"file {number}\n")
            await _call(app, root, "read", file_path=f"seen/{number % 100}/{number}.txt")
        (root / "a.txt").write_text(lines_of(lines))
        for number in range(agents):
            await _call(app, root, "read", session=f"agent-{number}", file_path="a.txt", limit=20)
        for number in range(before):
            _put(root, f"other-{number % 50}.txt", f"step {number}\n")
            await _call(app, root, "read", file_path=f"other-{number % 50}.txt")
            arguments = {"old_string": f"step {number}", "new_string": "done"}
            await _call(app, root, "edit", file_path=f"other-{number % 50}.txt", **arguments)
        times = [await _edit(app, root, lines, number) for number in range(edits + 2)]
        return statistics.median(times[2:])
    finally:
        await app.close()


async def _edit(app: App, root: Path, lines: int, number: int) -> float:
    place = (number * 37 + lines // 2) % lines
    await _call(app, root, "read", file_path="a.txt", offset=max(1, place - 5), limit=20)
    started = time.process_time()
    await _call(
        app, root, "edit", file_path="a.txt", old_string=line(place), new_string=f"{line(place)} edited"
    )
    return time.process_time() - started


async def _call(app: App, root: Path, tool: str, session: str = "bench", **arguments: object) -> None:
    context = CallContext(Caller(ScopeKey(session)), "mcp", str(root))
    await app.call(tool, arguments, context)


def _put(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
