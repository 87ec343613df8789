"""Where the time of edits goes: how long each step of the walk took, as histograms.

A step is counted from its start to its end, waiting included. Never: more than a few dozen numbers for each step,
however many edits there were.
"""

from __future__ import annotations

import math
import time
from types import TracebackType
from typing import Any, Final

STEPS: Final = ("settle", "lock", "look", "plan", "journal", "apply", "record", "effects", "answer", "whole")
"""In the order of the walk; ``whole`` is all of it."""
_BUCKETS: Final = 4
"""For each doubling of the time, so that a percentile is at most a fifth too high."""


class Taken:
    """One time that a step is taken, as the block that it guards."""

    __slots__ = ("_started", "_step", "_timings")

    def __init__(self, timings: Timings, step: str) -> None:
        self._timings = timings
        self._step = step
        self._started = 0.0

    def __enter__(self) -> None:
        self._started = time.perf_counter()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timings.add(self._step, time.perf_counter() - self._started)


class Timings:
    """How long steps took, since this server began."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[int, int]] = {}
        self._most: dict[str, float] = {}
        self._total: dict[str, float] = {}

    def add(self, step: str, seconds: float) -> None:
        """One more time that ``step`` was taken."""
        bucket = math.ceil(math.log2(max(seconds, 1e-6)) * _BUCKETS)
        counts = self._counts.setdefault(step, {})
        counts[bucket] = counts.get(bucket, 0) + 1
        self._most[step] = max(self._most.get(step, 0.0), seconds)
        self._total[step] = self._total.get(step, 0.0) + seconds

    def step(self, step: str) -> Taken:
        """Count what is done inside, however it ends."""
        return Taken(self, step)

    def rows(self) -> list[dict[str, Any]]:
        """``step``, ``count``, and in milliseconds ``mean``, ``p50``, ``p95`` and ``max``; in the walk's order."""
        return [self._row(step, self._counts[step]) for step in STEPS if step in self._counts]

    def _row(self, step: str, counts: dict[int, int]) -> dict[str, Any]:
        count, most = sum(counts.values()), self._most[step]
        found = {"mean": self._total[step] / count}
        found |= {name: min(_share(counts, share), most) for name, share in (("p50", 0.5), ("p95", 0.95))}
        found["max"] = most
        return {
            "step": step,
            "count": count,
            **{name: round(value * 1e3, 3) for name, value in found.items()},
        }


def _share(counts: dict[int, int], share: float) -> float:
    """The upper end of the bucket in which that share of all is reached."""
    wanted, seen = share * sum(counts.values()), 0
    for bucket in sorted(counts):
        seen += counts[bucket]
        if seen >= wanted:
            break
    return float(2 ** (bucket / _BUCKETS))
