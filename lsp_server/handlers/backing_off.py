"""Owners that do not take our editor: asked again ever more rarely, and told of once.

Never: a wait. Whoever asks comes again anyway.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

FIRST = 0.2
LONGEST = 300.0
"""Seconds between two tries with one owner."""

Place = tuple[int, str]
"""An owner's process and its address: another one has not refused anything yet."""


class BackOff:
    """When each of the owners that refused is worth another try."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waits: dict[Place, tuple[float, float]] = {}
        """Seconds after the last refusal, and the moment that follows."""

    def may_try(self, place: Place) -> bool:
        """Whether it did not refuse, or long enough ago."""
        known = self._waits.get(place)
        return known is None or self._clock() >= known[1]

    def refused(self, place: Place) -> bool:
        """It did not take us; whether that is news."""
        known = self._waits.get(place)
        wait = FIRST if known is None else min(LONGEST, 2 * known[0])
        self._waits[place] = (wait, self._clock() + wait)
        return known is None

    def keep(self, places: Collection[Place]) -> None:
        """Forget all others: they are gone, or took us."""
        self._waits = {place: wait for place, wait in self._waits.items() if place in places}
