"""Who is calling: session, scope, turn and call id, from what agents really send.

Never: a guess that could give one agent another's observations. What an agent does not say is taken from the
connection, and its environment is believed only where the variable is that agent's own: children inherit it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ledger.errors import Code, CoeditorError
from ledger.types import Caller, ScopeKey
from lsp_server.acp.known import known_name
from lsp_server.acp.names import is_acp
from lsp_server.wire.clients import Client

LONGEST: Final = 200
"""Characters of an id."""
_OURS: Final = "coeditor/"


def caller_of(meta: Mapping[str, Any], hello: Mapping[str, Any], client: Client) -> Caller:
    """The caller of one MCP call.

    ``meta`` is the call's ``_meta``: our own keys win, then what the agent says in its own; ``hello`` tells
    of the connection. (The relay fills in the call id from the agent's own key, where it has one.) Errors:
    INVALID_ARGUMENT for a key of ours that is no usable id.
    """
    theirs = _codex(meta) or _vscode(meta)
    call_id = _own(meta, "call_id") or theirs.get("call_id") or _told(meta.get("claudecode/toolUseId"))
    connection = _told(hello.get("session"))
    certain = connection if connection is not None and is_acp(connection) else None
    session = _own(meta, "session") or certain or theirs.get("session") or _from_environment(hello, client)
    scope = _own(meta, "scope") or theirs.get("scope") or "main"
    turn = _own(meta, "turn") or theirs.get("turn")
    key = ScopeKey(session or connection or "unnamed", scope)
    return Caller(key, call_id, turn, client.agent)


def _codex(meta: Mapping[str, Any]) -> dict[str, str | None]:
    """Codex names its root session, the thread (a sub-agent has its own), the turn and the call."""
    turn = meta.get("x-codex-turn-metadata")
    told = turn if isinstance(turn, Mapping) else {}
    session = _told(meta.get("sessionId")) or _told(told.get("session_id"))
    if session is None:
        return {}
    thread = _told(meta.get("threadId")) or _told(told.get("thread_id"))
    return {
        "session": session,
        "scope": thread if thread != session else None,
        "turn": _told(told.get("turn_id")),
        "call_id": _told(meta.get("callId")),
    }


def _vscode(meta: Mapping[str, Any]) -> dict[str, str | None]:
    """VS Code has one connection for all its conversations, and names the conversation and the request."""
    session = _told(meta.get("vscode.conversationId"))
    return {} if session is None else {"session": session, "turn": _told(meta.get("vscode.requestId"))}


def _from_environment(hello: Mapping[str, Any], client: Client) -> str | None:
    environment = hello.get("env")
    if client.session_variable is None or not isinstance(environment, Mapping):
        return None
    told = _told(environment.get(client.session_variable))
    # Some take no server from the host that runs them, but start their own: it is that conversation all the same.
    return (known_name(told) or told) if told is not None else None


def _own(meta: Mapping[str, Any], name: str) -> str | None:
    value = meta.get(_OURS + name)
    if value is None:
        return None
    found = _told(value)
    if found is None:
        raise CoeditorError(
            Code.INVALID_ARGUMENT,
            f"_meta {_OURS}{name} must be a string of 1 to {LONGEST} characters. Correct it or leave it out.",
            data={"argument": _OURS + name, "expected": f"a string of 1 to {LONGEST} characters"},
        )
    return found


def _told(value: object) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= LONGEST else None
