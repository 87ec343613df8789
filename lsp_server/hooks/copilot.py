"""The hooks of Copilot CLI: camelCase payloads that do not name their event, flat answers.

What event it is shows in the payload's own keys. Under event names in PascalCase (a configuration that was made for
Claude Code) the payload is in snake_case and the tools have Claude Code's names, the arguments Copilot's.
Its calls have no id. In a sub-agent ``sessionId`` is the sub-agent's, and ``parentAgentId`` the session's.

Never: exit codes; Copilot refuses a call whose hook fails.
"""

from __future__ import annotations

from lsp_server.hooks.events import FileUse, HookAnswer, HookEvent
from lsp_server.hooks.family import KINDS, SOURCES
from lsp_server.hooks.loose import dump, own_tool, rows, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from lsp_server.hooks.events import Kind

QUIET = "{}"
_SHELLS: Final = frozenset({"bash", "powershell"})


def decode(payload: Mapping[str, Any]) -> HookEvent | None:
    """The event; None where it means nothing here."""
    kind = _kind(payload)
    own_id = text(payload, "sessionId", "session_id")
    if kind is None or own_id is None:
        return None
    parent = text(payload, "parentAgentId", "parent_agent_id")
    agent_id = text(payload, "agentId", "agent_id")
    event = HookEvent(
        "copilot",
        kind,
        parent or own_id,
        cwd=text(payload, "cwd") or "",
        scope=(agent_id or "main") if parent else "main",
        failed="error" in payload,
        source=SOURCES.get(text(payload, "source") or "", "new"),
        own_name="coeditor-{}",
        abilities=("tell_before", "tell_after"),
    )
    if kind not in ("before", "after"):
        return event
    event.tool = (text(payload, "toolName", "tool_name") or "").lower()
    given = table(payload, "toolArgs", "tool_input")
    own = own_tool(event.tool, "", "-")
    if own is not None:
        event.tool, event.action, event.arguments = own, "own", given
    else:
        _take_native(event, given, payload)
    return event if event.action != "none" else None


def encode(event: HookEvent, answer: HookAnswer, payload: Mapping[str, Any]) -> str:
    """What to print."""
    found: dict[str, Any] = {}
    if answer.deny:
        found |= {"permissionDecision": "deny", "permissionDecisionReason": answer.deny}
    if answer.context:
        found["additionalContext"] = answer.context
    if answer.message:
        found["systemMessage"] = answer.message
    if (name := text(payload, "hook_event_name")) and event.kind == "before" and found:
        found["hookSpecificOutput"] = {"hookEventName": name, **found}
    return dump(found)


def _kind(payload: Mapping[str, Any]) -> Kind | None:
    """Which event it is, by name where it has one, else by what only that event has."""
    if (name := text(payload, "hook_event_name")) is not None:
        return "evicted" if name == "PreCompact" else KINDS.get(name)
    if payload.get("hookName") == "permissionRequest":
        return None
    if "toolName" in payload:
        return "after" if "toolResult" in payload or "error" in payload else "before"
    if "agentName" in payload:
        return "scope_ended" if "stopReason" in payload else "scope_started"
    if "stopReason" in payload or "prompt" in payload:
        return None
    if "source" in payload:
        return "session_started"
    if "reason" in payload:
        return "session_ended"
    return "evicted" if "trigger" in payload else None


def _take_native(event: HookEvent, given: Mapping[str, Any], payload: Mapping[str, Any]) -> None:
    patch = text(payload, "toolArgs", "tool_input")
    path = text(given, "path", "file_path")
    if event.tool in _SHELLS:
        event.action, event.body = "shell", text(given, "command")
    elif event.tool in ("apply_patch", "edit") and not given and patch is not None:
        event.action, event.body = "patch", patch
    elif path is None:
        return
    elif event.tool in ("view", "read"):
        event.action, event.files = "read", (_view(path, given, payload),)
    elif event.tool in ("edit", "str_replace_editor"):
        event.action, event.files = "edit", (FileUse(path, "edit"),)
    elif event.tool in ("create", "write"):
        event.action, event.files = "write", (FileUse(path, "write"),)


def _view(path: str, given: Mapping[str, Any], payload: Mapping[str, Any]) -> FileUse:
    span = [one for one in rows(given, "view_range") if isinstance(one, int)]
    if len(span) == 2:
        limit = span[1] - span[0] + 1 if span[1] > 0 else None
        return FileUse(path, "read", first=max(1, span[0]), limit=limit)
    result = table(payload, "toolResult", "tool_result")
    return FileUse(path, "read", shown=text(result, "textResultForLlm", "text_result_for_llm"))
