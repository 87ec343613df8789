"""When a source that does not name document versions has said its last word about a change.

What is learned of each source: how long after a change its last report usually comes, and how far apart the
reports of one change are. Times are seconds.

Never: a clock or a wait of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

FIRST_QUIET = 0.3
"""Quiet after a report of a source about which nothing is known yet."""
LEAST_QUIET = 0.03
MOST_QUIET = 1.0
MOST_WORK = 60.0
"""After which work that was begun and never ended is forgotten."""
_MARGIN = 2.0
_JITTER = 0.2
"""Of the usual time: how much a report may come later than usual without being news."""
_SPREAD = 3.0
"""Times the usual difference from the usual time: how much later a report may still come."""
_FIRST_SPREAD = 1 / 6
"""Of the first time, which is all that is known then."""
_LEAST_LATE, _MOST_LATE = 0.1, 0.5
"""Of the usual time: how much later than usual is waited, at least and at most."""
_ENOUGH = 4
"""Changes after which a source's silence can be judged."""
_CAUTION = 1.5
_WEIGHT = 0.3
"""How much the newest change counts against all before it."""


@dataclass(frozen=True, slots=True)
class Pace:
    """What is known of one source's timing."""

    usual: float | None = None
    """From a change to the last report about it."""
    spread: float = 0.0
    """By how much that time differs from one change to the next."""
    gap: float | None = None
    """Between the reports of one change; 0.0 when one report is all that comes."""
    changes: int = 0
    """From how many changes this is known."""

    def quiet(self) -> float:
        """How long nothing must follow a report before it counts as the last."""
        if self.gap is None:
            return FIRST_QUIET
        jitter = (self.usual or 0.0) * _JITTER
        return min(max(self.gap * _MARGIN, jitter, LEAST_QUIET), MOST_QUIET)

    def settles(self, arrival: float, *, doubtful: bool = False) -> float:
        """When a report that came ``arrival`` after the change counts, unless another follows before.

        One that is ``doubtful``, since the change before it was still without a report, or that comes much
        earlier than usual, may be about the text before.
        """
        if doubtful and self.usual is None:
            return arrival + MOST_QUIET
        if self.usual is not None and (doubtful or arrival < self.usual / 2):
            return max(arrival, self.latest() or 0.0) + self.quiet()
        return arrival + self.quiet()

    def silent_until(self) -> float | None:
        """When after a change silence tells something; None while too little is known of the source for that."""
        latest = self.latest()
        if latest is None or self.changes < _ENOUGH:
            return None
        return latest * _CAUTION + self.quiet()

    def latest(self) -> float | None:
        """Until when after a change the report about it may still come; None when nothing is known yet."""
        if self.usual is None:
            return None
        later = min(max(self.spread * _SPREAD, self.usual * _LEAST_LATE), self.usual * _MOST_LATE)
        return self.usual + later

    def learned(self, arrivals: tuple[float, ...]) -> Pace:
        """The pace after one more settled change, whose reports came at ``arrivals`` (at least one)."""
        widest = max((late - early for early, late in pairwise(arrivals)), default=0.0)
        gap = widest if self.gap is None else max(widest, _mean(self.gap, widest))
        last = arrivals[-1]
        if self.usual is None:
            return Pace(usual=last, spread=last * _FIRST_SPREAD, gap=gap, changes=1)
        spread = _mean(self.spread, abs(last - self.usual))
        return Pace(usual=_mean(self.usual, last), spread=spread, gap=gap, changes=self.changes + 1)


def _mean(old: float, new: float) -> float:
    return old + _WEIGHT * (new - old)


class Work:
    """The long work that a source has announced; while some goes on, its reports are first guesses."""

    def __init__(self) -> None:
        self._begun: dict[str, float] = {}
        self._ended = 0.0

    def begin(self, name: str, now: float) -> None:
        """A piece of work has begun."""
        self._begun[name] = now

    def end(self, name: str, now: float) -> bool:
        """A piece of work has ended; True when it was the last one."""
        if self._begun.pop(name, None) is None or self._begun:
            return False
        self._ended = now
        return True

    def forget(self) -> None:
        """The source is gone, and its work with it."""
        self._begun.clear()

    def calm_since(self, now: float) -> float | None:
        """When the last work ended; None while some goes on that can be believed."""
        return None if any(begun > now - MOST_WORK for begun in self._begun.values()) else self._ended
