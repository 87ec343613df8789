"""The soak: agents that read and edit, a person who types and saves, and a look at the server meanwhile.

Every agent has a line of its own in every document, with a number that it counts up: what it was told is applied
has to be there in the end, whatever the others and the person did to the same file.

Never: a judgement; ``Figures`` has what was seen.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles

from tests.e2e.agents import Place
from tests.fakes.editor import ScriptedEditor
from tests.fakes.editor_process import EditorProcess
from tests.load.wire import Wire

_PAGE, _TICKS = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Load:
    """How much, for how long."""

    seconds: float
    agents: int = 50
    documents: int = 1_000
    """Open in the editor."""
    closed: int = 200
    """Files that are edited on the disk."""
    files: int = 0
    """That merely lie there."""
    big: int = 0
    """Bytes of one large file."""
    pause: float = 0.0
    """Seconds between an agent's calls."""


@dataclass(slots=True)
class Sample:
    """The server at one moment."""

    second: float
    memory: int
    """Bytes resident."""
    descriptors: int
    threads: int
    tasks: int
    cpu: float
    """Seconds of processor time since its start."""
    calls: int
    """Answered so far."""


@dataclass(slots=True)
class Figures:
    """What was seen."""

    samples: list[Sample] = field(default_factory=list)
    """The first with everybody connected and nothing asked, the last when all was over."""
    latencies: list[tuple[float, float]] = field(default_factory=list)
    """When a call began, and how long it took."""
    outcomes: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    typed: int = 0

    def thirds(self) -> tuple[float, float]:
        """Median seconds of a call in the first third of the time, and in the last."""
        if not self.latencies:
            return 0.0, 0.0
        end = max(began for began, _ in self.latencies)
        first = [took for began, took in self.latencies if began <= end / 3]
        last = [took for began, took in self.latencies if began >= 2 * end / 3]
        return median(first or [0.0]), median(last or [0.0])

    def cpu_of_thirds(self) -> tuple[float, float]:
        """Seconds of the server's processor time for a call, in the first third of the calls and in the last."""
        samples = self.samples[:-1]  # the large file comes after them
        calls = samples[-1].calls
        marks = [
            min(samples, key=lambda one, at=at: abs(one.calls - calls * at / 3))  # type: ignore[misc]
            for at in range(4)
        ]
        costs = [
            (after.cpu - before.cpu) / max(1, after.calls - before.calls) for before, after in pairwise(marks)
        ]
        return costs[0], costs[-1]

    def sentence(self, load: Load) -> str:
        """In short."""
        first, last = self.samples[0], self.samples[-1]
        begin, end = (one * 1e3 for one in self.cpu_of_thirds())
        return (
            f"{len(self.latencies):,} calls of {load.agents} agents in {last.second:.0f} s, {load.documents:,} open"
            f" documents, {load.files:,} other files, {load.big >> 20} MiB in one; {begin:.1f} ms of processor a call"
            f" at first, {end:.1f} at last; memory {first.memory >> 20} MiB at first, {last.memory >> 20} at last"
        )

    def table(self) -> str:
        """For people."""
        took = [one for _, one in self.latencies] or [0.0, 0.0]
        cuts = quantiles(took, n=100) if len(took) > 1 else [took[0]] * 99
        first, last = self.thirds()
        begin, middle, end = self.samples[0], self.samples[len(self.samples) // 2], self.samples[-1]
        rows = [
            ("calls", f"{len(took)} ({', '.join(f'{code} {n}' for code, n in self.outcomes.most_common())})"),
            ("keys typed by the person", str(self.typed)),
            ("edits lost", str(len(self.lost))),
            ("a call, median and 99 %", f"{cuts[49] * 1e3:.1f} ms, {cuts[98] * 1e3:.1f} ms"),
            ("median in the first and last third", f"{first * 1e3:.1f} ms, {last * 1e3:.1f} ms"),
            (
                "processor for a call, likewise",
                "{:.1f} ms, {:.1f} ms".format(*(one * 1e3 for one in self.cpu_of_thirds())),
            ),
            (
                "memory at the start, half-way, end",
                ", ".join(f"{one.memory >> 20} MiB" for one in (begin, middle, end)),
            ),
            ("descriptors at the start, most, end", _most(self.samples, "descriptors")),
            ("threads at the start, most, end", _most(self.samples, "threads")),
            ("tasks at the start, most, end", _most(self.samples, "tasks")),
        ]
        return "\n".join(f"{name:38}{value}" for name, value in rows)


def _most(samples: list[Sample], name: str) -> str:
    values = [int(getattr(one, name)) for one in samples]
    return f"{values[0]}, {max(values)}, {values[-1]}"


def _used_by(pid: int) -> tuple[int, int, int]:
    """Resident bytes, descriptors and threads of a process."""
    memory = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    return memory, len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))


