"""The agents' endpoint of the server process: who may come in, by which door, and when all have gone.

A Unix socket that only this user can reach (a loopback port where there is none); the other end's user is
checked, and a token is asked for besides. Each client has its own task and bounded queues, so that none of
them can hold up another. Never: a tool, or MCP.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ledger.errors import Code, CoeditorError
from lsp_server.agents.calls import CallConnection
from lsp_server.agents.channel import Channel, OversizeError, Room
from lsp_server.agents.hosts import HostConnection
from lsp_server.agents.messages import Hello, decode_hello, encode
from lsp_server.agents.owner import PROTOCOL
from lsp_server.agents.relayed import RelayConnection
from lsp_server.agents.titles import with_titles
from lsp_server.news import NewsService
from lsp_server.platforms import HAS_UNIX_SOCKETS, peer_user_id, user_id

log = logging.getLogger(__name__)

_FLUSH_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class GateLimits:
    """What one client can ask of the server."""

    message_bytes: int = 128 << 20
    """One line; a file of 64 MiB fits, whatever has to be escaped in it."""
    hello_bytes: int = 1 << 18
    hello_seconds: float = 10
    clients: int = 500
    """Connections; more are refused, so that descriptors stay for files."""
    room: Room = field(default_factory=Room)
    drain_seconds: float = 10
    """For calls in flight when the server ends."""


class Connection(Protocol):
    """One client, by whichever door."""

    async def run(self) -> None:
        """Serve until it hangs up. Errors: OversizeError."""
        ...

    async def drain(self) -> None:
        """Take no more calls, answer those that run."""
        ...

    async def close(self) -> None:
        """Cancel what runs."""
        ...


class Gate:
    """The endpoint, from ``listen`` to ``close``."""

    def __init__(
        self,
        service: NewsService,
        *,
        token: str,
        about: Mapping[str, Any],
        hand_over: Callable[[], bool] = lambda: False,
        editors: Callable[[Channel, Hello], Connection] | None = None,
        limits: GateLimits | None = None,
    ) -> None:
        """``editors`` makes the connection of another editor's server; None where only agents may come."""
        self._service = service
        self._token = token
        self._about = about
        self._hand_over = hand_over
        self._editors = editors
        self._limits = limits or GateLimits()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._channels: set[Channel] = set()
        self._connections: dict[Connection, None] = {}
        """In the order of coming."""
        self._draining = False
        self.started = time.monotonic()
        self.relay_left: float | None = None
        """When the last relay hung up (monotonic)."""
        self.call_left: float | None = None
        """When the last command or hook hung up (monotonic)."""
        self.changed = asyncio.Event()
        """Set whenever a client comes or goes."""

    @property
    def clients(self) -> int:
        """How many are connected."""
        return len(self._tasks)

    def agents(self) -> list[dict[str, Any]]:
        """The agents that are connected now: session, name, title, and since when (RFC 3339)."""
        return with_titles([each.about() for each in self._connections if isinstance(each, RelayConnection)])

    async def listen(self, path: str) -> str:
        """Listen at the socket path, else on a loopback port; gives the address for the discovery file.

        The caller owns the folder, so that whatever lies at ``path`` is stale. Errors: OSError.
        """
        loop = asyncio.get_running_loop()
        if not HAS_UNIX_SOCKETS:
            return await self.listen_on_loopback()
        self._server = await loop.create_unix_server(self._channel, sock=_bind(path), backlog=512)
        return path

    async def listen_on_loopback(self) -> str:
        """Listen on a port of this machine that nobody else has. Errors: OSError."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._channel, "127.0.0.1", 0, backlog=512)
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """Take no more, finish what runs (for a while), hang up."""
        self._draining = True
        if self._server is not None:
            self._server.close()
        draining = [asyncio.create_task(each.drain()) for each in self._connections]
        if draining:
            _, late = await asyncio.wait(draining, timeout=self._limits.drain_seconds)
            for task in late:
                task.cancel()
        channels = list(self._channels)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await _flush(channels)

    def _channel(self) -> Channel:
        return Channel(self._opened, limit=self._limits.hello_bytes)

    def _opened(self, channel: Channel) -> None:
        if self._draining:
            channel.transport.abort()
            return
        if len(self._tasks) >= self._limits.clients:
            full = f"This server has {len(self._tasks)} connections, which is all it takes; end some of them."
            channel.write_now(encode({"refused": CoeditorError(Code.NO_SERVER, full).to_object()}))
            channel.close()
            return
        task = asyncio.create_task(self._serve(channel))
        self._tasks.add(task)
        task.add_done_callback(self._left)
        self.changed.set()

    def _left(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self.changed.set()

    async def _serve(self, channel: Channel) -> None:
        self._channels.add(channel)
        try:
            hello = await self._admit(channel)
            if hello is not None:
                await self._converse(channel, hello)
        except ConnectionResetError:
            log.debug("a client left in the middle")
        except Exception:
            log.exception("a connection failed")
        finally:
            self._channels.discard(channel)
            channel.close()

    async def _admit(self, channel: Channel) -> Hello | None:
        try:
            async with asyncio.timeout(self._limits.hello_seconds):
                line = await channel.read_line()
            if line is None:
                return None
            self._check_user(channel)  # not before: hanging up on unread lines loses the refusal
            hello = decode_hello(line, PROTOCOL)
            self._check_token(hello)
        except TimeoutError:
            await _refuse(channel, CoeditorError(Code.UNAUTHORIZED, "No hello came in time."))
        except OversizeError:
            await _refuse(channel, CoeditorError(Code.UNAUTHORIZED, "The hello is too long."))
        except CoeditorError as error:
            await _refuse(channel, error)
        else:
            if self._draining:
                return None  # who is not welcomed turns to the next server, and has lost nothing
            channel.limit = self._limits.message_bytes
            channel.write_now(encode({"welcome": {"pid": os.getpid(), "protocol": PROTOCOL, **self._about}}))
            return hello
        return None

    def _check_user(self, channel: Channel) -> None:
        peer = channel.transport.get_extra_info("socket")
        if peer.family == getattr(socket, "AF_UNIX", None):
            other = peer_user_id(peer)
            if other is not None and other != user_id():
                log.warning("a connection of user %d was refused", other)
                raise CoeditorError(Code.UNAUTHORIZED, "This server belongs to another user.")
        else:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _check_token(self, hello: Hello) -> None:
        if not hmac.compare_digest(hello.token.encode(), self._token.encode()):
            raise CoeditorError(
                Code.UNAUTHORIZED, "The token is not this server's; it is new with each start."
            )

    async def _converse(self, channel: Channel, hello: Hello) -> None:
        connection = self._connection(channel, hello)
        if connection is None:
            await _refuse(channel, CoeditorError(Code.NO_SERVER, "This server takes no further editor."))
            return
        self._connections[connection] = None
        self.changed.set()
        try:
            await self._run(connection, channel)
        finally:
            del self._connections[connection]
            await connection.close()
            if isinstance(connection, RelayConnection | HostConnection):
                self.relay_left = time.monotonic()
            elif isinstance(connection, CallConnection):
                self.call_left = time.monotonic()

    def _connection(self, channel: Channel, hello: Hello) -> Connection | None:
        """The client's connection, by the door that it asked for; None for an editor where none is taken."""
        room = self._limits.room
        match hello.door:
            case "editor":
                return self._editors(channel, hello) if self._editors is not None else None
            case "host":
                return HostConnection(channel, hello, self._service, self._service.hold, room=room)
            case "mcp":
                return RelayConnection(channel, hello, self._service, room=room, told=self.changed.set)
            case _:
                return CallConnection(channel, hello, self._service, hand_over=self._hand_over, room=room)

    async def _run(self, connection: Connection, channel: Channel) -> None:
        try:
            await connection.run()
        except OversizeError:
            await _refuse(
                channel,
                CoeditorError(
                    Code.FS_TOO_LARGE,
                    f"One message may have {channel.limit} bytes; the connection was closed.",
                    data={"limit": channel.limit, "limit_name": "message_bytes"},
                ),
            )
        if self._draining:
            await channel.lost.wait()  # until ``close`` has had the calls in flight answered


async def _refuse(channel: Channel, error: CoeditorError) -> None:
    await channel.write(encode({"refused": error.to_object()}))


def _bind(path: str) -> socket.socket:
    if os.path.lexists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(path)
        os.chmod(path, 0o600)
    except OSError:
        listener.close()
        raise
    return listener


async def _flush(channels: list[Channel]) -> None:
    """Wait until what was written has gone out; who does not take it is cut off."""
    try:
        async with asyncio.timeout(_FLUSH_SECONDS):
            for channel in channels:
                await channel.lost.wait()
    except TimeoutError:
        for channel in channels:
            channel.transport.abort()
