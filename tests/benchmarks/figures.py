"""One measured figure, and the helpers that measure.

Never: an average. Machines are disturbed in one direction only, so the best and the median count.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured."""

    name: str
    """A phrase that says what, unique within its subject: ``a decision, 10,000 observations``."""
    value: float
    unit: str
    """``us``, ``ms``, ``s``, ``MiB``, ``a second``, ..."""
    goal: float | None = None
    """What it should be at most, in the same unit; None where there is no goal."""
    at_least: bool = False
    """The goal is a lower bound."""
    note: str = ""
    """How it was measured, where the name does not say it."""

    @property
    def is_met(self) -> bool:
        """Whether the goal is kept; without a goal it always is."""
        if self.goal is None:
            return True
        return self.value >= self.goal if self.at_least else self.value <= self.goal


@contextmanager
def _undisturbed() -> Iterator[None]:
    """No garbage collection meanwhile."""
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def samples(work: Callable[[], object], *, rounds: int, calls: int = 1) -> list[float]:
    """Seconds for one call of ``work``: one sample each round, every one over ``calls`` calls."""
    found = []
    with _undisturbed():
        for _ in range(rounds):
            started = time.perf_counter()
            for _ in range(calls):
                work()
            found.append((time.perf_counter() - started) / calls)
    return found


def best(work: Callable[[], object], *, rounds: int = 5, calls: int = 1) -> float:
    """Seconds for one call of ``work`` in the best round."""
    return min(samples(work, rounds=rounds, calls=calls))


def median(work: Callable[[], object], *, rounds: int = 5, calls: int = 1) -> float:
    """Seconds for one call of ``work`` in the middle round."""
    return statistics.median(samples(work, rounds=rounds, calls=calls))


def percentile(values: list[float], share: float) -> float:
    """The value below which ``share`` (0 to 1) of ``values`` lie; the nearest one that was measured."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]
