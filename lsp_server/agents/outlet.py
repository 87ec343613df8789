"""The relay's standard output: lines go out in order, and a slow reader holds up nobody for long.

Never: a lost line while the reader lives.
"""

from __future__ import annotations

import os
import threading
from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

GATHERED: Final = 64 << 20
"""Bytes not yet taken at which ``put`` waits."""


class Outlet:
    """A queue before one descriptor, with a thread that empties it."""

    def __init__(self, descriptor: int, broken: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._broken = broken
        """Called, in the thread, when nobody reads any more."""
        self._lines: deque[bytes] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        threading.Thread(target=self._empty, name="outlet", daemon=True).start()

    def put(self, line: bytes) -> None:
        """Send a line (with its end) after the earlier ones. Waits only when far too much waits already."""
        with self._changed:
            while self._bytes > GATHERED:
                self._changed.wait()
            self._lines.append(line)
            self._bytes += len(line)
            self._changed.notify_all()

    def finish(self, seconds: float) -> bool:
        """Wait until all is out; False when it was not in time."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._bytes, timeout=seconds)

    def _empty(self) -> None:
        while True:
            with self._changed:
                while not self._lines:
                    self._changed.wait()
                lines = b"".join(self._lines) if len(self._lines) > 1 else self._lines[0]
                self._lines.clear()
            try:
                _write_all(self._descriptor, lines)
            except OSError:
                self._broken()
                return
            with self._changed:
                self._bytes -= len(lines)
                self._changed.notify_all()


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
