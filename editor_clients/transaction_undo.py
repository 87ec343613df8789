"""Taking a transaction back from whatever state it was left in.

What a step has done is told from the disk alone: from which of its helper files are there. So it does not matter
whether the process that asks is the one that failed or one that found the journal, nor how often it is interrupted.

Never: taking back over text that somebody changed since; it is reported, and the former text is kept.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from editor_clients.disk import read_place
from editor_clients.places import Place
from editor_clients.staging import write_all, write_in_place
from editor_clients.transaction_journal import Journal
from editor_clients.transaction_steps import (
    UNLIMITED,
    Create,
    InPlace,
    Remove,
    Rename,
    Replace,
    Step,
    fingerprint,
    has_fingerprint,
    names_of,
    paths_of,
)
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError

_BLOCK = 512


@dataclass(frozen=True, slots=True)
class NotRestored:
    """A file that somebody changed since, and where its former text was kept."""

    path: str
    snapshot: str | None
    """A file; None when there was nothing to keep."""


@dataclass(frozen=True, slots=True)
class Undoer:
    """Takes steps back; may be interrupted and repeated at any point."""

    walls: Walls
    journal_dir: str
    name: str
    """Of the transaction; snapshots are named after it."""

    def forget_stage(self, step: Step) -> None:
        """Before anything was published: only helper files are there."""
        for name in names_of(step):
            with self.open(paths_of(step)[0]) as place, place.sibling(name) as helper:
                helper.unlink()

    def flush(self, step: Step) -> None:
        """What was put back survives a power cut, as far as the disk allows."""
        for path in paths_of(step):
            with suppress(OSError, CoeditorError), self.open(path) as place:
                place.sync_folder()

    def undo(self, step: Step) -> NotRestored | None:
        """Put back what the step changed, if it did. Errors: OSError, CoeditorError; try again."""
        match step:
            case Create():
                return self._undo_create(step)
            case Replace():
                return self._undo_replace(step)
            case InPlace():
                return self._undo_in_place(step)
            case Rename():
                return self._undo_rename(step)
            case Remove():
                return self._undo_remove(step)

    def open(self, path: str) -> Place:
        """The name in its folder."""
        return self.walls.open_entry(path)

    def _undo_create(self, step: Create) -> NotRestored | None:
        with self.open(step.path) as place, place.sibling(step.stage) as stage:
            staged, there = stage.status(), place.status()
            if staged is not None:
                if there is not None and os.path.samestat(staged, there):
                    place.unlink()  # published by a hard link that was about to lose its first name
                stage.unlink()
                return None
            if there is None:
                return None
            if not has_fingerprint(place, step.after):
                return NotRestored(step.path, None)
            place.unlink()
            return None

    def _undo_replace(self, step: Replace) -> NotRestored | None:
        with (
            self.open(step.path) as place,
            place.sibling(step.stage) as stage,
            place.sibling(step.backup) as backup,
        ):
            saved = backup.status()
            if stage.status() is not None:  # not published
                backup.unlink()
                stage.unlink()
                return None
            if saved is None:  # taken back already
                return None
            if not has_fingerprint(place, step.after):
                return NotRestored(step.path, self._keep(backup))
            backup.replace(place)
            return None

    def _undo_in_place(self, step: InPlace) -> NotRestored | None:
        old = _read_file(os.path.join(self.journal_dir, step.old))
        new = _read_file(os.path.join(self.journal_dir, step.new))
        if old is None or new is None:
            return None  # never begun
        with self.open(step.path) as place:
            found = read_place(place, step.path, UNLIMITED)
            if found is None:
                return NotRestored(step.path, self.keep_bytes(old))
            if not _half_written(found.data, old, new):
                return NotRestored(step.path, self.keep_bytes(old))
            if found.data != old or step.mode not in (None, found.mode):
                write_in_place(place, old, mode=step.mode, durable=True)
            return None

    def _undo_rename(self, step: Rename) -> NotRestored | None:
        with self.open(step.src) as src, self.open(step.dst) as dst:
            if step.respell:
                dst.replace(src)
                return None
            there, moved = src.status(), dst.status()
            if there is not None:
                if moved is not None and os.path.samestat(there, moved):
                    dst.unlink()
                return None
            if moved is None or not has_fingerprint(dst, step.before):
                return NotRestored(step.src, None)
            dst.rename_new(src)
            return None

    def _undo_remove(self, step: Remove) -> NotRestored | None:
        with self.open(step.path) as place, place.sibling(step.backup) as backup:
            saved, there = backup.status(), place.status()
            if saved is None:
                return None
            if there is not None and (os.path.samestat(saved, there) or _is_same(backup, place)):
                backup.unlink()  # whoever was to remove it did not
                return None
            try:
                backup.rename_new(place)
            except FileExistsError:
                return NotRestored(step.path, self._keep(backup))
            return None

    def _keep(self, backup: Place) -> str:
        """Bring the former file out of the user's folder, to where it waits for whoever wants it."""
        status = backup.status()
        if status is not None and stat.S_ISLNK(status.st_mode):
            data = os.fsencode(backup.read_link())
        else:
            found = read_place(backup, backup.path, UNLIMITED)
            data = b"" if found is None else found.data
        kept = self.keep_bytes(data)
        backup.unlink()
        return kept

    def keep_bytes(self, data: bytes) -> str:
        """A file of our own with a text that could not be put back."""
        folder = os.path.join(self.journal_dir, "kept")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, f"{self.name}-{hashlib.sha256(data).hexdigest()[:16]}")
        write_private(path, data, durable=True)
        return path


