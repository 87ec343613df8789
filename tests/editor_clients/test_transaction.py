"""Publishing changes on disk: what is kept, what is refused, and what is put back."""

from __future__ import annotations

import errno
import os
import struct
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from editor_clients.disk_changes import ABSENT, Absent, DiskChange, MoveFile, RemoveFile, WriteBytes
from editor_clients.places import Place
from editor_clients.transaction import publish
from editor_clients.transaction_steps import fingerprint_of, has_fingerprint
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError
from ledger.types import token_of_utf8
from tests.editor_clients.people import NOBODY, plain_user

Publish = Callable[..., None]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def walls(workspace: Path) -> Walls:
    return Walls([str(workspace)])


@pytest.fixture
def run(walls: Walls, workspace: Path, tmp_path: Path) -> Iterator[Publish]:
    """Publish, and see that nothing of ours is left in the workspace or among the journals."""

    def call(*changes: DiskChange) -> None:
        publish(changes, journal_dir=str(tmp_path / "journals"), walls=walls, durability="fast")

    yield call
    assert [path for path in workspace.rglob("*") if path.name.startswith(".coeditor")] == []
    journals = tmp_path / "journals"
    assert not journals.exists() or [name for name in os.listdir(journals) if name != "kept"] == []


def refused(run: Publish, *changes: DiskChange) -> CoeditorError:
    with pytest.raises(CoeditorError) as caught:
        run(*changes)
    return caught.value


def tree(workspace: Path) -> dict[str, bytes | str]:
    found: dict[str, bytes | str] = {}
    for path in workspace.rglob("*"):
        name = str(path.relative_to(workspace))
        found[name] = os.readlink(path) if path.is_symlink() else "" if path.is_dir() else path.read_bytes()
    return found


def write(path: Path, data: bytes, expect: bytes | Absent = ABSENT, mode: int | None = None) -> WriteBytes:
    return WriteBytes(str(path), data, expect, mode)


