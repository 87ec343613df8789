"""Reading user files: bytes as they are, clear refusals, and never a wait."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from editor_clients.disk import read_bytes
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError
from tests.editor_clients.people import plain_user


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def walls(workspace: Path) -> Walls:
    return Walls([str(workspace)])


@pytest.mark.parametrize("data", [b"", b"a\r\nb\rc\n", b"\xff\x00\xfe", b"x" * 3_000_000])
def test_bytes_come_as_they_are(walls: Walls, workspace: Path, data: bytes) -> None:
    path = workspace / "file"
    path.write_bytes(data)
    path.chmod(0o751)
    found = read_bytes(walls, str(path), 1 << 30)
    assert found is not None
    status = path.stat()
    assert (found.data, found.mode, found.uid) == (data, 0o751, status.st_uid)


def test_links_are_read_through(walls: Walls, workspace: Path) -> None:
    (workspace / "real").write_bytes(b"x")
    (workspace / "link").symlink_to("real")
    found = read_bytes(walls, str(workspace / "link"), 10)
    assert found is not None
    assert found.data == b"x"


@pytest.mark.parametrize("path", ["none", "no/such/folder", "dangling"])
def test_nothing_there(walls: Walls, workspace: Path, path: str) -> None:
    (workspace / "dangling").symlink_to("missing")
    assert read_bytes(walls, str(workspace / path), 10) is None


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


@pytest.mark.parametrize(
    ("kind", "make"), [("folder", os.mkdir), ("named pipe", os.mkfifo), ("socket", make_socket)]
)
def test_what_is_no_regular_file_is_refused_at_once(
    walls: Walls, workspace: Path, monkeypatch: pytest.MonkeyPatch, kind: str, make: Callable[[Path], None]
) -> None:
    monkeypatch.chdir(workspace)  # socket names are short
    make(Path("thing"))
    with pytest.raises(CoeditorError) as caught:
        read_bytes(walls, str(workspace / "thing"), 10)
    assert (caught.value.code, caught.value.data["kind"]) == (Code.FS_NOT_REGULAR_FILE, kind)


def test_a_path_through_a_file_is_not_found(walls: Walls, workspace: Path) -> None:
    (workspace / "file").write_bytes(b"x")
    with pytest.raises(CoeditorError) as caught:
        read_bytes(walls, str(workspace / "file/x"), 10)
    assert caught.value.code is Code.FS_NOT_FOUND


@pytest.mark.parametrize(("size", "refused"), [(10, False), (11, True)])
def test_the_limit(walls: Walls, workspace: Path, size: int, refused: bool) -> None:
    (workspace / "file").write_bytes(b"x" * size)
    if not refused:
        assert read_bytes(walls, str(workspace / "file"), 10) is not None
        return
    with pytest.raises(CoeditorError) as caught:
        read_bytes(walls, str(workspace / "file"), 10, limit_name="patch_file_bytes")
    assert caught.value.code is Code.FS_TOO_LARGE
    assert caught.value.data == {"limit": 10, "limit_name": "patch_file_bytes", "size": 11}


def test_a_huge_sparse_file_is_refused_without_being_read(walls: Walls, workspace: Path) -> None:
    with open(workspace / "huge", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(CoeditorError) as caught:
        read_bytes(walls, str(workspace / "huge"), 1 << 20)
    assert caught.value.code is Code.FS_TOO_LARGE


def test_a_file_that_may_not_be_read(walls: Walls, workspace: Path) -> None:
    (workspace / "file").write_bytes(b"x")
    (workspace / "file").chmod(0o000)
    with plain_user(workspace), pytest.raises(CoeditorError) as caught:
        read_bytes(walls, str(workspace / "file"), 10)
    assert (caught.value.code, caught.value.data["errno"]) == (Code.FS_IO, "EACCES")


def test_a_folder_that_may_be_searched_but_not_listed(walls: Walls, workspace: Path) -> None:
    (workspace / "dark").mkdir()
    (workspace / "dark/file").write_bytes(b"x")
    (workspace / "dark/file").chmod(0o644)
    (workspace / "dark").chmod(0o711)
    with plain_user(workspace):
        found = read_bytes(walls, str(workspace / "dark/file"), 10)
    assert found is not None
    (workspace / "dark").chmod(0o700)


def test_outside_is_denied(walls: Walls, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"x")
    with pytest.raises(CoeditorError) as caught:
        read_bytes(walls, str(tmp_path / "secret"), 10)
    assert caught.value.code is Code.FS_DENIED


def test_no_descriptor_is_left_open(walls: Walls, workspace: Path) -> None:
    (workspace / "a/b").mkdir(parents=True)
    (workspace / "a/b/file").write_bytes(b"xx")
    (workspace / "a/pipe").parent.mkdir(exist_ok=True)
    os.mkfifo(workspace / "a/pipe")
    before = os.listdir("/proc/self/fd")
    read_bytes(walls, str(workspace / "a/b/file"), 10)
    read_bytes(walls, str(workspace / "a/none"), 10)
    for path in ("a/b/file", "a/pipe", "a/b"):
        with pytest.raises(CoeditorError):
            read_bytes(walls, str(workspace / path), 1)
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_a_large_file_that_holds_what_was_thought_is_no_second_copy(tmp_path: Path) -> None:
    path, thought = tmp_path / "large", bytes(range(256)) * 2000
    walls = Walls([str(tmp_path)])

    def found(there: bytes) -> bytes:
        path.write_bytes(there)
        file = read_bytes(walls, str(path), 1 << 20, maybe=thought)
        assert file is not None
        assert file.data == there
        return file.data

    assert found(bytes(bytearray(thought))) is thought
    for at in (0, 300_000, len(thought) - 1):
        other = bytearray(thought)
        other[at] ^= 1
        found(bytes(other))
    found(thought[:-1])
    found(thought + b"x")
    found(thought[:300_000])
