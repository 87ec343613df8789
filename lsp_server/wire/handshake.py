"""The part of MCP that needs no server: who are you, what can you do, are you there.

Never: a tool call, a socket, or an import that costs time; the relay answers from here at once.

A client opens in one of two eras. Up to 2025-11-25 it sends ``initialize`` once; from 2026-07-28 on every
request carries version, client and capabilities in ``_meta``, and ``server/discover`` takes the place of the
handshake. Both are served on one connection, each request by what it carries.
"""

from __future__ import annotations

from lsp_server import __version__
from lsp_server.wire import resources
from lsp_server.wire.clients import Client, client_of
from lsp_server.wire.tools import INSTRUCTIONS, mcp_tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

HANDSHAKE_VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
ENVELOPE_VERSIONS: Final = ("2026-07-28",)
_PREFIX: Final = "io.modelcontextprotocol/"

METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
NO_RESOURCE: Final = -32002
"""In the handshake's era; in the newer one it is a wrong parameter."""
UNSUPPORTED_VERSION: Final = -32022

LIST_TTL_MS: Final = 300_000
"""How long a client may keep the tool list: it changes with our version only."""


class HandshakeState:
    """What one connection has told about its client so far."""

    __slots__ = ("capabilities", "client_info", "version")

    def __init__(self) -> None:
        self.version: str = HANDSHAKE_VERSIONS[-1]
        self.client_info: dict[str, Any] = {}
        self.capabilities: dict[str, Any] = {}

    def to_hello(self) -> dict[str, Any]:
        """The same as JSON, in the shape of ``initialize`` params, for the server process."""
        return {
            "protocolVersion": self.version,
            "clientInfo": self.client_info,
            "capabilities": self.capabilities,
        }

    @classmethod
    def from_hello(cls, hello: Mapping[str, Any]) -> HandshakeState:
        """The reverse of ``to_hello``; what is missing or misshapen reads as not told."""
        state = cls()
        state._note(hello.get("protocolVersion"), hello.get("clientInfo"), hello.get("capabilities"))
        return state

    def note_envelope(self, message: Mapping[str, Any]) -> None:
        """Take over what the ``_meta`` of a request says about its sender, if it says anything."""
        meta = envelope_of(message)
        self._note(
            meta.get(_PREFIX + "protocolVersion"),
            meta.get(_PREFIX + "clientInfo"),
            meta.get(_PREFIX + "clientCapabilities"),
        )

    @property
    def client(self) -> Client:
        """What is known of this client."""
        return client_of(self.client_info)

    @property
    def enveloped(self) -> bool:
        """Whether the connection speaks the newer era."""
        return self.version in ENVELOPE_VERSIONS

    def _note(self, version: object, info: object, capabilities: object) -> None:
        if isinstance(version, str) and version in HANDSHAKE_VERSIONS + ENVELOPE_VERSIONS:
            self.version = version
        if isinstance(info, dict):
            self.client_info = info
        if isinstance(capabilities, dict):
            self.capabilities = capabilities


def params_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """The request's ``params``; empty when there are none."""
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def envelope_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """The request's ``_meta``; empty when there is none."""
    meta = params_of(message).get("_meta")
    return meta if isinstance(meta, dict) else {}


def result_message(request_id: object, result: dict[str, Any], state: HandshakeState) -> dict[str, Any]:
    """The answer to a request, with what the connection's era asks for in every result."""
    if state.enveloped:
        meta = {**(result.get("_meta") or {}), _PREFIX + "serverInfo": server_info()}
        result = {"resultType": "complete", **result, "_meta": meta}
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def error_message(request_id: object, code: int, text: str, data: object = None) -> dict[str, Any]:
    """A protocol error as the answer to a request."""
    error: dict[str, Any] = {"code": code, "message": text}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def server_info() -> dict[str, Any]:
    """Who we are."""
    return {"name": "coeditor", "title": "Coeditor", "version": __version__}


def answer(message: Mapping[str, Any], state: HandshakeState) -> dict[str, Any] | None:
    """The answer to a request that needs no server; None for everything else (calls, notifications, unknown).

    ``state`` takes over what the request says about the client, for calls too.
    """
    method = message.get("method")
    if "id" not in message or not isinstance(method, str):
        return None
    request_id = message["id"]
    state.note_envelope(message)
    if method != "initialize" and (refused := _unsupported(message)) is not None:
        return error_message(request_id, UNSUPPORTED_VERSION, "Unsupported protocol version", refused)
    if method == "initialize":
        return _initialize(request_id, params_of(message), state)
    result = _static_result(method, state)
    return None if result is None else result_message(request_id, result, state)


def _unsupported(message: Mapping[str, Any]) -> dict[str, Any] | None:
    asked = envelope_of(message).get(_PREFIX + "protocolVersion")
    if asked is None or asked in ENVELOPE_VERSIONS:
        return None
    return {"supported": [*ENVELOPE_VERSIONS, *reversed(HANDSHAKE_VERSIONS)], "requested": str(asked)[:80]}


def _initialize(request_id: object, params: dict[str, Any], state: HandshakeState) -> dict[str, Any]:
    asked = params.get("protocolVersion")
    if not isinstance(asked, str):
        return error_message(request_id, INVALID_PARAMS, "initialize needs params.protocolVersion, a string")
    version = asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
    state._note(version, params.get("clientInfo"), params.get("capabilities"))
    result = {
        "protocolVersion": version,
        "capabilities": _capabilities(),
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    }
    return result_message(request_id, result, state)


def _static_result(method: str, state: HandshakeState) -> dict[str, Any] | None:
    cached = {"ttlMs": LIST_TTL_MS, "cacheScope": "private"} if state.enveloped else {}
    match method:
        case "server/discover":
            # The question itself belongs to the newer era, whether or not it carries an envelope.
            state.version = ENVELOPE_VERSIONS[-1]
            return {
                "supportedVersions": list(ENVELOPE_VERSIONS),
                "capabilities": _capabilities(),
                "instructions": INSTRUCTIONS,
                "ttlMs": LIST_TTL_MS,
                "cacheScope": "private",
            }
        case "tools/list":
            return {"tools": mcp_tools(structured=state.client.structured), **cached}
        case "ping":
            return {}
        case "resources/list":
            return {"resources": resources.rows(), **cached}
        case "resources/templates/list":
            return {"resourceTemplates": resources.templates(), **cached}
        case "prompts/list":
            return {"prompts": [], **cached}
        case _:
            return None


def _capabilities() -> dict[str, Any]:
    return {"tools": {"listChanged": False}, "resources": {"subscribe": True, "listChanged": False}}