class TestContent:
    def test_create_makes_folders_and_follows_the_umask(self, run: Publish, workspace: Path) -> None:
        run(write(workspace / "a/b/new", b"x"))
        assert tree(workspace) == {"a": "", "a/b": "", "a/b/new": b"x"}
        mask = os.umask(0)
        os.umask(mask)
        assert (workspace / "a/b/new").stat().st_mode & 0o777 == 0o666 & ~mask

    def test_create_with_mode(self, run: Publish, workspace: Path) -> None:
        run(write(workspace / "new", b"x", mode=0o755))
        assert (workspace / "new").stat().st_mode & 0o777 == 0o755

    @pytest.mark.parametrize("data", [b"", b"\0\xff", b"x" * 5_000_000])
    def test_replace(self, run: Publish, workspace: Path, data: bytes) -> None:
        (workspace / "a").write_bytes(b"old")
        run(write(workspace / "a", data, b"old"))
        assert (workspace / "a").read_bytes() == data

    def test_an_empty_request_does_nothing(self, run: Publish, workspace: Path) -> None:
        run()
        assert tree(workspace) == {}

    def test_many_kinds_at_once(self, run: Publish, workspace: Path) -> None:
        for name in "abcd":
            (workspace / name).write_bytes(name.encode())
        at = {name: str(workspace / name) for name in ("a", "b", "c", "d", "x/e", "f", "g")}
        run(
            WriteBytes(at["a"], b"A", b"a"),
            RemoveFile(at["b"], b"b"),
            MoveFile(at["c"], at["x/e"], b"c"),
            MoveFile(at["d"], at["f"], b"d", b"D"),
            WriteBytes(at["g"], b"G", ABSENT),
        )
        assert tree(workspace) == {"a": b"A", "x": "", "x/e": b"c", "f": b"D", "g": b"G"}

    def test_two_files_trade_names(self, run: Publish, workspace: Path) -> None:
        (workspace / "a").write_bytes(b"a")
        (workspace / "b").write_bytes(b"b")
        (workspace / "b").chmod(0o700)
        a, b = str(workspace / "a"), str(workspace / "b")
        run(MoveFile(a, b, b"a", expect_dst=b"b"), MoveFile(b, a, b"b", expect_dst=b"a"))
        assert tree(workspace) == {"a": b"b", "b": b"a"}
        assert (workspace / "a").stat().st_mode & 0o777 == 0o700

    def test_a_moved_file_leaves_its_name_to_a_new_one(self, run: Publish, workspace: Path) -> None:
        (workspace / "a").write_bytes(b"a")
        run(MoveFile(str(workspace / "a"), str(workspace / "b"), b"a"), write(workspace / "a", b"new"))
        assert tree(workspace) == {"a": b"new", "b": b"a"}

    def test_deleted_and_added_keeps_the_mode(self, run: Publish, workspace: Path) -> None:
        (workspace / "a").write_bytes(b"a")
        (workspace / "a").chmod(0o750)
        run(RemoveFile(str(workspace / "a"), b"a"), write(workspace / "a", b"new"))
        assert (workspace / "a").stat().st_mode & 0o777 == 0o750

    def test_a_move_onto_a_file_that_the_request_gives_up(self, run: Publish, workspace: Path) -> None:
        (workspace / "a").write_bytes(b"a")
        (workspace / "b").write_bytes(b"b")
        run(MoveFile(str(workspace / "a"), str(workspace / "b"), b"a", expect_dst=b"b"))
        assert tree(workspace) == {"b": b"a"}

    def test_a_plain_move_keeps_the_file_itself(self, run: Publish, workspace: Path) -> None:
        (workspace / "a").write_bytes(b"a")
        number = (workspace / "a").stat().st_ino
        run(MoveFile(str(workspace / "a"), str(workspace / "x/b"), b"a"))
        assert (workspace / "x/b").stat().st_ino == number

    def test_very_long_names(self, run: Publish, workspace: Path) -> None:
        name = "n" * 255
        run(write(workspace / name, b"x"))
        run(write(workspace / name, b"y", b"x"))
        run(RemoveFile(str(workspace / name), b"y"))
        assert tree(workspace) == {}

    @pytest.mark.parametrize("name", ["e\u0301", "\u00e9", "a b\nc", "-rf", "\udcff"])
    def test_odd_names(self, run: Publish, workspace: Path, name: str) -> None:
        run(write(workspace / name, b"x"))
        run(write(workspace / name, b"y", b"x"))
        assert os.listdir(workspace) == [name]

    @pytest.mark.parametrize("durability", ["full", "fast"])
    def test_durability(self, walls: Walls, workspace: Path, tmp_path: Path, durability: str) -> None:
        changes = [write(workspace / "a/b", b"x"), write(workspace / "c", b"x")]
        for some in (
            changes[:1],
            changes[1:],
            [write(workspace / "a/b", b"y", b"x"), write(workspace / "d", b"")],
        ):
            publish(some, journal_dir=str(tmp_path / "j"), walls=walls, durability=durability)  # type: ignore[arg-type]
        assert tree(workspace) == {"a": "", "a/b": b"y", "c": b"x", "d": b""}


