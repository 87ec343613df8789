"""Settles, after a crash, the entries that the journal still calls *intended*, by what is there now; and those that
it calls *unknown*, as soon as that can be told.

Never: a change of any file's text; unfinished transactions were finished or undone before.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress

from editor_clients.port import CurrentText
from ledger.errors import CoeditorError
from ledger.history import RewindStep
from ledger.ledger import Ledger
from ledger.types import Authority, Entry, FileRecord, FileState, TargetKey, VersionToken

Look = Callable[[TargetKey], CurrentText | None]
Tidy = Callable[[Sequence[str]], object]
"""Removes those of the folders that are empty."""


def reconcile(ledger: Ledger, look: Look, *, final: bool = True, tidy: Tidy = lambda _: None) -> bool:
    """Every open entry becomes applied, refused or unknown; whether all of them are settled.

    Not ``final``: an entry whose edit may stand in a buffer that the editor has not told of yet is left open, and
    so is one that stands half in buffers (`completing` is to see it first).
    """
    settled = True
    for entry in ledger.intended_entries():
        if holds(entry.files, look, after=True):
            _happened(ledger, entry, tidy)
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


def look_again(
    ledger: Ledger,
    look: Look,
    *,
    final: bool = True,
    attached: bool = False,
    before: float | None = None,
    tidy: Tidy = lambda _: None,
) -> bool:
    """Entries of which nobody knew what came of them, held against what is there; whether none is to be waited for.

    An edit that was sent to an editor may still stand in a document that it has not told of. ``final`` and
    ``attached``: there is an editor, and it has told of all that it has. ``before``: a moment in seconds since the
    epoch; of later entries an editor may still be at work.
    """
    settled = True
    for entry in ledger.unknown_entries():
        if (before is not None and entry.time >= before) or not _is_newest(ledger, entry):
            continue
        if holds(entry.files, look, after=True):
            _happened(ledger, entry, tidy)
        elif _did_not_happen(entry, look):
            if not may_be_in_a_buffer(entry, look) or (final and attached):
                ledger.mark_refused(entry.edit_id)
            elif not final:
                settled = False
    return settled


def _did_not_happen(entry: Entry, look: Look) -> bool:
    """Whether all is as before; of what was typed and went with its editor, that the edit at least is not there.

    That counts where the disk's part of the change tells, since all of it happens or nothing.
    """
    on_disk = [file for file in entry.files if not in_buffer(file)]
    if not on_disk:
        return holds(entry.files, look, after=False)
    edited = (_now(look, file.target) == _token(file.after) for file in entry.files if in_buffer(file))
    return holds(on_disk, look, after=False) and not any(edited)


def _is_newest(ledger: Ledger, entry: Entry) -> bool:
    """Whether nothing was recorded of its files since, so that what is there tells of this entry."""
    names = {name for file in entry.files for name in (file.target, file.from_target) if name is not None}
    newest = (ledger.entries(target=name, limit=1) for name in names)
    return bool(entry.files) and all(one and one[0].edit_id == entry.edit_id for one in newest)


def _happened(ledger: Ledger, entry: Entry, tidy: Tidy) -> None:
    """It is there: what a rewind was to do besides is done as well."""
    undone = _undone_by(ledger, entry)
    with ledger.step():
        ledger.mark_applied(entry.edit_id)
        if undone:
            ledger.mark_rewound(entry.edit_id, undone)
    tidy([folder for file in entry.files for folder in file.folders])


def _undone_by(ledger: Ledger, entry: Entry) -> Sequence[RewindStep]:
    """What a rewind took back; nothing where it was of one hunk."""
    whole = ledger.entry(entry.edit_id)
    sent = json.loads(whole.request) if whole is not None and whole.request else {}
    if entry.rewinds is None or "#" in str(sent.get("to", "")):
        return ()
    only = entry.files[0].target if sent.get("file_path") else None
    with suppress(CoeditorError):
        steps = ledger.rewind_steps(entry.rewinds, target=only)
        return [step for step in steps if step.entry.edit_id != entry.edit_id]
    return ()


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
