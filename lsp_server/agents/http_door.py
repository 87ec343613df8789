"""MCP over streamable HTTP, for agents of this machine that know the token.

::

    Host       this endpoint by 127.0.0.1 or localhost, so that no page reaches it by a name of its own
    Origin     none, or this endpoint: no page of a browser calls
    Authorization   Bearer and the token

    POST    one message; a request is answered by a stream that ends with its answer
    GET     the standing stream
    DELETE  ends the session

A session begins with ``initialize``. Requests of the era without sessions (``http_stateless``) are taken at an address
that has the agent's name at its end: else nobody could tell agents apart. Never: what a message means.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from lsp_server.agents import http_wire as wire
from lsp_server.agents.http_sessions import HttpSession, Stream
from lsp_server.agents.http_stateless import is_stateless, mismatch, respond
from lsp_server.agents.http_wire import BadRequestError, Request
from lsp_server.wire.handshake import ENVELOPE_VERSIONS, HANDSHAKE_VERSIONS

log = logging.getLogger(__name__)

PATH: Final = "/mcp"
_NAMED_PATH: Final = re.compile(r"/mcp(?:/([A-Za-z0-9._-]{1,80}))?")
MOST_SESSIONS: Final = 100
MOST_CONNECTIONS: Final = 500
_IDLE: Final = 3600.0
"""Seconds without use after which a session may go for a new one."""
_PULSE: Final = 15.0
"""Seconds of silence after which a stream shows that it lives."""
_MESSAGE_BYTES: Final = 128 << 20
_SESSION: Final = "mcp-session-id"


class HttpDoor:
    """The endpoint, from ``listen`` to ``close``."""

    def __init__(self, token: str, begin: Callable[[str | None], HttpSession]) -> None:
        """``begin`` makes a session, of the agent of that name if it has one; it is called in the event loop."""
        self._token = token
        self._begin = begin
        self._sessions: dict[str, HttpSession] = {}
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def listen(self, port: int) -> str:
        """Listen on a port of this machine, 0 for any; gives the address of the endpoint. Errors: OSError."""
        self._server = await asyncio.start_server(
            self._connected, "127.0.0.1", port, limit=wire.HEAD_BYTES, backlog=128
        )
        self.port = self._server.sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{self.port}{PATH}"

    async def close(self) -> None:
        """Hang up on everybody."""
        if self._server is not None:
            self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await asyncio.gather(*(session.close() for session in self._sessions.values()))

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if len(self._connections) <= MOST_CONNECTIONS:
                await self._serve(reader, writer)
        except BadRequestError as error:
            writer.write(wire.refusal(error.status, str(error), Connection="close"))
        except (ConnectionError, asyncio.IncompleteReadError):
            log.debug("a client left in the middle")
        except Exception:
            log.exception("a connection failed")
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        own: dict[str, HttpSession] = {}
        try:
            await self._serve_requests(reader, writer, own)
        finally:
            await asyncio.gather(*(session.close() for session in own.values()))

    async def _serve_requests(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        own: dict[str, HttpSession],
    ) -> None:
        """``own``: the sessions of this connection alone, by the agent's name."""
        while (request := await wire.read_head(reader)) is not None:
            refused = self._refusal(request)
            if refused is not None:
                writer.write(refused)
                await writer.drain()
                return  # its body is not looked at
            body = await wire.read_body(reader, request, _MESSAGE_BYTES)
            match request.method:
                case "POST" if is_stateless(request):
                    await self._post_stateless(request, body, reader, writer, own)
                case _ if is_stateless(request):
                    writer.write(wire.refusal(HTTPStatus.METHOD_NOT_ALLOWED, "POST.", Allow="POST"))
                case "POST":
                    await self._post(request, body, writer)
                case "GET":
                    await self._get(request, writer)
                case "DELETE":
                    await self._delete(request, writer)
                case _:
                    allowed = wire.refusal(
                        HTTPStatus.METHOD_NOT_ALLOWED, "POST, GET or DELETE.", Allow="POST, GET, DELETE"
                    )
                    writer.write(allowed)
            await writer.drain()

    def _refusal(self, request: Request) -> bytes | None:
        """What is said to who may not come in, before anything else of the request is looked at."""
        own = {f"127.0.0.1:{self.port}", f"localhost:{self.port}"}
        if request.headers.get("host", "").lower() not in own:
            return wire.refusal(HTTPStatus.FORBIDDEN, "This endpoint has no such name.", Connection="close")
        origin = request.headers.get("origin")
        if origin is not None and origin.lower().removeprefix("http://") not in own:
            return wire.refusal(HTTPStatus.FORBIDDEN, "No page may call this endpoint.", Connection="close")
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        known = hmac.compare_digest(token.strip().encode("latin-1", "replace"), self._token.encode())
        if kind.lower() != "bearer" or not known:
            return wire.refusal(
                HTTPStatus.UNAUTHORIZED,
                "Send the token of this endpoint.",
                WWW_Authenticate="Bearer",
                Connection="close",
            )
        if _NAMED_PATH.fullmatch(request.path) is None:
            return wire.refusal(HTTPStatus.NOT_FOUND, f"There is only {PATH}.", Connection="close")
        version = request.headers.get("mcp-protocol-version")
        stateless = ENVELOPE_VERSIONS if _agent_of(request) is not None else ()
        if version is not None and version not in (*HANDSHAKE_VERSIONS, *stateless):
            how = (
                f"Begin with initialize, of {', '.join(HANDSHAKE_VERSIONS)}; or, for {ENVELOPE_VERSIONS[0]}, "
            )
            how += f"put a name for this agent into the address: {PATH}/NAME."
            return wire.refusal(HTTPStatus.BAD_REQUEST, how, Connection="close")
        return None

    async def _post_stateless(
        self,
        request: Request,
        body: bytes,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        own: dict[str, HttpSession],
    ) -> None:
        message = self._taken(request, body, writer)
        if message is None:
            return
        wrong = mismatch(request, message)
        if wrong is not None:
            writer.write(wire.answer(HTTPStatus.BAD_REQUEST, body=wrong))
            return
        agent = _agent_of(request) or ""
        if agent not in own:
            own[agent] = self._begin(agent)
        await respond(own[agent], message, _line(message, body), reader, writer)

    def _taken(self, request: Request, body: bytes, writer: asyncio.StreamWriter) -> dict[str, Any] | None:
        """The message of a request; None when it was refused."""
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            writer.write(wire.refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send application/json."))
            return None
        message = _message(body)
        if message is None:
            writer.write(wire.refusal(HTTPStatus.BAD_REQUEST, "Send one JSON-RPC message."))
        return message

    async def _post(self, request: Request, body: bytes, writer: asyncio.StreamWriter) -> None:
        message = self._taken(request, body, writer)
        if message is None:
            return
        session = await self._session_for(request, message, writer)
        if session is None:
            return
        stream = await session.send(message, _line(message, body))
        if stream is None:
            writer.write(wire.answer(HTTPStatus.ACCEPTED))
        else:
            await self._stream(session, stream, writer)

    async def _session_for(
        self, request: Request, message: dict[str, Any], writer: asyncio.StreamWriter
    ) -> HttpSession | None:
        if message.get("method") == "initialize":
            await self._make_room()
            if len(self._sessions) >= MOST_SESSIONS:
                writer.write(wire.refusal(HTTPStatus.SERVICE_UNAVAILABLE, "There are too many sessions."))
                return None
            session = self._begin(_agent_of(request))
            self._sessions[session.name] = session
            return session
        return self._session(request, writer)

    def _session(self, request: Request, writer: asyncio.StreamWriter) -> HttpSession | None:
        name = request.headers.get(_SESSION)
        if name is None:
            writer.write(wire.refusal(HTTPStatus.BAD_REQUEST, "Begin with initialize; name the session."))
            return None
        session = self._sessions.get(name)
        if session is None:
            writer.write(wire.refusal(HTTPStatus.NOT_FOUND, "There is no such session; initialize again."))
        return session

    async def _get(self, request: Request, writer: asyncio.StreamWriter) -> None:
        session = self._session(request, writer)
        if session is not None:
            await self._stream(session, session.stand(), writer)

    async def _delete(self, request: Request, writer: asyncio.StreamWriter) -> None:
        session = self._session(request, writer)
        if session is not None:
            del self._sessions[session.name]
            await session.close()
            writer.write(wire.answer(HTTPStatus.OK))

    async def _make_room(self) -> None:
        if len(self._sessions) < MOST_SESSIONS:
            return
        oldest = max(self._sessions.values(), key=lambda session: session.idle)
        if oldest.idle > _IDLE:
            del self._sessions[oldest.name]
            await oldest.close()

    async def _stream(self, session: HttpSession, stream: Stream, writer: asyncio.StreamWriter) -> None:
        try:
            writer.write(wire.stream_head({"Mcp-Session-Id": session.name}))
            while True:
                await writer.drain()
                try:
                    line = await asyncio.wait_for(stream.get(), _PULSE)
                except TimeoutError:
                    writer.write(wire.KEEP_ALIVE)
                    continue
                if line is None:
                    writer.write(wire.STREAM_END)
                    return
                writer.write(wire.event(line))
        finally:
            session.leave(stream)


def _agent_of(request: Request) -> str | None:
    """The name that the address has for the agent, if it has one."""
    found = _NAMED_PATH.fullmatch(request.path)
    return found[1] if found is not None else None


def _line(message: dict[str, Any], body: bytes) -> bytes:
    """The message on one line."""
    return json.dumps(message).encode("ascii") if b"\n" in body or b"\r" in body else body


def _message(body: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
