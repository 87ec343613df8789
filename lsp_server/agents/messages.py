"""JSON on the agents' socket, as the server reads and writes it.

::

    client: {"hello": {token, door, pid, cwd, env, session, protocol, mcp?}}   first, once
    server: {"welcome": {pid, version, protocol, kind, roots}} | {"refused": error object}

    door cli, hook: JSON-RPC, one message a line (``calls``)
    door host: the same, and requests of the server to the agent's host (``hosts``)
    door editor: LSP's messages about documents, one a line (``handlers.joining``)
    door mcp: [head, MCP message] a line, the message as the agent sent it (``relayed``); MCP messages back

Never: lone surrogates on the wire: such text is refused on the way in and escaped on the way out.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any, Literal, cast

import orjson

from ledger.errors import Code, CoeditorError

Door = Literal["mcp", "cli", "hook", "editor", "host"]
_DOORS = ("mcp", "cli", "hook", "editor", "host")
REQUEST_FAILED = -32803
"""JSON-RPC code of every CoeditorError; the code that counts is in ``data``."""
METHOD_NOT_FOUND = -32601
INVALID_REQUEST = -32600


class UndecodableError(Exception):
    """The line is not JSON, or holds text that no file can hold."""

    def __init__(self, request_id: object = None) -> None:
        super().__init__()
        self.request_id = request_id
        """The id of the request, as far as it could be found."""


def decode(line: bytes) -> Any:
    """The JSON value of one line. Errors: UndecodableError."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        raise UndecodableError(_id_in(line)) from None


def encode(message: Any) -> bytes:
    """One line, with its end."""
    try:
        return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # a lone surrogate, or an id beyond 64 bits
        return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def _id_in(line: bytes) -> object:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, list):
        found = found[-1] if found else None
    return found.get("id") if isinstance(found, dict) else None


@dataclass(frozen=True, slots=True)
class Hello:
    """Who connects."""

    door: Door
    token: str = field(repr=False)
    pid: int | None
    cwd: str | None
    """Absolute."""
    env: dict[str, str]
    """Those of the agent's variables that tell who it is."""
    session: str | None
    mcp: dict[str, Any] | None
    """What the agent said of itself in its handshake, in the shape of ``initialize`` params."""

    def to_dict(self) -> dict[str, Any]:
        """Without the token."""
        return {
            "door": self.door,
            "pid": self.pid,
            "cwd": self.cwd,
            "env": self.env,
            "session": self.session,
            "mcp": self.mcp,
        }


def decode_hello(line: bytes, protocol: int) -> Hello:
    """The first line of a client. Errors: UNAUTHORIZED when it is none, NO_SERVER for another protocol."""
    try:
        found = decode(line)["hello"]
        door, token = found["door"], found["token"]
        spoken = found["protocol"]
    except (UndecodableError, KeyError, TypeError, IndexError):
        raise CoeditorError(Code.UNAUTHORIZED, "The first line must be a hello with the token.") from None
    if spoken != protocol:
        raise CoeditorError(
            Code.NO_SERVER,
            f"The running server speaks protocol {protocol}, this client {str(spoken)[:20]}: end the older "
            "of the two (`coeditor status` names the server) and start again.",
        )
    if door not in _DOORS or not isinstance(token, str):
        raise CoeditorError(Code.UNAUTHORIZED, "The hello names no door that there is.")
    cwd, session, mcp, pid, env = (found.get(name) for name in ("cwd", "session", "mcp", "pid", "env"))
    return Hello(
        door=cast(Door, door),
        token=token,
        pid=pid if isinstance(pid, int) else None,
        cwd=cwd if isinstance(cwd, str) and os.path.isabs(cwd) else None,
        env={str(k): v for k, v in env.items() if isinstance(v, str)} if isinstance(env, dict) else {},
        session=session if isinstance(session, str) and session else None,
        mcp=mcp if isinstance(mcp, dict) else None,
    )


def error_object(error: CoeditorError) -> dict[str, Any]:
    """The JSON-RPC form of an error."""
    return {"code": REQUEST_FAILED, "message": error.message, "data": error.to_object()}
