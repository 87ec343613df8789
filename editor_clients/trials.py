"""Who uses a language server: anybody who asks about real texts, or one trial, which gives way to them.

A trial shows the server texts that nobody has. While it runs, what the server says of other files may be about
those; so a question about a real text ends it first, and it is run again from the start once there is calm.

Never: waiting for a trial, or a trial's text left with the server.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

_T = TypeVar("_T")


class Trials:
    """The trials on one server."""

    def __init__(self) -> None:
        self._asking = 0
        self._running: asyncio.Task[Any] | None = None
        self._calm = asyncio.Event()
        self._calm.set()

    @asynccontextmanager
    async def none(self) -> AsyncIterator[None]:
        """No trial runs inside the block; one that was under way has put back what it showed."""
        self._asking += 1
        self._calm.clear()
        try:
            if self._running is not None:
                self._running.cancel()
                await asyncio.wait([self._running])
            yield
        finally:
            self._asking -= 1
            self._settle()

    async def run(self, work: Callable[[], Coroutine[Any, Any, _T]], *, deadline: float) -> _T | None:
        """What ``work`` gives; None when others used the server until ``deadline``.

        ``work`` may be cancelled at any point, and begun again; it puts everything back by itself.
        """
        while True:
            try:
                async with asyncio.timeout_at(deadline):
                    while self._asking or self._running is not None:
                        await self._calm.wait()
            except TimeoutError:
                return None
            task = asyncio.create_task(work())
            self._running = task
            self._calm.clear()
            try:
                await asyncio.wait([task])
            except asyncio.CancelledError:
                task.cancel()
                await asyncio.wait([task])
                raise
            finally:
                self._running = None
                self._settle()
            if not task.cancelled():
                return task.result()

    def _settle(self) -> None:
        if not self._asking and self._running is None:
            self._calm.set()
