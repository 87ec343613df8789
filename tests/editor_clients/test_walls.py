"""Where files may be read and written, however the path is spelled and whatever is swapped in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.disk_changes import ABSENT, WriteBytes
from editor_clients.places import Place
from editor_clients.transaction import publish
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("a\n")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("secret\n")
    (tmp_path / "workspace-private").mkdir()
    return folder


@pytest.fixture
def walls(workspace: Path, tmp_path: Path) -> Walls:
    return Walls([str(workspace)], state_folders=[str(workspace / "state")], protected=["*.lock", "/ci/"])


def refusal(walls: Walls, path: str, *, write: bool = True) -> CoeditorError:
    with pytest.raises(CoeditorError) as caught:
        walls.check(path, write=write)
    return caught.value


@pytest.mark.parametrize(
    "spelling",
    [
        "a.txt",
        "./a.txt",
        "sub/../a.txt",
        "sub/./../a.txt",
        ".//a.txt",
        "a.txt/",
        "../workspace/a.txt",
        "no/../a.txt",
    ],
)
def test_every_spelling_is_one_target(walls: Walls, workspace: Path, spelling: str) -> None:
    assert walls.check(f"{workspace}/{spelling}", write=True) == str(workspace / "a.txt")


def test_links_lead_to_the_same_target(walls: Walls, workspace: Path) -> None:
    (workspace / "one").symlink_to("two")
    (workspace / "two").symlink_to("a.txt")
    (workspace / "folder").symlink_to("sub")
    assert walls.canonical(str(workspace / "one")) == str(workspace / "a.txt")
    assert walls.canonical(str(workspace / "folder/new/x")) == str(workspace / "sub/new/x")


def test_a_link_that_leads_nowhere_names_its_missing_file(walls: Walls, workspace: Path) -> None:
    (workspace / "link").symlink_to("sub/missing")
    assert walls.check(str(workspace / "link"), write=True) == str(workspace / "sub/missing")
    assert walls.is_link(str(workspace / "link"))


@pytest.mark.parametrize(
    "path",
    [
        "../outside/secret",
        "../outside/new",
        "sub/../../outside/secret",
        "../workspace-private/key",
        "..",
        "/",
    ],
)
def test_outside_is_denied_for_reads_and_writes(walls: Walls, workspace: Path, path: str) -> None:
    for write in (False, True):
        error = refusal(walls, os.path.join(workspace, path), write=write)
        assert (error.code, error.data["rule"]) == (Code.FS_DENIED, "workspace")


@pytest.mark.parametrize("path", ["leak", "folder/secret", "folder/new", "dangling"])
def test_a_link_that_leads_out_is_denied(walls: Walls, workspace: Path, path: str) -> None:
    (workspace / "leak").symlink_to("../outside/secret")
    (workspace / "folder").symlink_to(workspace.parent / "outside")
    (workspace / "dangling").symlink_to("../outside/none")
    assert refusal(walls, str(workspace / path)).data["rule"] == "workspace"


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (".git/hooks/pre-commit", "protected:.git"),
        (".git", "protected:.git"),
        ("sub/.git/config", "protected:.git"),
        (".GIT/config", "protected:.git"),
        ("poetry.lock", "protected:*.lock"),
        ("ci/run", "protected:/ci/"),
    ],
)
def test_protected_files_are_read_only(walls: Walls, workspace: Path, path: str, rule: str) -> None:
    error = refusal(walls, str(workspace / path))
    assert (error.code, error.data["rule"]) == (Code.FS_DENIED, rule)
    assert walls.check(str(workspace / path), write=False) == str(workspace / path)


@pytest.mark.parametrize("path", [".gitignore", ".github/x.yml", "git/x", "sub/ci/run", "x.lock.txt"])
def test_names_that_only_look_protected_are_open(walls: Walls, workspace: Path, path: str) -> None:
    assert walls.check(str(workspace / path), write=True) == str(workspace / path)


def test_our_state_is_closed_to_reads_too(walls: Walls, workspace: Path) -> None:
    assert refusal(walls, str(workspace / "state/ledger.db"), write=False).data["rule"] == "protected:state"


def test_protection_cannot_be_walked_around_by_a_link(walls: Walls, workspace: Path) -> None:
    (workspace / ".git").mkdir()
    (workspace / "innocent").symlink_to(".git")
    (workspace / "x.lock").symlink_to("a.txt")
    assert refusal(walls, str(workspace / "innocent/config")).data["rule"] == "protected:.git"
    assert refusal(walls, str(workspace / "x.lock")).data["rule"] == "protected:*.lock"


def test_forbidden_binds_reads_and_ask_first_only_tells(workspace: Path) -> None:
    walls = Walls([str(workspace)], forbidden=["secrets/", "!secrets/open"], ask_first=[".env*"])
    assert refusal(walls, str(workspace / "secrets/key"), write=False).data["rule"] == "protected:secrets/"
    path = str(workspace / ".env.local")
    assert walls.check(path, write=True) == path
    assert walls.ask_first_pattern(path, path) == ".env*"
    assert walls.ask_first_pattern(str(workspace / "env"), str(workspace / "env")) is None


def test_several_folders_and_the_innermost(workspace: Path) -> None:
    walls = Walls([str(workspace), str(workspace / "sub"), str(workspace.parent / "outside")])
    assert walls.check(str(workspace.parent / "outside/secret"), write=True)
    assert walls.root_of(str(workspace / "sub/x")) == str(workspace / "sub")
    assert walls.root_of(str(workspace / "subx")) == str(workspace)
    assert walls.root_of("/etc/passwd") is None


def test_the_workspace_may_be_named_through_a_link(workspace: Path) -> None:
    (workspace.parent / "alias").symlink_to(workspace)
    walls = Walls([str(workspace.parent / "alias")])
    assert walls.check(str(workspace.parent / "alias/a.txt"), write=True) == str(workspace / "a.txt")


@pytest.mark.parametrize("path", ["a.txt/x", "a.txt/x/y"])
def test_a_path_through_a_file_is_not_found(walls: Walls, workspace: Path, path: str) -> None:
    assert refusal(walls, str(workspace / path)).code is Code.FS_NOT_FOUND


@pytest.mark.parametrize("path", ["loop", "loop/x"])
def test_a_loop_of_links_is_refused(walls: Walls, workspace: Path, path: str) -> None:
    (workspace / "loop").symlink_to("pool")
    (workspace / "pool").symlink_to("loop")
    error = refusal(walls, str(workspace / path), write=False)
    assert (error.code, error.data["errno"]) == (Code.FS_IO, "ELOOP")


@pytest.mark.parametrize("path", ["a.txt", "", "sub/x", "/workspace/\0", "/workspace/\ud800"])
def test_what_is_no_absolute_path_is_an_invalid_argument(walls: Walls, path: str) -> None:
    error = refusal(walls, path)
    assert error.code is Code.INVALID_ARGUMENT
    error.message.encode()


def test_a_name_that_is_too_long_is_refused(walls: Walls, workspace: Path) -> None:
    assert refusal(walls, f"{workspace}/{'x' * 300}").data["errno"] == "ENAMETOOLONG"


def test_the_entry_of_a_link_is_the_link(walls: Walls, workspace: Path) -> None:
    (workspace / "link").symlink_to("a.txt")
    (workspace / "folder").symlink_to("sub")
    assert walls.check_entry(str(workspace / "link")) == str(workspace / "link")
    assert walls.check_entry(str(workspace / "folder/x")) == str(workspace / "sub/x")


def test_a_folder_swapped_for_a_link_after_the_check_leads_nowhere(walls: Walls, workspace: Path) -> None:
    path = walls.check(str(workspace / "sub/secret"), write=True)
    (workspace / "sub").rename(workspace / "moved")
    (workspace / "sub").symlink_to(workspace.parent / "outside")
    with pytest.raises(CoeditorError) as caught:
        walls.open_entry(path)
    assert (caught.value.code, caught.value.data["rule"]) == (Code.FS_DENIED, "workspace")


def test_a_folder_swapped_between_check_and_write_leads_nowhere(workspace: Path, tmp_path: Path) -> None:
    class Swapped(Walls):
        """Somebody swaps the folder at the last moment before it is opened."""

        def open_entry(self, canonical: str) -> Place:
            if not (workspace / "sub").is_symlink():
                (workspace / "sub").rename(workspace / "moved")
                (workspace / "sub").symlink_to(workspace.parent / "outside")
            return super().open_entry(canonical)

    with pytest.raises(CoeditorError) as caught:
        publish(
            [WriteBytes(str(workspace / "sub/new"), b"x", ABSENT)],
            journal_dir=str(tmp_path / "journals"),
            walls=Swapped([str(workspace)]),
        )
    assert caught.value.code is Code.FS_DENIED
    assert os.listdir(workspace.parent / "outside") == ["secret"]


def test_a_place_stays_in_its_folder_when_the_path_changes(walls: Walls, workspace: Path) -> None:
    with walls.open_entry(str(workspace / "sub/new")) as place:
        (workspace / "sub").rename(workspace / "moved")
        (workspace / "sub").symlink_to(workspace.parent / "outside")
        os.close(place.open(os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    assert (workspace / "moved/new").exists()
    assert os.listdir(workspace.parent / "outside") == ["secret"]


def test_a_file_system_that_folds_case_has_one_spelling(workspace: Path) -> None:
    """The folding itself needs such a file system; here the listing decides about an existing name."""
    walls = Walls([str(workspace)])
    walls._folding[str(workspace)] = True
    assert walls.canonical(str(workspace / "a.txt")) == str(workspace / "a.txt")
    assert walls.canonical(str(workspace / "sub/New")) == str(workspace / "sub/New")


PARTS = st.sampled_from(["..", ".", "sub", "a.txt", "link", "out", "new", ".git", "", "deep"])


@given(st.lists(PARTS, max_size=6))
def test_whatever_passes_is_inside(tmp_path_factory: pytest.TempPathFactory, parts: list[str]) -> None:
    base = tmp_path_factory.getbasetemp() / "walls-property"
    workspace = base / "workspace"
    if not workspace.exists():
        (workspace / "sub/deep").mkdir(parents=True)
        (workspace / "a.txt").write_text("a")
        (workspace / "sub/link").symlink_to("..")
        (workspace / "out").symlink_to("..")
        (workspace / "sub/out").symlink_to("../../workspace/sub/deep")
    walls = Walls([str(workspace)])
    try:
        real = walls.check(os.path.join(workspace, *parts), write=True)
    except CoeditorError as error:
        if error.code not in (Code.FS_DENIED, Code.FS_NOT_FOUND):
            raise
        return
    assert Path(real).is_relative_to(workspace)
    assert os.path.realpath(real) == real
    assert ".git" not in Path(real).parts