def _cpu_of(pid: int) -> float:
    """Seconds of processor time, which others on the machine do not change."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / _TICKS


def _starts_with(path: Path, data: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(data)) == data


async def soak(base: Path, load: Load, seed: int = 1) -> Figures:
    """Put the load on a server of its own, below ``base``."""
    place = Place(
        base, {"side_effects": {"diagnostics": False}, "durability": "fast", "limits": {"lock_seconds": 60}}
    )
    return await _Soak(place, load, random.Random(seed)).run()


class _Soak:
    def __init__(self, place: Place, load: Load, chance: random.Random) -> None:
        self._place, self._load, self._chance = place, load, chance
        self._editor = ScriptedEditor()
        self._figures = Figures()
        self._counts: Counter[tuple[str, int]] = Counter()
        """What each agent was told is there: by file and agent."""
        self._unsure: set[tuple[str, int]] = set()
        """Where it was told that nobody knows whether its last edit is."""
        self._started = 0.0

    async def run(self) -> Figures:
        names = self._make_files()
        opened = [self._editor.open(self._place.folder / name) for name in names[: self._load.documents]]
        process = EditorProcess(self._editor, self._place.folder, self._place.environment)
        await process.start()
        await process.told("coeditor/agents")
        assert process.process is not None
        run = self._place.base / "run"
        watch = await Wire.connect(run, "watch")
        agents = [await Wire.connect(run, f"agent-{number}") for number in range(self._load.agents)]
        pid = process.process.pid
        try:
            await agents[0].call("status")
            self._started = time.monotonic()
            await self._look(watch, pid)
            looking = asyncio.create_task(self._keep_looking(watch, pid))
            typing = asyncio.create_task(self._type(opened))
            await asyncio.gather(*(self._work(number, one, names) for number, one in enumerate(agents)))
            await typing
            looking.cancel()
            await self._look(watch, pid)
            await self._large_file(agents[0])
            await self._look(watch, pid)
            self._count_up(names)
        finally:
            for one in (*agents, watch):
                await one.close()
            await process.stop()
        return self._figures

    def _make_files(self) -> list[str]:
        lines = "".join(f"a{number:03}: 0\n" for number in range(self._load.agents))
        names = [
            f"d{number % 40}/f{number}.txt" for number in range(self._load.documents + self._load.closed)
        ]
        for name in names:
            self._place.write(name, f"person: \n{lines}")
        for number in range(self._load.files):
            folder = self._place.folder / f"many/{number % 1_000}"
            if number < 1_000:
                folder.mkdir(parents=True)
            (folder / f"{number}.txt").write_bytes(b"x\n")
        if self._load.big:
            line = b"0123456789abcdef" * 4 + b"\n"
            whole = b"first\n" + line * (self._load.big // len(line))
            (self._place.folder / "big.txt").write_bytes(whole[: self._load.big])
        return names

    async def _look(self, watch: Wire, pid: int) -> None:
        tasks = await watch.tasks()
        done = len(self._figures.latencies)
        self._figures.samples.append(
            Sample(time.monotonic() - self._started, *_used_by(pid), tasks, _cpu_of(pid), done)
        )

    async def _keep_looking(self, watch: Wire, pid: int) -> None:
        while True:
            await asyncio.sleep(max(0.5, self._load.seconds / 100))
            await self._look(watch, pid)

    def _is_over(self) -> bool:
        return time.monotonic() - self._started > self._load.seconds

    async def _type(self, opened: Sequence[object]) -> None:
        """The person types into one document after the other, and saves."""
        while not self._is_over() and opened:
            document = self._chance.choice(list(self._editor.documents.values()))
            self._editor.type(document, len("person: "), "x")
            self._figures.typed += 1
            await asyncio.sleep(0.02)
            if document.dirty:
                self._editor.save(document)
            await asyncio.sleep(0.02)

    async def _work(self, number: int, one: Wire, names: list[str]) -> None:
        chance = random.Random(f"{self._chance.random()} {number}")
        while not self._is_over():
            name = chance.choice(names[number % 7 :: 7]) if chance.random() < 0.8 else names[0]
            await self._call(one, "read", file_path=name)
            for _ in range(chance.randrange(1, 4)):
                await self._count(number, one, name)
            if chance.random() < 0.05:
                await self._call(one, "grep", pattern=f"^a{number:03}: [1-9]", path="d1", limit=20)
            if chance.random() < 0.02:
                await self._call(one, chance.choice(["history", "status", "diff"]))
            if self._load.pause:
                await asyncio.sleep(self._load.pause * chance.random() * 2)

    async def _count(self, number: int, one: Wire, name: str) -> None:
        """Count the agent's own line up by one; a refusal shows what it needs, and is tried again once."""
        known = self._counts[name, number]
        old, new = (f"a{number:03}: {count}\n" for count in (known, known + 1))
        for _ in range(2):
            found = await self._call(one, "edit", file_path=name, old_string=old, new_string=new)
            if found["ok"]:
                self._counts[name, number] += 1
                return
            if found["code"] in ("FS_UNCONFIRMED", "FS_TIMEOUT"):
                self._unsure.add((name, number))

    async def _call(self, one: Wire, tool: str, **arguments: object) -> dict[str, object]:
        began = time.monotonic()
        found = await one.call(tool, **arguments)
        self._figures.latencies.append((began - self._started, time.monotonic() - began))
        self._figures.outcomes["ok" if found["ok"] else str(found["code"])] += 1
        return found

    async def _large_file(self, one: Wire) -> None:
        if self._load.big:
            await self._call(one, "read", file_path="big.txt", limit=10)
            done = await self._call(one, "edit", file_path="big.txt", old_string="first", new_string="1st")
            if not done["ok"] or not _starts_with(self._place.folder / "big.txt", b"1st\n"):
                self._figures.lost.append(f"big.txt: {done}")

    def _count_up(self, names: list[str]) -> None:
        """Hold what every agent was told against what is there."""
        for name in names:
            path = self._place.folder / name
            document = next((one for one in self._editor.documents.values() if one.path == path), None)
            text = document.text if document is not None else path.read_text()
            there = {
                int(who): int(count) for who, count in re.findall(r"^a(\d+): (\d+)$", text, re.MULTILINE)
            }
            for number in range(self._load.agents):
                known = self._counts[name, number]
                if there.get(number) not in (known, known + ((name, number) in self._unsure)):
                    self._figures.lost.append(f"{name}, agent {number}: {there.get(number)}")
