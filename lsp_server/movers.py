"""Who made the text that is there now (README, "Errors"), as far as it is known.

::

    the entry that left this very text       session:ID, or scope:SESSION/SCOPE within the own session
    a git operation that left it, later      git:NAME
    unsaved typing                           user-unsaved
    the editor's formatter, while it saved   formatter
    saved in the editor                      user-saved
    anything else                            external

Never: a name for what only looks likely.
"""

from __future__ import annotations

from collections.abc import Mapping

from editor_clients.port import CurrentText
from ledger.session import Present
from ledger.types import Caller, TargetKey
from lsp_server.targets import Target
from lsp_server.view import View
from lsp_server.workspace import Workspace


async def look_for_movers(
    workspace: Workspace, caller: Caller, current: Mapping[TargetKey, CurrentText | None]
) -> None:
    """Find out what git did to those of ``current`` that are not as the caller saw them; nothing if none is."""
    moved = {}
    for target, text in current.items():
        seen = workspace.ledger.observation(caller.scope, target)
        if isinstance(seen, Present) and (text is None or text.token != seen.token):
            moved[target] = workspace.ledger.seen_at(caller.scope, target) or 0.0
    if moved:
        await workspace.git.look(moved)


def moved_by(view: View, target: Target, current: CurrentText | None) -> str:
    """Who made ``current``, or took the file away (None). ``look_for_movers`` was called before."""
    ledger, scope = view.workspace.ledger, view.caller.scope
    entry = ledger.last_writer(target.key, current.token if current is not None else None)
    since = ledger.seen_at(scope, target.key) or 0.0
    operation = view.workspace.git.mover(target.key, current, since)
    if operation is not None and (entry is None or operation.time > entry.time):
        return f"git:{operation.name}"
    if entry is not None:
        author = entry.caller.scope
        if author.session != scope.session:
            return f"session:{author.session}"
        return f"scope:{author.session}/{author.scope}"
    if current is None:
        return "external"
    if current.unsaved:
        return "user-unsaved"
    seen = view.observation(target.key)
    if isinstance(seen, Present) and current.formatted_from == seen.token:
        return "formatter"
    return current.moved_by or "external"


def by_whom(workspace: Workspace, mover: str) -> str:
    """``mover`` within a sentence."""
    title = workspace.titles.of_mover(mover)
    if title is not None:
        return f"by {title} ({mover})"
    if mover.startswith("git:"):
        return f"by git ({mover.removeprefix('git:')})"
    return {
        "external": "by another process",
        "user-unsaved": "by the person, who has not saved yet",
        "user-saved": "by the person",
        "formatter": "by the editor's formatter, when it was saved",
    }.get(mover, f"by {mover}")
