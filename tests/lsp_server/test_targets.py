"""Spellings of one target, and what is no path at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError
from lsp_server.targets import Targets, path_of_uri, real_path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = (tmp_path / "ws").resolve()
    (place / "sub").mkdir(parents=True)
    (place / "a b#1%20?.py").write_text("x\n")
    (place / "t.py").write_text("x\n")
    (place / "link.py").symlink_to("t.py")
    (place / "linked").symlink_to("sub")
    return place


def targets(*roots: Path) -> Targets:
    walls = Walls([str(root) for root in roots])
    return Targets(walls.roots, walls.canonical)


@pytest.mark.parametrize(
    "spelled",
    [
        "t.py",
        "./t.py",
        "sub/../t.py",
        "{root}/t.py",
        "{root}//t.py",
        "file://{root}/t.py",
        "file://localhost{root}/t.py",
        "file:{root}/t.py",
        "FILE://{root}/%74.py",
        "link.py",
        "linked/../t.py",
    ],
)
def test_every_spelling_is_one_target(root: Path, spelled: str) -> None:
    found = targets(root).resolve(spelled.format(root=root))
    assert found.key == str(root / "t.py")


@pytest.mark.parametrize(
    ("spelled", "shown"),
    [
        ("link.py", "link.py"),
        ("./sub/new.py", "sub/new.py"),
        ("linked/new.py", "linked/new.py"),
        ("sub/../t.py", "t.py"),
    ],
)
def test_results_show_the_path_as_it_was_asked(root: Path, spelled: str, shown: str) -> None:
    assert targets(root).resolve(spelled).path == str(root / shown)


def test_a_uri_is_decoded_once_and_a_path_never(root: Path) -> None:
    by_uri = targets(root).resolve(f"file://{root}/a%20b%231%2520%3F.py")
    assert by_uri.key == str(root / "a b#1%20?.py") == targets(root).resolve("a b#1%20?.py").key


@pytest.mark.parametrize(
    "spelled", ["", "a\0b", "a\ud800", "file://elsewhere/t.py", "file:///a%ff.py", "file:///a%00b"]
)
def test_what_is_no_path_is_refused(root: Path, spelled: str) -> None:
    with pytest.raises(CoeditorError) as caught:
        targets(root).resolve(spelled)
    assert caught.value.code is Code.INVALID_ARGUMENT


def test_through_a_file_is_not_found(root: Path) -> None:
    with pytest.raises(CoeditorError) as caught:
        targets(root).resolve("t.py/x")
    assert caught.value.code is Code.FS_NOT_FOUND
    assert caught.value.file_path == str(root / "t.py/x")


def test_relative_in_many_folders_is_the_only_one_that_has_it(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "o.py").write_text("")
    both = targets(root, other)
    assert both.resolve("o.py").key == str(other / "o.py")
    assert both.resolve("new.py", str(other)).key == str(other / "new.py")
    with pytest.raises(CoeditorError) as caught:
        both.resolve("new.py")
    assert caught.value.data["candidates"] == [str(root / "new.py"), str(other / "new.py")]


def test_in_many_folders_a_path_may_begin_with_the_name_of_its_folder(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        (folder / "lib").mkdir(parents=True)
        (folder / "lib/util.py").write_text("")
    both = targets(one, two)
    assert both.resolve("two/lib/util.py").key == str(two / "lib/util.py")
    with pytest.raises(CoeditorError) as caught:
        both.resolve("lib/util.py")
    assert caught.value.data["candidates"] == [str(one / "lib/util.py"), str(two / "lib/util.py")]
    for unknown in ("two/new.py", "two", "three/lib/util.py"):
        with pytest.raises(CoeditorError):
            both.resolve(unknown)
    (one / "two" / "lib").mkdir(parents=True)
    (one / "two/lib/util.py").write_text("")
    assert both.resolve("two/lib/util.py").key == str(one / "two/lib/util.py"), "a real path comes first"


def test_untitled_is_a_target_of_its_own(root: Path) -> None:
    assert targets(root).resolve("untitled:Untitled-1").key == "untitled:Untitled-1"


def test_query_and_fragment_of_a_uri_are_no_path() -> None:
    assert path_of_uri("file:///a/b.py?x=1#L2") == "/a/b.py"


@pytest.mark.parametrize("spelled", ["http://host/t.py", "vscode-remote://ssh+box/ws/t.py", "git+ssh://a/b"])
def test_a_uri_of_another_scheme_is_no_path(root: Path, spelled: str) -> None:
    with pytest.raises(CoeditorError) as caught:
        targets(root).resolve(spelled)
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert caught.value.file_path == spelled


@pytest.mark.parametrize("spelled", ["c:/t.py", "a:b//t.py", "://t.py", "sub/http://t.py"])
def test_a_name_with_a_colon_is_a_name(root: Path, spelled: str) -> None:
    assert targets(root).resolve(spelled).key.startswith(str(root))


def test_links_that_change_under_the_look_are_no_failure(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def changing(path: str) -> str:
        raise OSError(errno.EINVAL, "Invalid argument", path)

    monkeypatch.setattr(os.path, "realpath", changing)
    assert real_path("/a/./b") == "/a/b"


@pytest.mark.parametrize(
    "spelled",
    [
        r"C:\w\a.py",
        r"d:\p\i.html",
        r"\\wsl$\Ubuntu\home\u\a.py",
        r"\\server\share\a.py",
        "//wsl$/Ubuntu/home/u/a.py",
        "//wsl.localhost/Ubuntu/home/u/a.py",
        "file://wsl%24/Ubuntu/home/u/a.py",
        "vscode-remote://wsl+Ubuntu/home/u/a.py",
        "vscode-vfs://github/o/r/a.py",
    ],
)
def test_what_is_on_another_machine_is_no_path_here(root: Path, spelled: str) -> None:
    with pytest.raises(CoeditorError) as caught:
        targets(root).resolve(spelled)
    assert caught.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize("uri", ["file:///d%3A/p/i.html", "file:///D:/p/i.html", "file:///d:/p/i%2Ehtml"])
def test_a_drive_letter_has_one_spelling_where_there_are_drives(uri: str) -> None:
    assert path_of_uri(uri, windows=True) == "d:/p/i.html"
    assert path_of_uri(uri, windows=False).lower() == "/d:/p/i.html"
