"""What doctor finds wrong with the configuration of agents."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from lsp_server.setup import check, command, programs
from lsp_server.setup.agents import AGENTS
from lsp_server.setup.editors import EDITORS
from lsp_server.setup.places import Scope, own_command
from lsp_server.setup.record import Kept
from lsp_server.setup.stale import of_plan
from tests.agents.installed import PINNED
from tests.lsp_server.setup.test_setup import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def setup(house: House, name: str, program: list[str] | None = None) -> None:
    plan = command.NAMES[name](house.places, "user", program or own_command())
    assert command.run(plan, house.kept) == 0


def trusting(house: House) -> None:
    """Somebody's Codex that was told to trust hooks."""
    config = house.places.home / ".codex" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text('[hooks.state."x"]\ntrusted_hash = "h"\n')


def test_hooks_that_codex_was_not_told_to_trust(house: House) -> None:
    setup(house, "codex")
    _, (trouble,) = check.examine(house.places, house.kept)
    assert "before you trust it" in trouble.what
    assert "/hooks" in trouble.remedy


@pytest.mark.parametrize("name", AGENTS)
def test_what_setup_wrote_is_well(house: House, name: str) -> None:
    trusting(house)
    setup(house, name)
    facts, troubles = check.examine(house.places, house.kept)
    assert troubles == []
    assert any(fact.startswith(f"{name} (") for fact, _ in facts)


def test_nothing_of_ours_is_nothing_to_tell(house: House) -> None:
    (house.places.home / ".claude.json").write_text('{"mcpServers": {}}')
    assert check.examine(house.places, house.kept) == ([], [])


@pytest.mark.parametrize("is_deleted", [True, False])
@pytest.mark.parametrize("name", command.NAMES)
def test_what_setup_put_in_and_is_lost(house: House, name: str, is_deleted: bool) -> None:
    """Each file in turn; then the ways out: put in again, and taken out on purpose."""
    trusting(house)
    setup(house, name)
    plan = command.NAMES[name](house.places, "user", own_command())
    for path, _ in plan:
        if is_deleted:
            path.unlink()
        else:
            other = {".json": '{"model": "opus"}\n', ".toml": 'trusted_hash = "x"\n'}.get(path.suffix, "")
            path.write_text("" if path.name == "coeditor.json" else other)
        _, troubles = check.examine(house.places, house.kept)
        lost = [one for one in troubles if one.what.startswith(f"{path} ")]
        assert [one.remedy.startswith(f"Run coeditor setup {name}; or") for one in lost] == [True], troubles
        assert f"coeditor setup {name} --undo" in lost[0].remedy
        setup(house, name)
        trusted = [one for one in check.examine(house.places, house.kept)[1] if "trust" not in one.what]
        assert trusted == []
    for path, _ in plan:
        path.unlink()
    assert len(check.examine(house.places, house.kept)[1]) >= len(plan)
    assert command.run(plan, house.kept, undo=True) == 0
    assert check.examine(house.places, house.kept) == ([], [])


@pytest.mark.parametrize(
    ("gone", "was_changed"), [("/nowhere/coeditor", True), ("/no where/coeditor", False)]
)
@pytest.mark.parametrize("name", command.NAMES)
def test_setup_once_repairs_a_program_that_is_gone(
    house: House, name: str, was_changed: bool, gone: str
) -> None:
    """A moved installation leaves the files as setup wrote them; a hand at work does not."""
    trusting(house)
    make = command.NAMES[name]
    setup(house, name)
    right = {path: path.read_bytes() for path, _ in make(house.places, "user", own_command())}
    assert command.run(make(house.places, "user", own_command()), house.kept, undo=True) == 0
    plan = make(house.places, "user", [gone])
    other = Kept(house.base / "other.json")
    assert command.run(plan, other if was_changed else house.kept) == 0
    if was_changed and name == "claude-code":  # what setup did once: ours beside the others
        hooks = make(house.places, "user", own_command())[1]
        assert command.run([hooks], house.kept) == 0
    for path, _ in plan:
        found = [one for one in check.examine(house.places, house.kept)[1] if str(path) in one.what]
        assert [one.remedy for one in found] == [f"Run coeditor setup {name}."]
        assert gone in found[0].what

    today = make(house.places, "user", own_command())
    assert command.run(today, house.kept, of_plan(make, house.places, "user", today)) == 0
    assert check.examine(house.places, house.kept)[1] == []
    for path, data in right.items():
        now = path.read_bytes()
        assert gone.encode() not in now
        assert sorted(now.splitlines()) == sorted(data.splitlines()), path  # and nothing is there twice
    assert command.run(today, house.kept, undo=True) == 0
    assert not any(b"coeditor" in data for data in house.files().values())


