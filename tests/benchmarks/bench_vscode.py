"""The VS Code extension in the real workbench: how long its activation takes of the extension host's time, and what
agents at work add to typing.

VS Code measures the former itself: loading the code and the call of ``activate``, as "Show Running Extensions" shows
it. The latter is the time from a key until the window was drawn with it, of the same keys with and without agents, in
turns. Never: part of a quick run, which looks at the size of what ships alone.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from tests.benchmarks.figures import Figure, percentile
from tests.e2e.agents import Agent, Place, agent
from tests.e2e.vscode.install import EXTENSION, install, missing_program, packaged_extension
from tests.e2e.vscode.workbench import Workbench, workbench

GOAL_MS = 100.0
ROUNDS = 3
ROW = '.runtime-extensions-editor .monaco-list-row:has(.name:text-is("Coeditor")) .activation-time'

AGENTS = 3
TURNS = 6
"""Of each kind, alternating."""
KEYS = 60
GAP_MS = 80
"""Between two keys; a fast typist's."""
FRAME_MS = 1000 / 60
"""What nobody sees, and the goal for what agents may add in the middle."""
LINES = "".join(f"line {number:04}\n" for number in range(2_000))


def run(quick: bool) -> list[Figure]:
    """Of several windows the fastest; nothing but the sources' size where VS Code cannot be driven."""
    sources = sum(path.stat().st_size for path in (EXTENSION / "src").rglob("*.ts"))
    found = [Figure("TypeScript sources", sources / 1024, "KiB")]
    if quick or missing_program() is not None:
        return found
    extension = packaged_extension()
    times = [asyncio.run(_activation(extension)) for _ in range(ROUNDS)]
    note = "of " + ", ".join(f"{time:.0f}" for time in times)
    return [
        *found,
        Figure("package", extension.stat().st_size / 1024, "KiB", goal=5_000_000 / 1024),
        Figure("activation", min(times), "ms", goal=GOAL_MS, note=note),
        *asyncio.run(_typing(extension)),
    ]


@asynccontextmanager
async def _window(extension: Path) -> AsyncIterator[Workbench]:
    with tempfile.TemporaryDirectory(prefix="bench-vscode-") as base:
        async with workbench(install(), extension, Place(Path(base))) as bench:
            yield bench


async def _activation(extension: Path) -> float:
    async with _window(extension) as bench:
        await bench.palette("Developer: Show Running Extensions")
        await bench.wait(ROW)
        text = " ".join(await bench.texts(ROW))
    time = re.search(r"(\d+)\s*ms", text)
    assert time is not None, text
    return float(time[1])


async def _typing(extension: Path) -> list[Figure]:
    """One agent edits the document that is typed into, the others documents of their own that are open too."""
    async with _window(extension) as bench, AsyncExitStack() as stack:
        names = ["typed.md", *(f"open-{number}.md" for number in range(1, AGENTS))]
        agents = [await stack.enter_async_context(agent(bench.place)) for _ in names]
        for name, one in zip(names, agents, strict=True):
            bench.place.write(name, LINES)
            await bench.open(name)
            await one.call("read", file_path=name, limit=2_000)
        await bench.open(names[0])
        await bench.key_times()
        times: dict[bool, list[float]] = {False: [], True: []}
        edits = 0
        for turn in range(TURNS * 2):
            ending = asyncio.Event()
            busy = turn % 2 == 1
            work = [
                asyncio.create_task(_edits(one, name, turn, ending))
                for one, name in zip(agents, names, strict=True)
                if busy
            ]
            await bench.type("typing" * (KEYS // 6), delay=GAP_MS)
            ending.set()
            edits += sum(await asyncio.gather(*work))
            times[busy] += await bench.key_times()
    alone, beside = times[False], times[True]
    note = f"{len(beside)} keys; {AGENTS} agents made {edits} edits meanwhile"
    return [
        Figure("a key until it is drawn, p50", percentile(alone, 0.5), "ms", note=f"{len(alone)} keys"),
        Figure("a key until it is drawn, p95", percentile(alone, 0.95), "ms"),
        Figure("a key until it is drawn while agents edit, p50", percentile(beside, 0.5), "ms", note=note),
        Figure("a key until it is drawn while agents edit, p95", percentile(beside, 0.95), "ms"),
        Figure(
            "what agents add to a key, p50",
            percentile(beside, 0.5) - percentile(alone, 0.5),
            "ms",
            goal=FRAME_MS,
        ),
    ]


async def _edits(one: Agent, name: str, turn: int, ending: asyncio.Event) -> int:
    """How many were made until the end; one after the other, far from where the person types."""
    made = 0
    first = 200 + turn // 2 * 300
    for number in range(first, first + 300):
        if ending.is_set():
            break
        old, new = f"line {number:04}", f"LINE {number:04}"
        found = await one.call("edit", file_path=name, old_string=old, new_string=new)
        made += bool(found["ok"])  # else for the person's keys, which it is shown now
    return made
