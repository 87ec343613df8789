"""Cline's hooks: its tools, and how it is answered.

Refusing one call is no answer that it knows: ``cancel`` ends the whole task. So a call that must not run is given an
input that cannot be applied, with the reason as context; only a tool for which there is none ends the task.

Never: an answer that is not JSON.
"""

from __future__ import annotations

from lsp_server.hooks.events import FileUse, HookAnswer, HookEvent
from lsp_server.hooks.loose import dump, number, own_tool, rows, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from lsp_server.hooks.events import Kind

QUIET = "{}"
_KINDS: Final[Mapping[str, Kind]] = {
    "tool_call": "before",
    "PreToolUse": "before",
    "tool_result": "after",
    "PostToolUse": "after",
    "agent_start": "session_started",
    "TaskStart": "session_started",
    "TaskResume": "session_started",
    "agent_end": "session_ended",
    "TaskComplete": "session_ended",
    "PreCompact": "evicted",
}
_NEVER: Final = "\0coeditor: this call was refused\0"
"""Text that no file holds."""


def decode(payload: Mapping[str, Any]) -> HookEvent | None:
    """The event; None where it means nothing here."""
    name = text(payload, "hookName") or ""
    kind = _KINDS.get(name)
    context = table(payload, "sessionContext")
    session = text(context, "rootSessionId") or text(payload, "taskId")
    if kind is None or session is None:
        return None
    folders = [one for one in rows(payload, "workspaceRoots") if isinstance(one, str)]
    parent = text(payload, "parent_agent_id")
    event = HookEvent(
        "cline",
        kind,
        f"cline-{session}",
        cwd=folders[0] if folders else "",
        scope=(text(payload, "agent_id") or "main") if parent else "main",
        source="resumed" if name == "TaskResume" else "new",
        own_name="coeditor__{}",
        abilities=("tell_before", "tell_after"),
    )
    if kind in ("session_started", "session_ended") and parent:
        event.kind = "scope_started" if kind == "session_started" else "scope_ended"
    if kind not in ("before", "after"):
        return event
    _take_call(event, payload)
    return event if event.action != "none" else None


def encode(event: HookEvent, answer: HookAnswer, payload: Mapping[str, Any]) -> str:
    """What to print."""
    found: dict[str, Any] = {}
    told = [part for part in (answer.deny, answer.context, answer.message) if part]
    if told:
        found["contextModification"] = "\n\n".join(told)
    if answer.deny:
        given = table(table(payload, "tool_call"), "input") or table(
            table(payload, "preToolUse"), "parameters"
        )
        if event.tool == "editor" and given:
            found["overrideInput"] = {**given, "old_text": _NEVER, "new_text": ""}
        else:
            found |= {"cancel": True, "errorMessage": answer.deny}
    return dump(found)


def _take_call(event: HookEvent, payload: Mapping[str, Any]) -> None:
    call = table(payload, "tool_call", "tool_result")
    older = table(payload, "preToolUse", "postToolUse")
    event.tool = text(call, "name") or text(older, "toolName", "tool") or ""
    event.call_id = text(call, "id")
    given = table(call, "input") or table(older, "parameters")
    event.failed = older.get("success") is False or "error" in table(call, "output")
    own = own_tool(event.tool, "", "__")
    if own is not None:
        event.tool, event.action, event.arguments = own, "own", given
        return
    path = text(given, "path")
    if event.tool in ("run_commands", "execute_command"):
        commands = [one for one in rows(given, "commands") if isinstance(one, str)]
        event.action, event.body = "shell", "\n".join(commands) or text(given, "command")
    elif event.tool == "read_files":
        found = [_read(one) for one in rows(given, "files") if isinstance(one, dict)]
        event.action, event.files = "read", tuple(one for one in found if one is not None)
    elif path is None:
        return
    elif event.tool == "read_file":
        event.action, event.files = "read", (FileUse(path, "read"),)
    elif event.tool == "replace_in_file" or (event.tool == "editor" and text(given, "old_text")):
        event.action, event.files = "edit", (FileUse(path, "edit"),)
    elif event.tool in ("editor", "write_to_file"):
        event.action, event.files = "write", (FileUse(path, "write"),)


def _read(one: Mapping[str, Any]) -> FileUse | None:
    path = text(one, "path")
    if path is None:
        return None
    first, last = number(one, "start_line"), number(one, "end_line")
    limit = max(1, last - (first or 1) + 1) if last is not None else None
    return FileUse(path, "read", first=first, limit=limit)
