"""One connection to a server, as its client holds it: lines out, lines in, blocking.

Never: what the lines mean, or imports that cost time.
"""

from __future__ import annotations

import os
import socket
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class LostError(Exception):
    """The server hung up."""

    def __init__(self, *, unsent: bool = False) -> None:
        super().__init__()
        self.unsent = unsent
        """A line did not go out to its end, so that nobody looked at it."""


class Link:
    """One connection that was welcomed."""

    __slots__ = ("_buffer", "_socket", "welcome")

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._buffer = connected.makefile("rb", buffering=1 << 18)
        self.welcome: dict[str, Any] = {}
        """What the server told about itself: pid, version, kind, roots."""

    @property
    def is_exact(self) -> bool:
        """Whether all that the server said before it died is still heard: a loopback port loses the end."""
        return self._socket.family == getattr(socket, "AF_UNIX", None)

    def send(self, *parts: bytes) -> None:
        """Send one line, given in parts, with its end. Waits for a slow server. Errors: LostError."""
        try:
            if sum(map(len, parts)) < 1 << 16:
                self._socket.sendall(b"".join(parts))
            else:
                for part in parts:
                    self._socket.sendall(part)
        except OSError:
            raise LostError(unsent=True) from None

    def receive(self) -> bytes:
        """The next line, with its end. Errors: LostError."""
        try:
            line = self._buffer.readline()
        except (OSError, ValueError):  # hung up at the other end, or at this one
            line = b""
        if not line.endswith(b"\n"):
            raise LostError
        return line

    def finish_sending(self) -> None:
        """Nothing more is sent; wakes a thread that waits in ``send``. The server can still be heard."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def set_timeout(self, seconds: float | None) -> None:
        """How long ``send`` and ``receive`` wait before they count the server as lost."""
        self._socket.settimeout(seconds)

    def hand_out(self) -> socket.socket:
        """The connection itself, to be read otherwise from now on. Nothing may have been received but the welcome."""
        return socket.socket(fileno=self._socket.detach())

    def close(self) -> None:
        """Hang up; wakes a thread that waits in ``receive``."""
        with suppress(OSError):  # it may have hung up already
            self._socket.shutdown(socket.SHUT_RDWR)
        with suppress(OSError):
            self._buffer.close()
        self._socket.close()


def dial(address: str, patience: float) -> socket.socket:
    """Connect to what a discovery file names, on this machine only. Errors: OSError."""
    if os.path.isabs(address):
        found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            found.connect(address)
        except OSError:
            found.close()
            raise
        return found
    host, _, port = address.rpartition(":")
    if host != "127.0.0.1" or not port.isdecimal():
        raise OSError(f"not an address of this machine: {address}")
    found = socket.create_connection((host, int(port)), timeout=patience)
    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return found
