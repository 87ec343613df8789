"""New content written beside its target, with everything of the old file that is not content.

Never: touching the target itself.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from editor_clients.disk_errors import SizeError
from editor_clients.places import Place, start_writing, sync

_ACCESS_LIST = "system.posix_acl_access"
_MUST_SURVIVE = ("user.", _ACCESS_LIST)
_CHUNK = 1 << 26
_SIDE_BY_SIDE = 32
"""Files from which they are flushed by several threads, where the system cannot begin with all of them at once."""
_FLUSHERS = 4


class CannotKeepError(Exception):
    """Owner, attributes or access list cannot be given to a new file; only writing in place keeps them."""


@dataclass(frozen=True, slots=True)
class Attributes:
    """What a file has besides its content."""

    uid: int
    gid: int
    mode: int
    """Permission bits, set-id and sticky bits included."""
    extended: Mapping[str, bytes]
    """Extended attributes, access control lists among them."""


def attributes_of(place: Place) -> Attributes:
    """Those of the regular file at ``place``."""
    descriptor = place.open(os.O_RDONLY)
    try:
        status = os.fstat(descriptor)
        extended = _extended(descriptor)
    finally:
        os.close(descriptor)
    return Attributes(status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode), extended)


def stage_file(
    stage: Place, data: bytes, *, like: Attributes | None, mode: int | None, durable: bool
) -> None:
    """Make the file ``stage`` with ``data`` and the attributes ``like``; ``mode`` wins over theirs.

    Without ``like`` it is an ordinary new file of this folder. Errors: OSError, CannotKeepError; the stage
    may exist then, and is the caller's to remove.
    """
    written = write_stage(stage, data, like=like, mode=mode)
    try:
        written.finish(durable=durable)
    finally:
        written.close()


@dataclass(slots=True)
class Written:
    """A staged file that is written, and may not be on the disk yet; whoever has it finishes or closes it."""

    descriptor: int
    path: str
    size: int

    def finish(self, *, durable: bool) -> None:
        """It is whole, closed, and on the disk if it is to be. Errors: OSError, with its path.

        File systems of other machines may say only when a file is closed that they had no room for it.
        """
        try:
            if durable:
                sync(self.descriptor)
            _see_size(self.descriptor, self.path, self.size)
            os.close(self._take())
        except OSError as error:
            error.filename = self.path
            raise

    def close(self) -> None:
        """Give it up, unless it was finished."""
        if self.descriptor >= 0:
            with suppress(OSError):
                os.close(self._take())

    def _take(self) -> int:
        """The descriptor, once: closed or not, the number may be another file's afterwards."""
        descriptor, self.descriptor = self.descriptor, -1
        return descriptor


def write_stage(stage: Place, data: bytes, *, like: Attributes | None, mode: int | None) -> Written:
    """The same as ``stage_file`` without waiting for the disk. Errors: as ``stage_file``."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = stage.open(flags, 0o666 if like is None else 0o600)
    try:
        write_all(descriptor, data)
        if like is not None:
            _keep(descriptor, like)
        if mode is not None or like is not None:
            _set_mode(descriptor, mode if mode is not None else like.mode if like else 0)
    except BaseException:
        os.close(descriptor)
        raise
    return Written(descriptor, stage.path, len(data))


def finish_all(written: Sequence[Written], *, durable: bool) -> None:
    """All of them are whole and on the disk. Several are flushed side by side, which disks take as one flush.

    Errors: OSError, of the first that has one.
    """
    begun = durable and len(written) > 1 and all(start_writing(one.descriptor) for one in written)
    if not durable or begun or len(written) < _SIDE_BY_SIDE:
        for one in written:
            one.finish(durable=durable)
        return
    from concurrent.futures import ThreadPoolExecutor  # what few changes need should not be there for all

    with ThreadPoolExecutor(_FLUSHERS) as flushers:
        list(flushers.map(partial(Written.finish, durable=durable), written))


def write_all(descriptor: int, data: bytes) -> None:
    """Write from the descriptor's position on, however the system portions it."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view[:_CHUNK]) :]


def write_in_place(place: Place, data: bytes, *, mode: int | None, durable: bool) -> None:
    """Overwrite the file from its start; what is cut short is a prefix of ``data`` over the old bytes."""
    descriptor = place.open(os.O_WRONLY)
    try:
        write_all(descriptor, data)
        os.ftruncate(descriptor, len(data))
        if mode is not None:
            _set_mode(descriptor, mode)
        if durable:
            sync(descriptor)
        _see_size(descriptor, place.path, len(data))
    finally:
        os.close(descriptor)


def _see_size(descriptor: int, path: str, expected: int) -> None:
    """Some shared file systems say that all was written, and keep the size that was there. Errors: SizeError."""
    size = os.fstat(descriptor).st_size
    if size != expected:
        raise SizeError(path, expected=expected, actual=size)


def _set_mode(descriptor: int, mode: int) -> None:
    if stat.S_IMODE(os.fstat(descriptor).st_mode) != mode:
        os.fchmod(descriptor, mode)


def _keep(descriptor: int, like: Attributes) -> None:
    status = os.fstat(descriptor)
    if (status.st_uid, status.st_gid) != (like.uid, like.gid):
        try:
            os.fchown(descriptor, like.uid, like.gid)
        except OSError as error:
            raise CannotKeepError from error
    own = _extended(descriptor)
    for name, value in like.extended.items():
        if own.get(name) != value:
            _set_extended(descriptor, name, value)
    if _ACCESS_LIST in own and _ACCESS_LIST not in like.extended:
        # The folder's default list was inherited; the file that is replaced did not have one.
        _remove_access_list(descriptor)


def _set_extended(descriptor: int, name: str, value: bytes) -> None:
    try:
        os.setxattr(descriptor, name, value)
    except OSError as error:
        # Labels and capabilities belong to the system, which sets them as its own policy says.
        if name.startswith(_MUST_SURVIVE):
            raise CannotKeepError from error


def _remove_access_list(descriptor: int) -> None:
    try:
        os.removexattr(descriptor, _ACCESS_LIST)
    except OSError as error:
        raise CannotKeepError from error


def _extended(descriptor: int) -> dict[str, bytes]:
    if not hasattr(os, "listxattr"):
        return {}
    try:
        return {name: os.getxattr(descriptor, name) for name in os.listxattr(descriptor)}
    except OSError as error:
        if error.errno in (errno.ENOTSUP, errno.ENODATA, errno.EPERM, errno.EACCES):
            return {}
        raise


def refuse_read_only(place: Place) -> None:
    """A file that is read-only is not replaced, although its folder would allow it. Errors: OSError."""
    effective = os.access in os.supports_effective_ids
    if os.access(place.name, os.W_OK, dir_fd=place.folder, effective_ids=effective):
        return
    try:
        os.close(place.open(os.O_WRONLY))
    except OSError as error:
        if error.errno != errno.ETXTBSY:  # a running program can be replaced
            raise


def cause_of(error: BaseException) -> OSError:
    """The refusal of the system behind ``error``."""
    cause = error.__cause__
    return cause if isinstance(cause, OSError) else PermissionError(errno.EPERM, os.strerror(errno.EPERM))
