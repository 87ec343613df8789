"""Stopping what nobody has used for a while.

Never: knowledge of what is stopped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager


class IdleTimer:
    """Calls ``stop`` when there has been no use for ``seconds``; the next use starts the time again."""

    def __init__(self, seconds: float, stop: Callable[[], Coroutine[None, None, None]]) -> None:
        self._seconds = seconds
        self._stop = stop
        self._users = 0
        self._timer: asyncio.TimerHandle | None = None
        self._stopping: asyncio.Task[None] | None = None

    @contextmanager
    def used(self) -> Iterator[None]:
        """There is use as long as one such block runs."""
        self._users += 1
        self._cancel()
        try:
            yield
        finally:
            self._users -= 1
            if self._users == 0:
                self._timer = asyncio.get_running_loop().call_later(self._seconds, self._is_idle)

    async def close(self) -> None:
        """No stop is called any more, and none is under way, when this returns."""
        self._cancel()
        if self._stopping is not None:
            await asyncio.gather(self._stopping, return_exceptions=True)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _is_idle(self) -> None:
        self._timer = None
        self._stopping = asyncio.create_task(self._stop())
