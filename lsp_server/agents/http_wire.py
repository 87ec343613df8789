"""As much of HTTP/1.1 as one MCP endpoint needs: requests in, answers and event streams out.

Never: who may call, or MCP.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

HEAD_BYTES: Final = 1 << 15
_PATIENCE: Final = 60.0
"""Seconds for a request to be there in full once it has begun, and for the next to begin."""


class BadRequestError(Exception):
    """What comes is refused, and the connection with it."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Request:
    """The head of a request."""

    method: str
    target: str
    headers: Mapping[str, str]
    """By name in lower case."""

    @property
    def path(self) -> str:
        """Without the query."""
        return self.target.partition("?")[0]


async def read_head(reader: asyncio.StreamReader) -> Request | None:
    """The next request's head; None when the client has gone, or says nothing. Errors: BadRequestError."""
    try:
        async with asyncio.timeout(_PATIENCE):
            head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise BadRequestError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The head is too long.") from None
    except (asyncio.IncompleteReadError, TimeoutError, OSError):
        return None
    first, *lines = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or words[2] != "HTTP/1.1":
        raise BadRequestError(HTTPStatus.BAD_REQUEST, "This is no HTTP/1.1 request.")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise BadRequestError(HTTPStatus.BAD_REQUEST, "A header is malformed.")
        if name.lower() in headers:
            # Two opinions on whom to believe, or where the body ends.
            raise BadRequestError(HTTPStatus.BAD_REQUEST, f"The header {name[:40]} comes twice.")
        headers[name.lower()] = value.strip()
    return Request(words[0], words[1], headers)


async def read_body(reader: asyncio.StreamReader, request: Request, limit: int) -> bytes:
    """The request's body. Errors: BadRequestError; IncompleteReadError when the client goes."""
    if "transfer-encoding" in request.headers:
        raise BadRequestError(HTTPStatus.LENGTH_REQUIRED, "Send the body with a Content-Length.")
    told = request.headers.get("content-length", "0")
    if not (told.isascii() and told.isdigit() and len(told) < 20):
        raise BadRequestError(HTTPStatus.BAD_REQUEST, "Content-Length is no number.")
    if int(told) > limit:
        raise BadRequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"One message may have {limit} bytes.")
    try:
        async with asyncio.timeout(_PATIENCE):
            return await reader.readexactly(int(told))
    except TimeoutError:
        raise BadRequestError(HTTPStatus.REQUEST_TIMEOUT, "The body did not come in time.") from None


def answer(status: HTTPStatus, headers: Mapping[str, str] | None = None, body: object = None) -> bytes:
    """A whole answer; ``body`` goes as JSON."""
    data = b"" if body is None else json.dumps(body).encode("ascii")
    told = {"Content-Length": str(len(data)), "Cache-Control": "no-store", **(headers or {})}
    if body is not None:
        told["Content-Type"] = "application/json"
    return _head(status, told) + data


def refusal(status: HTTPStatus, message: str, **headers: str) -> bytes:
    """An answer that says what is wrong, as a JSON-RPC error without an id."""
    error: dict[str, Any] = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": message}}
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    return answer(status, told, error)


def stream_head(headers: Mapping[str, str]) -> bytes:
    """The start of a stream of events."""
    told = {
        "Content-Type": "text/event-stream",
        "Cache-Control": "no-store",
        "Transfer-Encoding": "chunked",
        **headers,
    }
    return _head(HTTPStatus.OK, told)


def event(line: bytes) -> bytes:
    """One message as an event; ``line`` is JSON on one line."""
    return _chunk(b"event: message\ndata: " + line.strip() + b"\n\n")


KEEP_ALIVE: Final = b"3\r\n:\n\n\r\n"
"""A comment, so that nobody takes the stream for dead."""
STREAM_END: Final = b"0\r\n\r\n"


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _head(status: HTTPStatus, headers: Mapping[str, str]) -> bytes:
    lines = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
