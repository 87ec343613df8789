"""What doctor finds wrong with the configuration of agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lsp_server.setup import check, command
from lsp_server.setup.places import own_command
from tests.agents.installed import PINNED
from tests.lsp_server.setup.test_setup import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def setup(house: House, name: str, program: list[str] | None = None) -> None:
    plan = command.NAMES[name](house.places, "user", program or own_command())
    assert command.run(plan, house.kept) == 0


@pytest.mark.parametrize("name", check.AGENTS)
def test_what_setup_wrote_is_well(house: House, name: str) -> None:
    setup(house, name)
    facts, troubles = check.examine(house.places)
    assert troubles == []
    assert any(fact.startswith(f"{name} (") for fact, _ in facts)


def test_nothing_of_ours_is_nothing_to_tell(house: House) -> None:
    (house.places.home / ".claude.json").write_text('{"mcpServers": {}}')
    assert check.examine(house.places) == ([], [])


def test_a_program_that_is_gone(house: House) -> None:
    setup(house, "gemini", ["/gone/coeditor"])
    _, troubles = check.examine(house.places)
    assert "/gone/coeditor, which is not there" in troubles[0].what
    assert "coeditor setup gemini --undo" in troubles[0].remedy


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
    assert driven == check.TRIED