class TestWhatIsKept:
    @pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o664, 0o4755, 0o2755])
    def test_mode(self, run: Publish, workspace: Path, mode: int) -> None:
        path = workspace / "a"
        path.write_bytes(b"a")
        path.chmod(mode)
        run(write(path, b"b", b"a"))
        assert path.stat().st_mode & 0o7777 == mode
        run(MoveFile(str(path), str(workspace / "b"), b"b", b"c"))
        assert (workspace / "b").stat().st_mode & 0o7777 == mode

    def test_a_mode_that_is_asked_for_wins(self, run: Publish, workspace: Path) -> None:
        (workspace / "a").write_bytes(b"a")
        run(write(workspace / "a", b"b", b"a", mode=0o700))
        assert (workspace / "a").stat().st_mode & 0o777 == 0o700

    def test_extended_attributes(self, run: Publish, workspace: Path) -> None:
        path = workspace / "a"
        path.write_bytes(b"a")
        os.setxattr(path, "user.note", b"keep \0 me")
        run(write(path, b"b", b"a"))
        assert os.getxattr(path, "user.note") == b"keep \0 me"
        run(MoveFile(str(path), str(workspace / "b"), b"b", b"c"), write(workspace / "n", b""))
        assert os.getxattr(workspace / "b", "user.note") == b"keep \0 me"

    def test_access_control_list(self, run: Publish, workspace: Path) -> None:
        path = workspace / "a"
        path.write_bytes(b"a")
        os.setxattr(path, "system.posix_acl_access", access_list(6, user=NOBODY))
        wanted = os.getxattr(path, "system.posix_acl_access")
        run(write(path, b"b", b"a"))
        assert os.getxattr(path, "system.posix_acl_access") == wanted

    def test_a_default_list_of_the_folder_reaches_new_files_only(self, run: Publish, workspace: Path) -> None:
        old = workspace / "old"
        old.write_bytes(b"a")
        old.chmod(0o640)
        os.setxattr(workspace, "system.posix_acl_default", access_list(6, user=NOBODY))
        run(write(old, b"b", b"a"))
        run(write(workspace / "new", b"x"))
        assert os.listxattr(old) == []
        assert old.stat().st_mode & 0o777 == 0o640
        assert os.listxattr(workspace / "new") == ["system.posix_acl_access"]

    def test_hard_links(self, run: Publish, workspace: Path) -> None:
        (workspace / "a").write_bytes(b"long before")
        os.link(workspace / "a", workspace / "b")
        run(write(workspace / "b", b"after", b"long before"))
        assert (workspace / "a").read_bytes() == b"after"
        run(write(workspace / "a", b"again and longer", b"after"), write(workspace / "n", b""))
        assert (workspace / "b").read_bytes() == b"again and longer"
        run(MoveFile(str(workspace / "a"), str(workspace / "c"), b"again and longer"))
        assert os.path.samefile(workspace / "b", workspace / "c")
        run(RemoveFile(str(workspace / "b"), b"again and longer"))
        assert (workspace / "c").read_bytes() == b"again and longer"

    def test_sparse_and_long(self, run: Publish, workspace: Path) -> None:
        path = workspace / "sparse"
        with open(path, "wb") as file:
            file.truncate(1 << 20)
        run(write(path, bytes(1 << 20) + b"end", bytes(1 << 20)))
        assert path.stat().st_size == (1 << 20) + 3


if os.geteuid() == 0:  # only root can give files away

    class TestOwners:
        def test_owner(self, run: Publish, workspace: Path) -> None:
            path = workspace / "a"
            path.write_bytes(b"a")
            os.chown(path, 1234, 2345)
            path.chmod(0o640)
            run(write(path, b"b", b"a"))
            assert (path.stat().st_uid, path.stat().st_gid, path.stat().st_mode & 0o777) == (
                1234,
                2345,
                0o640,
            )

        def test_a_file_of_somebody_else_that_we_may_write_keeps_its_owner(
            self, run: Publish, workspace: Path, tmp_path: Path
        ) -> None:
            path = workspace / "a"
            path.write_bytes(b"a")
            path.chmod(0o666)
            with plain_user(workspace, tmp_path):
                run(write(path, b"longer", b"a"))
                run(write(path, b"b", b"longer"), write(workspace / "n", b""))
            assert (path.stat().st_uid, path.read_bytes()) == (0, b"b")


