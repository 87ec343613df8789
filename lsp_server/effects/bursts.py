"""Many seen files that change within a moment: a checkout, a generator, a formatter over everything.

Until it is quiet again nobody is told of half of it, and nothing is written into the middle of it.

Never: a wait without an end, or one for what we wrote ourselves.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable

QUIET = 0.2
"""Seconds without a change after which it is over."""
MANY = 10
"""Files; up to so many are changes of single files."""
_OWN = 2.0
"""Seconds for which a change of a file that we wrote is taken for ours."""


class Burst:
    """Counts the files that changed without a pause in between."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._paths: set[str] = set()
        self._last = -QUIET
        self._own: dict[str, float] = {}
        self._news = asyncio.Event()

    def wrote(self, paths: Iterable[str]) -> None:
        """We are writing these."""
        now = self._clock()
        self._own = {path: since for path, since in self._own.items() if now - since < _OWN}
        self._own |= dict.fromkeys(paths, now)

    def touched(self, paths: Iterable[str]) -> None:
        """These seen files changed."""
        now = self._clock()
        if now - self._last >= QUIET:
            self._paths.clear()
        others = [path for path in paths if now - self._own.get(path, -_OWN) >= _OWN]
        if others:
            self._paths.update(others)
            self._last = now
            self._news.set()

    def is_on(self) -> bool:
        """Whether many files have changed, and the last of them only just now."""
        return len(self._paths) > MANY and self._clock() - self._last < QUIET

    async def settled(self, seconds: float) -> bool:
        """Return when it is over, True, or after ``seconds``, False."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while self.is_on():
            left = min(deadline - loop.time(), QUIET - (self._clock() - self._last))
            if deadline <= loop.time():
                return False
            self._news.clear()
            try:
                async with asyncio.timeout(max(left, 0.001)):
                    await self._news.wait()
            except TimeoutError:
                continue
        return True
