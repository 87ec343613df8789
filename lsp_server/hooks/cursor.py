"""The hooks of Cursor: every answer is JSON, ``{}`` at least.

The conversation is the session and the generation the turn. Cursor also runs the hooks of Claude Code's configuration,
with payloads of its own.

Never: an empty standard output.
"""

from __future__ import annotations

from lsp_server.hooks.events import FileUse, HookAnswer, HookEvent
from lsp_server.hooks.loose import dump, number, rows, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from lsp_server.hooks.events import Action, Kind

QUIET = "{}"
_KINDS: Final[Mapping[str, Kind]] = {
    "pretooluse": "before",
    "posttooluse": "after",
    "posttoolusefailure": "after",
    "beforeshellexecution": "before",
    "aftershellexecution": "after",
    "beforemcpexecution": "before",
    "beforereadfile": "before",
    "afterfileedit": "after",
    "sessionstart": "session_started",
    "sessionend": "session_ended",
    "subagentstart": "scope_started",
    "subagentstop": "scope_ended",
    "precompact": "evicted",
}
_ACTIONS: Final[Mapping[str, Action]] = {
    "read": "read",
    "write": "write",
    "strreplace": "edit",
    "edit": "edit",
    "multiedit": "edit",
    "editnotebook": "edit",
    "delete": "delete",
    "shell": "shell",
}


def decode(payload: Mapping[str, Any]) -> HookEvent | None:
    """The event; None where it means nothing here."""
    name = (text(payload, "hook_event_name") or "").lower()
    kind = _KINDS.get(name)
    session = text(payload, "conversation_id", "session_id")
    if kind is None or session is None:
        return None
    folders = [one for one in rows(payload, "workspace_roots") if isinstance(one, str)]
    event = HookEvent(
        "cursor",
        kind,
        session,
        cwd=text(payload, "cwd") or (folders[0] if folders else ""),
        scope=text(payload, "subagent_id", "agent_id") or "main",
        turn=text(payload, "generation_id"),
        call_id=text(payload, "tool_use_id"),
        failed=name == "posttoolusefailure",
        own_name="{}",
        abilities=("tell_before", "tell_after"),
    )
    if kind not in ("before", "after"):
        return event
    event.tool = text(payload, "tool_name") or name
    _take_use(event, name, payload)
    return event if event.action != "none" else None


def encode(event: HookEvent, answer: HookAnswer, payload: Mapping[str, Any]) -> str:
    """What to print."""
    found: dict[str, Any] = {}
    if answer.deny:
        found |= {"permission": "deny", "user_message": answer.deny, "agent_message": answer.deny}
    if answer.context:
        found["additional_context"] = answer.context
    if answer.message:
        found.setdefault("user_message", answer.message)
    return dump(found)


def _take_use(event: HookEvent, name: str, payload: Mapping[str, Any]) -> None:
    if name in ("beforeshellexecution", "aftershellexecution"):
        event.action, event.body = "shell", text(payload, "command")
        return
    if name in ("beforereadfile", "afterfileedit"):
        path = text(payload, "file_path")
        if path is not None:
            event.action = "read" if name == "beforereadfile" else "edit"
            event.files = (FileUse(path, event.action),)
        return
    given = table(payload, "tool_input")
    if name == "beforemcpexecution" or event.tool.startswith("MCP:"):
        _take_own(event, given, payload)
        return
    event.action = _ACTIONS.get(event.tool.lower(), "none")
    if event.action in ("shell", "none"):
        event.body = text(given, "command")
        return
    path = text(given, "file_path", "path", "target_file", "target_notebook")
    if path is None:
        event.action = "none"
        return
    use = FileUse(path, event.action)
    if event.action == "read":
        use.first, use.limit = number(given, "offset"), number(given, "limit")
    event.files = (use,)


def _take_own(event: HookEvent, given: dict[str, Any], payload: Mapping[str, Any]) -> None:
    """Cursor names the tool, and where it tells the server, by what it was started with."""
    from lsp_server.hooks.loose import OUR_TOOLS

    tool = event.tool.removeprefix("MCP:").strip()
    server = f"{payload.get('server_name', '')} {payload.get('command', '')} {payload.get('url', '')}"
    if tool in OUR_TOOLS and ("coeditor" in server or not server.strip()):
        event.tool, event.action, event.arguments = tool, "own", given
