"""The note that a transaction leaves while it is under way, so that a crash shows as one.

One file, whose ending says how far it is::

    <name>.staging      only helper files exist        -> remove them
    <name>.publishing   targets may have changed       -> take back
    <name>.done         everything is published        -> remove the helper files

Its writer holds a lock on it, which ends with the process: an unlocked one is a crash report.

Never: file content; that is in the helper files.
"""

from __future__ import annotations

import errno
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from editor_clients.file_locks import try_lock
from editor_clients.places import STAGE_PREFIX
from editor_clients.staging import write_all
from editor_clients.transaction_steps import Create, InPlace, Remove, Rename, Replace, Step

Phase = Literal["staging", "publishing", "done"]
NEWBORN = ".newborn"
"""Ending of a journal that is being written; nothing has been touched yet."""
PHASES: tuple[Phase, ...] = ("staging", "publishing", "done")
_FORMAT = 1
_KINDS: dict[str, type[Step]] = {
    "create": Create,
    "replace": Replace,
    "in-place": InPlace,
    "rename": Rename,
    "remove": Remove,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_HELPERS = ("stage", "backup")
_BESIDE = ("old", "new")
_PATHS = ("path", "src", "dst")


class UntrustedError(Exception):
    """The journal is not one that this program wrote here; the argument says why."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a journal says."""

    steps: tuple[Step, ...]
    folders: tuple[str, ...]
    """Folders that are made for it, outermost first."""
    roots: tuple[str, ...] = ()
    """The workspace folders of the process that wrote it."""


class Journal:
    """One open journal file, locked by this process."""

    def __init__(self, folder: str, name: str, phase: Phase, descriptor: int, *, durable: bool) -> None:
        self.folder = folder
        self.name = name
        self.phase = phase
        self._descriptor = descriptor
        self._durable = durable

    @classmethod
    def begin(cls, folder: str, name: str, record: Record, *, durable: bool) -> Journal:
        """Write a new one in its first phase; on disk before it returns if ``durable``. Errors: OSError."""
        newborn = os.path.join(folder, name + NEWBORN)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            descriptor = os.open(newborn, flags, 0o600)
        except FileNotFoundError:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            descriptor = os.open(newborn, flags, 0o600)
        journal = cls(folder, name, "staging", descriptor, durable=durable)
        try:
            # Only what is locked and whole gets the name under which recovery looks.
            if not try_lock(descriptor):
                raise BlockingIOError(errno.EWOULDBLOCK, "somebody else holds a journal that is not born yet")
            write_all(descriptor, _encode(_real_folder(descriptor, folder), record))
            if durable:
                os.fsync(descriptor)
            os.rename(newborn, _path(folder, name, "staging"))
            if durable:
                journal._sync_folder()
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(newborn)
            journal.remove()
            raise
        return journal

    @classmethod
    def adopt(cls, folder: str, file_name: str) -> Journal | None:
        """Lock one that a dead process left; None when its writer is alive, or it is gone."""
        name, _, ending = file_name.rpartition(".")
        phase = next(phase for phase in PHASES if phase == ending)
        path = os.path.join(folder, file_name)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        try:
            if try_lock(descriptor) and os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return cls(folder, name, phase, descriptor, durable=True)
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return None

    def read(self) -> Record:
        """Errors: UntrustedError."""
        if os.fstat(self._descriptor).st_uid != os.geteuid():
            raise UntrustedError("it belongs to another user")
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        with open(self._descriptor, "rb", closefd=False) as file:
            return _decode(self.folder, self.name, file.read())

    def is_cut_short(self) -> bool:
        """Whether its writer died while writing it."""
        size = os.fstat(self._descriptor).st_size
        return size == 0 or os.pread(self._descriptor, 1, size - 1) != b"\n"

    def advance(self, phase: Phase) -> None:
        """The next phase, on disk before it returns (if durable). Errors: OSError; the phase did not
        change.
        """
        before = self.phase
        os.rename(_path(self.folder, self.name, before), _path(self.folder, self.name, phase))
        self.phase = phase
        try:
            if self._durable:
                self._sync_folder()
        except OSError:
            os.rename(_path(self.folder, self.name, phase), _path(self.folder, self.name, before))
            self.phase = before
            raise

    def remove(self) -> None:
        """Nothing is left to do for anyone."""
        try:
            os.unlink(_path(self.folder, self.name, self.phase))
        except FileNotFoundError:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Leave it for recovery."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _sync_folder(self) -> None:
        descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def journal_files(folder: str) -> list[str]:
    """Names of the journals in ``folder``, oldest name first; none when there is no such folder."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    return sorted(name for name in names if name.rpartition(".")[2] in PHASES)


def peek(folder: str, file_name: str) -> Record | None:
    """What a journal of another process says; None when it is gone or makes no sense."""
    try:
        with open(os.path.join(folder, file_name), "rb") as file:
            return _decode(folder, file_name.rpartition(".")[0], file.read())
    except (OSError, UntrustedError):
        return None


def _path(folder: str, name: str, phase: Phase) -> str:
    return os.path.join(folder, f"{name}.{phase}")


def _real_folder(descriptor: int, folder: str) -> str:
    """Where the opened journal is; Linux tells it in one call."""
    try:
        found = os.path.dirname(os.readlink(f"/proc/self/fd/{descriptor}"))
        if os.path.samestat(os.stat(found), os.stat(folder)):
            return found
    except OSError:
        pass  # there is no such file system, or the journal is out of its sight
    return os.path.realpath(folder)


def _encode(folder: str, record: Record) -> bytes:
    steps = [
        {"do": _NAMES[type(step)], **{name: getattr(step, name) for name in type(step).__slots__}}
        for step in record.steps
    ]
    whole = {
        "format": _FORMAT,
        "folder": folder,
        "steps": steps,
        "folders": list(record.folders),
        "roots": list(record.roots),
    }
    return json.dumps(whole).encode("ascii") + b"\n"


def _decode(folder: str, name: str, data: bytes) -> Record:
    try:
        whole = json.loads(data)
        if whole["format"] != _FORMAT:
            raise UntrustedError(f"it has format {whole['format']!r}, this program knows {_FORMAT}")
        if whole["folder"] != os.path.realpath(folder):
            raise UntrustedError("it was written for another place")
        steps = tuple(_step(name, item) for item in whole["steps"])
        folders = tuple(_checked_path(path) for path in whole["folders"])
        roots = tuple(_checked_path(path) for path in whole.get("roots", ()))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UntrustedError("it is damaged") from error
    return Record(steps, folders, roots)


def _step(name: str, item: dict[str, object]) -> Step:
    fields = dict(item)
    kind = _KINDS[str(fields.pop("do"))]
    for field, value in fields.items():
        if field in _PATHS:
            _checked_path(value)
        elif field in _HELPERS:
            _checked_name(value, STAGE_PREFIX)
        elif field in _BESIDE:
            _checked_name(value, name + ".")
    return kind(**fields)  # type: ignore[arg-type]


def _checked_name(value: object, start: str) -> None:
    if not isinstance(value, str) or not value.startswith(start) or os.sep in value:
        raise UntrustedError("it names a helper file that is not one of its own")


def _checked_path(value: object) -> str:
    if not isinstance(value, str) or not os.path.isabs(value) or os.path.normpath(value) != value:
        raise UntrustedError("it names something that is not a path")
    return value
