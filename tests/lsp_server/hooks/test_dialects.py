"""Every agent and event: whose payload it is, what it comes down to, and the answer in that agent's words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.hooks.dialects import DIALECTS, dialect, name_of
from lsp_server.hooks.events import HookAnswer, HookEvent
from lsp_server.hooks.loose import rows, table
from tests.lsp_server.hooks import payloads
from tests.lsp_server.hooks.payloads import FILE, PATCH, ROWS

NAMES = [f"{row[0]} {row[1]}" for row in ROWS]


@pytest.mark.parametrize(("name", "payload"), [(row[0], row[2]) for row in ROWS], ids=NAMES)
def test_the_payload_tells_the_agent(name: str, payload: dict[str, Any]) -> None:
    assert name_of(payload, {}) == name


@pytest.mark.parametrize(("name", "payload"), [(row[0], row[2]) for row in ROWS], ids=NAMES)
def test_an_outer_agents_environment_misleads_nobody(name: str, payload: dict[str, Any]) -> None:
    outer = {
        "CLAUDE_CODE_SESSION_ID": "outer",
        "CLAUDECODE": "1",
        "CLAUDE_PROJECT_DIR": "/ws",
        "GEMINI_SESSION_ID": "other",
        "CODEX_HOME": "/home/p/.codex",
    }
    assert name_of(payload, outer) == name


def test_the_own_environment_settles_what_the_payload_leaves_open() -> None:
    started = {"session_id": "S", "hook_event_name": "SessionStart", "timestamp": "t", "cwd": "/ws"}
    assert name_of(started, {"GEMINI_SESSION_ID": "S"}) == "gemini"
    assert name_of(started, {"COPILOT_CLI": "1"}) == "copilot"
    assert name_of(started, {"CLAUDE_CODE_SESSION_ID": "S"}) == "claude"
    assert name_of(started, {}) == "vscode"


@pytest.mark.parametrize(("name", "payload", "expected"), [(row[0], *row[2:]) for row in ROWS], ids=NAMES)
def test_the_event(name: str, payload: dict[str, Any], expected: Mapping[str, Any] | None) -> None:
    event = dialect(name).decode(payload)
    if expected is None:
        assert event is None
        return
    assert event is not None
    told = event.to_dict()
    wanted = {key: value for key, value in expected.items() if key != "files"}
    assert {key: told.get(key) for key in wanted} == wanted
    if "files" in expected:
        assert told["files"] == expected["files"]
    back = HookEvent.from_dict(json.loads(json.dumps(told)))
    assert back.to_dict() == told


@pytest.mark.parametrize("name", DIALECTS)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner)))
def test_no_odd_value_breaks_a_dialect(name: str, odd: object) -> None:
    speaker = dialect(name)
    for row in ROWS:
        if row[0] != name:
            continue
        for key in row[2]:
            speaker.decode({**row[2], key: odd})
            nested = row[2][key]
            if isinstance(nested, dict):
                for inner in nested:
                    speaker.decode({**row[2], key: {**nested, inner: odd}})


BEFORE: dict[str, dict[str, Any]] = {
    "claude": payloads.claude("PreToolUse", tool_name="Edit", tool_input={"file_path": FILE}),
    "codex": payloads.codex("PreToolUse", tool_name="apply_patch", tool_input={"command": PATCH}),
    "gemini": payloads.gemini("BeforeTool", tool_name="replace", tool_input={"file_path": FILE}),
    "copilot": payloads.copilot(toolName="edit", toolArgs={"path": FILE}),
    "vscode": payloads.vscode("PreToolUse", tool_name="create_file", tool_input={"filePath": FILE}),
    "cursor": payloads.cursor("preToolUse", tool_name="Write", tool_input={"path": FILE}),
    "cline": payloads.cline(
        "tool_call", tool_call={"name": "editor", "input": {"path": FILE, "new_text": "x"}}
    ),
    "opencode": payloads.opencode("before", tool="write", args={"filePath": FILE}),
}
AFTER: dict[str, dict[str, Any]] = {
    "claude": payloads.claude("PostToolUse", tool_name="Edit", tool_input={"file_path": FILE}),
    "codex": payloads.codex("PostToolUse", tool_name="apply_patch", tool_input={"command": PATCH}),
    "gemini": payloads.gemini(
        "AfterTool", tool_name="replace", tool_input={"file_path": FILE}, tool_response={}
    ),
    "copilot": payloads.copilot(toolName="edit", toolArgs={"path": FILE}, toolResult={}),
    "vscode": payloads.vscode("PostToolUse", tool_name="create_file", tool_input={"filePath": FILE}),
    "cursor": payloads.cursor("postToolUse", tool_name="Write", tool_input={"path": FILE}),
    "cline": payloads.cline("tool_result", tool_result={"name": "editor", "input": {"path": FILE}}),
    "opencode": payloads.opencode("after", tool="write", args={"filePath": FILE}),
}
START: dict[str, dict[str, Any]] = {
    "claude": payloads.claude("SessionStart", source="startup"),
    "codex": payloads.codex("SessionStart", source="startup"),
    "gemini": payloads.gemini("SessionStart", source="startup"),
    "copilot": payloads.copilot(source="new"),
    "vscode": payloads.vscode("SessionStart", source="new"),
    "cursor": payloads.cursor("sessionStart"),
    "cline": payloads.cline("agent_start"),
    "opencode": payloads.opencode("session.created"),
}


def said(name: str, payload: dict[str, Any], answer: HookAnswer) -> Any:
    speaker = dialect(name)
    event = speaker.decode(payload)
    assert event is not None
    text = speaker.encode(event, answer, payload)
    return json.loads(text) if text else None


def _special(event: str, **more: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **more}}


_DENIED = _special("PreToolUse", permissionDecision="deny", permissionDecisionReason="WHY")
DENIALS: dict[str, Any] = {
    "claude": _DENIED,
    "codex": _DENIED,
    "vscode": _DENIED,
    "gemini": {"decision": "deny", "reason": "WHY"},
    "copilot": {"permissionDecision": "deny", "permissionDecisionReason": "WHY"},
    "cursor": {"permission": "deny", "user_message": "WHY", "agent_message": "WHY"},
    "cline": {
        "contextModification": "WHY",
        "overrideInput": {"path": FILE, "old_text": "\0coeditor: this call was refused\0", "new_text": ""},
    },
    "opencode": {"deny": "WHY"},
}


@pytest.mark.parametrize("name", DIALECTS)
def test_a_refusal_in_the_agents_words(name: str) -> None:
    assert said(name, BEFORE[name], HookAnswer(deny="WHY")) == DENIALS[name]


CONTEXTS: dict[str, Any] = {
    "claude": _special("PostToolUse", additionalContext="MORE"),
    "codex": _special("PostToolUse", additionalContext="MORE"),
    "vscode": _special("PostToolUse", additionalContext="MORE"),
    "gemini": _special("AfterTool", additionalContext="MORE"),
    "copilot": {"additionalContext": "MORE"},
    "cursor": {"additional_context": "MORE"},
    "cline": {"contextModification": "MORE"},
    "opencode": {"context": "MORE"},
}


@pytest.mark.parametrize("name", DIALECTS)
def test_context_after_a_call(name: str) -> None:
    assert said(name, AFTER[name], HookAnswer(context="MORE")) == CONTEXTS[name]


@pytest.mark.parametrize("name", DIALECTS)
def test_context_at_the_start(name: str) -> None:
    found = json.dumps(said(name, START[name], HookAnswer(context="MORE")))
    assert "MORE" in found
    assert "PreToolUse" not in found


@pytest.mark.parametrize("name", DIALECTS)
def test_what_is_for_the_person_is_said(name: str) -> None:
    assert "PERSON" in json.dumps(said(name, START[name], HookAnswer(message="PERSON")))


CODEX_KEYS = {
    "continue",
    "decision",
    "reason",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "hookSpecificOutput",
}
CODEX_SPECIAL = {
    "SessionStart": {"hookEventName", "additionalContext"},
    "SubagentStart": {"hookEventName", "additionalContext"},
    "PreToolUse": {"hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput"}
    | {"additionalContext"},
    "PostToolUse": {"hookEventName", "additionalContext", "updatedMCPToolOutput"},
    "SubagentStop": set(),
    "PostCompact": set(),
    "SessionEnd": set(),
}


@pytest.mark.parametrize(
    "payload", [row[2] for row in ROWS if row[0] == "codex" and row[3] is not None], ids=lambda _: ""
)
def test_codex_is_told_nothing_that_it_does_not_know(payload: dict[str, Any]) -> None:
    answer = HookAnswer(deny=None, context="MORE", message="PERSON")
    found = said("codex", payload, answer)
    assert set(found) <= CODEX_KEYS
    assert set(found.get("hookSpecificOutput", {})) <= CODEX_SPECIAL[payload["hook_event_name"]]


def test_a_read_is_pointed_at_the_copy_with_its_other_arguments() -> None:
    payload = payloads.claude("PreToolUse", tool_name="Read", tool_input={"file_path": FILE, "offset": 3})
    found = said("claude", payload, HookAnswer(read_path="/copies/a.py", context="MORE"))
    assert found == _special(
        "PreToolUse",
        permissionDecision="allow",
        updatedInput={"file_path": "/copies/a.py", "offset": 3},
        additionalContext="MORE",
    )


def test_cline_ends_a_task_only_where_no_call_can_be_refused() -> None:
    payload = payloads.cline("tool_call", tool_call={"name": "run_commands", "input": {"commands": ["x"]}})
    assert said("cline", payload, HookAnswer(deny="WHY")) == {
        "contextModification": "WHY",
        "cancel": True,
        "errorMessage": "WHY",
    }


def test_gemini_gets_no_context_that_it_would_lose() -> None:
    assert said("gemini", BEFORE["gemini"], HookAnswer(context="MORE")) is None


@pytest.mark.parametrize(
    ("name", "quiet"), [("cursor", "{}"), ("copilot", "{}"), ("cline", "{}"), ("claude", "")]
)
def test_silence(name: str, quiet: str) -> None:
    assert quiet == dialect(name).QUIET


def test_what_is_nested_too_deep_is_not_there() -> None:
    deep = {"deep": "[" * 100_000, "table": '{"a":' * 100_000}
    assert (rows(deep, "deep"), table(deep, "table")) == ([], {})
