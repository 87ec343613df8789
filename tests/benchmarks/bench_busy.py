"""A start on a machine that is busy: some agents give a server three seconds to answer, and none says why it went.

The load is two endless loops for each processor. Never: a server that was already there.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.figures import Figure, percentile
from tests.e2e.agents import Place, agent

GOAL_MS = 1_000.0


def run(quick: bool) -> list[Figure]:
    """The handshake with the list of tools, which the relay answers alone, and the first read, which a server does."""
    listed, read = list[float](), list[float]()
    loops, rounds = (1, 1) if quick else (2 * len(os.sched_getaffinity(0)), 15)
    with _busy(loops):
        for _ in range(rounds):
            with tempfile.TemporaryDirectory(prefix="coeditor-bench-") as base:
                first, second = asyncio.run(_start(Place(Path(base).resolve())))
            listed.append(first)
            read.append(second)
    note = f"{loops} endless loops beside it"
    return [
        Figure("to the list of tools, p50", percentile(listed, 0.5) * 1_000, "ms", goal=GOAL_MS, note=note),
        Figure("to the list of tools, at worst", max(listed) * 1_000, "ms", goal=GOAL_MS, note=note),
        Figure("to the first read, from cold, p50", percentile(read, 0.5) * 1_000, "ms", note=note),
    ]


async def _start(place: Place) -> tuple[float, float]:
    """Seconds from the spawn to the list of tools, and to what a file holds."""
    path = place.write("a.txt", "one\n")
    started = time.perf_counter()
    try:
        async with agent(place) as one:
            await one.request("tools/list", {})
            listed = time.perf_counter() - started
            await one.call("read", file_path=str(path))
            return listed, time.perf_counter() - started
    finally:
        for pid in place.server_pids():
            os.kill(pid, signal.SIGTERM)


@contextmanager
def _busy(count: int) -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()
