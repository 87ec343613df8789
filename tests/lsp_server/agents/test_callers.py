"""Who is calling, from what each agent really sends."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.errors import Code, CoeditorError
from ledger.types import Caller, ScopeKey
from lsp_server.agents.callers import caller_of
from lsp_server.wire.clients import client_of

ENV = {"CLAUDE_CODE_SESSION_ID": "claude-s", "COPILOT_AGENT_SESSION_ID": "copilot-s"}
CODEX = {
    "callId": "call_1",
    "threadId": "root",
    "sessionId": "root",
    "itemId": "fc_1",
    "progressToken": 4,
    "x-codex-turn-metadata": {"session_id": "root", "thread_id": "root", "turn_id": "turn-2"},
}


@pytest.mark.parametrize(
    ("name", "meta", "env", "caller"),
    [
        ("claude-code", {}, {}, Caller(ScopeKey("relay"), agent="claude-code")),
        (
            "claude-code",
            {"claudecode/toolUseId": "toolu_1", "progressToken": 1},
            ENV,
            Caller(ScopeKey("claude-s"), "toolu_1", agent="claude-code"),
        ),
        ("copilot-cli", {"progressToken": 0}, ENV, Caller(ScopeKey("copilot-s"), agent="copilot")),
        # An agent that another one started inherits its environment, but is not it.
        ("gemini-cli-mcp-client", {}, ENV, Caller(ScopeKey("relay"), agent="gemini")),
        ("opencode", {"progressToken": 2}, ENV, Caller(ScopeKey("relay"), agent="opencode")),
        ("@cline/core", {}, {}, Caller(ScopeKey("relay"), agent="cline")),
        (
            "Visual Studio Code",
            {"vscode.conversationId": "chat-1", "vscode.requestId": "request_2", "progressToken": "x"},
            {},
            Caller(ScopeKey("chat-1"), None, "request_2", "Visual Studio Code"),
        ),
        ("codex-mcp-client", CODEX, {}, Caller(ScopeKey("root"), "call_1", "turn-2", "codex")),
        (
            "codex-mcp-client",
            {**CODEX, "threadId": "child"},
            {},
            Caller(ScopeKey("root", "child"), "call_1", "turn-2", "codex"),
        ),
        (
            "codex-mcp-client",
            {"x-codex-turn-metadata": {"session_id": "root", "thread_id": "child", "turn_id": 3}},
            {},
            Caller(ScopeKey("root", "child"), agent="codex"),
        ),
        ("codex-mcp-client", {"x-codex-turn-metadata": "odd"}, {}, Caller(ScopeKey("relay"), agent="codex")),
        (
            "mine",
            {"coeditor/session": "s", "coeditor/scope": "x", "coeditor/turn": "t", "coeditor/call_id": "c"},
            ENV,
            Caller(ScopeKey("s", "x"), "c", "t", "mine"),
        ),
        # The relay names every call; the agent's own name is the one its hooks know.
        (
            "codex-mcp-client",
            {**CODEX, "coeditor/session": "s"},
            {},
            Caller(ScopeKey("s"), "call_1", "turn-2", "codex"),
        ),
        (
            "mine",
            {"coeditor/session": None, "coeditor/scope": None},
            {},
            Caller(ScopeKey("relay"), agent="mine"),
        ),
    ],
)
def test_the_caller_is_who_the_agent_says(
    name: str, meta: dict[str, Any], env: dict[str, str], caller: Caller
) -> None:
    assert caller_of(meta, {"session": "relay", "env": env}, client_of({"name": name})) == caller


@pytest.mark.parametrize("key", ["session", "scope", "turn", "call_id"])
@pytest.mark.parametrize("value", ["", 3, ["s"], "x" * 201])
def test_a_key_of_ours_that_is_no_id_is_refused(key: str, value: object) -> None:
    with pytest.raises(CoeditorError) as caught:
        caller_of({f"coeditor/{key}": value}, {"session": "relay"}, client_of(None))
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert caught.value.data["argument"] == f"coeditor/{key}"


@pytest.mark.parametrize("hello", [{}, {"session": None, "env": None}, {"session": 3, "env": []}])
def test_a_connection_that_tells_nothing_is_one_session_still(hello: dict[str, Any]) -> None:
    assert caller_of({}, hello, client_of(None)).scope == ScopeKey("unnamed")
