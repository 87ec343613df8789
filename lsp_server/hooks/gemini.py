"""The hooks of Gemini CLI.

Its calls have no id, and a sub-agent's cannot be told from its parent's. What is answered before a call as context is
lost, so it is given after it. ``PreCompress`` comes before every request to the model and says nothing of what is gone.

Never: a partial ``tool_input`` in an answer, which would replace the whole.
"""

from __future__ import annotations

from lsp_server.hooks.events import FileUse, HookAnswer, HookEvent
from lsp_server.hooks.family import SOURCES
from lsp_server.hooks.loose import dump, number, own_tool, rows, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from lsp_server.hooks.events import Action, Kind

QUIET = ""
_KINDS: Final[Mapping[str, Kind]] = {
    "BeforeTool": "before",
    "AfterTool": "after",
    "SessionStart": "session_started",
    "SessionEnd": "session_ended",
}
_ACTIONS: Final[Mapping[str, Action]] = {"read_file": "read", "replace": "edit", "write_file": "write"}


def decode(payload: Mapping[str, Any]) -> HookEvent | None:
    """The event; None where it means nothing here."""
    kind = _KINDS.get(text(payload, "hook_event_name") or "")
    session = text(payload, "session_id")
    if kind is None or session is None:
        return None
    event = HookEvent(
        "gemini",
        kind,
        session,
        cwd=text(payload, "cwd") or "",
        source=SOURCES.get(text(payload, "source") or "", "new"),
        own_name="mcp_coeditor_{}",
        abilities=("tell_after",),
    )
    if kind not in ("before", "after"):
        return event
    event.tool, given = text(payload, "tool_name") or "", table(payload, "tool_input")
    response = table(payload, "tool_response")
    event.failed = bool(response.get("error"))
    own = own_tool(event.tool, "mcp_", "_")
    if own is not None:
        event.tool, event.action = own, "own"
        event.arguments = {name: value for name, value in given.items() if name != "wait_for_previous"}
    elif event.tool == "run_shell_command":
        event.action, event.body = "shell", text(given, "command")
    else:
        _take_files(event, given, response)
    return event if event.action != "none" else None


def encode(event: HookEvent, answer: HookAnswer, payload: Mapping[str, Any]) -> str:
    """What to print."""
    found: dict[str, Any] = {}
    if answer.deny:
        found |= {"decision": "deny", "reason": answer.deny}
    if answer.context and event.kind != "before":
        name = text(payload, "hook_event_name")
        found["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": answer.context}
    if answer.message:
        found["systemMessage"] = answer.message
    return dump(found) if found else ""


def _take_files(event: HookEvent, given: Mapping[str, Any], response: Mapping[str, Any]) -> None:
    if event.tool == "read_many_files":
        paths = [one for one in (rows(given, "include") or rows(given, "paths")) if isinstance(one, str)]
        plain = [one for one in paths if not any(sign in one for sign in "*?[{")]
        event.action, event.files = "read", tuple(FileUse(path, "read") for path in plain)
        return
    action, path = _ACTIONS.get(event.tool, "none"), text(given, "file_path", "absolute_path", "path")
    if action == "none" or path is None:
        return
    use = FileUse(path, action)
    if action == "read":
        use.first, last = number(given, "start_line", "offset"), number(given, "end_line")
        use.limit = max(1, last - (use.first or 1) + 1) if last is not None else number(given, "limit")
        use.shown = text(response, "llmContent")
    event.action, event.files = action, (use,)
