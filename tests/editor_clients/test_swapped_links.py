"""A folder and a link trade names beside reads and writes: no foreign file, no mistake of ours, no litter."""

from __future__ import annotations

import ctypes
import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from editor_clients.disk import read_bytes
from editor_clients.disk_changes import ABSENT, DiskChange, RemoveFile, WriteBytes
from editor_clients.transaction import publish
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError

_EXCHANGE, _HERE = 2, -100
ROUNDS = 300
EXPECTED = {
    "ok",
    Code.FS_DENIED,
    Code.FS_IO,
    Code.FS_NOT_FOUND,
    Code.FS_STALE_VERSION,
    Code.FS_ALREADY_EXISTS,
}
EXPECTED |= {Code.FS_TRANSACTION_FAILED}

pytestmark = pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "renameat2"), reason="needs renameat2")


@contextmanager
def swapping(one: Path, other: Path) -> Iterator[None]:
    """The two names trade places over and over while the block runs."""
    call = ctypes.CDLL(None, use_errno=True).renameat2
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_a_folder_and_a_link_that_trade_names(tmp_path: Path) -> None:
    workspace, outside, journals = tmp_path / "workspace", tmp_path / "outside", tmp_path / "journals"
    (workspace / "d").mkdir(parents=True)
    outside.mkdir()
    (workspace / "d/f").write_bytes(b"in")
    (outside / "f").write_bytes(b"OUT")
    (workspace / "evil").symlink_to(outside)
    walls = Walls([str(workspace)])
    seen: Counter[object] = Counter()

    def attempt(*changes: DiskChange) -> None:
        try:
            if changes:
                publish(changes, journal_dir=str(journals), walls=walls, durability="fast")
            else:
                found = read_bytes(walls, str(workspace / "d/f"), 1 << 20)
                assert found is None or found.data != b"OUT"
            seen["ok"] += 1
        except CoeditorError as error:
            seen[error.code] += 1

    text = b"in"
    with swapping(workspace / "d", workspace / "evil"):
        for number in range(ROUNDS):
            attempt()
            attempt(WriteBytes(str(workspace / "d/f"), text, text))
            attempt(WriteBytes(str(workspace / f"d/n{number}"), b"x", ABSENT))
            attempt(
                RemoveFile(str(workspace / f"d/n{number}"), b"x"),
                WriteBytes(str(workspace / f"d/m{number}"), b"y", ABSENT),
            )
    assert set(seen) <= EXPECTED
    assert seen["ok"]
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {"f": b"OUT"}
    inside = workspace / ("d" if not (workspace / "d").is_symlink() else "evil")
    left = [path.name for path in inside.iterdir() if path.name.startswith(".coeditor")]
    # What could not be tidied up has its journal, so that the next start does.
    noted = "".join(path.read_text() for path in journals.iterdir() if path.is_file())
    assert [name for name in left if name not in noted] == []
