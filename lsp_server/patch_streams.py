"""Patches that are being written: each session's, until they are applied or abandoned.

Never: more of them than a bounded number, or one that nobody touched for long.
"""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ledger.errors import Code, CoeditorError

if TYPE_CHECKING:
    from lsp_server.edits.v4a_parse import PatchFeed
    from lsp_server.edits.v4a_types import Patch, PatchLimits, PatchProgress

MOST = 32
MOST_IDLE = 600.0
"""Seconds."""


@dataclass(slots=True)
class PatchStream:
    """One patch on its way."""

    name: str
    session: str
    feed: PatchFeed
    touched: float
    """Seconds on the clock."""
    pieces: list[str] = field(default_factory=list)

    def append(self, text: str) -> PatchProgress:
        """Take the next piece. Errors: as ``PatchFeed.append``; the text is dropped then."""
        try:
            self.feed.append(text)
        except CoeditorError:
            self.pieces.clear()
            raise
        self.pieces.append(text)
        return self.feed.progress()

    def whole(self) -> tuple[Patch, str]:
        """The patch and its text. Errors: as ``PatchFeed.commit``."""
        return self.feed.commit(), "".join(self.pieces)


class PatchStreams:
    """The streams of one server."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        new_name: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        self._clock = clock
        self._new_name = new_name
        self._streams: OrderedDict[str, PatchStream] = OrderedDict()
        """The one that was touched longest ago comes first."""

    def __len__(self) -> int:
        return len(self._streams)

    def begin(self, session: str, limits: PatchLimits) -> PatchStream:
        """A new stream of a session; the most idle one makes room for it."""
        from lsp_server.edits.v4a_parse import PatchFeed  # what no patch was streamed to need not be there

        stream = PatchStream(self._new_name(), session, PatchFeed(limits), self._clock())
        self.put_back(stream)
        return stream

    def find(self, session: str, name: str) -> PatchStream:
        """A stream that is touched thereby. Errors: INVALID_ARGUMENT when this session has no such one."""
        stream = self.take(session, name)
        self.put_back(stream)
        return stream

    def take(self, session: str, name: str) -> PatchStream:
        """The same, out of the table, so that nobody else commits it meanwhile."""
        self._drop_idle()
        stream = self._streams.get(name)
        if stream is None or stream.session != session:
            raise CoeditorError(
                Code.INVALID_ARGUMENT,
                "There is no such patch stream: it was applied, left alone for long, or never begun. Begin a new one.",
                data={"argument": "stream", "expected": "the stream that begin answered"},
            )
        return self._streams.pop(name)

    def put_back(self, stream: PatchStream) -> None:
        """Keep a stream, as touched now."""
        stream.touched = self._clock()
        self._streams[stream.name] = stream
        self._drop_idle()
        while len(self._streams) > MOST:
            self._streams.popitem(last=False)

    def _drop_idle(self) -> None:
        oldest = self._clock() - MOST_IDLE
        while self._streams and next(iter(self._streams.values())).touched < oldest:
            self._streams.popitem(last=False)
