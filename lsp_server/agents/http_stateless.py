"""MCP from 2026-07-28 on over HTTP: every request carries what it needs, and no session is named.

What the headers say is held against the body; an answer that comes at once is plain JSON, and one that takes its time
a stream. A client that hangs up has cancelled its request. Never: two agents taken for one.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from lsp_server.agents import http_wire as wire
from lsp_server.agents.http_sessions import HttpSession, Stream
from lsp_server.agents.http_wire import Request
from lsp_server.wire import handshake
from lsp_server.wire.handshake import ENVELOPE_VERSIONS, envelope_of, error_message, params_of

HEADER_MISMATCH: Final = -32020
_AT_ONCE: Final = 2.0
"""Seconds for an answer that is no stream."""
_LOOK: Final = 0.5
"""Seconds between looks whether the client is still there."""
_PULSE: Final = 15.0
_NAMED: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_STATUS: Final = {
    HEADER_MISMATCH: HTTPStatus.BAD_REQUEST,
    handshake.UNSUPPORTED_VERSION: HTTPStatus.BAD_REQUEST,
    handshake.INVALID_PARAMS: HTTPStatus.BAD_REQUEST,
    handshake.METHOD_NOT_FOUND: HTTPStatus.NOT_FOUND,
}
_START, _END = "=?base64?", "?="


def is_stateless(request: Request) -> bool:
    """Whether the request belongs to this era."""
    return request.headers.get("mcp-protocol-version") in ENVELOPE_VERSIONS


def mismatch(request: Request, message: Mapping[str, Any]) -> dict[str, Any] | None:
    """The error where headers and body do not say the same; None where they do."""
    method, headers = message.get("method"), request.headers
    version = envelope_of(message).get("io.modelcontextprotocol/protocolVersion")
    wrong = None
    if "id" in message and version != headers.get("mcp-protocol-version"):
        wrong = "MCP-Protocol-Version"
    elif "id" in message and headers.get("mcp-method") != method:
        wrong = "Mcp-Method"
    elif (key := _NAMED.get(str(method))) is not None:
        named = params_of(message).get(key)
        if named is not None and _decoded(headers.get("mcp-name")) != named:
            wrong = "Mcp-Name"
    if wrong is None:
        return None
    return error_message(message.get("id"), HEADER_MISMATCH, f"The header {wrong} and the body differ.")


async def respond(
    session: HttpSession,
    message: dict[str, Any],
    line: bytes,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    """Pass one message on and give its answer. Errors: ConnectionError when the client leaves."""
    stream = await session.send(message, line)
    if stream is None:
        writer.write(wire.answer(HTTPStatus.ACCEPTED))
        return
    try:
        first = await _next(stream, reader, _AT_ONCE)
        if first and "method" not in (found := json.loads(first)):
            code = (found.get("error") or {}).get("code", 0)
            status = _STATUS.get(code, HTTPStatus.OK)
            writer.write(wire.answer(status, body=found))
            return
        await _stream(stream, first, reader, writer)
    except ConnectionError:
        gone = {"requestId": message["id"], "reason": "The client hung up."}
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": gone}
        await session.send(cancelled, json.dumps(cancelled).encode("ascii"))
        raise
    finally:
        session.leave(stream)


async def _stream(
    stream: Stream, first: bytes | None, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    writer.write(wire.stream_head({}))
    if first:
        writer.write(wire.event(first))
    while True:
        await writer.drain()
        line = await _next(stream, reader, _PULSE)
        if line is None:
            writer.write(wire.STREAM_END)
            return
        writer.write(wire.event(line) if line else wire.KEEP_ALIVE)


async def _next(stream: Stream, reader: asyncio.StreamReader, seconds: float) -> bytes | None:
    """The next line, None at the end, empty after ``seconds``. Errors: ConnectionResetError."""
    clock = asyncio.get_running_loop().time
    until = clock() + seconds
    while (left := until - clock()) > 0:
        try:
            return await asyncio.wait_for(stream.get(), min(left, _LOOK))
        except TimeoutError:
            if reader.at_eof():
                raise ConnectionResetError from None
    return b""


def _decoded(value: str | None) -> str | None:
    """A header's value, which is in Base64 where a header cannot hold it."""
    if value is None or not (value.startswith(_START) and value.endswith(_END)):
        return value
    try:
        return base64.b64decode(value[len(_START) : -len(_END)], validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