class TestLinks:
    def test_writes_go_through(self, run: Publish, workspace: Path) -> None:
        (workspace / "real").write_bytes(b"a")
        (workspace / "one").symlink_to("two")
        (workspace / "two").symlink_to("real")
        run(write(workspace / "one", b"b", b"a"))
        assert tree(workspace) == {"real": b"b", "one": "two", "two": "real"}

    def test_delete_takes_the_link_only(self, run: Publish, workspace: Path) -> None:
        (workspace / "real").write_bytes(b"a")
        (workspace / "link").symlink_to("real")
        run(RemoveFile(str(workspace / "link"), b"a"))
        assert tree(workspace) == {"real": b"a"}

    def test_a_write_through_a_link_to_nothing_makes_its_file(self, run: Publish, workspace: Path) -> None:
        (workspace / "link").symlink_to("sub/missing")
        run(write(workspace / "link", b"x"))
        assert tree(workspace) == {"link": "sub/missing", "sub": "", "sub/missing": b"x"}

    def test_an_add_refuses_a_link_to_nothing(self, run: Publish, workspace: Path) -> None:
        (workspace / "link").symlink_to("missing")
        change = WriteBytes(str(workspace / "link"), b"x", ABSENT, through_link=False)
        assert refused(run, change).code is Code.FS_ALREADY_EXISTS
        (workspace / "a").write_bytes(b"a")
        move = MoveFile(str(workspace / "a"), str(workspace / "link"), b"a")
        assert refused(run, move).code is Code.FS_ALREADY_EXISTS

    def test_a_moved_link_still_points_at_its_file(self, run: Publish, workspace: Path) -> None:
        (workspace / "real").write_bytes(b"a")
        (workspace / "link").symlink_to("real")
        run(MoveFile(str(workspace / "link"), str(workspace / "near"), b"a"))
        run(MoveFile(str(workspace / "near"), str(workspace / "x/y/far"), b"a"))
        assert tree(workspace) == {"real": b"a", "x": "", "x/y": "", "x/y/far": "../../real"}

    def test_a_link_moved_with_new_content_becomes_a_file(self, run: Publish, workspace: Path) -> None:
        (workspace / "real").write_bytes(b"a")
        (workspace / "real").chmod(0o700)
        (workspace / "link").symlink_to("real")
        run(MoveFile(str(workspace / "link"), str(workspace / "new"), b"a", b"b"))
        assert tree(workspace) == {"real": b"a", "new": b"b"}
        assert (workspace / "new").stat().st_mode & 0o777 == 0o700

    def test_a_link_out_of_the_workspace_is_not_written_through(
        self, run: Publish, workspace: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "secret").write_bytes(b"s")
        (workspace / "leak").symlink_to(tmp_path / "secret")
        (workspace / "a").write_bytes(b"a")
        assert refused(run, write(workspace / "leak", b"x", b"s")).code is Code.FS_DENIED
        change = write(workspace / "leak", b"x", b"s")
        assert refused(run, write(workspace / "a", b"A", b"a"), change).code is Code.FS_DENIED
        assert (tmp_path / "secret").read_bytes() == b"s"
        assert (workspace / "a").read_bytes() == b"a"


