"""What our plugin for OpenCode sends, and what it is answered.

::

    {"opencode": EVENT, "session", "root", "directory", "tool"?, "call"?, "args"?, "failed"?}
    -> {"deny"?: REASON, "context"?: TEXT, "message"?: TEXT}

A sub-agent is a session of its own, whose root the plugin knows.

Never: anything that OpenCode itself has to understand; that is the plugin's work.
"""

from __future__ import annotations

from lsp_server.hooks.events import FileUse, HookAnswer, HookEvent
from lsp_server.hooks.loose import dump, number, own_tool, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from lsp_server.hooks.events import Kind

QUIET = "{}"
_KINDS: Final[Mapping[str, Kind]] = {
    "before": "before",
    "after": "after",
    "session.created": "session_started",
    "session.deleted": "session_ended",
    "session.compacted": "evicted",
    "subagent.started": "scope_started",
    "subagent.ended": "scope_ended",
}


def decode(payload: Mapping[str, Any]) -> HookEvent | None:
    """The event; None where it means nothing here."""
    kind = _KINDS.get(text(payload, "opencode") or "")
    session = text(payload, "session")
    if kind is None or session is None:
        return None
    root = text(payload, "root") or session
    event = HookEvent(
        "opencode",
        kind,
        root,
        cwd=text(payload, "directory") or "",
        scope="main" if root == session else session,
        call_id=text(payload, "call"),
        failed=payload.get("failed") is True,
        own_name="coeditor_{}",
        abilities=("tell_after",),
    )
    if kind not in ("before", "after"):
        return event
    event.tool, given = text(payload, "tool") or "", table(payload, "args")
    own = own_tool(event.tool, "", "_")
    path = text(given, "filePath", "path")
    patch = text(given, "patchText", "patch", "input")
    if own is not None:
        event.tool, event.action, event.arguments = own, "own", given
    elif event.tool == "bash":
        event.action, event.body = "shell", text(given, "command")
    elif event.tool in ("apply_patch", "patch") and patch is not None:
        event.action, event.body = "patch", patch
    elif path is not None and event.tool in ("read", "edit", "multiedit", "write"):
        event.action = "edit" if event.tool == "multiedit" else event.tool  # type: ignore[assignment]
        use = FileUse(path, event.action)
        if event.action == "read":
            use.first, use.limit = (number(given, "offset") or 0) + 1, number(given, "limit")
        event.files = (use,)
    return event if event.action != "none" else None


def encode(event: HookEvent, answer: HookAnswer, payload: Mapping[str, Any]) -> str:
    """What to print."""
    found = {"deny": answer.deny, "context": answer.context, "message": answer.message}
    return dump({name: value for name, value in found.items() if value})
