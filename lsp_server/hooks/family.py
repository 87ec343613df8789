"""What the dialects share whose events are named as Claude Code's: its own, Codex's, VS Code's.

::

    {session_id, cwd, hook_event_name, agent_id?, tool_name, tool_input, tool_use_id, tool_response, source, ...}

Never: the tools of one agent, or what only one of them accepts as an answer.
"""

from __future__ import annotations

from lsp_server.hooks.events import FileUse, HookAnswer, HookEvent
from lsp_server.hooks.loose import dump, own_tool, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Final

    from lsp_server.hooks.events import Action, Kind, Source

    Use = tuple[Action, tuple[FileUse, ...], str | None]
    """What a native tool does: action, files, and the patch or the command."""

KINDS: Final[Mapping[str, Kind]] = {
    "PreToolUse": "before",
    "PostToolUse": "after",
    "PostToolUseFailure": "after",
    "SessionStart": "session_started",
    "SessionEnd": "session_ended",
    "SubagentStart": "scope_started",
    "SubagentStop": "scope_ended",
    "PostCompact": "evicted",
}
SOURCES: Final[Mapping[str, Source]] = {
    "startup": "new",
    "new": "new",
    "resume": "resumed",
    "clear": "cleared",
    "compact": "compacted",
    "fork": "resumed",
}
NOTHING: Final[Use] = ("none", (), None)


def decode(
    agent: str,
    payload: Mapping[str, Any],
    native: Callable[[str, dict[str, Any], Mapping[str, Any]], Use],
    *,
    kinds: Mapping[str, Kind] = KINDS,
    turn: str = "turn_id",
    prefix: tuple[str, str] = ("mcp__", "__"),
    abilities: tuple[str, ...] = ("tell_before", "tell_after"),
) -> HookEvent | None:
    """The event; None where it means nothing here. ``native`` says what a tool of the agent's own does."""
    name = text(payload, "hook_event_name") or ""
    kind = kinds.get(name)
    session = text(payload, "session_id")
    if kind is None or session is None:
        return None
    event = HookEvent(
        agent,
        kind,
        session,
        cwd=text(payload, "cwd") or "",
        scope=text(payload, "agent_id") or "main",
        turn=text(payload, turn),
        call_id=text(payload, "tool_use_id"),
        failed=name == "PostToolUseFailure",
        source=SOURCES.get(text(payload, "source") or "", "new"),
        own_name=f"{prefix[0]}coeditor{prefix[1]}" + "{}",
        abilities=abilities,
    )
    if kind not in ("before", "after"):
        # Whoever sums up a context is told of as an agent without a type that never started.
        return None if name == "SubagentStop" and not text(payload, "agent_type") else event
    event.tool = text(payload, "tool_name") or ""
    given = table(payload, "tool_input")
    own = own_tool(event.tool, *prefix)
    if own is not None:
        event.tool, event.action, event.arguments = own, "own", given
    else:
        event.action, event.files, event.body = native(event.tool, given, payload)
    return event if event.action != "none" else None


def encode(
    event: HookEvent,
    answer: HookAnswer,
    payload: Mapping[str, Any],
    *,
    redirect: str | None = None,
) -> str:
    """The answer; ``redirect`` names the argument of a read that holds its path."""
    name = text(payload, "hook_event_name") or ""
    special: dict[str, Any] = {"hookEventName": name}
    if answer.deny:
        special |= {"permissionDecision": "deny", "permissionDecisionReason": answer.deny}
    elif answer.read_path and redirect is not None:
        given = {**table(payload, "tool_input"), redirect: answer.read_path}
        special |= {"permissionDecision": "allow", "updatedInput": given}
    if answer.context:
        special["additionalContext"] = answer.context
    found: dict[str, Any] = {}
    if answer.message:
        found["systemMessage"] = answer.message
    if len(special) > 1 and event.kind not in ("evicted", "session_ended", "scope_ended"):
        found["hookSpecificOutput"] = special
    return dump(found) if found else ""