@pytest.mark.parametrize("scope", get_args(Scope))
@pytest.mark.parametrize("name", command.NAMES)
def test_undo_takes_out_what_starts_a_program_that_is_gone(house: House, name: str, scope: Scope) -> None:
    """Also where nothing is remembered of it, and beside something of the person's."""
    make = command.NAMES[name]
    plan = make(house.places, scope, ["/nowhere/coeditor"])
    for path, _ in plan:
        if path.suffix in (".json", ".toml"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(
                ""
                if path.name.startswith("coeditor")
                else {".json": '{\n  "a": 1\n}\n', ".toml": "a = 1\n"}[path.suffix]
            )
    before = house.files()
    assert command.run(plan, Kept(house.base / "other.json")) == 0
    today = make(house.places, scope, own_command())
    assert command.run(today, house.kept, of_plan(make, house.places, scope, today), undo=True) == 0
    after = house.files()
    assert not any(b"coeditor" in data for data in after.values())
    assert {path: b"".join(data.split()) for path, data in before.items() if data} == {
        path: b"".join(data.split()) for path, data in after.items() if data
    }


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "/nowhere/coeditor", "args": ["mcp", "--more"]},
        {"command": "/nowhere/other", "args": ["mcp"]},
        {"command": "/nowhere/coeditor", "args": ["mcp"], "env": {"A": "b"}},
    ],
)
@pytest.mark.parametrize("undo", [True, False])
def test_an_entry_that_is_not_ours_stays_though_its_program_is_gone(
    house: House, entry: dict[str, object], undo: bool
) -> None:
    path = house.places.home / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"coeditor": entry}}))
    before = path.read_bytes()
    plan = AGENTS["gemini"](house.places, "user", own_command())
    stale = of_plan(AGENTS["gemini"], house.places, "user", plan)
    assert command.run(plan, house.kept, stale, undo=undo) == 1
    assert path.read_bytes() == before
    (trouble,) = check.examine(house.places, house.kept)[1]
    assert not trouble.remedy.startswith("Run coeditor setup gemini.")


@pytest.mark.parametrize("name", ["gemini", *EDITORS])
def test_a_program_that_is_gone(house: House, name: str) -> None:
    setup(house, name, ["/gone/coeditor"])
    _, (trouble,) = check.examine(house.places, house.kept)
    assert "/gone/coeditor, which is not there" in trouble.what
    assert trouble.remedy == f"Run coeditor setup {name}."


@pytest.mark.parametrize(
    ("name", "path", "more"),
    [
        ("claude-code", ".claude.json", {"projects": {"/gone/coeditor": {"history": ["/gone/coeditor"]}}}),
        ("claude-code", ".claude.json", {"githubRepoPaths": {"x/coeditor": ["/gone/coeditor"]}}),
        ("codex", ".codex/config.toml", '[projects."/gone/coeditor"]\ntrust_level = "trusted"\n'),
        ("goose", ".config/goose/config.yaml", "folder: /gone/coeditor\n"),
    ],
)
def test_a_folder_of_our_name_that_is_gone_is_no_program(
    house: House, name: str, path: str, more: dict[str, object] | str
) -> None:
    trusting(house)
    setup(house, name)
    file = house.places.home / path
    text = file.read_text()
    file.write_text(text + more if isinstance(more, str) else json.dumps(json.loads(text) | more))
    assert check.examine(house.places, house.kept)[1] == []


