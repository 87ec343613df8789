"""Completes, after a crash, a change of several files that stands half in buffers and half on disk.

Buffers are changed first, then the disk as one, then what was saved before is saved. So the disk decides: where it
has the change, buffers that lack it get it; where it has not, it is taken out of the buffers again.

Never: a change over text that somebody else made since, or a word in the journal; `reconcile` says what holds then.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Literal

from editor_clients.port import FileChange
from editor_clients.replacements import replacements_between
from ledger.errors import CoeditorError
from ledger.types import Entry, FileRecord, FileState, ReplaceIfVersion, token_of
from lsp_server.reconcile import Look, holds, in_buffer, is_joint, may_be_in_a_buffer

if TYPE_CHECKING:
    from ledger.ledger import Ledger
    from lsp_server.outcomes import Plan
    from lsp_server.workspace import Workspace

log = logging.getLogger(__name__)

Side = Literal["before", "after"]


def keep_texts(ledger: Ledger, plan: Plan) -> None:
    """Before a change of several files, some of them in buffers: keep what it would take to complete it."""
    if len(plan.files) > 1:
        for change in plan.changes:
            before, after = change.before, change.after
            if change.operation == "update" and before is not None and before.authority == "editor":
                ledger.keep_text(change.target, before.token, before.text)
                if after is not None:
                    ledger.keep_text(change.target, token_of(after), after)


async def complete(workspace: Workspace, look: Look, *, final: bool) -> None:
    """Complete what can be completed of the open entries; the rest stays as it is.

    Not ``final``: an entry waits for documents that the editor has not told of yet.
    """
    for entry in workspace.ledger.intended_entries():
        if not is_joint(entry) or (not final and may_be_in_a_buffer(entry, look)):
            continue
        try:
            targets = {record.target for record in entry.files}
            async with workspace.hold(targets):
                await _complete(workspace, entry, look)
        except CoeditorError as error:
            log.warning("the change %s could not be completed: %s", entry.edit_id, error.message)


async def _complete(workspace: Workspace, entry: Entry, look: Look) -> None:
    on_disk = [record for record in entry.files if not in_buffer(record)]
    if on_disk and holds(on_disk, look, after=True):
        wanted: Side = "after"
    elif holds(on_disk, look, after=False):
        wanted = "before"
    else:
        return  # somebody has been at them
    changes = []
    for record in entry.files:
        change = _towards(wanted, record, look, workspace.ledger) if in_buffer(record) else None
        changes += [change] if change is not None else []
    if changes:
        await workspace.client.apply(changes)
        log.warning("the change %s was %s", entry.edit_id, "completed" if wanted == "after" else "taken back")


def _towards(wanted: Side, record: FileRecord, look: Look, ledger: Ledger) -> FileChange | None:
    """What brings one buffer (or its file, when the buffer is gone) to the side wanted; None where nothing may."""
    now = look(record.target)
    aim, other = _state(record, wanted), _state(record, "before" if wanted == "after" else "after")
    if now is None or aim is None or aim.token is None or other is None or now.token != other.token:
        return None
    text = ledger.text_of(aim.token)
    if text is None:
        return None
    return FileChange(
        record.target,
        "update",
        ReplaceIfVersion(now.token),
        now,
        text,
        replacements_between(now.text, text),
    )


def _state(record: FileRecord, side: Side) -> FileState | None:
    return record.after if side == "after" else record.before
