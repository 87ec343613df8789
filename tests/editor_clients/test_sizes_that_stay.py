"""A shared file system that says that all was written, and keeps files at the size that they had."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from editor_clients.disk_changes import ABSENT, WriteBytes
from editor_clients.transaction import publish
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError

OLD = b"old text of forty bytes, which stay here\n"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files in it never get another size than ``OLD`` has, and no call says so."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    write, truncate = os.write, os.ftruncate

    def is_here(descriptor: int) -> bool:
        return os.readlink(f"/proc/self/fd/{descriptor}").startswith(str(folder))

    def short(descriptor: int, data: bytes) -> int:
        if not is_here(descriptor):
            return write(descriptor, data)
        at = os.lseek(descriptor, 0, os.SEEK_CUR)
        write(descriptor, bytes(data)[: max(0, len(OLD) - at)])
        truncate(descriptor, len(OLD))
        return len(data)

    def ignored(descriptor: int, length: int) -> None:
        if not is_here(descriptor):
            truncate(descriptor, length)

    monkeypatch.setattr(os, "write", short)
    monkeypatch.setattr(os, "ftruncate", ignored)
    return folder


@pytest.mark.parametrize("linked", [False, True], ids=["renamed", "in place"])
@pytest.mark.parametrize("new", [OLD + b"x" * 500, OLD[:10]], ids=["grows", "shrinks"])
def test_what_did_not_get_its_size_is_no_success_and_leaves_the_file(
    workspace: Path, tmp_path: Path, new: bytes, *, linked: bool
) -> None:
    path = workspace / "a.txt"
    path.write_bytes(OLD)
    if linked:
        os.link(path, workspace / "other name.txt")
    with pytest.raises(CoeditorError) as caught:
        publish(
            [WriteBytes(str(path), new, OLD)],
            journal_dir=str(tmp_path / "journals"),
            walls=Walls([str(workspace)]),
            durability="fast",
        )
    assert (caught.value.code, caught.value.data["errno"]) == (Code.FS_IO, "EIO")
    assert caught.value.data["sizes"] == {"expected": len(new), "actual": len(OLD)}
    assert f"{len(OLD)} of {len(new)} bytes" in caught.value.message
    assert path.read_bytes() == OLD
    assert sorted(path.name for path in workspace.iterdir()) == ["a.txt", *["other name.txt"] * linked]


def test_a_new_file_that_did_not_get_its_size_is_not_there(workspace: Path, tmp_path: Path) -> None:
    with pytest.raises(CoeditorError) as caught:
        publish(
            [WriteBytes(str(workspace / "new.txt"), b"x" * 500, ABSENT)],
            journal_dir=str(tmp_path / "journals"),
            walls=Walls([str(workspace)]),
            durability="fast",
        )
    assert caught.value.code is Code.FS_IO
    assert list(workspace.iterdir()) == []