class TestRefusals:
    """Every one leaves the tree as it was; of several changes the one that is refused names itself."""

    @pytest.fixture(params=[0, 1], ids=["alone", "with others"])
    def several(self, request: pytest.FixtureRequest, workspace: Path) -> list[DiskChange]:
        if not request.param:
            return []
        (workspace / "other").write_bytes(b"o")
        return [write(workspace / "other", b"O", b"o"), write(workspace / "made/new", b"")]

    def refused(self, run: Publish, workspace: Path, *changes: DiskChange) -> CoeditorError:
        before = tree(workspace)
        error = refused(run, *changes)
        assert tree(workspace) == before
        return error

    @pytest.mark.parametrize("now", [b"longer than before", b"same"])
    def test_stale(self, run: Publish, workspace: Path, several: list[DiskChange], now: bytes) -> None:
        path = workspace / "a"
        path.write_bytes(now)
        for change in (
            write(path, b"new", b"seen"),
            RemoveFile(str(path), b"seen"),
            MoveFile(str(path), str(workspace / "b"), b"seen"),
            MoveFile(str(path), str(workspace / "b"), b"seen", b"new"),
        ):
            error = self.refused(run, workspace, *several, change)
            assert (error.code, error.data) == (Code.FS_STALE_VERSION, {"target": str(path)})

    def test_vanished(self, run: Publish, workspace: Path, several: list[DiskChange]) -> None:
        error = self.refused(run, workspace, *several, write(workspace / "a", b"x", b"a"))
        assert (error.code, error.data["vanished"]) == (Code.FS_STALE_VERSION, True)

    def test_existing(self, run: Publish, workspace: Path, several: list[DiskChange]) -> None:
        (workspace / "a").write_bytes(b"a")
        (workspace / "b").write_bytes(b"b")
        for change in (
            write(workspace / "a", b"x"),
            MoveFile(str(workspace / "b"), str(workspace / "a"), b"b"),
        ):
            assert self.refused(run, workspace, *several, change).code is Code.FS_ALREADY_EXISTS

    def test_a_move_onto_itself(self, run: Publish, workspace: Path, several: list[DiskChange]) -> None:
        (workspace / "d").mkdir()
        (workspace / "d/a").write_bytes(b"a")
        (workspace / "d2").symlink_to("d")
        for dst in ("d/a", "d2/a", "d/../d/a"):
            change = MoveFile(str(workspace / "d/a"), f"{workspace}/{dst}", b"a", b"b")
            assert self.refused(run, workspace, *several, change).code is Code.FS_ALREADY_EXISTS

    def test_a_folder_in_the_way(self, run: Publish, workspace: Path, several: list[DiskChange]) -> None:
        (workspace / "d").mkdir()
        for change in (write(workspace / "d", b"x"), RemoveFile(str(workspace / "d"), b"")):
            assert self.refused(run, workspace, *several, change).code is Code.FS_NOT_REGULAR_FILE

    def test_a_file_where_a_folder_is_needed(
        self, run: Publish, workspace: Path, several: list[DiskChange]
    ) -> None:
        (workspace / "f").write_bytes(b"f")
        change = write(workspace / "f/x", b"x")
        assert self.refused(run, workspace, *several, change).code is Code.FS_NOT_FOUND

    def test_a_pipe(self, run: Publish, workspace: Path) -> None:
        os.mkfifo(workspace / "p")
        assert refused(run, write(workspace / "p", b"x", b"")).code is Code.FS_NOT_REGULAR_FILE

    def test_protected(self, run: Publish, workspace: Path, several: list[DiskChange]) -> None:
        (workspace / ".git").mkdir()
        for change in (
            write(workspace / ".git/hooks/x", b""),
            MoveFile(str(workspace / "a"), str(workspace / ".git/x"), b"a"),
        ):
            assert self.refused(run, workspace, *several, change).data["rule"] == "protected:.git"

    def test_one_name_twice(self, run: Publish, workspace: Path) -> None:
        (workspace / "a").write_bytes(b"a")
        (workspace / "link").symlink_to("a")
        changes = [write(workspace / "a", b"x", b"a"), write(workspace / "link", b"y", b"a")]
        assert self.refused(run, workspace, *changes).code is Code.INVALID_ARGUMENT
        removes = [RemoveFile(str(workspace / "a"), b"a"), RemoveFile(f"{workspace}/./a", b"a")]
        assert self.refused(run, workspace, *removes).code is Code.INVALID_ARGUMENT

    def test_two_names_of_one_file_are_not_both_written(self, run: Publish, workspace: Path) -> None:
        (workspace / "a").write_bytes(b"a")
        os.link(workspace / "a", workspace / "b")
        changes = [write(workspace / "a", b"x", b"a"), write(workspace / "b", b"y", b"a")]
        assert self.refused(run, workspace, *changes).code is Code.FS_TRANSACTION_FAILED

    def test_read_only_file(
        self, run: Publish, workspace: Path, tmp_path: Path, several: list[DiskChange]
    ) -> None:
        path = workspace / "a"
        path.write_bytes(b"a")
        path.chmod(0o444)
        with plain_user(workspace, tmp_path, path, *workspace.iterdir()):
            error = self.refused(run, workspace, *several, write(path, b"b", b"a"))
        if several:
            assert (error.code, error.data["rolled_back"]) == (Code.FS_TRANSACTION_FAILED, True)
            assert error.data["cause"]["code"] == "FS_IO"
            assert error.data["not_restored"] == []
        else:
            assert (error.code, error.data["errno"]) == (Code.FS_IO, "EACCES")
            assert "permission" in error.message

    def test_read_only_folder(self, run: Publish, workspace: Path, tmp_path: Path) -> None:
        folder = workspace / "d"
        folder.mkdir()
        (folder / "a").write_bytes(b"a")
        folder.chmod(0o555)
        with plain_user(workspace, tmp_path, folder, folder / "a"):
            assert refused(run, write(folder / "new", b"x")).data["errno"] == "EACCES"
            assert refused(run, RemoveFile(str(folder / "a"), b"a")).data["errno"] == "EACCES"
            run(write(folder / "a", b"in place", b"a"))
        folder.chmod(0o755)
        assert tree(folder) == {"a": b"in place"}

    def test_a_file_too_large_for_the_system(self, run: Publish, workspace: Path) -> None:
        import resource

        (workspace / "a").write_bytes(b"a")
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        try:
            error = refused(run, write(workspace / "a", b"x" * 200_000, b"a"))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert error.data["errno"] == "EFBIG"
        assert tree(workspace) == {"a": b"a"}


class Folding(Walls):
    """What a file system that folds letter case answers: an existing file under any case is that file."""

    def check(self, path: str, *, write: bool) -> str:
        real = super().check(path, write=write)
        folder, name = os.path.split(real)
        return os.path.join(folder, next((n for n in os.listdir(folder) if n.lower() == name.lower()), name))


