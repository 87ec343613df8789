"""One MCP session over HTTP: a relay as any agent has, with streams in place of pipes.

What the server says goes to the stream of the request that it belongs to, else to the client's standing stream,
else waits for one. Never: HTTP itself.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from collections import deque
from typing import Any, Final

from lsp_server.agents.inflight import key_of
from lsp_server.agents.link import Seeker
from lsp_server.agents.relaying import Relay
from lsp_server.wire.handshake import envelope_of, params_of

_KEPT: Final = 200
"""Messages kept while there is no stream for them."""

Stream = asyncio.Queue[bytes | None]
"""Lines for one stream; None ends it."""


class HttpSession:
    """One agent. Its methods belong to the event loop; the relay's threads reach it by ``put``."""

    def __init__(self, seeker: Seeker, agent: str | None = None) -> None:
        """``agent``: what the agent is called by the address that it was given; else nobody knows it again."""
        self.name = os.urandom(16).hex()
        self.used = time.monotonic()
        self.standing: Stream | None = None
        self._loop = asyncio.get_running_loop()
        self._streams: dict[str, Stream] = {}
        self._by_token: dict[str, Stream] = {}
        self._kept: deque[bytes] = deque(maxlen=_KEPT)
        self._relay = Relay(seeker, f"http-{agent or self.name}", self)
        threading.Thread(target=self._relay.run, name="link", daemon=True).start()

    @property
    def idle(self) -> float:
        """Seconds since anybody used it."""
        busy = bool(self._streams) or self.standing is not None
        return 0.0 if busy else time.monotonic() - self.used

    async def send(self, message: dict[str, Any], line: bytes) -> Stream | None:
        """Pass a message on; gives the stream of its answer, if it is a request.

        ``line``: the message on one line.
        """
        self.used = time.monotonic()
        stream: Stream | None = None
        if "id" in message and "method" in message:
            stream = self._streams[key_of(message["id"])] = asyncio.Queue()
            token = envelope_of(message).get("progressToken")
            if token is not None:
                self._by_token[key_of(token)] = stream
        await asyncio.to_thread(self._relay.take, line)
        if message.get("method") == "notifications/cancelled":
            cancelled = self._streams.get(key_of(params_of(message).get("requestId")))
            if cancelled is not None:
                cancelled.put_nowait(None)  # it has no answer
        return stream

    def stand(self) -> Stream:
        """A standing stream, which takes the place of an earlier one."""
        if self.standing is not None:
            self.standing.put_nowait(None)
        stream: Stream = asyncio.Queue()
        while self._kept:
            stream.put_nowait(self._kept.popleft())
        self.standing = stream
        return stream

    def leave(self, stream: Stream) -> None:
        """Nobody reads this stream any more."""
        self.used = time.monotonic()
        if self.standing is stream:
            self.standing = None
        for table in (self._streams, self._by_token):
            for key in [key for key, one in table.items() if one is stream]:
                del table[key]

    async def close(self) -> None:
        """The agent has gone."""
        for stream in [*self._streams.values(), self.standing]:
            if stream is not None:
                stream.put_nowait(None)
        await asyncio.to_thread(self._relay.leave)

    # What the relay asks of its way out, from its threads.

    def put(self, line: bytes) -> None:
        """A message for the client."""
        self._loop.call_soon_threadsafe(self._route, line)

    def finish(self, seconds: float) -> bool:
        """Nothing waits here."""
        return True

    def _route(self, line: bytes) -> None:
        message = json.loads(line)
        if "method" not in message:
            stream = self._streams.get(key_of(message.get("id")))
            if stream is not None:
                stream.put_nowait(line)
                stream.put_nowait(None)
            return
        token = message.get("params", {}).get("progressToken")
        stream = self._by_token.get(key_of(token)) if token is not None else None
        if stream is None and "id" in message and self._streams:
            stream = list(self._streams.values())[-1]  # a question, about a call that runs
        stream = stream or self.standing
        if stream is None:
            self._kept.append(line)
        else:
            stream.put_nowait(line)
