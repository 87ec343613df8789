"""Reading user files as bytes.

Never: decoding, waiting for a pipe or device, or following a link that was swapped in after the check.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field

from editor_clients.disk_errors import denied, disk_error, not_a_file
from editor_clients.places import Place
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError

_KINDS = {
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "named pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "character device",
    stat.S_IFBLK: "block device",
}
_ATTEMPTS = 4
_CHUNK = 1 << 20
_COMPARED = 256 << 10
"""Bytes that are read and compared at once, few enough to stay near the processor."""


@dataclass(frozen=True, slots=True)
class DiskFile:
    """A regular file's bytes and what else a write has to keep."""

    data: bytes = field(repr=False)
    mode: int
    """Permission bits."""
    uid: int
    gid: int


def read_bytes(
    walls: Walls, path: str, limit: int, *, limit_name: str = "file_bytes", maybe: bytes | None = None
) -> DiskFile | None:
    """The file's bytes, read while it stood still; None when there is no such file. ``path`` may be a link.

    ``maybe``: what it may hold; where a large file does, ``data`` is that very object, and no second copy is made.
    Errors: FS_DENIED, FS_NOT_FOUND (through a file), FS_NOT_REGULAR_FILE, FS_TOO_LARGE (over ``limit``
    bytes), FS_IO.
    """
    plain = walls.open_plain(path)
    if plain is not None:
        with plain:
            status = plain.status()
            if status is not None and stat.S_ISREG(status.st_mode):
                return read_place(plain, path, limit, limit_name=limit_name, maybe=maybe, status=status)
    real = walls.check(path, write=False)
    try:
        place = walls.open_entry(real)
    except CoeditorError as error:
        if error.code is Code.FS_NOT_FOUND:
            return None  # its folder is not there; that no file stands in its way was checked
        raise
    with place:
        return read_place(place, path, limit, limit_name=limit_name, maybe=maybe)


def read_place(
    place: Place,
    path: str,
    limit: int,
    *,
    limit_name: str = "file_bytes",
    maybe: bytes | None = None,
    status: os.stat_result | None = None,
) -> DiskFile | None:
    """The same for a name that was reached already, and whose ``status`` may be known; a link there is refused."""
    try:
        before = status or place.status()
        if before is None:
            return None
        if stat.S_ISLNK(before.st_mode):
            raise denied(path, "workspace", "was swapped for a symbolic link; read it again.")
        refuse_irregular(before, path)
        descriptor = place.open(os.O_RDONLY)
        try:
            return _read_still(descriptor, path, limit, limit_name, maybe)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise disk_error(error, path, doing="read") from error


def refuse_irregular(status: os.stat_result, path: str) -> None:
    """Errors: FS_NOT_REGULAR_FILE for everything but a regular file."""
    if not stat.S_ISREG(status.st_mode):
        raise not_a_file(path, _KINDS.get(stat.S_IFMT(status.st_mode), "special file"))


def _read_still(descriptor: int, path: str, limit: int, limit_name: str, maybe: bytes | None) -> DiskFile:
    """Read again while somebody writes into the file; after some attempts the last reading stands."""
    status = os.fstat(descriptor)
    data = b""
    for _ in range(_ATTEMPTS):
        refuse_irregular(status, path)
        if status.st_size > limit:
            raise too_large(path, status.st_size, limit, limit_name)
        if (
            maybe is not None
            and len(maybe) == status.st_size >= _COMPARED  # below that a copy costs nothing
            and _holds(descriptor, maybe)
        ):
            data = maybe
        else:
            data = _read_all(descriptor, status.st_size, limit + 1)
        again = os.fstat(descriptor)
        if _same_moment(status, again) and len(data) == again.st_size:
            break
        status = again
    if len(data) > limit:
        raise too_large(path, len(data), limit, limit_name)
    return DiskFile(
        data=data,
        mode=stat.S_IMODE(status.st_mode),
        uid=status.st_uid,
        gid=status.st_gid,
    )


def _holds(descriptor: int, wanted: bytes) -> bool:
    """Whether all bytes from the start are ``wanted``, each of them read."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    done = 0
    while piece := os.read(descriptor, _COMPARED):
        if not wanted.startswith(piece, done):
            return False
        done += len(piece)
    return done == len(wanted)


def _read_all(descriptor: int, size: int, most: int) -> bytes:
    """All bytes from the start, up to ``most``; where ``size`` says how many there are, whoever calls looks again
    whether it is still so.
    """
    os.lseek(descriptor, 0, os.SEEK_SET)
    if 0 < size < most:
        whole = os.read(descriptor, size + 1)
        if len(whole) == size:
            return whole
        os.lseek(descriptor, 0, os.SEEK_SET)
    pieces = []
    left = most
    want = size + 1
    while left > 0:
        piece = os.read(descriptor, min(max(want, _CHUNK), left))
        if not piece:
            break
        pieces.append(piece)
        left -= len(piece)
        want -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _same_moment(one: os.stat_result, other: os.stat_result) -> bool:
    return (one.st_size, one.st_mtime_ns, one.st_ctime_ns) == (
        other.st_size,
        other.st_mtime_ns,
        other.st_ctime_ns,
    )


def too_large(path: str, size: int, limit: int, limit_name: str) -> CoeditorError:
    """The file, or what is to become of it, is over a limit."""
    message = f"{path} has {size:,} bytes; the limit is {limit:,} ({limit_name}). Work on it by other means."
    return CoeditorError(
        Code.FS_TOO_LARGE,
        message,
        file_path=path,
        data={"limit": limit, "limit_name": limit_name, "size": size},
    )