class TestLetterCase:
    """Renaming ``readme`` to ``README`` where both name the same file."""

    @pytest.mark.parametrize("data", [None, b"new"])
    @pytest.mark.parametrize("several", [False, True])
    def test_only_the_case_changes(
        self, workspace: Path, tmp_path: Path, data: bytes | None, several: bool
    ) -> None:
        (workspace / "readme").write_bytes(b"old")
        changes: list[DiskChange] = [
            MoveFile(str(workspace / "readme"), str(workspace / "README"), b"old", data)
        ]
        if several:
            changes.append(write(workspace / "other", b""))
        publish(changes, journal_dir=str(tmp_path / "j"), walls=Folding([str(workspace)]))
        others = {"other": b""} if several else {}
        assert tree(workspace) == {"README": data or b"old", **others}

    def test_where_case_counts_they_are_two_files(self, run: Publish, workspace: Path) -> None:
        (workspace / "readme").write_bytes(b"old")
        (workspace / "README").write_bytes(b"other")
        move = MoveFile(str(workspace / "readme"), str(workspace / "README"), b"old")
        assert refused(run, move).code is Code.FS_ALREADY_EXISTS


def access_list(bits: int, *, user: int) -> bytes:
    """A POSIX access control list that gives one more user some rights."""
    everyone = 0xFFFFFFFF
    rows = [(1, 6, everyone), (2, bits, user), (4, 4, everyone), (16, 6, everyone), (32, 4, everyone)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *row) for row in rows)


class Racing(Walls):
    """Somebody who takes no locks acts once, just before a certain name is opened for the n-th time."""

    def __init__(self, root: Path, name: str, turn: int, act: Callable[[], object]) -> None:
        super().__init__([str(root)])
        self._name, self._turn, self._act = name, turn, act

    def open_entry(self, canonical: str) -> Place:
        if os.path.basename(canonical) == self._name:
            self._turn -= 1
            if self._turn == 0:
                self._act()
        return super().open_entry(canonical)


class TestRaces:
    @pytest.mark.parametrize("turn", [1, 2])
    def test_a_lost_create_never_overwrites(self, workspace: Path, tmp_path: Path, turn: int) -> None:
        walls = Racing(workspace, "new", turn, lambda: (workspace / "new").write_bytes(b"mine"))
        with pytest.raises(CoeditorError) as caught:
            publish([write(workspace / "new", b"x")], journal_dir=str(tmp_path / "j"), walls=walls)
        assert caught.value.code is Code.FS_ALREADY_EXISTS
        assert tree(workspace) == {"new": b"mine"}

    @pytest.mark.parametrize("turn", [1, 2, 3])
    @pytest.mark.parametrize("several", [False, True])
    def test_a_lost_replace_is_stale(self, workspace: Path, tmp_path: Path, turn: int, several: bool) -> None:
        (workspace / "a").write_bytes(b"a")
        changes: list[DiskChange] = [write(workspace / "a", b"x", b"a")]
        if several:
            changes.insert(0, write(workspace / "d/first", b"1"))
        walls = Racing(workspace, "a", turn, lambda: (workspace / "a").write_bytes(b"A"))
        with pytest.raises(CoeditorError) as caught:
            publish(changes, journal_dir=str(tmp_path / "j"), walls=walls)
        error = caught.value
        cause = error.data.get("cause", {}).get("code", str(error.code))
        assert cause == "FS_STALE_VERSION"
        assert tree(workspace) == {"a": b"A"}

    def test_what_somebody_changed_meanwhile_is_left_and_said(self, workspace: Path, tmp_path: Path) -> None:
        """The first file is published, somebody changes it, then the second one fails."""
        (workspace / "a").write_bytes(b"a")
        (workspace / "b").write_bytes(b"b")

        def act() -> None:
            (workspace / "a").write_bytes(b"theirs")
            (workspace / "b").write_bytes(b"B")

        changes = [write(workspace / "a", b"ours", b"a"), write(workspace / "b", b"ours", b"b")]
        walls = Racing(workspace, "b", 4, act)
        with pytest.raises(CoeditorError) as caught:
            publish(changes, journal_dir=str(tmp_path / "j"), walls=walls)
        error = caught.value
        assert (error.code, error.data["rolled_back"]) == (Code.FS_TRANSACTION_FAILED, False)
        (lost,) = error.data["not_restored"]
        assert lost["file_path"] == str(workspace / "a")
        assert Path(lost["snapshot"]).read_bytes() == b"a"
        assert tree(workspace) == {"a": b"theirs", "b": b"B"}

    def test_readers_never_see_a_file_missing_or_half_written(
        self, walls: Walls, workspace: Path, tmp_path: Path
    ) -> None:
        texts = [bytes([65 + turn]) * 50_000 for turn in range(2)]
        names = [workspace / name for name in "abc"]
        for name in names:
            name.write_bytes(texts[0])
        bad: list[str] = []
        done = threading.Event()

        def watch() -> None:
            while not done.is_set():
                for name in names:
                    try:
                        if name.read_bytes() not in texts:
                            bad.append("half written")
                    except FileNotFoundError:
                        bad.append("missing")

        reader = threading.Thread(target=watch)
        reader.start()
        try:
            for turn in range(60):
                old, new = texts[turn % 2], texts[(turn + 1) % 2]
                changes = [write(name, new, old) for name in names]
                for some in (changes[:1], changes[1:]):
                    publish(some, journal_dir=str(tmp_path / "j"), walls=walls, durability="fast")
        finally:
            done.set()
            reader.join()
        assert bad == []