@pytest.mark.parametrize("name", AGENTS)
def test_every_agents_program_that_is_gone(house: House, name: str) -> None:
    trusting(house)
    assert command.run(AGENTS[name](house.places, "user", ["/gone/coeditor"]), house.kept) == 0
    what = [one.what for one in check.examine(house.places, house.kept)[1]]
    files = [path for path, _ in AGENTS[name](house.places, "user", ["/gone/coeditor"])]
    assert all(any(str(path) in one and "which is not there" in one for one in what) for path in files), what


@pytest.mark.parametrize(
    ("name", "settings", "told"),
    [
        ("claude-code", {}, "the others by its tool search"),
        ("claude-code", {"env": {"ENABLE_TOOL_SEARCH": "false"}}, "all at once"),
        ("codex", {}, "by its tool search"),
        ("gemini", {}, None),
    ],
)
def test_tools_that_are_hidden_behind_a_tool_search_are_told_of(
    house: House, name: str, settings: dict[str, object], told: str | None
) -> None:
    setup(house, name)
    if settings:
        file = house.places.home / ".claude" / "settings.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | settings))
    facts = [value for fact, value in check.examine(house.places, house.kept)[0] if "finds our tools" in fact]
    assert [told is not None and told in value for value in facts] == [True] * (told is not None)


@pytest.mark.parametrize("name", EDITORS)
def test_an_editor_whose_program_is_there(house: House, name: str) -> None:
    setup(house, name)
    assert check.examine(house.places, house.kept) == ([], [])


@pytest.mark.parametrize(
    ("name", "path", "more", "told"),
    [
        ("claude-code", ".claude/settings.json", {"disableAllHooks": True}, "Hooks are switched off"),
        ("cline", ".cline/data/settings/cline_mcp_settings.json", {"disabled": True}, "switched off"),
        ("gemini", ".gemini/settings.json", {"excludeTools": ["edit"]}, "are hidden"),
        (
            "codex",
            ".codex/hooks.json",
            {"hooks": {"Stop": [{"hooks": [{"type": "http"}]}]}},
            "whole file away",
        ),
    ],
)
def test_what_nobody_would_see(
    house: House, name: str, path: str, more: dict[str, object], told: str
) -> None:
    trusting(house)
    setup(house, name)
    file = house.places.home / path
    found = json.loads(file.read_text())
    if "hooks" in more:
        found["hooks"] |= more["hooks"]
    else:
        (found["mcpServers"]["coeditor"] if name in ("cline", "gemini") else found).update(more)
    file.write_text(json.dumps(found, indent=2))
    _, troubles = check.examine(house.places, house.kept)
    assert any(told in one.what for one in troubles), troubles


def test_a_part_that_is_missing(house: House) -> None:
    setup(house, "claude-code")
    file = house.places.home / ".claude" / "settings.json"
    found = json.loads(file.read_text())
    del found["hooks"]["PreToolUse"]
    file.write_text(json.dumps(found))
    _, troubles = check.examine(house.places, house.kept)
    assert "lacks a part" in troubles[0].what


def test_the_versions_that_are_named_are_those_that_are_driven() -> None:
    driven = {("claude-code" if name == "claude" else name): version for name, (_, version) in PINNED.items()}
    assert driven == programs.TRIED


@pytest.mark.parametrize(("version", "is_told"), [("2.1.117", True), ("2.1.118", False), ("3.0.0", False)])
def test_a_hook_that_voids_the_settings_of_an_older_claude_code(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, is_told: bool
) -> None:
    program = tmp_path / "claude"
    program.write_text(f"#!/bin/sh\necho '{version} (Claude Code)'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    able = replace(house.places, has_tool_hooks=True)
    assert command.run(command.NAMES["claude-code"](able, "user", own_command()), house.kept) == 0
    _, troubles = check.examine(house.places, house.kept)
    assert ["Update Claude Code" in one.remedy for one in troubles] == [True] * is_told
