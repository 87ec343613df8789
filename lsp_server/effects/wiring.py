"""Which side effects there are, in the order that outcomes name them.

Never: an effect that can fail an edit.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from editor_clients.source_reports import Comparison
from lsp_server.effects.diagnostics import edit_diagnostics
from lsp_server.effects.events import EventStream
from lsp_server.effects.late import Answered
from lsp_server.effects.previews import bounds_of, edits_of
from lsp_server.effects.run import Effect, Effects
from lsp_server.withheld import withheld

if TYPE_CHECKING:
    from lsp_server.committing import Committed
    from lsp_server.service import CallContext
    from lsp_server.workspace import Workspace

_SLACK = 0.5
"""Seconds that an effect may overrun its own deadline before it is left behind."""


def effects_of(events: EventStream, diagnostics_ms: int, *, refresh: Effect | None = None) -> Effects:
    """All effects; which of them run is a setting. ``refresh`` tells an editor's screen, where there is one."""

    def publish(workspace: Workspace, committed: Committed, context: CallContext) -> None:
        events.edit(committed, context)

    return Effects(
        [
            ("diagnostics", diagnose, diagnostics_ms / 1000 + _SLACK),
            ("history", confirm_history, _SLACK),
            ("refresh", refresh or no_screen, _SLACK),
            ("events", publish, _SLACK),
        ]
    )


async def diagnose(workspace: Workspace, committed: Committed, context: CallContext) -> dict[str, Any]:
    """What the edit broke and repaired."""
    edits = edits_of(committed.plan.files)
    bounds = bounds_of(workspace.settings)
    spelled = {str(one.change.target): one.path for one in committed.plan.files}
    answered = Answered(context.caller.scope, committed.edit_id, edits, spelled, bounds)

    def compared(found: list[Comparison]) -> None:
        workspace.late.changed(found, edits)
        workspace.late.expect(answered, found)

    deadline = asyncio.get_running_loop().time() + workspace.settings.limit("diagnostics_ms") / 1000
    outcome = await edit_diagnostics(
        workspace.servers, edits, deadline=deadline, bounds=bounds, compared=compared
    )
    return {"diagnostics": outcome.to_object()}


def no_screen(workspace: Workspace, committed: Committed, context: CallContext) -> None:
    """Without an editor nothing shows a file, so nothing has to be told of it."""


def confirm_history(workspace: Workspace, committed: Committed, context: CallContext) -> None:
    """The snapshots were kept as part of the edit; this says whether those that are to be there are."""
    if not committed.result["rewindable"] and not withheld(workspace.ledger, committed.plan):
        raise RuntimeError("a snapshot is missing")
