"""The ``ledger`` step: what sessions have in front of them, for people to look at.

Never: a change, or another session's observations told to an agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger.observation_rows import Known
from ledger.session import Present, Showing
from ledger.types import ScopeKey
from lsp_server.moments import rfc3339
from lsp_server.service import CallContext
from lsp_server.workspace import Workspace

MOST_FILES = 1_000
"""Observations that one answer tells; those that moved last."""


async def ledger(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """Scopes with the files each has seen, the last one first: state, version, ranges, when, by which call.

    An agent is told of its own session; a person of all that made a call lately, or of ``sessions``.
    """
    own = context.caller.scope.session
    wanted: list[str] | None = arguments.get("sessions")
    known = workspace.ledger.known_sessions()
    if context.person:
        names = [name for name, _ in known] if wanted is None else wanted
    else:
        names = [name for name in (wanted or [own]) if name == own]
    spelled = arguments.get("file_path")
    only = None if spelled is None else workspace.targets.resolve(spelled, context.cwd).key
    found: dict[ScopeKey, list[Known]] = {}
    left, total = MOST_FILES, 0
    for name in names:
        seen = [each for each in workspace.ledger.observations(name) if only in (None, each.target)]
        total += len(seen)
        for each in sorted(seen, key=lambda one: -one.time)[: max(left, 0)]:
            found.setdefault(each.scope, []).append(each)
            left -= 1
    used = dict(known)
    scopes = [
        {"session": scope.session, "scope": scope.scope, "files": [_row(each) for each in files]}
        | ({"last_call": rfc3339(used[scope.session])} if scope.session in used else {})
        | ({"title": title} if (title := workspace.titles.of(scope.session)) is not None else {})
        for scope, files in found.items()
    ]
    return {"ok": True, "scopes": scopes, "truncated": total > MOST_FILES}


def _row(known: Known) -> dict[str, Any]:
    """One file as one scope knows it."""
    row: dict[str, Any] = {"file_path": str(known.target), "time": rfc3339(known.time)}
    seen = known.observation
    if not isinstance(seen, Present):
        return row | {"state": "absent", "version": None, "calls": []}
    return row | {
        "state": "present",
        "version": seen.token,
        "total_lines": seen.total,
        "shown": seen.shown.pairs(),
        "read": seen.read.pairs(),
        "may_overwrite": seen.is_whole_read(),
        "calls": [_call(showing) for showing in reversed(seen.showings)],
    }


def _call(showing: Showing) -> dict[str, Any]:
    """What is left of what one call put before the model."""
    how = "read" if showing.is_read else "edit" if showing.is_edit else "shown"
    return {"call_ids": list(showing.calls), "how": how, "lines": showing.shown.pairs()}
