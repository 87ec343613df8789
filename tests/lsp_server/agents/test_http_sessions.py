"""One session over HTTP: which stream has what."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any, cast

from lsp_server.agents.http_sessions import HttpSession, Stream
from lsp_server.agents.link import Seeker
from lsp_server.agents.socket_link import Link
from tests.lsp_server.agents.harness import DEADLINE


class Slow:
    """A way to a server that is not there yet."""

    cwd = "/"

    def __init__(self) -> None:
        self.ended = threading.Event()

    def reach(self, greeting: Any) -> Link:
        self.ended.wait()
        raise OSError("there is none")

    def look(self, greeting: Any) -> Link | None:
        return None

    def reap(self) -> None:
        """Nothing was started."""


async def test_the_stream_of_a_request_that_is_cancelled_ends_without_an_answer() -> None:
    way = Slow()
    session = HttpSession(cast(Seeker, way))

    async def sent(method: str, message_id: int | None = None, **params: object) -> Stream | None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if message_id is not None:
            message["id"] = message_id
        return await session.send(message, json.dumps(message).encode())

    try:
        first = await sent("tools/call", 1, name="read", arguments={"file_path": "a"})
        second = await sent("tools/call", 2, name="read", arguments={"file_path": "b"})
        assert first is not None
        assert second is not None
        assert await sent("notifications/cancelled", requestId=1) is None
        async with asyncio.timeout(DEADLINE):
            assert await first.get() is None
        assert second.empty()
    finally:
        way.ended.set()
        await session.close()
