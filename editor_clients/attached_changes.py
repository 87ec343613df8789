"""What an attached client refuses, and what a change of a document is as one of the file below it.

Never: I/O, or a look at an editor.
"""

from __future__ import annotations

from dataclasses import replace

from editor_clients.buffers import Look
from editor_clients.editor_edits import Done
from editor_clients.encoding import check_added, encode_edit
from editor_clients.overlay import Buffer
from editor_clients.port import CurrentText, FileChange
from editor_clients.replacements import replacements_between
from ledger.errors import Code, CoeditorError
from ledger.types import ReplaceIfVersion, TargetKey


def has_unsaved_results(buffer: Buffer) -> bool:
    """Whether a notebook whose cells are saved has what is not: results, or metadata."""
    return buffer.cells is not None and buffer.state is not None and buffer.state.dirty


def as_below(change: FileChange, disk: CurrentText | None) -> FileChange:
    """A change of an open document in step, as one of the file below it."""
    before = change.before
    if before is None or disk is None or disk.data is None or before.text != disk.text:
        return change
    raw = change.raw
    if raw is None and change.after is not None and change.after != before.text:
        raw = encode_edit(disk.data, disk.text, disk.encoding, change.replacements)
    return replace(change, before=disk, raw=raw)


def instead_of_unsaved(change: FileChange, disk: CurrentText) -> FileChange:
    """A delete or move of a file whose document keeps its unsaved text, as a change of what is on disk."""
    parts = replacements_between(disk.text, change.after) if change.after is not None else ()
    same = ReplaceIfVersion(disk.token)
    return replace(change, before=disk, precondition=same, replacements=tuple(parts), raw=None)


def refuse_moved(change: FileChange, found: Look | None) -> None:
    """Errors: FS_STALE_VERSION when consent was given for another unsaved text than the one that is there."""
    if not change.over_unsaved or found is None or change.before is None:
        return
    if found.stands.unsaved and change.before.text != found.buffer.text:
        raise stale_error(change.from_target or change.target)


def as_written(before: CurrentText, one: Done) -> FileChange:
    """What an editor should have saved, as a change of the file."""
    return FileChange(
        TargetKey(str(one.edit.buffer.target)),
        "update",
        ReplaceIfVersion(before.token),
        before,
        one.text,
        replacements_between(before.text, one.text),
    )


def check_encoding(change: FileChange, before: CurrentText) -> None:
    """Errors: FS_ENCODING when the file's encoding cannot hold what is added (editors would write ``?``)."""
    if before.encoding.startswith("utf-"):
        return
    try:
        check_added(before.text, before.encoding, change.replacements)
    except CoeditorError as error:
        error.data.setdefault("target", change.target)
        raise


def unsaved_error(target: TargetKey) -> CoeditorError:
    """FS_UNSAVED_CHANGES: what the person typed is in the way, whether it was seen or not."""
    return CoeditorError(
        Code.FS_UNSAVED_CHANGES,
        f"{target} has unsaved changes in the editor. Ask the person to save or discard them.",
        data={"target": target, "moved_by": "user-unsaved"},
    )


def still_unsaved_error(target: TargetKey, reason: str) -> CoeditorError:
    """FS_EDITOR_REFUSED: a change that needs the file on disk, of a buffer that could not be saved;
    ``reason`` is the editor's.
    """
    return CoeditorError(
        Code.FS_EDITOR_REFUSED,
        f"{target} has unsaved changes in the editor and was not saved: {reason}. Ask the person.",
        data={"target": target, "reason": reason},
    )


def stale_error(target: TargetKey) -> CoeditorError:
    """FS_STALE_VERSION: the buffer moved between the last look at it and the edit."""
    return CoeditorError(
        Code.FS_STALE_VERSION,
        f"{target} changed in the editor at the moment of the edit. Read it again.",
        data={"target": target},
    )
