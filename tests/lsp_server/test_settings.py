"""Precedence, checks and tightening of settings."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.patterns import Patterns
from lsp_server.settings import CHOICES, NAMES, Settings, load, merge


def test_choices_are_those_of_the_types() -> None:
    """The table has them from the strictest on, which a type cannot say."""
    hints = get_type_hints(Settings)
    typed = {name: set(get_args(hints[name])) for name in NAMES if isinstance(getattr(Settings(), name), str)}
    assert {name: set(choices) for name, choices in CHOICES.items()} == typed


def loaded(
    tmp_path: Path,
    *,
    user: str = "",
    project: str = "",
    pyproject: str = "",
    editor: dict[str, Any] | None = None,
    workspace: dict[str, Any] | None = None,
    environment: object = None,
) -> Settings:
    config = tmp_path / "config" / "coeditor"
    config.mkdir(parents=True)
    (config / "config.toml").write_text(user)
    root = tmp_path / "root"
    root.mkdir()
    (root / ".coeditor.toml").write_text(project)
    (root / "pyproject.toml").write_text(pyproject)
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    if environment is not None:
        environ["COEDITOR_SETTINGS"] = (
            environment if isinstance(environment, str) else json.dumps(environment)
        )
    return load(str(root), environ, editor, workspace)


def test_defaults_hold_where_nothing_is_set(tmp_path: Path) -> None:
    assert loaded(tmp_path) == Settings()


def test_later_sources_win(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        user='matching = "exact"\nread_chars = 5000\nsave = "never"',
        editor={"save": "always", "read_chars": 6000},
        environment={"read_chars": 7000},
    )
    assert (found.matching, found.save, found.read_chars) == ("exact", "always", 7000)
    assert found.problems == ()


@pytest.mark.parametrize(
    ("editor", "workspace", "name", "value", "complaints"),
    [
        ({}, {"matching": "exact"}, "matching", "exact", 0),
        ({"matching": "exact"}, {"matching": "tolerant"}, "matching", "exact", 1),
        ({"read_first": False}, {"read_first": True}, "read_first", True, 0),
        ({}, {"read_first": False}, "read_first", True, 1),
        ({"mode": "full"}, {"mode": "read-only"}, "mode", "read-only", 0),
        ({"save": "never"}, {"save": "always"}, "save", "always", 0),
        ({"forbidden": ["a"]}, {"forbidden": ["b"]}, "forbidden", ("a", "b"), 0),
        ({}, {"language_servers": {"x": {"command": ["evil"]}}}, "language_servers", {}, 1),
    ],
)
def test_what_an_editor_has_from_the_repository_only_tightens(
    tmp_path: Path,
    editor: dict[str, Any],
    workspace: dict[str, Any],
    name: str,
    value: object,
    complaints: int,
) -> None:
    found = loaded(tmp_path, editor=editor, workspace=workspace)
    assert getattr(found, name) == value
    assert len(found.problems) == complaints


@pytest.mark.parametrize(
    ("user", "project", "name", "value", "complaints"),
    [
        ("", 'matching = "exact"', "matching", "exact", 0),
        ('matching = "exact"', 'matching = "tolerant"', "matching", "exact", 1),
        ("", "read_first = false", "read_first", True, 1),
        ("read_first = false", "read_first = true", "read_first", True, 0),
        ("", 'mode = "read-only"', "mode", "read-only", 0),
        ("", 'mode = "full"', "mode", "workspace-write", 1),
        ("", 'overwrite_unsaved = "allow"', "overwrite_unsaved", "ask", 1),
        ("", 'on_conflict = "merge"', "on_conflict", "refuse", 1),
        ("", 'staleness = "on-miss"', "staleness", "check-first", 1),
        ("", "replace_repeated = true", "replace_repeated", False, 1),
        ("", 'roots = ["/"]', "roots", (), 1),
        ('forbidden = ["a"]', 'forbidden = ["b"]', "forbidden", ("a", "b"), 0),
        ('forbidden = ["a"]', 'forbidden = ["b", "!a"]', "forbidden", ("b", "!a", "a"), 0),
        ('secret_files = ["a"]', 'secret_files = ["b"]', "secret_files", ("a", "b"), 0),
        ('secret_files = ["a"]', 'secret_files = ["!a"]', "secret_files", ("!a", "a"), 0),
        ("", "secret_files = []", "secret_files", Settings().secret_files, 0),
        ("", 'save = "never"', "save", "never", 0),
        ("", "ask_first = []", "ask_first", Settings().ask_first, 0),
        ("ask_first = []", 'ask_first = ["a"]', "ask_first", ("a",), 0),
        ("", 'ask_first = ["!.env"]', "ask_first", ("!.env", *Settings().ask_first), 0),
        ("", 'ignored_files = "refuse"', "ignored_files", "refuse", 0),
        ('ignored_files = "ask"', 'ignored_files = "allow"', "ignored_files", "ask", 1),
        ("", 'extensions = [".py"]', "extensions", (".py",), 0),
        ('extensions = [".py", ".c"]', 'extensions = [".py"]', "extensions", (".py",), 0),
        ('extensions = [".py"]', 'extensions = [".sh"]', "extensions", (".py",), 1),
        ('extensions = [".py"]', "extensions = []", "extensions", (".py",), 1),
    ],
)
def test_a_repository_can_only_tighten(
    tmp_path: Path, user: str, project: str, name: str, value: object, complaints: int
) -> None:
    found = loaded(tmp_path, user=user, project=project)
    assert getattr(found, name) == value
    assert len(found.problems) == complaints


def test_a_repository_can_lower_limits_and_not_raise_them(tmp_path: Path) -> None:
    found = loaded(tmp_path, pyproject="[tool.coeditor.limits]\npatch_files = 7\nfile_bytes = 999999999999\n")
    assert found.limit("patch_files") == 7
    assert found.limit("file_bytes") == 64 << 20


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "no such choice") for name in CHOICES),
        ("read_first", "yes"),
        ("read_chars", 10),
        ("read_chars", True),
        ("forbidden", "*.key"),
        ("limits", {"patch_files": 0}),
        ("limits", {"patch_files": True}),
        ("limits", {"patch_files": 10**400}),
        ("limits", {"unheard_of": 1}),
        ("forbidden", ["!"]),
        ("forbidden", ["a\\"]),
        ("forbidden", ["a\nb"]),
        ("ask_first", ["\ud800"]),
        ("roots", ["relative"]),
        ("roots", ["/a\0b"]),
        ("extensions", ["a/b"]),
        ("side_effects", {"history": "on"}),
        ("colour", "red"),
    ],
)
def test_what_does_not_fit_is_said_and_the_default_stays(name: str, value: object) -> None:
    found = merge(Settings(), {name: value}, "user")
    assert len(found.problems) == 1
    assert name in found.problems[0]
    assert all(getattr(found, each) == getattr(Settings(), each) for each in NAMES)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("read_frist", " Did you mean read_first?"),
        ("Read-First", " Did you mean read_first?"),
        ("colour", ""),
    ],
)
def test_the_file_and_the_nearest_name_are_said(tmp_path: Path, name: str, told: str) -> None:
    (problem,) = loaded(tmp_path, user=f"{name} = true").problems
    file = tmp_path / "config" / "coeditor" / "config.toml"
    assert problem == f"{file}: there is no setting '{name}'.{told}"


@pytest.mark.parametrize("text", ["{", "[1]", '"x"', "[" * 200_000])
def test_a_broken_environment_variable_is_said(tmp_path: Path, text: str) -> None:
    assert len(loaded(tmp_path, environment=text).problems) == 1


def test_a_broken_file_is_said_and_the_others_hold(tmp_path: Path) -> None:
    found = loaded(tmp_path, user="matching = ", project='mode = "read-only"')
    assert found.mode == "read-only"
    assert len(found.problems) == 1


def test_tables_are_merged_by_key() -> None:
    found = merge(Settings(), {"side_effects": {"diagnostics": False}}, "user")
    assert dict(found.side_effects) == {
        "diagnostics": False,
        "history": True,
        "refresh": True,
        "events": True,
    }


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "spoil",
    [
        _pipe,
        _folder,
        lambda path: path.write_bytes(b"\xff\xfe"),
        lambda path: path.write_text("x = " + "[" * 100_000),
        lambda path: path.write_text("#" * (2 << 20)),
        lambda path: path.chmod(0) if os.getuid() else path.write_text("\0"),
    ],
    ids=["pipe", "folder", "no text", "deep", "large", "closed"],
)
def test_a_file_that_cannot_be_read_is_said_and_holds_up_nobody(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / ".coeditor.toml").write_text("")
    (root / "pyproject.toml").write_text('[tool.coeditor]\nmode = "read-only"\n')
    spoil(root / ".coeditor.toml")
    before = os.dup(0)
    os.close(before)
    found = load(str(root), {"XDG_CONFIG_HOME": str(tmp_path)})
    after = os.dup(0)
    os.close(after)
    assert after == before, "nothing is held open"
    assert found.mode == "read-only"
    assert [".coeditor.toml could not be read" in one for one in found.problems] == [True]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["allow", "full", "!", "/"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=12,
)
STRICTEST_KEPT = (
    "read_first",
    "mode",
    "overwrite_unsaved",
    "on_conflict",
    "staleness",
    "durability",
    "hook_failure",
)


@given(st.dictionaries(st.sampled_from(NAMES) | st.text(), JSON, max_size=6))
def test_whatever_a_repository_says_nothing_is_loosened(found: dict[str, object]) -> None:
    user = merge(Settings(), {"mode": "read-only", "forbidden": ["secret/"]}, "user")
    after = merge(user, found, "project")
    for name in STRICTEST_KEPT:
        if name in CHOICES:
            ranks = CHOICES[name]
            assert ranks.index(getattr(after, name)) <= ranks.index(getattr(user, name))
        else:
            assert getattr(after, name) == getattr(user, name)
    for patterns, now in (
        (after.forbidden, "secret/x"),
        (after.ask_first, ".env"),
        (after.ask_first, ".mcp.json"),
    ):
        assert Patterns(patterns).match(now) is not None
    assert set(after.roots) <= set(user.roots)
    assert all(after.limit(name) <= user.limit(name) for name in user.limits)
    assert all(after.side_effects.values())


@given(JSON)
def test_no_value_is_more_than_a_complaint(found: object) -> None:
    after = merge(Settings(), found, "environment")
    assert all(len(problem) < 2_000 and problem.isprintable() for problem in after.problems)
    for name in CHOICES:
        assert getattr(after, name) in CHOICES[name]
    assert Patterns(after.forbidden).match("a/b") is None or after.forbidden
