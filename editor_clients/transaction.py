"""Publish several changes of files as one.

Never: deciding whether a change is allowed.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence

from editor_clients.disk import read_bytes
from editor_clients.disk_changes import ABSENT, DiskChange, Durability, MoveFile, RemoveFile, WriteBytes
from editor_clients.disk_errors import already_exists, disk_error, stale
from editor_clients.walls import Walls


def publish(
    changes: Sequence[DiskChange], *, journal_dir: str, walls: Walls, durability: Durability = "full"
) -> None:
    """All of ``changes`` happen, or none.

    Errors: FS_STALE_VERSION (``data.target``), FS_ALREADY_EXISTS, FS_DENIED, FS_NOT_FOUND,
    FS_NOT_REGULAR_FILE, FS_IO; of several targets FS_TRANSACTION_FAILED (``data.cause``,
    ``data.rolled_back``, ``data.not_restored``).
    """
    for change in changes:
        if isinstance(change, WriteBytes):
            _write(walls, change.path, change.data, change.expect, change.mode)
        elif isinstance(change, RemoveFile):
            _verify(walls, change.path, change.expect)
            with walls.open_entry(walls.check_entry(change.path)) as place:
                place.unlink()
        else:
            _move(walls, change)


def _move(walls: Walls, change: MoveFile) -> None:
    mode = change.mode
    found = read_bytes(walls, change.src, 1 << 40)
    if found is not None and mode is None:
        mode = found.mode
    _verify(walls, change.src, change.expect)
    _write(walls, change.dst, change.expect if change.data is None else change.data, change.expect_dst, mode)
    with walls.open_entry(walls.check_entry(change.src)) as place:
        place.unlink()


def _verify(walls: Walls, path: str, expect: object) -> int | None:
    found = read_bytes(walls, path, 1 << 40)
    if expect is ABSENT:
        if found is not None:
            raise already_exists(path)
        return None
    if found is None or found.data != expect:
        raise stale(path, vanished=found is None)
    return found.mode


def _write(walls: Walls, path: str, data: bytes, expect: object, mode: int | None) -> None:
    kept = _verify(walls, path, expect)
    mode = kept if mode is None else mode
    try:
        with (
            walls.open_entry(walls.check(path, write=True), make_folders=True) as place,
            place.sibling(f".coeditor-{secrets.token_hex(8)}") as stage,
        ):
            descriptor = stage.open(os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
            try:
                os.write(descriptor, data)
                if mode is not None:
                    os.fchmod(descriptor, mode)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if expect is ABSENT:
                stage.rename_new(place)
            else:
                stage.replace(place)
    except OSError as error:
        raise disk_error(error, path) from error
