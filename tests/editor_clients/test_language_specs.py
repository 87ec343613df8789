"""The table of language servers, how settings change it, and where programs are found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from editor_clients.language_specs import (
    DEFAULT_SPECS,
    ServerSpec,
    find_program,
    find_trusted_program,
    with_overrides,
)

BY_NAME = {spec.name: spec for spec in DEFAULT_SPECS}


@pytest.mark.parametrize(
    ("name", "path", "language"),
    [
        ("ruff", "/w/a.py", "python"),
        ("ruff", "/w/a.pyi", "python"),
        ("ruff", "/w/A.PY", "python"),
        ("ruff", "/w/a.txt", None),
        ("basedpyright", "/w/a.py", "python"),
        ("typescript", "/w/a.tsx", "typescriptreact"),
        ("typescript", "/w/a.mjs", "javascript"),
        ("json", "/w/package.json", "json"),
        ("css", "/w/a.scss", "scss"),
        ("html", "/w/a.htm", "html"),
        ("yaml", "/w/.github/ci.yml", "yaml"),
        ("bash", "/w/run.sh", "shellscript"),
        ("clangd", "/w/a.hpp", "cpp"),
        ("gopls", "/w/go.mod", "go.mod"),
        ("gopls", "/w/other.mod", None),
        ("rust-analyzer", "/w/a.rs", "rust"),
        ("rust-analyzer", "/w/Makefile", None),
    ],
)
def test_languages(name: str, path: str, language: str | None) -> None:
    assert BY_NAME[name].language_of(path) == language


def test_the_table_is_well_formed() -> None:
    assert len(BY_NAME) == len(DEFAULT_SPECS)
    assert all(spec.command and spec.languages and spec.enabled for spec in DEFAULT_SPECS)
    pulls = {spec.name for spec in DEFAULT_SPECS if spec.mode == "pull"}
    assert pulls == {"basedpyright", "json", "css", "html", "tsc"}
    assert not BY_NAME["typescript"].versioned


def test_settings_turn_servers_off_change_and_add_them() -> None:
    specs, problems = with_overrides(
        {
            "ruff": False,
            "basedpyright": {"enabled": True, "settings": {"basedpyright": {"analysis": {}}}, "mode": "push"},
            "mine": {"command": ["mine", "--stdio"], "languages": {".mine": "mine"}, "versioned": True},
            "clangd": {"command": ["clangd-18"], "on_save": True, "options": {"x": 1}},
        }
    )
    found = {spec.name: spec for spec in specs}
    assert problems == ()
    assert not found["ruff"].enabled
    assert (found["basedpyright"].mode, found["basedpyright"].command) == (
        "push",
        BY_NAME["basedpyright"].command,
    )
    assert found["mine"] == ServerSpec("mine", ("mine", "--stdio"), {".mine": "mine"}, versioned=True)
    assert (found["clangd"].command, found["clangd"].on_save, found["clangd"].options) == (
        ("clangd-18",),
        True,
        {"x": 1},
    )
    assert found["yaml"] == BY_NAME["yaml"]


@pytest.mark.parametrize(
    ("overrides", "problem"),
    [
        ({"ruff": 5}, "language_servers.ruff must be an object, true or false."),
        ({"ruff": {"command": "ruff"}}, "language_servers.ruff.command is not understood and was ignored."),
        ({"ruff": {"command": []}}, "language_servers.ruff.command is not understood and was ignored."),
        ({"ruff": {"mode": "both"}}, "language_servers.ruff.mode is not understood and was ignored."),
        ({"ruff": {"colour": 1}}, "language_servers.ruff.colour is not understood and was ignored."),
        (
            {"ruff": {"languages": {".py": 1}}},
            "language_servers.ruff.languages is not understood and was ignored.",
        ),
        ({"mine": {"command": ["mine"]}}, "language_servers.mine needs a command and languages."),
    ],
)
def test_settings_that_make_no_sense_are_said_and_ignored(overrides: dict[str, object], problem: str) -> None:
    assert with_overrides(overrides) == (DEFAULT_SPECS, (problem,))


def program(folder: Path, name: str) -> str:
    folder.mkdir(parents=True)
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return str(file)


def test_programs_beside_python_win_then_path_then_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project"
    ours, path = tmp_path / "ours", tmp_path / "path"
    monkeypatch.setattr(sys, "executable", str(ours / "python"))
    monkeypatch.setenv("PATH", str(path))
    assert find_program("checker", str(root)) is None
    in_modules = program(root / "node_modules" / ".bin", "checker")
    assert find_program("checker", str(root)) == in_modules
    in_venv = program(root / ".venv" / "bin", "checker")
    assert find_program("checker", str(root)) == in_venv
    assert find_trusted_program("checker", str(root)) is None
    on_path = program(path, "checker")
    assert find_program("checker", str(root)) == on_path
    beside = program(ours, "checker")
    assert find_program("checker", str(root)) == beside == find_trusted_program("checker", str(root))
    assert find_program(on_path, str(root)) == on_path
    assert find_program(str(tmp_path / "nothing"), str(root)) is None
