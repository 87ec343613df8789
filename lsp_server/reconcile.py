"""Settles, after a crash, the entries that the journal still calls *intended*, by what is there now.

Never: a change of any file; unfinished transactions were finished or undone before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from editor_clients.port import CurrentText
from ledger.errors import CoeditorError
from ledger.ledger import Ledger
from ledger.types import Authority, Entry, FileRecord, FileState, TargetKey, VersionToken

Look = Callable[[TargetKey], CurrentText | None]


def reconcile(ledger: Ledger, look: Look, *, final: bool = True) -> bool:
    """Every open entry becomes applied, refused or unknown; whether all of them are settled.

    Not ``final``: an entry whose edit may stand in a buffer that the editor has not told of yet is left open, and
    so is one that stands half in buffers (`completing` is to see it first).
    """
    settled = True
    for entry in ledger.intended_entries():
        if holds(entry.files, look, after=True):
            ledger.mark_applied(entry.edit_id)
        elif not may_be_in_a_buffer(entry, look):
            before = holds(entry.files, look, after=False)
            if not before and not final and is_joint(entry):
                settled = False
                continue
            settle = ledger.mark_refused if before else ledger.mark_unknown
            settle(entry.edit_id)
        elif final:
            ledger.mark_unknown(entry.edit_id)
        else:
            settled = False
    return settled


def holds(files: Sequence[FileRecord], look: Look, *, after: bool) -> bool:
    """Whether every file stands as it was intended (or as it was before)."""
    wanted: dict[TargetKey, VersionToken | None] = {}
    for record in files if after else reversed(files):
        # In order, so that what a move replaces at its destination ends as the moved text, and begins as its own.
        if record.from_target is not None:
            wanted[record.from_target] = None if after else _token(record.before)
            wanted[record.target] = _token(record.after) if after else None
        else:
            wanted[record.target] = _token(record.after if after else record.before)
    return all(_now(look, target) == token for target, token in wanted.items())


def is_joint(entry: Entry) -> bool:
    """Whether a crash may tear the entry's files apart: several, some of them buffers."""
    return len(entry.files) > 1 and any(in_buffer(record) for record in entry.files)


def in_buffer(record: FileRecord) -> bool:
    """Whether the record is of an edit that went through a buffer."""
    return record.operation == "update" and record.authority == "editor"


def may_be_in_a_buffer(entry: Entry, look: Look) -> bool:
    """Whether an editor edited a document of it that is not seen now: the edit may stand there, unsaved."""
    held = (record.target for record in entry.files if in_buffer(record))
    return any(_authority(look, target) != "editor" for target in held)


def _authority(look: Look, target: TargetKey) -> Authority | None:
    try:
        found = look(target)
    except CoeditorError:
        return None
    return found.authority if found is not None else None


def _token(state: FileState | None) -> VersionToken | None:
    return state.token if state is not None else None


def _now(look: Look, target: TargetKey) -> VersionToken | None:
    try:
        found = look(target)
    except CoeditorError:
        return VersionToken("unreadable")
    return found.token if found is not None else None
