"""The race: every contestant does the same, in turn, in one run.

Rounds go A B C, B C A, ...; while one works all others are stopped, so that nobody's background work falls on
another's clock. What an agent would have read before is read outside the clock. Never: a time of an edit that
is not on the disk exactly.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.benchmarks import processes
from tests.benchmarks.contestants import FAST, OURS, Contestant
from tests.benchmarks.driving import Reply, Running
from tests.benchmarks.texts import Target, lines_of

COLD = "coeditor, cold"
"""Our row where no server runs yet."""

Round = Callable[[Running, int], Awaitable[Reply | None]]


@dataclass(slots=True)
class Cell:
    """What one exercise gave, by contestant."""

    name: str
    seconds: dict[str, list[float]] = field(default_factory=dict)
    cpu: dict[str, list[float]] = field(default_factory=dict)
    """Seconds of all its processes for each round."""
    text: dict[str, int] = field(default_factory=dict)
    """Bytes of text in the last answer."""
    structured: dict[str, int] = field(default_factory=dict)
    """Bytes of structured content beside it."""
    failed: dict[str, str] = field(default_factory=dict)
    """Why there is no time."""

    def median_ms(self, name: str) -> float | None:
        """The middle time; None where there is none."""
        found = self.seconds.get(name)
        return statistics.median(found) * 1e3 if found and name not in self.failed else None

    def cpu_ms(self, name: str) -> float | None:
        """The middle CPU time."""
        found = self.cpu.get(name)
        return statistics.median(found) * 1e3 if found and name not in self.failed else None


@dataclass(slots=True)
class Results:
    """All that one race gave."""

    cells: dict[str, Cell] = field(default_factory=dict)
    memory: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    """MiB at worst of each process of a contestant: ``idle``, ``after 10 MB``."""
    left_out: dict[str, str] = field(default_factory=dict)
    walk: list[dict[str, Any]] = field(default_factory=list)
    """Where the time of our edits of 10 KB went: the rows of ``coeditor status --timings``."""
    seconds: float = 0.0
    load: tuple[float, float] = (0.0, 0.0)
    """At the start and at the end."""

    def cell(self, name: str) -> Cell:
        return self.cells.setdefault(name, Cell(name))


class Race:
    """One run of all exercises."""

    def __init__(self, contestants: Sequence[Contestant], cache: Path, *, quick: bool) -> None:
        self._contestants = list(contestants)
        self._cache = cache
        self._quick = quick
        self._base = Path(tempfile.mkdtemp(prefix="coeditor-race-"))
        self._runners: list[Running] = []
        self.results = Results()

    async def run(self) -> Results:
        """All exercises, one after the other."""
        started = time.monotonic()
        before = os.getloadavg()[0]
        try:
            async with AsyncExitStack() as stack:
                for contestant in self._contestants:
                    await self._open(contestant, stack)
                await self._starts()
                await self._read(200, 40)
                await self._edit("edit 10 KB", 10_000, 60)
                await self._timings()
                await self._edit("edit 100 KB", 100_000, 60)
                await self._edit("edit 1 MB", 1_000_000, 24)
                await self._hundred()
                await self._many_files()
                await self._read(20_000, 15)
                await self._edit("edit 10 MB", 10_000_000, 8)
                self._weigh("after 10 MB")
        finally:
            shutil.rmtree(self._base, ignore_errors=True)
        self.results.seconds = time.monotonic() - started
        self.results.load = (before, os.getloadavg()[0])
        return self.results

    async def _open(self, contestant: Contestant, stack: AsyncExitStack) -> None:
        try:
            runner = await stack.enter_async_context(Running(contestant, self._cache, self._base))
            await self._warm(runner)
        except Exception as error:
            self.results.left_out[contestant.name] = f"it did not start: {error}"[:300]
            return
        self._runners.append(runner)
        self._weigh_one(runner, "idle")

    async def _warm(self, runner: Running) -> None:
        target = Target(runner.root / "warm.txt", 500)
        await _look(runner, target)
        reply = await runner.edit(target.next())
        if reply.failed:
            raise RuntimeError(reply.text)

    # The exercises.

    async def _starts(self) -> None:
        """From the start of the process to its first answer."""
        _say("starts")
        cell = self.results.cell("start")
        for number in range(2 if self._quick else 8):
            for runner in _rotated(self._runners, number):
                async with self._alone(runner):
                    if runner.contestant.name == FAST:
                        continue
                    await self._start(cell, runner.contestant.name, runner.contestant, runner)
                    if runner.contestant.folder_wide:
                        await self._start(cell, COLD, runner.contestant, None)

    async def _start(self, cell: Cell, name: str, contestant: Contestant, like: Running | None) -> None:
        runner = Running(contestant, self._cache, self._base, like=like if contestant.folder_wide else None)
        target = Target(runner.root / "start.txt", 500) if runner.root.exists() else None
        started = time.perf_counter()
        try:
            await runner.start()
            target = target or Target(runner.root / "start.txt", 500)
            reply = await (runner.read(target.path) if contestant.read else runner.edit(target.next()))
            if reply.failed:
                cell.failed[name] = reply.text[:200]
            cell.seconds.setdefault(name, []).append(time.perf_counter() - started)
            cell.cpu.setdefault(name, []).append(runner.cpu_seconds())
        finally:
            await runner.close()

    async def _read(self, count: int, rounds: int) -> None:
        text = lines_of(count)

        async def turn(runner: Running, number: int) -> Reply | None:
            if runner.contestant.read is None:
                return None
            path = runner.root / f"read-{count}-{number}.txt"
            path.write_text(text)
            reply = await runner.counted(runner.read(path))
            path.unlink()
            last = text.splitlines()[-1]
            if last not in reply.text and last.replace('"', '\\"') not in reply.text:
                return Reply(reply.seconds, "it did not give all lines", failed=True)
            return reply

        await self._rounds(f"read {count:,} lines", rounds, turn)

    async def _edit(self, name: str, size: int, rounds: int) -> None:
        targets = {each.mark: Target(each.root / f"edit-{size}.txt", size) for each in self._runners}

        async def turn(runner: Running, number: int) -> Reply | None:
            target = targets[runner.mark]
            edit = target.next()
            await _look(runner, target, near=edit.line if size > 200_000 else None, again=number == 0)
            reply = await runner.counted(runner.edit(edit))
            if not target.took(edit):
                return Reply(reply.seconds, f"not what was asked for: {reply.text}", failed=True)
            return reply

        await self._rounds(name, rounds, turn)
        for target in targets.values():
            target.path.unlink()

    async def _timings(self) -> None:
        """What our server says of its steps; so far it has made small edits alone."""
        for runner in self._runners:
            if runner.contestant.name == OURS:
                asked = [runner.command[0], "status", "--timings", "--json"]
                told = await asyncio.to_thread(
                    subprocess.run,
                    asked,
                    cwd=runner.root,
                    env=runner.environment,
                    capture_output=True,
                    check=True,
                )
                self.results.walk = json.loads(told.stdout)["timings"]

    async def _hundred(self) -> None:
        """100 edits of one file of 100 KB, one after the other."""
        count = 20 if self._quick else 100

        async def turn(runner: Running, number: int) -> Reply | None:
            target = Target(runner.root / f"hundred-{number}.txt", 100_000)
            await _look(runner, target)
            found = await runner.counted(_one_by_one(runner, target, count))
            target.path.unlink()
            return replace(found, seconds=found.seconds * 100 / count, cpu=found.cpu * 100 / count)

        await self._rounds("100 edits", 5, turn)

    async def _many_files(self) -> None:
        """One line in each of 20 files of 10 KB."""
        targets = {
            each.mark: [Target(each.root / f"many-{number:02}.txt", 10_000) for number in range(20)]
            for each in self._runners
        }

        async def turn(runner: Running, number: int) -> Reply | None:
            mine = targets[runner.mark]
            if number == 0:
                for target in mine:
                    await _look(runner, target)
            edits = [target.next() for target in mine]
            reply = await runner.counted(runner.edit_all(edits))
            took = [target.took(edit) for target, edit in zip(mine, edits, strict=True)]
            if not all(took):
                return Reply(reply.seconds, f"not what was asked for: {reply.text}", failed=True)
            return reply

        await self._rounds("20 files", 20, turn)
        for each in targets.values():
            for target in each:
                target.path.unlink()

    # Counting.

    async def _rounds(self, name: str, rounds: int, turn: Round) -> None:
        """Every contestant in turn; who is slow has fewer rounds, and the first two warm up."""
        _say(name)
        cell = self.results.cell(name)
        rounds = max(3, rounds // 6) if self._quick else rounds
        warm = 2 if rounds > 8 else 1
        budget = 4.0 if self._quick else 25.0
        spent = {each.mark: 0.0 for each in self._runners}
        for number in range(rounds + warm):
            for runner in _rotated(self._runners, number):
                name = runner.contestant.name
                if name in cell.failed or (number > warm + 1 and spent[runner.mark] > budget):
                    continue
                async with self._alone(runner):
                    reply = await _tried(runner, turn, number)
                if reply is None:
                    continue
                if reply.failed:
                    cell.failed[name] = reply.text[:300]
                spent[runner.mark] += reply.seconds
                if number >= warm:
                    cell.seconds.setdefault(name, []).append(reply.seconds)
                    cell.cpu.setdefault(name, []).append(reply.cpu)
                cell.text[name], cell.structured[name] = len(reply.text.encode()), reply.structured

    @asynccontextmanager
    async def _alone(self, runner: Running) -> AsyncIterator[None]:
        others = [pid for each in self._runners if each is not runner for pid in each.pids()]
        processes.send(others, signal.SIGSTOP)
        try:
            yield
        finally:
            processes.send(others, signal.SIGCONT)

    def _weigh(self, when: str) -> None:
        for runner in self._runners:
            self._weigh_one(runner, when)

    def _weigh_one(self, runner: Running, when: str) -> None:
        self.results.memory.setdefault(runner.contestant.name, {})[when] = runner.peaks()


async def _tried(runner: Running, turn: Round, number: int) -> Reply | None:
    """One round; errors become a failed reply."""
    try:
        return await turn(runner, number)
    except Exception as error:
        return Reply(0.0, repr(error), failed=True)


async def _one_by_one(runner: Running, target: Target, count: int) -> Reply:
    """So many edits of one file; the reply of the last, with the time of all."""
    seconds, reply = 0.0, Reply(0.0, "")
    for _ in range(count):
        edit = target.next()
        reply = await runner.edit(edit)
        if not target.took(edit):
            return Reply(reply.seconds, f"not what was asked for: {reply.text}", failed=True)
        seconds += reply.seconds
    return replace(reply, seconds=seconds)


async def _look(runner: Running, target: Target, near: int | None = None, again: bool = True) -> None:
    """Read before the edit, where that is wanted: all of a file once, or a window of a big one each time."""
    if not runner.contestant.reads_first:
        return
    if near is not None:
        await runner.read(target.path, max(1, near - 10), 20)
    elif again:
        await runner.read(target.path)


def _rotated(runners: Sequence[Running], number: int) -> list[Running]:
    first = number % max(1, len(runners))
    return [*runners[first:], *runners[:first]]


def _say(what: str) -> None:
    print(f"  {what} ...", file=sys.stderr, flush=True)


def race(contestants: Sequence[Contestant], cache: Path, *, quick: bool) -> Results:
    """Run it."""
    return asyncio.run(Race(contestants, cache, quick=quick).run())