def take_back(
    journal: Journal,
    undoer: Undoer,
    steps: Sequence[Step],
    folders: Sequence[str],
    kept: dict[str, NotRestored],
) -> None:
    """Undo a transaction that was not finished, then its journal; may be interrupted and repeated.

    What has to be left is added to ``kept`` by its path, also when it raises: OSError, CoeditorError. The journal
    stays then, and all the other steps were tried all the same.
    """
    trouble: OSError | CoeditorError | None = None
    for step in reversed(steps):
        try:
            if journal.phase == "staging":
                undoer.forget_stage(step)
            else:
                item = undoer.undo(step)
                if item is not None:
                    kept.setdefault(item.path, item)
        except (OSError, CoeditorError) as error:
            if not missing_folder(error):
                trouble = error
    if trouble is not None:
        raise trouble
    for folder in reversed(folders):
        with suppress(CoeditorError), undoer.walls.open_entry(folder) as place:
            place.remove_folder()
    for step in steps:
        undoer.flush(step)
        if isinstance(step, InPlace):
            discard(undoer, step)
    journal.remove()


def discard(undoer: Undoer, step: Step) -> None:
    """After the commit: remove the helper files that are left. What was staged has its name by then."""
    match step:
        case InPlace():
            for name in (step.old, step.new):
                remove_private(os.path.join(undoer.journal_dir, name))
        case Replace() | Remove():
            with undoer.open(step.path) as place, place.sibling(step.backup) as backup:
                backup.unlink()
        case Create() | Rename():
            return


def write_private(path: str, data: bytes, *, durable: bool) -> None:
    """Write a file of our own, for this user only."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        write_all(descriptor, data)
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_private(path: str) -> None:
    """Remove a file of our own; nothing there is fine."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def missing_folder(error: BaseException) -> bool:
    """Whether a step could not be reached since its folder is not there (any more)."""
    if isinstance(error, CoeditorError):
        return error.code is Code.FS_NOT_FOUND
    return isinstance(error, OSError) and error.errno in (errno.ENOENT, errno.ENOTDIR)


def _is_same(one: Place, other: Place) -> bool:
    return fingerprint(one) == fingerprint(other) != "other"


def _read_file(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _half_written(found: bytes, old: bytes, new: bytes) -> bool:
    """Whether ``found`` is some moment of writing either of ``old`` and ``new`` over the other.

    Writing goes from the start to the end and may be cut short and begun again; a power cut may lose blocks.
    """
    if not min(len(old), len(new)) <= len(found) <= max(len(old), len(new)):
        return False
    for start in range(0, len(found), _BLOCK):
        piece = found[start : start + _BLOCK]
        end = start + len(piece)
        was, becomes = old[start:end], new[start:end]
        if piece in (was, becomes) or not piece.strip(b"\0"):
            continue
        if any(
            piece[at : at + 1] not in (was[at : at + 1], becomes[at : at + 1]) for at in range(len(piece))
        ):
            return False
    return True
