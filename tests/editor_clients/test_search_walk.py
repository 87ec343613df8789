"""Which files a search looks at; git itself and ripgrep say what is ignored."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings

from editor_clients.search_ignore import Ignores
from editor_clients.search_walk import Walk, WalkStoppedError, is_binary
from editor_clients.walls import Walls
from tests.editor_clients import search_strategies


def put(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        if any(above.is_file() for above in path.parents) or path.is_dir():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, newline="")


def walked(root: Path, start: str = ".", **walls: Any) -> list[str]:
    """Paths relative to ``root`` as the walk from ``start`` lists them."""
    root = root.resolve()
    walk = Walk(str((root / start).resolve()), [str(root)], Walls([str(root)], **walls).may_list)
    return [os.path.relpath(path, root) for path in walk.files()]


FILES = {"a.py": "", "b/c.py": "", "b.py": "", "b/d.log": "", "build/x": "", "b/build/y": "", ".hidden": ""}
ALL = [".hidden", "a.py", "b.py", "b/build/y", "b/c.py", "b/d.log", "build/x"]


@pytest.mark.parametrize(
    ("ignores", "left_out"),
    [
        ({}, []),
        ({".gitignore": "*.log"}, ["b/d.log"]),
        ({".gitignore": "*.log\n!d.log"}, []),
        ({".gitignore": "/build/"}, ["build/x"]),
        ({".gitignore": "build"}, ["build/x", "b/build/y"]),
        ({".gitignore": "build\n!build/x"}, ["build/x", "b/build/y"]),
        ({".gitignore": "build/*\n!build/x"}, []),
        ({".gitignore": "*.log", "b/.gitignore": "!d.log"}, []),
        ({"b/.gitignore": "/c.py"}, ["b/c.py"]),
        ({"b/.gitignore": "a.py"}, []),
        ({".ignore": "a.py"}, ["a.py"]),
        ({".gitignore": "a.py", ".ignore": "!a.py"}, []),
        ({"b/.gitignore": "!d.log", ".ignore": "*.log"}, ["b/d.log"]),
        ({".git/info/exclude": "a.py"}, ["a.py"]),
        ({".git/info/exclude": "a.py", ".gitignore": "!a.py"}, []),
        ({".gitignore": "*.log", "b/.git/HEAD": ""}, []),
        ({".gitignore": "# *\n\\#x\n  \n"}, []),
        ({".gitignore": "\ufeff*.log\r\n"}, ["b/d.log"]),
        ({".gitignore": ".*"}, [".hidden"]),
    ],
)
def test_ignore_rules(tmp_path: Path, ignores: dict[str, str], left_out: list[str]) -> None:
    put(tmp_path, FILES | ignores)
    found = [path for path in walked(tmp_path) if not path.endswith((".gitignore", ".ignore"))]
    assert found == [path for path in ALL if path not in left_out]


def test_a_folder_that_is_named_is_searched_although_it_is_ignored(tmp_path: Path) -> None:
    put(tmp_path, FILES | {".gitignore": "build/\n*.log", "build/y.log": ""})
    assert walked(tmp_path, "build") == ["build/x"]


def test_the_repository_above_the_workspace_counts(tmp_path: Path) -> None:
    put(tmp_path, {".git/HEAD": "", ".gitignore": "*.log", "ws/a.log": "", "ws/a.py": ""})
    assert walked(tmp_path / "ws") == ["a.py"]


def test_without_a_repository_nothing_above_the_workspace_counts(tmp_path: Path) -> None:
    put(tmp_path, {".gitignore": "*", "ws/.gitignore": "*.log", "ws/sub/a.log": "", "ws/sub/a.py": ""})
    assert walked(tmp_path / "ws", "sub") == ["sub/a.py"]


def test_links_pipes_and_the_repositorys_data_are_left_out(tmp_path: Path) -> None:
    put(tmp_path, {"a": "", ".git/config": "", "sub/.hg/x": "", "other/b": ""})
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "folder").symlink_to("other")
    (tmp_path / "loop").symlink_to(".")
    os.mkfifo(tmp_path / "pipe")
    assert walked(tmp_path) == ["a", "other/b"]


def test_a_folder_in_the_place_of_the_rules_is_no_rule_and_holds_nothing_open(tmp_path: Path) -> None:
    put(tmp_path, FILES)
    (tmp_path / ".gitignore").mkdir()
    before = os.open("/", os.O_RDONLY)
    os.close(before)
    assert sorted(walked(tmp_path)) == ALL
    after = os.open("/", os.O_RDONLY)
    os.close(after)
    assert after == before


def test_closed_paths_are_left_out(tmp_path: Path) -> None:
    put(tmp_path, {"a": "", "secret/x": "", "b/.env": "", "state/s": ""})
    found = walked(tmp_path, forbidden=("secret/", ".env"), state_folders=(str(tmp_path / "state"),))
    assert found == ["a"]


def test_a_folder_that_cannot_be_listed_is_named_and_one_that_is_gone_is_not(tmp_path: Path) -> None:
    put(tmp_path, {"a": "", "gone/b": "", "shut/b": ""})
    walk = Walk(str(tmp_path), [str(tmp_path)], lambda _: True)
    files = walk.files()
    next(files)
    for name in ("gone", "shut"):
        (tmp_path / name / "b").unlink()
        (tmp_path / name).rmdir()
    (tmp_path / "shut").symlink_to("shut")
    assert list(files) == []
    assert walk.unread == [str(tmp_path / "shut")]


def test_a_stopped_walk_ends_in_an_error(tmp_path: Path) -> None:
    put(tmp_path, {"a": "", "sub/b": ""})
    walk = Walk(str(tmp_path), [str(tmp_path)], lambda _: True)
    files = walk.files()
    next(files)
    walk.stop.set()
    with pytest.raises(WalkStoppedError):
        next(files)


def test_what_would_be_listed_need_not_exist(tmp_path: Path) -> None:
    put(tmp_path, {".gitignore": "*.log\nbuild/", "a": ""})
    walk = Walk(str(tmp_path), [str(tmp_path)], lambda path: "secret" not in path)
    told = {name: walk.lists(str(tmp_path / name)) for name in ("n", "n.log", "build/n", ".git/n", "secret")}
    assert told == {"n": True, "n.log": False, "build/n": False, ".git/n": False, "secret": False}
    assert not walk.lists("/elsewhere")


@given(
    tree=search_strategies.trees,
    top=search_strategies.ignore_lines,
    inner=search_strategies.ignore_lines,
)
@settings(max_examples=40)
def test_git_ignores_the_same(tree: dict[str, str], top: list[str], inner: list[str]) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        put(root, tree | {".gitignore": "\n".join(top), "a/.gitignore": "\n".join(inner)})
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", "init", "-q", folder], check=True, env=environment)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--others", "--exclude-standard"],
            cwd=folder,
            capture_output=True,
            check=True,
            env=environment,
        ).stdout
        assert walked(root) == sorted(name.decode() for name in listed.split(b"\0") if name)


def test_rules_of_one_folder_are_shared_by_those_below(tmp_path: Path) -> None:
    put(tmp_path, {".gitignore": "x", "sub/a": ""})
    top = Ignores().entered(str(tmp_path))
    assert top.entered(str(tmp_path / "sub")) is top


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"a\0b", True),
        (b"", False),
        (b"text\n", False),
        ("wide".encode("utf-16"), False),
        ("wide".encode("utf-32"), False),
        (b"x" * 10_000 + b"\0", False),
    ],
)
def test_binary_files_show_in_their_first_bytes(tmp_path: Path, data: bytes, binary: bool) -> None:
    (tmp_path / "a").write_bytes(data)
    assert is_binary(str(tmp_path / "a")) is binary
    assert is_binary(str(tmp_path / "gone")) is False
