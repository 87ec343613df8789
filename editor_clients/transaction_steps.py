"""The steps that a transaction is made of, and how each is taken back from whatever state it was left in.

A step names its staged file and its backup before either exists, so that whoever finds the journal after a
crash can tell from the disk alone how far the step had come::

    Create    stage -> path                       published when the stage is gone
    Replace   path = backup, stage -> path        published when the stage is gone
    InPlace   bytes written over path             its old and new bytes are files beside the journal
    Rename    src -> dst
    Remove    path -> backup

Never: taking back over text that somebody changed since; it is reported, and the former text is kept.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from contextlib import suppress
from dataclasses import dataclass

from editor_clients.disk import read_place
from editor_clients.places import Place
from editor_clients.staging import write_all, write_in_place
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError

UNLIMITED = 1 << 62
_BLOCK = 512
STAGE_PREFIX = ".coeditor-"


@dataclass(frozen=True, slots=True)
class Create:
    """A new file, or a new link."""

    path: str
    stage: str
    """Name in the same folder."""
    after: str
    """Fingerprint of what is published."""


@dataclass(frozen=True, slots=True)
class Replace:
    """New content under an old name."""

    path: str
    stage: str
    backup: str
    """Name in the same folder."""
    after: str
    """Fingerprint of what is published."""


@dataclass(frozen=True, slots=True)
class InPlace:
    """New content in the same file, for files that cannot be replaced without loss."""

    path: str
    old: str
    """File beside the journal with the bytes before."""
    new: str
    """The same with those after."""
    mode: int | None = None
    """Permission bits before; None when they are not changed."""


@dataclass(frozen=True, slots=True)
class Rename:
    """The same file under a new name."""

    src: str
    dst: str
    before: str
    """Fingerprint."""
    respell: bool = False
    """Only the letter case changes, on a file system that folds it."""


@dataclass(frozen=True, slots=True)
class Remove:
    """A name taken away."""

    path: str
    backup: str


Step = Create | Replace | InPlace | Rename | Remove


@dataclass(frozen=True, slots=True)
class NotRestored:
    """A file that somebody changed since, and where its former text was kept."""

    path: str
    snapshot: str | None
    """A file; None when there was nothing to keep."""


def new_name() -> str:
    """A name for a staged file or backup: short, hidden, and with no ending that a tool would pick up."""
    return STAGE_PREFIX + os.urandom(8).hex()


def paths_of(step: Step) -> tuple[str, ...]:
    """The canonical paths that the step changes."""
    return (step.src, step.dst) if isinstance(step, Rename) else (step.path,)


def names_of(step: Step) -> tuple[str, ...]:
    """The helper files that the step may leave beside its target."""
    match step:
        case Create():
            return (step.stage,)
        case Replace():
            return (step.stage, step.backup)
        case Remove():
            return (step.backup,)
        case InPlace() | Rename():
            return ()


def fingerprint_of(data: bytes) -> str:
    """The fingerprint of a regular file with these bytes."""
    return "bytes:" + hashlib.sha256(data).hexdigest()


def fingerprint_of_link(text: str) -> str:
    """The fingerprint of a symbolic link with this text."""
    return "link:" + hashlib.sha256(os.fsencode(text)).hexdigest()


def fingerprint(place: Place) -> str | None:
    """What is there now; None when nothing is, ``other`` for a folder or special file."""
    status = place.status()
    if status is None:
        return None
    if stat.S_ISLNK(status.st_mode):
        return fingerprint_of_link(place.read_link())
    if not stat.S_ISREG(status.st_mode):
        return "other"
    found = read_place(place, place.path, UNLIMITED)
    return None if found is None else fingerprint_of(found.data)


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
            with self._open(paths_of(step)[0]) as place, place.sibling(name) as helper:
                helper.unlink()

    def flush(self, step: Step) -> None:
        """What was put back survives a power cut, as far as the disk allows."""
        for path in paths_of(step):
            with suppress(OSError, CoeditorError), self._open(path) as place:
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

    def _open(self, path: str) -> Place:
        return self.walls.open_entry(path)

    def _undo_create(self, step: Create) -> NotRestored | None:
        with self._open(step.path) as place, place.sibling(step.stage) as stage:
            staged, there = stage.status(), place.status()
            if staged is not None:
                if there is not None and os.path.samestat(staged, there):
                    place.unlink()  # published by a hard link that was about to lose its first name
                stage.unlink()
                return None
            if there is None:
                return None
            if fingerprint(place) != step.after:
                return NotRestored(step.path, None)
            place.unlink()
            return None

    def _undo_replace(self, step: Replace) -> NotRestored | None:
        with (
            self._open(step.path) as place,
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
            if fingerprint(place) != step.after:
                return NotRestored(step.path, self._keep(backup))
            backup.replace(place)
            return None

    def _undo_in_place(self, step: InPlace) -> NotRestored | None:
        old = _read_file(os.path.join(self.journal_dir, step.old))
        new = _read_file(os.path.join(self.journal_dir, step.new))
        if old is None or new is None:
            return None  # never begun
        with self._open(step.path) as place:
            found = read_place(place, step.path, UNLIMITED)
            if found is None:
                return NotRestored(step.path, self._keep_bytes(old))
            if not _half_written(found.data, old, new):
                return NotRestored(step.path, self._keep_bytes(old))
            if found.data != old or step.mode not in (None, found.mode):
                write_in_place(place, old, mode=step.mode, durable=True)
            return None

    def _undo_rename(self, step: Rename) -> NotRestored | None:
        with self._open(step.src) as src, self._open(step.dst) as dst:
            if step.respell:
                dst.replace(src)
                return None
            there, moved = src.status(), dst.status()
            if there is not None:
                if moved is not None and os.path.samestat(there, moved):
                    dst.unlink()
                return None
            if moved is None or fingerprint(dst) != step.before:
                return NotRestored(step.src, None)
            dst.rename_new(src)
            return None

    def _undo_remove(self, step: Remove) -> NotRestored | None:
        with self._open(step.path) as place, place.sibling(step.backup) as backup:
            if backup.status() is None:
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
        kept = self._keep_bytes(data)
        backup.unlink()
        return kept

    def _keep_bytes(self, data: bytes) -> str:
        folder = os.path.join(self.journal_dir, "kept")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, f"{self.name}-{hashlib.sha256(data).hexdigest()[:16]}")
        write_private(path, data, durable=True)
        return path


def write_private(path: str, data: bytes, *, durable: bool) -> None:
    """Write a file of our own, for this user only."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        write_all(descriptor, data)
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def discard(undoer: Undoer, step: Step) -> None:
    """After the commit: remove the helper files."""
    if isinstance(step, InPlace):
        for name in (step.old, step.new):
            remove_private(os.path.join(undoer.journal_dir, name))
        return
    undoer.forget_stage(step)


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