MEMORY = Path("/dev/shm")

if MEMORY.is_dir() and MEMORY.stat().st_dev != os.stat(tempfile.gettempdir()).st_dev:

    def test_a_move_between_file_systems(tmp_path: Path) -> None:
        with tempfile.TemporaryDirectory(dir=MEMORY) as other:
            walls = Walls([str(tmp_path), other])
            (tmp_path / "a").write_bytes(b"a")
            (tmp_path / "a").chmod(0o741)
            for extra in ([], [write(tmp_path / "n", b"")]):
                change = MoveFile(str(tmp_path / "a"), other + "/x/b", b"a")
                publish([change, *extra], journal_dir=str(tmp_path / "j"), walls=walls)
                assert Path(other, "x/b").stat().st_mode & 0o777 == 0o741
                back = MoveFile(other + "/x/b", str(tmp_path / "a"), b"a")
                publish([back], journal_dir=str(tmp_path / "j"), walls=walls)
            assert sorted(os.listdir(tmp_path)) == ["a", "j", "n"]


NAMES = st.sampled_from(["a", "b", "c", "d/e", "d/f"])


@st.composite
def scenes(draw: st.DrawFn) -> tuple[dict[str, bytes], dict[str, bytes | None], dict[str, str]]:
    """Files before, contents to write (None: delete), and moves from a name to another."""
    before = draw(st.dictionaries(NAMES, st.binary(max_size=3)))
    moved = draw(st.dictionaries(st.sampled_from([*before]), NAMES, max_size=3)) if before else {}
    moves = {src: dst for src, dst in moved.items() if src != dst}
    moves = {src: dst for src, dst in moves.items() if [*moves.values()].count(dst) == 1}
    writes = draw(st.dictionaries(NAMES, st.binary(max_size=3) | st.none()))
    left = {name: data for name, data in writes.items() if name not in moves and name not in moves.values()}
    return before, {name: data for name, data in left.items() if data is not None or name in before}, moves


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(scene=scenes())
def test_any_set_of_changes_has_the_effect_of_its_final_picture(
    scene: tuple[dict[str, bytes], dict[str, bytes | None], dict[str, str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    before, writes, moves = scene
    base = tmp_path_factory.mktemp("scene")
    for name, data in before.items():
        (base / name).parent.mkdir(exist_ok=True)
        (base / name).write_bytes(data)
    after = {name: data for name, data in before.items() if name not in moves}
    after |= {dst: before[src] for src, dst in moves.items()}
    changes: list[DiskChange] = []
    for src, dst in moves.items():
        expected = ABSENT if dst in moves else before.get(dst, ABSENT)
        changes.append(MoveFile(str(base / src), str(base / dst), before[src], expect_dst=expected))
    for name, content in writes.items():
        if content is None:
            changes.append(RemoveFile(str(base / name), before[name]))
            del after[name]
        else:
            changes.append(write(base / name, content, before.get(name, ABSENT)))
            after[name] = content
    publish(changes, journal_dir=str(base / "j"), walls=Walls([str(base)]), durability="fast")
    found = {name: data for name, data in tree(base).items() if not name.startswith("j") and name != "d"}
    assert found == after


class TestNothingTouched:
    def test_a_workspace_folder_that_is_gone_is_not_there(self, run: Publish, workspace: Path) -> None:
        workspace.rmdir()
        for change in (write(workspace / "a", b"x"), write(workspace / "new/a", b"x")):
            error = refused(run, change)
            assert (error.code, error.data) == (Code.FS_NOT_FOUND, {})
            assert "workspace folder" in error.message
        assert not workspace.exists()

    @pytest.mark.parametrize("name", ["new", "deep/er/new"])
    def test_a_file_system_that_refuses_to_look_is_no_half_done_change(
        self, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        """A read-only one answers EROFS to an unlink of what is not there."""

        def refuse(*args: object, **more: object) -> int:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

        monkeypatch.setattr(Place, "open", refuse)
        monkeypatch.setattr(os, "rmdir", refuse)
        unlink = os.unlink
        monkeypatch.setattr(os, "unlink", lambda path, **more: refuse() if more else unlink(path))
        monkeypatch.setattr(Place, "make_folder", refuse)
        with pytest.raises(CoeditorError) as caught:
            publish(
                [write(workspace / name, b"x")],
                journal_dir=str(tmp_path / "j"),
                walls=Walls([str(workspace)]),
            )
        assert (caught.value.code, caught.value.data) == (Code.FS_IO, {"errno": "EROFS"})
        assert os.listdir(tmp_path / "j") == []

    def test_staged_files_are_taken_out_of_a_folder_that_was_moved_away(
        self, workspace: Path, tmp_path: Path
    ) -> None:
        for name in ("d/a", "b"):
            (workspace / name).parent.mkdir(exist_ok=True)
            (workspace / name).write_bytes(b"old")

        def move_away() -> None:
            (workspace / "d").rename(workspace / "away")
            (workspace / "d").write_bytes(b"a file")

        walls = Racing(workspace, "b", 1, move_away)
        with pytest.raises(CoeditorError):
            publish(
                [write(workspace / "d/a", b"x", b"old"), write(workspace / "b", b"x", b"old")],
                journal_dir=str(tmp_path / "j"),
                walls=walls,
            )
        assert tree(workspace) == {"away": "", "away/a": b"old", "b": b"old", "d": b"a file"}
        assert os.listdir(tmp_path / "j") == []


def test_a_text_is_on_the_disk_before_it_takes_the_name(
    walls: Walls, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what it is called until then is no name that those who watch for ``*.py`` ask for."""
    (workspace / "a.py").write_bytes(b"x")
    done: list[tuple[str, str]] = []
    sync, rename = os.fsync, os.rename

    def synced(descriptor: int) -> None:
        done.append(("sync", os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}"))))
        sync(descriptor)

    def renamed(name: str, other: str, **folders: int) -> None:
        done.append(("rename", name))
        rename(name, other, **folders)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "rename", renamed)
    change = write(workspace / "a.py", b"y", b"x")
    publish([change], journal_dir=str(tmp_path / "j"), walls=walls, durability="full")
    (stage,) = [name for what, name in done if what == "rename" and name.startswith(".coeditor-")]
    steps = [("sync", stage), ("rename", stage), ("sync", "workspace")]
    assert [step for step in done if step in steps] == steps
    assert not stage.endswith(".py")


def test_a_fingerprint_tells_the_same_whichever_hash_was_at_hand(workspace: Path, walls: Walls) -> None:
    """A journal may have been written by a process that knew the text's token, and is read by another."""
    path, data = workspace / "large", b"hashed nowhere else\n" * (1 << 16)
    by_bytes = fingerprint_of(data)
    token_of_utf8(bytes(data))
    by_text = fingerprint_of(data)
    assert by_bytes != by_text
    for there, wanted in ((data, True), (data + b"y", False), (b"", False)):
        path.write_bytes(there)
        with walls.open_entry(str(path)) as place:
            assert [has_fingerprint(place, one) for one in (by_bytes, by_text)] == [wanted, wanted]
