"""The door of relays: MCP messages of one agent, each behind a small head.

::

    relay:  [{"call_id"?, "ack"?}, message]  one MCP message, as the agent sent it
            [{"lost": true, ...}, message]   a tools/call whose answer was lost; answered from the journal
            [{"client": {...}}]              what the agent said of itself since the hello
    server: an MCP message
            {"begun": id}                    work on a request with ``ack`` begins now; without it, it never did
            {"goodbye": {"received": n}}     no more is read; lines beyond the n-th were not looked at

Never: MCP itself.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from lsp_server.agents.callers import caller_of
from lsp_server.agents.channel import Channel, Room
from lsp_server.agents.mcp import McpConnection
from lsp_server.agents.messages import INVALID_REQUEST, Hello, UndecodableError, decode, encode
from lsp_server.agents.titles import terminal_of, title_of
from lsp_server.moments import rfc3339
from lsp_server.news import NewsService
from lsp_server.wire.clients import client_of

log = logging.getLogger(__name__)


class RelayConnection:
    """One relay, and so one agent."""

    def __init__(
        self,
        channel: Channel,
        hello: Hello,
        service: NewsService,
        *,
        room: Room,
        told: Callable[[], None] = lambda: None,
    ) -> None:
        """``told`` is called when the agent says more about itself."""
        self._channel = channel
        self._hello = hello.to_dict()
        self._service = service
        self._mcp: McpConnection | None = None
        self._readable = asyncio.Semaphore(room.calls + room.waiting)
        self._slots = asyncio.Semaphore(room.calls)
        self._turns = asyncio.Semaphore(room.at_once)
        self._queued: dict[object, asyncio.Task[None]] = {}
        """Requests that wait for their turn, by id."""
        self._running: set[asyncio.Task[None]] = set()
        self._received = 0
        self._read_all = asyncio.Event()
        """Set when no line is taken any more."""
        self._told = told
        self._since = time.time()

    def about(self) -> dict[str, Any]:
        """Who it is, for people: session, name, title, and since when it is connected."""
        told = self._hello.get("mcp") or {}
        info = told.get("clientInfo")
        name = info.get("name") if isinstance(info, dict) else None
        named = info if isinstance(info, dict) else None
        session = caller_of({}, self._hello, client_of(named)).scope.session
        title = title_of(name, self._hello["pid"], self._hello["env"], terminal=lambda _: self._terminal)
        return {"session": session, "name": name, "title": title, "since": rfc3339(self._since)}

    @cached_property
    def _terminal(self) -> int | None:
        """Where it runs stays: every call asks who is here, and the process table is slow to read."""
        return terminal_of(self._hello["pid"])

    async def run(self) -> None:
        """Serve until the relay hangs up. Errors: OversizeError, ConnectionResetError."""
        try:
            while (line := await self._channel.read_line()) is not None:
                self._received += 1
                await self._receive(line)
                await asyncio.sleep(0)  # others' turn: a call may be done in one go, and many may wait here
        finally:
            self._read_all.set()

    async def drain(self) -> None:
        """Read no more, say how far it was read, answer what runs."""
        self._channel.stop_reading()
        self._channel.write_now(encode({"goodbye": {"received": self._received}}))
        await self._read_all.wait()  # the last line may still wait until so many are read
        if self._running:
            await asyncio.wait(list(self._running))

    async def close(self) -> None:
        """Cancel what runs: the agent is gone."""
        if self._mcp is not None:
            await self._mcp.close()
        tasks = list(self._running)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _receive(self, line: bytes) -> None:
        try:
            parts = decode(line)
        except UndecodableError as error:
            await self._refuse(error.request_id)
            return
        match parts:
            case [{"client": dict() as told}]:
                self._hello["mcp"] = {**(self._hello["mcp"] or {}), **told}
                self._told()
            case [dict() as head, dict() as message]:
                await self._take(head, message)
            case _:
                await self._refuse(None)

    async def _take(self, head: dict[str, Any], message: dict[str, Any]) -> None:
        """Begin with one message, or let it wait for the calls in flight; waits only when very many do."""
        _name_call(message, head.get("call_id"))
        if message.get("method") == "notifications/cancelled":
            self._cancel_queued(message)
        # A cancellation, or an answer to a question, needs no slot: it is what frees one.
        needs_slot = "method" in message and "id" in message
        if needs_slot:
            await self._readable.acquire()
        work = self._in_turn(head, message) if needs_slot else self._work(head, message)
        task = asyncio.create_task(work)
        if needs_slot and isinstance(message["id"], str | int):
            self._queued[message["id"]] = task
        self._running.add(task)

        def finished(done: asyncio.Task[None]) -> None:
            self._running.discard(done)
            if needs_slot:
                self._readable.release()

        task.add_done_callback(finished)

    async def _in_turn(self, head: Mapping[str, Any], message: dict[str, Any]) -> None:
        async with self._slots:
            if head.get("ack") is True:
                try:
                    await self._channel.write_through(encode({"begun": message.get("id")}))
                except ConnectionResetError:
                    return  # nobody waits for it any more
            async with self._turns:
                if isinstance(message["id"], str | int):
                    self._queued.pop(message["id"], None)
                await self._work(head, message)

    def _cancel_queued(self, message: Mapping[str, Any]) -> None:
        """A request that is cancelled before its turn is as if it had never come."""
        params = message.get("params")
        wanted = params.get("requestId") if isinstance(params, Mapping) else None
        if isinstance(wanted, str | int) and (task := self._queued.pop(wanted, None)) is not None:
            task.cancel()

    async def _work(self, head: Mapping[str, Any], message: dict[str, Any]) -> None:
        if self._mcp is None:
            self._mcp = McpConnection(self._service, self._hello, self._send)
        try:
            if head.get("lost") is True:
                await self._mcp.receive_lost(message)
            else:
                await self._mcp.receive(message)
        except ConnectionResetError:
            log.debug("the relay left before its answer")
        except Exception:
            log.exception("a message failed inside the server")
            if (request_id := message.get("id")) is not None and "method" in message:
                text = "The request failed inside Coeditor; the server's log has the details."
                self._channel.write_now(_error(request_id, -32603, text))

    async def _send(self, message: Mapping[str, Any]) -> None:
        await self._channel.write(encode(message))

    async def _refuse(self, request_id: object) -> None:
        await self._channel.write(_error(request_id, INVALID_REQUEST, "The message is not valid JSON text."))


def _error(request_id: object, code: int, text: str) -> bytes:
    return encode({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}})


def _name_call(message: dict[str, Any], call_id: object) -> None:
    """Fill in the relay's name of the call where the agent gave none."""
    params = message.get("params")
    if isinstance(call_id, str) and isinstance(params, dict):
        if params.get("_meta") is None:
            params["_meta"] = {}
        if isinstance(params["_meta"], dict):
            params["_meta"].setdefault("coeditor/call_id", call_id)
