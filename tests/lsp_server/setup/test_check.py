"""What doctor finds wrong with the configuration of agents."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lsp_server.setup import check, command, programs
from lsp_server.setup.agents import AGENTS
from lsp_server.setup.editors import EDITORS
from lsp_server.setup.places import own_command
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
    config.parent.mkdir()
    config.write_text('[hooks.state."x"]\ntrusted_hash = "h"\n')


def test_hooks_that_codex_was_not_told_to_trust(house: House) -> None:
    setup(house, "codex")
    _, (trouble,) = check.examine(house.places)
    assert "before you trust it" in trouble.what
    assert "/hooks" in trouble.remedy


@pytest.mark.parametrize("name", AGENTS)
def test_what_setup_wrote_is_well(house: House, name: str) -> None:
    trusting(house)
    setup(house, name)
    facts, troubles = check.examine(house.places)
    assert troubles == []
    assert any(fact.startswith(f"{name} (") for fact, _ in facts)


def test_nothing_of_ours_is_nothing_to_tell(house: House) -> None:
    (house.places.home / ".claude.json").write_text('{"mcpServers": {}}')
    assert check.examine(house.places) == ([], [])


@pytest.mark.parametrize("name", ["gemini", *EDITORS])
def test_a_program_that_is_gone(house: House, name: str) -> None:
    setup(house, name, ["/gone/coeditor"])
    _, (trouble,) = check.examine(house.places)
    assert "/gone/coeditor, which is not there" in trouble.what
    assert f"coeditor setup {name} --undo" in trouble.remedy


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
    assert check.examine(house.places)[1] == []


@pytest.mark.parametrize("name", AGENTS)
def test_every_agents_program_that_is_gone(house: House, name: str) -> None:
    trusting(house)
    assert command.run(AGENTS[name](house.places, "user", ["/gone/coeditor"]), house.kept) == 0
    what = [one.what for one in check.examine(house.places)[1]]
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
    facts = [value for fact, value in check.examine(house.places)[0] if "finds our tools" in fact]
    assert [told is not None and told in value for value in facts] == [True] * (told is not None)


@pytest.mark.parametrize("name", EDITORS)
def test_an_editor_whose_program_is_there(house: House, name: str) -> None:
    setup(house, name)
    assert check.examine(house.places) == ([], [])


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
    _, troubles = check.examine(house.places)
    assert any(told in one.what for one in troubles), troubles


def test_a_part_that_is_missing(house: House) -> None:
    setup(house, "claude-code")
    file = house.places.home / ".claude" / "settings.json"
    found = json.loads(file.read_text())
    del found["hooks"]["PreToolUse"]
    file.write_text(json.dumps(found))
    _, troubles = check.examine(house.places)
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
    _, troubles = check.examine(house.places)
    assert ["Update Claude Code" in one.remedy for one in troubles] == [True] * is_told
