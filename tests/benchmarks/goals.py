"""What the race is held against: our figures as shares of the others', in the same run.

Never: a goal against a figure of another run, or of another machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.benchmarks.contestants import CODEX, FILESYSTEM, NAIVE, OURS
from tests.benchmarks.race import COLD, Cell, Results

RELAY_MIB = 15.0
SERVER_MIB = 90.0


@dataclass(frozen=True, slots=True)
class Ratio:
    """One goal, and what came of it."""

    name: str
    goal: float
    """At most."""
    ours: float | None
    theirs: float | None
    unit: str
    against: str

    @property
    def value(self) -> float | None:
        """Our share of theirs; None where one of the two could not be had."""
        if self.ours is None or not self.theirs:
            return None
        return self.ours / self.theirs

    @property
    def is_met(self) -> bool | None:
        """None where it is not known."""
        return None if self.value is None else round(self.value, 2) <= self.goal


_TIMES = (
    ("start to the first answer, a server running", "start", OURS, FILESYSTEM, 0.4),
    ("start to the first answer, cold", "start", COLD, FILESYSTEM, 1.0),
    ("edit 10 KB", "edit 10 KB", OURS, FILESYSTEM, 1.0),
    ("edit 100 KB", "edit 100 KB", OURS, FILESYSTEM, 1.0),
    ("edit 1 MB", "edit 1 MB", OURS, FILESYSTEM, 0.4),
    ("edit 10 MB", "edit 10 MB", OURS, FILESYSTEM, 0.15),
    ("100 edits of one file", "100 edits", OURS, FILESYSTEM, 0.9),
    ("20 files, all or nothing", "20 files", OURS, CODEX, 1.0),
    ("read 20,000 lines", "read 20,000 lines", OURS, FILESYSTEM, 0.5),
)


def ratios(results: Results) -> Iterator[Ratio]:
    """Every goal, in the order of the tables."""
    for name, cell, ours, theirs, goal in _TIMES:
        yield _of(results, cell, Cell.median_ms, "ms", name, goal, ours, theirs)
    for size in ("10 KB", "100 KB"):
        name = f"CPU of an edit of {size}"
        yield _of(results, f"edit {size}", Cell.cpu_ms, "ms", name, 1.0, OURS, FILESYSTEM)
    yield _of(results, "edit 10 KB", _text, "bytes", "text returned by an edit", 1.0, OURS, FILESYSTEM)
    relay = _memory(results, OURS, "idle", 0)
    yield Ratio("memory of the relay", 1.0, relay, RELAY_MIB, "MiB", f"{RELAY_MIB:.0f} MiB")
    server = _memory(results, OURS, "idle", -1)
    yield Ratio("memory of the server, idle", 1.0, server, SERVER_MIB, "MiB", f"{SERVER_MIB:.0f} MiB")
    grown, naive = _memory(results, OURS, "after 10 MB", -1), _memory(results, NAIVE, "after 10 MB", 0)
    yield Ratio("memory of the server after edits of 10 MB", 1.3, grown, naive, "MiB", NAIVE)


def _of(
    results: Results,
    cell: str,
    take: Callable[[Cell, str], float | None],
    unit: str,
    name: str,
    goal: float,
    ours: str,
    theirs: str,
) -> Ratio:
    found = results.cells.get(cell) or Cell(cell)
    return Ratio(name, goal, take(found, ours), take(found, theirs), unit, theirs)


def _text(cell: Cell, name: str) -> float | None:
    return cell.text.get(name)


def _memory(results: Results, name: str, when: str, which: int) -> float | None:
    found = results.memory.get(name, {}).get(when)
    return found[which] if found else None
