"""Claude Code's hooks: its tools, and how it is answered.

A sub-agent has ``agent_id``; the turn is ``prompt_id``. After a shell command ``bashEditDiff`` names what changed.

Never: a key that Claude Code does not know.
"""

from __future__ import annotations

from lsp_server.hooks import family
from lsp_server.hooks.events import FileUse
from lsp_server.hooks.loose import number, rows, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from lsp_server.hooks.events import HookAnswer, HookEvent

QUIET = ""
"""Printed where nothing is to be said."""


def decode(payload: Mapping[str, Any]) -> HookEvent | None:
    """The event; None where it means nothing here."""
    event = family.decode(
        "claude-code",
        payload,
        _native,
        turn="prompt_id",
        abilities=("redirect", "tell_before", "tell_after"),
    )
    if event is not None and event.action == "shell":
        changed = table(table(payload, "tool_response"), "bashEditDiff")
        event.changed = tuple(one for one in rows(changed, "changedFiles") if isinstance(one, str))
    return event


def encode(event: HookEvent, answer: HookAnswer, payload: Mapping[str, Any]) -> str:
    """What to print."""
    return family.encode(event, answer, payload, redirect="file_path")


def _native(tool: str, given: dict[str, Any], payload: Mapping[str, Any]) -> family.Use:
    if tool in ("Bash", "PowerShell"):
        return "shell", (), text(given, "command")
    path = text(given, "file_path", "notebook_path")
    if path is None:
        return family.NOTHING
    if tool == "Read":
        return "read", (_read(path, given, payload),), None
    if tool in ("Edit", "MultiEdit", "NotebookEdit"):
        return "edit", (FileUse(path, "edit"),), None
    if tool == "Write":
        return "write", (FileUse(path, "write"),), None
    return family.NOTHING


def _read(path: str, given: Mapping[str, Any], payload: Mapping[str, Any]) -> FileUse:
    told = table(table(payload, "tool_response"), "file")
    first, shown = number(told, "startLine"), told.get("content")
    if isinstance(shown, str) and table(payload, "tool_response").get("type") == "text":
        return FileUse(path, "read", first=first or 1, shown=shown)
    return FileUse(path, "read", first=number(given, "offset"), limit=number(given, "limit"))
