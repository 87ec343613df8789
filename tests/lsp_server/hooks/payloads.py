"""What each agent's hooks send, written from the formats that they publish: one row for each event and tool.

A row is (dialect, name, payload, the event expected); None where the event means nothing to us.

Never: a text of somebody else's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Row = tuple[str, str, dict[str, Any], Mapping[str, Any] | None]

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-old\n+new\n*** End Patch\n"
FILE = "/ws/a.py"


def _use(action: str, path: str = FILE, **more: Any) -> dict[str, Any]:
    return {"action": action, "files": [{"path": path, "action": action, **more}]}


def claude(event: str, **more: Any) -> dict[str, Any]:
    return {
        "session_id": "S",
        "transcript_path": "/home/p/.claude/projects/ws/S.jsonl",
        "cwd": "/ws",
        "prompt_id": "T",
        "hook_event_name": event,
        **more,
    }


def _claude_tool(event: str, tool: str, given: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return claude(event, tool_name=tool, tool_input=dict(given), tool_use_id="C", **more)


_EDIT = {"file_path": FILE, "old_string": "old", "new_string": "new"}
_READ_ANSWER = {
    "type": "text",
    "file": {"filePath": FILE, "content": "x\ny\n", "numLines": 3, "startLine": 4, "totalLines": 9},
}
_SHELL_ANSWER = {"stdout": "", "bashEditDiff": {"files": [], "moreFiles": 0, "changedFiles": [FILE]}}
CALL = {"session": "S", "scope": "main", "turn": "T", "call_id": "C"}

CLAUDE: list[Row] = [
    ("claude", "read", _claude_tool("PreToolUse", "Read", {"file_path": FILE}), CALL | _use("read")),
    (
        "claude",
        "part",
        _claude_tool("PreToolUse", "Read", {"file_path": FILE, "offset": 5, "limit": 7}),
        _use("read", first=5, limit=7),
    ),
    (
        "claude",
        "was read",
        _claude_tool("PostToolUse", "Read", {"file_path": FILE}, tool_response=_READ_ANSWER),
        {"kind": "after"} | _use("read", first=4, shown="x\ny\n"),
    ),
    (
        "claude",
        "picture",
        _claude_tool("PostToolUse", "Read", {"file_path": "/ws/a.png"}, tool_response={"type": "image"}),
        _use("read", "/ws/a.png"),
    ),
    ("claude", "edit", _claude_tool("PreToolUse", "Edit", _EDIT), {"kind": "before"} | _use("edit")),
    (
        "claude",
        "sub-agent",
        _claude_tool("PreToolUse", "Edit", _EDIT, agent_id="A", agent_type="general"),
        {"session": "S", "scope": "A"} | _use("edit"),
    ),
    (
        "claude",
        "edited",
        _claude_tool("PostToolUse", "Edit", _EDIT, tool_response={"filePath": FILE, "originalFile": "old"}),
        {"kind": "after"} | _use("edit"),
    ),
    (
        "claude",
        "write",
        _claude_tool("PreToolUse", "Write", {"file_path": FILE, "content": ""}),
        _use("write"),
    ),
    (
        "claude",
        "not written",
        _claude_tool("PostToolUseFailure", "Write", {"file_path": FILE}, error="no", is_interrupt=False),
        {"kind": "after", "failed": True} | _use("write"),
    ),
    (
        "claude",
        "notebook",
        _claude_tool("PreToolUse", "NotebookEdit", {"notebook_path": "/ws/n.ipynb", "new_source": "1"}),
        _use("edit", "/ws/n.ipynb"),
    ),
    ("claude", "shell", _claude_tool("PreToolUse", "Bash", {"command": "make"}), {"action": "shell"}),
    (
        "claude",
        "shell done",
        _claude_tool("PostToolUse", "Bash", {"command": "make"}, tool_response=_SHELL_ANSWER),
        {"action": "shell", "changed": (FILE,)},
    ),
    (
        "claude",
        "ours",
        _claude_tool("PreToolUse", "mcp__coeditor__edit", _EDIT, mcp_server={"name": "coeditor"}),
        CALL | {"action": "own", "tool": "edit", "arguments": _EDIT},
    ),
    ("claude", "another's", _claude_tool("PreToolUse", "mcp__other__edit", _EDIT), None),
    ("claude", "web", _claude_tool("PreToolUse", "WebFetch", {"url": "x"}), None),
    (
        "claude",
        "start",
        claude("SessionStart", source="startup"),
        {"kind": "session_started", "source": "new"},
    ),
    ("claude", "resume", claude("SessionStart", source="resume"), {"source": "resumed"}),
    ("claude", "clear", claude("SessionStart", source="clear"), {"source": "cleared"}),
    ("claude", "compacted", claude("SessionStart", source="compact"), {"source": "compacted"}),
    ("claude", "end", claude("SessionEnd", reason="other"), {"kind": "session_ended"}),
    ("claude", "before compaction", claude("PreCompact", trigger="auto"), None),
    ("claude", "compaction", claude("PostCompact", trigger="auto", compact_summary="s"), {"kind": "evicted"}),
    (
        "claude",
        "sub-agent starts",
        claude("SubagentStart", agent_id="A", agent_type="general"),
        {"kind": "scope_started", "scope": "A"},
    ),
    (
        "claude",
        "sub-agent ends",
        claude("SubagentStop", agent_id="A", agent_type="general", stop_hook_active=False),
        {"kind": "scope_ended", "scope": "A"},
    ),
    ("claude", "summary ends", claude("SubagentStop", agent_id="Z", agent_type=""), None),
    ("claude", "prompt", claude("UserPromptSubmit", prompt="do"), None),
    ("claude", "stop", claude("Stop", stop_hook_active=False), None),
    ("claude", "batch", claude("PostToolBatch", tool_calls=[]), None),
]


def codex(event: str, **more: Any) -> dict[str, Any]:
    return {
        "session_id": "S",
        "turn_id": "T",
        "transcript_path": "/home/p/.codex/sessions/2026/rollout-1-S.jsonl",
        "cwd": "/ws",
        "hook_event_name": event,
        "model": "gpt-5.5",
        "permission_mode": "default",
        **more,
    }


def _codex_tool(event: str, tool: str, given: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return codex(event, tool_name=tool, tool_input=dict(given), tool_use_id="C", **more)


CODEX: list[Row] = [
    (
        "codex",
        "patch",
        _codex_tool("PreToolUse", "apply_patch", {"command": PATCH}),
        CALL | {"kind": "before", "action": "patch", "body": PATCH},
    ),
    (
        "codex",
        "patched",
        _codex_tool("PostToolUse", "apply_patch", {"command": PATCH}, tool_response="Success."),
        {"kind": "after", "action": "patch", "body": PATCH},
    ),
    (
        "codex",
        "sub-agent",
        _codex_tool("PreToolUse", "apply_patch", {"command": PATCH}, agent_id="A", agent_type="default"),
        {"scope": "A"},
    ),
    ("codex", "shell", _codex_tool("PreToolUse", "Bash", {"command": "cat a.py"}), {"action": "shell"}),
    (
        "codex",
        "patch in the shell",
        _codex_tool("PreToolUse", "Bash", {"command": f"apply_patch <<'EOF'\n{PATCH}EOF\n"}),
        {"action": "patch", "body": f"apply_patch <<'EOF'\n{PATCH}EOF\n"},
    ),
    (
        "codex",
        "shell done",
        _codex_tool("PostToolUse", "Bash", {"command": "cat a.py"}, tool_response="x"),
        {"kind": "after", "action": "shell"},
    ),
    (
        "codex",
        "ours",
        _codex_tool("PreToolUse", "mcp__coeditor__read", {"file_path": FILE}),
        {"action": "own", "tool": "read", "arguments": {"file_path": FILE}},
    ),
    ("codex", "sub-agent wanted", _codex_tool("PreToolUse", "spawn_agent", {"message": "go"}), None),
    ("codex", "start", codex("SessionStart", source="startup"), {"kind": "session_started"}),
    ("codex", "compacted", codex("SessionStart", source="compact"), {"source": "compacted"}),
    ("codex", "compaction", codex("PostCompact", trigger="auto"), {"kind": "evicted"}),
    ("codex", "before compaction", codex("PreCompact", trigger="auto"), None),
    (
        "codex",
        "sub-agent starts",
        codex("SubagentStart", agent_id="A", agent_type="default"),
        {"kind": "scope_started", "scope": "A"},
    ),
    (
        "codex",
        "sub-agent ends",
        codex("SubagentStop", agent_id="A", agent_type="default", stop_hook_active=False),
        {"kind": "scope_ended", "scope": "A"},
    ),
    ("codex", "prompt", codex("UserPromptSubmit", prompt="do"), None),
    ("codex", "stop", codex("Stop", stop_hook_active=False), None),
    (
        "codex",
        "end",
        {key: value for key, value in codex("SessionEnd", reason="other").items() if key != "turn_id"},
        {"kind": "session_ended"},
    ),
]


def gemini(event: str, **more: Any) -> dict[str, Any]:
    return {
        "session_id": "S",
        "transcript_path": "/home/p/.gemini/tmp/ws/chats/session-1.jsonl",
        "cwd": "/ws",
        "hook_event_name": event,
        "timestamp": "2026-11-30T12:00:00Z",
        **more,
    }


def _gemini_tool(event: str, tool: str, given: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return gemini(event, tool_name=tool, tool_input=dict(given), **more)


GEMINI: list[Row] = [
    (
        "gemini",
        "read",
        _gemini_tool("BeforeTool", "read_file", {"file_path": FILE}),
        {"session": "S", "scope": "main"} | _use("read"),
    ),
    (
        "gemini",
        "was read",
        _gemini_tool("AfterTool", "read_file", {"file_path": FILE}, tool_response={"llmContent": "x\n"}),
        {"kind": "after"} | _use("read", shown="x\n"),
    ),
    (
        "gemini",
        "part",
        _gemini_tool("BeforeTool", "read_file", {"file_path": FILE, "start_line": 3, "end_line": 5}),
        _use("read", first=3, limit=3),
    ),
    (
        "gemini",
        "many",
        _gemini_tool("BeforeTool", "read_many_files", {"include": [FILE, "*.md"]}),
        _use("read"),
    ),
    ("gemini", "edit", _gemini_tool("BeforeTool", "replace", _EDIT), {"kind": "before"} | _use("edit")),
    ("gemini", "write", _gemini_tool("BeforeTool", "write_file", {"file_path": FILE}), _use("write")),
    (
        "gemini",
        "not edited",
        _gemini_tool("AfterTool", "replace", _EDIT, tool_response={"error": {"message": "no"}}),
        {"kind": "after", "failed": True} | _use("edit"),
    ),
    (
        "gemini",
        "shell",
        _gemini_tool("BeforeTool", "run_shell_command", {"command": "x"}),
        {"action": "shell"},
    ),
    (
        "gemini",
        "ours",
        _gemini_tool("BeforeTool", "mcp_coeditor_apply_patch", {"patch": "p", "wait_for_previous": True}),
        {"action": "own", "tool": "apply_patch", "arguments": {"patch": "p"}},
    ),
    ("gemini", "sub-agent wanted", _gemini_tool("BeforeTool", "invoke_agent", {"prompt": "go"}), None),
    (
        "gemini",
        "start",
        gemini("SessionStart", source="startup"),
        {"kind": "session_started", "source": "new"},
    ),
    ("gemini", "end", gemini("SessionEnd", reason="exit"), {"kind": "session_ended"}),
    ("gemini", "before every request", gemini("PreCompress", trigger="auto"), None),
    ("gemini", "turn", gemini("BeforeAgent", prompt="do"), None),
    ("gemini", "model", gemini("BeforeModel", llm_request={}), None),
]


def copilot(**more: Any) -> dict[str, Any]:
    return {"sessionId": "S", "timestamp": 1, "cwd": "/ws", **more}


_SUB = {"sessionId": "A", "agentId": "A", "agentType": "general", "parentAgentId": "S"}
_DONE = {"resultType": "success", "textResultForLlm": "x\n"}

COPILOT: list[Row] = [
    ("copilot", "read", copilot(toolName="view", toolArgs={"path": FILE}), {"kind": "before"} | _use("read")),
    (
        "copilot",
        "part",
        copilot(toolName="view", toolArgs={"path": FILE, "view_range": [3, 5]}),
        _use("read", first=3, limit=3),
    ),
    (
        "copilot",
        "was read",
        copilot(toolName="view", toolArgs={"path": FILE}, toolResult=_DONE),
        {"kind": "after"} | _use("read", shown="x\n"),
    ),
    ("copilot", "edit", copilot(toolName="edit", toolArgs={"path": FILE, "old_str": "a"}), _use("edit")),
    (
        "copilot",
        "as text",
        copilot(toolName="edit", toolArgs='{"path": "/ws/a.py", "old_str": "a"}'),
        _use("edit"),
    ),
    (
        "copilot",
        "create",
        copilot(toolName="create", toolArgs={"path": FILE, "file_text": ""}),
        _use("write"),
    ),
    (
        "copilot",
        "patch",
        copilot(toolName="apply_patch", toolArgs=PATCH),
        {"session": "S", "scope": "main", "action": "patch", "body": PATCH},
    ),
    (
        "copilot",
        "sub-agent",
        copilot(toolName="apply_patch", toolArgs=PATCH) | _SUB,
        {"session": "S", "scope": "A", "action": "patch"},
    ),
    (
        "copilot",
        "failed",
        copilot(toolName="edit", toolArgs={"path": FILE}, error="No match found"),
        {"kind": "after", "failed": True} | _use("edit"),
    ),
    ("copilot", "shell", copilot(toolName="bash", toolArgs={"command": "x"}), {"action": "shell"}),
    (
        "copilot",
        "ours",
        copilot(toolName="coeditor-edit", toolArgs=_EDIT),
        {"action": "own", "tool": "edit", "arguments": _EDIT},
    ),
    ("copilot", "sub-agent wanted", copilot(toolName="task", toolArgs={"prompt": "go"}), None),
    ("copilot", "permission", copilot(hookName="permissionRequest", toolName="edit", toolInput={}), None),
    ("copilot", "start", copilot(source="new", initialPrompt="do"), {"kind": "session_started"}),
    ("copilot", "resume", copilot(source="resume"), {"source": "resumed"}),
    ("copilot", "end", copilot(reason="complete"), {"kind": "session_ended"}),
    ("copilot", "prompt", copilot(prompt="do"), None),
    ("copilot", "stop", copilot(stopReason="end_turn"), None),
    (
        "copilot",
        "sub-agent starts",
        copilot(agentName="general", agentId="A", parentAgentId="S"),
        {"kind": "scope_started", "session": "S", "scope": "A"},
    ),
    (
        "copilot",
        "sub-agent ends",
        copilot(agentName="general", agentId="A", parentAgentId="S", stopReason="end_turn"),
        {"kind": "scope_ended", "scope": "A"},
    ),
    ("copilot", "compaction", copilot(trigger="auto", customInstructions=""), {"kind": "evicted"}),
    (
        "copilot",
        "as Claude's",
        {
            "hook_event_name": "PostToolUse",
            "session_id": "S",
            "timestamp": "t",
            "cwd": "/ws",
            "tool_name": "Edit",
            "tool_input": PATCH,
            "tool_result": {"result_type": "success"},
        },
        {"kind": "after", "action": "patch", "body": PATCH},
    ),
]


def vscode(event: str, **more: Any) -> dict[str, Any]:
    return {
        "timestamp": "2026-11-30T12:00:00Z",
        "hook_event_name": event,
        "session_id": "S",
        "transcript_path": "/home/p/.config/Code/transcript.json",
        "cwd": "/ws",
        **more,
    }


def _vscode_tool(event: str, tool: str, given: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return vscode(event, tool_name=tool, tool_input=dict(given), tool_use_id="C", **more)


VSCODE: list[Row] = [
    (
        "vscode",
        "read",
        _vscode_tool("PreToolUse", "read_file", {"filePath": FILE, "startLine": 2, "endLine": 4}),
        _use("read", first=2, limit=3),
    ),
    (
        "vscode",
        "edit",
        _vscode_tool("PreToolUse", "replace_string_in_file", {"filePath": FILE}),
        _use("edit"),
    ),
    (
        "vscode",
        "several",
        _vscode_tool(
            "PreToolUse",
            "multi_replace_string_in_file",
            {"replacements": [{"filePath": FILE}, {"filePath": "/ws/b.py"}, {"filePath": FILE}]},
        ),
        {"files": [{"path": FILE, "action": "edit"}, {"path": "/ws/b.py", "action": "edit"}]},
    ),
    ("vscode", "create", _vscode_tool("PreToolUse", "create_file", {"filePath": FILE}), _use("write")),
    (
        "vscode",
        "patch",
        _vscode_tool("PostToolUse", "apply_patch", {"input": PATCH}, tool_response="done"),
        {"kind": "after", "action": "patch", "body": PATCH},
    ),
    ("vscode", "shell", _vscode_tool("PreToolUse", "run_in_terminal", {"command": "x"}), {"action": "shell"}),
    (
        "vscode",
        "ours",
        _vscode_tool("PreToolUse", "mcp_coeditor_read", {"file_path": FILE}),
        {"action": "own", "tool": "read"},
    ),
    ("vscode", "start", vscode("SessionStart", source="new"), {"kind": "session_started"}),
    ("vscode", "compaction", vscode("PreCompact", trigger="auto"), {"kind": "evicted"}),
    (
        "vscode",
        "sub-agent starts",
        vscode("SubagentStart", agent_id="A", agent_type="x"),
        {"kind": "scope_started", "scope": "A"},
    ),
    (
        "vscode",
        "sub-agent ends",
        vscode("SubagentStop", agent_id="A", agent_type="x", stop_hook_active=False),
        {"kind": "scope_ended", "scope": "A"},
    ),
    (
        "vscode",
        "created",
        _vscode_tool("PostToolUse", "create_file", {"filePath": FILE}, tool_response="done"),
        {"kind": "after"} | _use("write"),
    ),
    (
        "vscode",
        "shell done",
        _vscode_tool("PostToolUse", "run_in_terminal", {"command": "x"}, tool_response="done"),
        {"kind": "after", "action": "shell"},
    ),
    ("vscode", "prompt", vscode("UserPromptSubmit", prompt="do"), None),
    ("vscode", "stop", vscode("Stop"), None),
]


def cursor(event: str, **more: Any) -> dict[str, Any]:
    return {
        "conversation_id": "S",
        "generation_id": "T",
        "model": "m",
        "hook_event_name": event,
        "cursor_version": "3.1",
        "workspace_roots": ["/ws"],
        "user_email": None,
        **more,
    }


def _cursor_tool(event: str, tool: str, given: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return cursor(event, tool_name=tool, tool_input=dict(given), tool_use_id="C", cwd="/ws", **more)


CURSOR: list[Row] = [
    ("cursor", "read", _cursor_tool("preToolUse", "Read", {"path": FILE}), CALL | _use("read")),
    ("cursor", "edit", _cursor_tool("preToolUse", "StrReplace", {"path": FILE}), _use("edit")),
    ("cursor", "write", _cursor_tool("preToolUse", "Write", {"file_path": FILE}), _use("write")),
    ("cursor", "delete", _cursor_tool("preToolUse", "Delete", {"path": FILE}), _use("delete")),
    (
        "cursor",
        "edited",
        _cursor_tool("postToolUse", "StrReplace", {"path": FILE}, tool_output="{}"),
        {"kind": "after"} | _use("edit"),
    ),
    ("cursor", "shell", _cursor_tool("preToolUse", "Shell", {"command": "x"}), {"action": "shell"}),
    ("cursor", "shell alone", cursor("beforeShellExecution", command="x", cwd="/ws"), {"action": "shell"}),
    (
        "cursor",
        "shell done",
        cursor("afterShellExecution", command="x", output="", duration=1, cwd="/ws"),
        {"kind": "after", "action": "shell"},
    ),
    (
        "cursor",
        "not edited",
        _cursor_tool("postToolUseFailure", "StrReplace", {"path": FILE}, error_message="no"),
        {"kind": "after", "failed": True} | _use("edit"),
    ),
    (
        "cursor",
        "sub-agent ends",
        cursor("subagentStop", subagent_id="A", status="completed"),
        {"kind": "scope_ended"},
    ),
    ("cursor", "read alone", cursor("beforeReadFile", file_path=FILE, content="x"), _use("read")),
    (
        "cursor",
        "edit alone",
        cursor("afterFileEdit", file_path=FILE, edits=[]),
        {"kind": "after"} | _use("edit"),
    ),
    (
        "cursor",
        "ours",
        _cursor_tool("preToolUse", "MCP:edit", _EDIT),
        {"action": "own", "tool": "edit", "arguments": _EDIT},
    ),
    (
        "cursor",
        "ours alone",
        cursor(
            "beforeMCPExecution", tool_name="read", tool_input='{"file_path": "a"}', command="coeditor mcp"
        ),
        {"action": "own", "tool": "read", "arguments": {"file_path": "a"}},
    ),
    (
        "cursor",
        "another's",
        cursor("beforeMCPExecution", tool_name="read", tool_input="{}", command="npx other"),
        None,
    ),
    ("cursor", "start", cursor("sessionStart"), {"kind": "session_started"}),
    ("cursor", "end", cursor("sessionEnd", reason="done"), {"kind": "session_ended"}),
    ("cursor", "compaction", cursor("preCompact"), {"kind": "evicted"}),
    (
        "cursor",
        "sub-agent",
        cursor("subagentStart", subagent_id="A"),
        {"kind": "scope_started", "scope": "A"},
    ),
    ("cursor", "prompt", cursor("beforeSubmitPrompt", prompt="do"), None),
]


def cline(name: str, **more: Any) -> dict[str, Any]:
    return {
        "clineVersion": "",
        "taskId": "conv_1",
        "sessionContext": {"rootSessionId": "S"},
        "workspaceRoots": ["/ws"],
        "agent_id": "agent_1",
        "parent_agent_id": None,
        "hookName": name,
        **more,
    }


def _cline_call(tool: str, given: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return cline("tool_call", tool_call={"id": "C", "name": tool, "input": dict(given)}, **more)


_CLINE_SUB = {"taskId": "conv_2", "agent_id": "agent_2", "parent_agent_id": "agent_1"}

CLINE: list[Row] = [
    (
        "cline",
        "read",
        _cline_call("read_files", {"files": [{"path": FILE, "start_line": 2, "end_line": 4}]}),
        {"session": "cline-S", "scope": "main", "call_id": "C"} | _use("read", first=2, limit=3),
    ),
    ("cline", "edit", _cline_call("editor", {"path": FILE, "old_text": "a", "new_text": "b"}), _use("edit")),
    ("cline", "write", _cline_call("editor", {"path": FILE, "new_text": "b"}), _use("write")),
    (
        "cline",
        "sub-agent",
        _cline_call("editor", {"path": FILE, "old_text": "a"}, **_CLINE_SUB),
        {"session": "cline-S", "scope": "agent_2"},
    ),
    (
        "cline",
        "edited",
        cline(
            "tool_result", tool_result={"id": "C", "name": "editor", "input": {"path": FILE, "old_text": "a"}}
        ),
        {"kind": "after"} | _use("edit"),
    ),
    ("cline", "shell", _cline_call("run_commands", {"commands": ["x"]}), {"action": "shell"}),
    (
        "cline",
        "ours",
        _cline_call("coeditor__edit", _EDIT),
        {"action": "own", "tool": "edit", "arguments": _EDIT},
    ),
    ("cline", "sub-agent wanted", _cline_call("spawn_agent", {"task": "go"}), None),
    ("cline", "start", cline("agent_start"), {"kind": "session_started"}),
    ("cline", "end", cline("agent_end"), {"kind": "session_ended"}),
    ("cline", "sub-agent starts", cline("agent_start", **_CLINE_SUB), {"kind": "scope_started"}),
    (
        "cline",
        "sub-agent ends",
        cline("agent_end", **_CLINE_SUB),
        {"kind": "scope_ended", "scope": "agent_2"},
    ),
    ("cline", "shutdown", cline("session_shutdown"), None),
    (
        "cline",
        "older read",
        {
            "clineVersion": "3.2",
            "taskId": "S",
            "hookName": "PreToolUse",
            "workspaceRoots": ["/ws"],
            "preToolUse": {"toolName": "read_file", "parameters": {"path": FILE}},
        },
        _use("read"),
    ),
    (
        "cline",
        "older write",
        {
            "clineVersion": "3.2",
            "taskId": "S",
            "hookName": "PreToolUse",
            "workspaceRoots": ["/ws"],
            "preToolUse": {"toolName": "write_to_file", "parameters": {"path": FILE}},
        },
        _use("write"),
    ),
    ("cline", "compaction", cline("PreCompact"), {"kind": "evicted"}),
]


def opencode(event: str, **more: Any) -> dict[str, Any]:
    return {"opencode": event, "session": "S", "root": "S", "directory": "/ws", **more}


OPENCODE: list[Row] = [
    (
        "opencode",
        "read",
        opencode("before", tool="read", call="C", args={"filePath": FILE, "offset": 2, "limit": 3}),
        {"session": "S", "scope": "main", "call_id": "C"} | _use("read", first=3, limit=3),
    ),
    ("opencode", "edit", opencode("before", tool="edit", args={"filePath": FILE}), _use("edit")),
    ("opencode", "write", opencode("before", tool="write", args={"filePath": FILE}), _use("write")),
    (
        "opencode",
        "sub-agent",
        opencode("after", tool="edit", args={"filePath": FILE}) | {"session": "A"},
        {"session": "S", "scope": "A", "kind": "after"},
    ),
    (
        "opencode",
        "patch",
        opencode("before", tool="apply_patch", args={"patchText": PATCH}),
        {"action": "patch", "body": PATCH},
    ),
    ("opencode", "shell", opencode("before", tool="bash", args={"command": "x"}), {"action": "shell"}),
    (
        "opencode",
        "ours",
        opencode("before", tool="coeditor_edit", args=_EDIT),
        {"action": "own", "tool": "edit", "arguments": _EDIT},
    ),
    ("opencode", "another's", opencode("before", tool="task", args={"prompt": "go"}), None),
    ("opencode", "start", opencode("session.created"), {"kind": "session_started"}),
    ("opencode", "compaction", opencode("session.compacted"), {"kind": "evicted"}),
    (
        "opencode",
        "sub-agent starts",
        opencode("subagent.started") | {"session": "A"},
        {"kind": "scope_started", "scope": "A"},
    ),
    ("opencode", "end", opencode("session.deleted"), {"kind": "session_ended"}),
    ("opencode", "idle", opencode("session.idle"), None),
]

ROWS: list[Row] = [*CLAUDE, *CODEX, *GEMINI, *COPILOT, *VSCODE, *CURSOR, *CLINE, *OPENCODE]
