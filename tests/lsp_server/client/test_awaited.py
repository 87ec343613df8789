"""The awaited client when a call is cancelled before there is a server."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lsp_server.agents.link import Seeker
from lsp_server.agents.socket_link import Link
from lsp_server.client import AsyncCoeditor


class SlowSeeker(Seeker):
    """Finds a server when it is told to."""

    def __init__(self, cwd: str) -> None:
        super().__init__(cwd)
        self.asked = threading.Semaphore(0)
        self.count = 0
        self.found = threading.Event()
        self.servers: list[socket.socket] = []

    def reach(self, greeting: Mapping[str, Any], *, patience: float = 0) -> Link:
        self.count += 1
        self.asked.release()
        assert self.found.wait(60)
        mine, other = socket.socketpair()
        other.settimeout(60)
        self.servers.append(other)
        return Link(mine)


@pytest.fixture
def seeker(tmp_path: Path) -> SlowSeeker:
    return SlowSeeker(str(tmp_path))


async def left_while_it_connects(seeker: SlowSeeker) -> AsyncCoeditor:
    client = AsyncCoeditor(seeker.cwd)
    client._seeker = seeker
    call = asyncio.create_task(client.status())
    assert await asyncio.to_thread(seeker.asked.acquire, timeout=60)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    return client


async def test_the_next_call_takes_the_connection_of_one_that_was_cancelled(seeker: SlowSeeker) -> None:
    client = await left_while_it_connects(seeker)
    seeker.found.set()
    async with client:
        assert seeker.count == 1
    assert await asyncio.to_thread(seeker.servers[0].recv, 1) == b""
    seeker.servers[0].close()


async def test_closing_hangs_up_what_nobody_waits_for_any_more(seeker: SlowSeeker) -> None:
    client = await left_while_it_connects(seeker)
    seeker.found.set()
    await client.close()
    (server,) = seeker.servers
    assert await asyncio.to_thread(server.recv, 1) == b""
    server.close()
