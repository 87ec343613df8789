"""One connected client as lines in and lines out, with back-pressure both ways.

Never: what the lines mean.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

QUEUE_BYTES = 1 << 20
"""Read but untaken bytes of one client at which it is read no further."""
_CHUNK = 1 << 17


@dataclass(frozen=True, slots=True)
class Room:
    """How much one client may ask for at a time."""

    calls: int = 128
    """In flight; the next ones wait for those, and what frees them (a cancellation, an answer) is heard meanwhile."""
    waiting: int = 1_000
    """Read beyond those; with so many it is read no further."""
    at_once: int = 16
    """Of those, how many are worked on; the others wait, so that one client leaves room for the next."""


class OversizeError(Exception):
    """A line is longer than the limit; the channel reads no further."""


class Channel(asyncio.BufferedProtocol):
    """One client. ``asyncio.StreamReader`` took twice as long for small lines and for big ones."""

    def __init__(self, opened: Callable[[Channel], None], *, limit: int) -> None:
        self.limit = limit
        """Bytes of one line; may be raised once the client is known."""
        self._opened = opened
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray(_CHUNK)
        self._partial: list[bytes] = []
        self._partial_bytes = 0
        self._lines: deque[bytes] = deque()
        self._queued = 0
        self._ended = False
        self._oversize = False
        self._arrived = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self.lost = asyncio.Event()
        """Set when the connection is gone for good."""

    @property
    def transport(self) -> asyncio.Transport:
        """The connection; there from the first call back on."""
        assert self._transport is not None
        return self._transport

    async def read_line(self) -> bytes | None:
        """The next line, without its end; None when the client (or ``stop_reading``) ended.

        Errors: OversizeError.
        """
        while not self._lines:
            if self._oversize:
                raise OversizeError
            if self._ended:
                return None
            self._arrived.clear()
            await self._arrived.wait()
        line = self._lines.popleft()
        self._queued -= len(line)
        if self._queued < QUEUE_BYTES and not self._ended:
            self.transport.resume_reading()
        return line

    async def write(self, line: bytes) -> None:
        """Send one line (with its end) after the earlier ones have gone out; waits for a slow reader.

        Errors: ConnectionResetError when the client is gone.
        """
        await self.writable()
        if self.lost.is_set() or self.transport.is_closing():
            raise ConnectionResetError
        self.transport.write(line)

    async def writable(self) -> None:
        """Wait until the system has taken all that was written, or the client is gone."""
        while not self._writable.is_set():
            await self._writable.wait()

    async def write_through(self, line: bytes) -> None:
        """Send one line; afterwards the client has it, even if this process dies the next moment.

        Errors: ConnectionResetError when the client is gone.
        """
        await self.write(line)
        await self.writable()
        if self.lost.is_set():
            raise ConnectionResetError

    def write_now(self, line: bytes) -> None:
        """Send one line, however much waits to be sent; to a client that is gone, nothing."""
        if not self.lost.is_set() and not self.transport.is_closing():
            self.transport.write(line)

    def stop_reading(self) -> None:
        """What was not taken by ``read_line`` will never be: the next one gives None."""
        self._ended = True
        self._lines.clear()
        self._partial.clear()
        if not self.transport.is_closing():
            self.transport.pause_reading()
        self._arrived.set()

    def close(self) -> None:
        """Send what was written, then hang up."""
        self.transport.close()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The client is there: whoever waits for it is told."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=0)  # writable means that all has gone out
        self._opened(self)

    def get_buffer(self, sizehint: int) -> bytearray:
        """Where the next bytes go: one buffer for all, emptied by `buffer_updated`."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Cut what came into lines; with enough of them in the queue, or one that is too long, reading stops."""
        if self._ended:
            return
        data = bytes(memoryview(self._buffer)[:nbytes])
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._add_part(data[start:end])
            if self._oversize:
                return
            line = b"".join(self._partial)
            self._partial.clear()
            self._partial_bytes = 0
            self._lines.append(line)
            self._queued += len(line)
            start = end + 1
        self._add_part(data[start:])
        if self._lines:
            self._arrived.set()
        if self._queued >= QUEUE_BYTES:
            self.transport.pause_reading()

    def eof_received(self) -> bool:
        """The client sends no more; what it is owed still goes out."""
        self._ended = True
        self._arrived.set()
        return True  # answers may still go out

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone: whoever waits for it, to read or to write, goes on."""
        self._ended = True
        self.lost.set()
        self._arrived.set()
        self._writable.set()

    def pause_writing(self) -> None:
        """The system takes no more for now."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """The system has taken all."""
        self._writable.set()

    def _add_part(self, part: bytes) -> None:
        self._partial_bytes += len(part)
        if self._partial_bytes > self.limit:
            self._oversize = True
            self._partial.clear()
            self.transport.pause_reading()
            self._arrived.set()
        elif part:
            self._partial.append(part)
