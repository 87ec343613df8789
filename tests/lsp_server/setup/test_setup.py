"""Setup and undo of every agent and editor, over configuration that is there already."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lsp_server.hooks.dialects import name_of
from lsp_server.setup import command
from lsp_server.setup.agents import AGENTS, READ_TOOLS, Plan
from lsp_server.setup.pieces import LeftAloneError, TomlBlock, YamlEntry
from lsp_server.setup.places import Places, Scope
from lsp_server.setup.programs import ACP_PROGRAMS
from lsp_server.setup.record import Change, Kept, write
from tests.lsp_server.hooks.payloads import ROWS
from tests.lsp_server.setup.test_jsonc import texts

SCOPES = get_args(Scope)
PROGRAM = ["/opt/with blank/coeditor"]


class House:
    """One person's home and project, and what setup remembers."""

    def __init__(self, base: Path) -> None:
        self.base = base
        for name in ("home", "project"):
            (base / name).mkdir(parents=True, exist_ok=True)
        self.places = Places(base / "home", base / "project", {}, acp_programs=ACP_PROGRAMS)
        self.kept = Kept(base / "state" / "setup.json")

    def plan(self, name: str, scope: Scope) -> Plan:
        return command.NAMES[name](self.places, scope, PROGRAM)

    def files(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.base)): path.read_bytes()
            for name in ("home", "project")
            for path in (self.base / name).rglob("*")
            if path.is_file()
        }


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("name", command.NAMES)
def test_setup_twice_is_setup_once_and_undo_leaves_nothing(
    house: House, name: str, scope: Scope, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = house.plan(name, scope)
    assert command.run(plan, house.kept, dry_run=True) == 0
    assert house.files() == {}
    assert command.run(plan, house.kept) == 0
    once = house.files()
    assert len(once) == len(plan)
    assert command.run(plan, house.kept) == 0
    assert house.files() == once
    for path in once:
        if path.endswith(".json"):
            json.loads(once[path])
        if path.endswith(".toml"):
            tomllib.loads(once[path].decode())
        if path.endswith(".yaml"):
            yaml.safe_load(once[path])
    assert command.run(plan, house.kept, undo=True) == 0
    assert house.files() == {}
    assert "as it should be" in capsys.readouterr().out


def odd_text(path: Path, draw: st.DrawFn) -> bytes | None:
    """What may be in a file of this kind; None for no file."""
    if draw(st.booleans()):
        return None
    if path.suffix == ".json":
        text = draw(texts())[0]
    elif path.suffix == ".toml":
        text = draw(st.sampled_from(TOML))
    elif path.suffix == ".yaml":
        text = draw(st.sampled_from(YAML))
    else:
        text = draw(st.sampled_from(["", "somebody else's\n", "#!/bin/sh\necho mine"]))
    return text.encode()


TOML = [
    "",
    "# only a comment",
    'model = "x"\n',
    'model = "x"',
    '[mcp_servers.other]\ncommand = "o"\n\n# end\n',
    'a = """\n# coeditor\n"""\r\n[b]\r\nc = 1\r\n',
    '[mcp_servers.coeditor]\ncommand = "mine"\n',
    'mcp_servers = { coeditor = { command = "mine" } }\n',
    "broken = \n",
    '[language-server.coeditor]\ncommand = "mine"\n',
]
YAML = [
    "",
    "# only a comment\n",
    "GOOSE_MODEL: x\n",
    "extensions:\n  other:\n    enabled: true\nafter: 1\n",
    "extensions:\n    other:\n        enabled: true",
    "extensions: # mine\n  # note\n  other: {enabled: true}\n",
    "extensions: {}\n",
    "extensions:\n  coeditor:\n    enabled: false\n",
    "a: 1\r\nextensions:\r\n  other:\r\n    cmd: x\r\n",
    "extensions:\n",
    "---\na: 1\n---\nb: 2\n",
]


@st.composite
def rooms(draw: st.DrawFn) -> tuple[str, Scope, list[tuple[int, bytes]]]:
    name, scope = draw(st.sampled_from(sorted(command.NAMES))), draw(st.sampled_from(SCOPES))
    paths = [path for path, _ in command.NAMES[name](Places(Path("/h"), Path("/p"), {}), scope, PROGRAM)]
    found = [(number, odd_text(path, draw)) for number, path in enumerate(paths)]
    return name, scope, [(number, data) for number, data in found if data is not None]


@given(rooms())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_setup_and_undo_leave_every_file_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, room: tuple[str, Scope, list[tuple[int, bytes]]]
) -> None:
    name, scope, there = room
    house = House(tmp_path_factory.mktemp("house"))
    plan = house.plan(name, scope)
    for number, data in there:
        path = plan[number][0]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    before = house.files()
    command.run(plan, house.kept)
    after = house.files()
    assert all(len(after[name]) >= len(data) for name, data in before.items())
    command.run(plan, house.kept)
    command.run(plan, house.kept, undo=True)
    assert house.files() == before


@given(texts(), st.sampled_from(["\n", " ", "// later\n"]))
@settings(deadline=None)
def test_undo_takes_only_our_entries_from_a_file_that_was_changed_since(
    tmp_path_factory: pytest.TempPathFactory, written: tuple[str, Any], more: str
) -> None:
    house = House(tmp_path_factory.mktemp("house"))
    plan = house.plan("gemini", "user")
    path = plan[0][0]
    path.parent.mkdir(parents=True)
    path.write_text(written[0])
    if command.run(plan, house.kept):
        return
    path.write_text(path.read_text() + more)
    assert command.run(plan, house.kept, undo=True) == 0
    assert "coeditor" not in path.read_text()
    assert path.read_text().endswith(more)


def test_an_entry_that_somebody_changed_stays(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    plan = house.plan("claude-code", "project")
    command.run(plan, house.kept)
    path = house.places.project / ".mcp.json"
    path.write_text(path.read_text().replace('"mcp"', '"mcp", "--root", "/x"'))
    changed = path.read_text()
    assert command.run(plan, house.kept, undo=True) == 1
    assert path.read_text() == changed
    assert "changed since" in capsys.readouterr().err


def test_what_is_left_alone_is_shown_to_be_put_in_by_hand(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    path = house.places.home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text("broken = \n")
    assert command.run(house.plan("codex", "user"), house.kept) == 1
    told = capsys.readouterr().err
    assert "no TOML that can be read" in told
    assert "[mcp_servers.coeditor]" in told


def test_links_and_modes_are_kept(house: House) -> None:
    real = house.base / "dotfiles.json"
    real.write_text("{}")
    real.chmod(0o600)
    path = house.places.home / ".claude.json"
    path.symlink_to(real)
    assert command.run(house.plan("claude-code", "user"), house.kept) == 0
    assert path.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert command.run(house.plan("claude-code", "user"), house.kept, undo=True) == 0
    assert (path.is_symlink(), real.read_text()) == (True, "{}")


def test_a_file_that_changes_at_this_moment_is_left(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("new")
    with pytest.raises(LeftAloneError):
        write(Change(path, b"old", b"ours"))
    assert path.read_text() == "new"


def test_undo_of_a_file_that_is_gone_brings_nothing_back(house: House) -> None:
    plan = house.plan("zed", "user")
    command.run(plan, house.kept)
    plan[0][0].unlink()
    assert command.run(plan, house.kept, undo=True) == 0
    assert house.files() == {}


def _files(plan: Plan) -> Mapping[str, str]:
    found = {}
    for path, entries in plan:
        text = ""
        for entry in entries:
            text = entry.add(text)
        found[path.name] = text
    return found


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("name", AGENTS)
def test_only_tools_that_look_are_approved_and_nobodys_lock_is_taken(name: str, scope: Scope) -> None:
    written = _files(AGENTS[name](Places(Path("/h"), Path("/p"), {}), scope, PROGRAM))
    for text in written.values():
        for changing in ("edit", "write", "apply_patch", "rewind"):
            for spelled in (f"mcp__coeditor__{changing}", f"mcp_coeditor_{changing}"):
                assert f'"{spelled}"' not in text
    assert not any(path.endswith(".lock") or path == "ide" for path in written)
    assert {"read", "grep", "diagnostics"} <= set(READ_TOOLS)


def test_hooks_are_in_the_agents_own_form() -> None:
    claude = json.loads(
        _files(AGENTS["claude-code"](Places(Path("/h"), Path("/p"), {}), "user", PROGRAM))["settings.json"]
    )
    for row in claude["hooks"]["PreToolUse"]:
        assert row["hooks"] == [{"type": "command", "command": PROGRAM[0], "args": ["hook"], "timeout": 30}]
    codex = json.loads(
        _files(AGENTS["codex"](Places(Path("/h"), Path("/p"), {}), "user", PROGRAM))["hooks.json"]
    )
    kinds = {one["type"] for rows in codex["hooks"].values() for row in rows for one in row["hooks"]}
    assert kinds == {"command"}  # one other kind and Codex throws the whole file away
    assert "'/opt/with blank/coeditor' hook" in json.dumps(codex)
    assert name_of({"opencode": "before"}, {}) == "opencode"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("claude-code", "claude"),
        ("codex", "codex"),
        ("gemini", "gemini"),
        ("vscode", "vscode"),
        ("cursor", "cursor"),
    ],
)
def test_each_event_that_an_agent_is_told_to_tell_is_understood(name: str, told: str) -> None:
    found = _files(AGENTS[name](Places(Path("/h"), Path("/p"), {}), "project", PROGRAM))
    hooks = [json.loads(text)["hooks"] for file, text in found.items() if '"hooks"' in text]
    asked = {event for one in hooks for event in one}
    tried = {row[2].get("hook_event_name") for row in ROWS if row[0] == told and row[3] is not None}
    assert asked
    assert asked <= tried


def test_agents_that_zed_runs_are_offered_checked(house: House) -> None:
    found = json.loads(_files(house.plan("zed", "user"))["settings.json"])
    assert found["context_servers"]["coeditor"]["args"] == ["mcp"]
    assert found["agent_servers"]["Gemini CLI, checked"] == {
        "type": "custom",
        "command": PROGRAM[0],
        "args": ["acp", "--", "gemini", "--acp"],
        "env": {},
    }
    assert len(found["agent_servers"]) == len(ACP_PROGRAMS)
    assert "agent_servers" not in _files(house.plan("zed", "project"))["settings.json"]


def test_an_agent_that_zed_ran_and_that_is_gone_since_is_taken_out_with_the_rest(house: House) -> None:
    theirs = house.places.config("zed") / "settings.json"
    theirs.parent.mkdir(parents=True)
    own = '{\n  "agent_servers": {\n    "own": {"command": "own"}\n  }\n}\n'
    theirs.write_text(own)
    here = replace(house.places, acp_programs=("opencode",))
    assert command.run(AGENTS["zed"](here, "user", PROGRAM), house.kept) == 0
    theirs.write_text(theirs.read_text() + "// seen\n")  # so that it cannot be put back as it was
    assert command.run(house.plan("zed", "user"), house.kept, undo=True) == 0
    assert theirs.read_text() == own + "// seen\n"


def test_a_claude_code_that_can_tells_whose_calls_of_our_tools_are_without_a_process(house: House) -> None:
    def kinds(name: str) -> list[str]:
        found = json.loads(house.files()[name])["hooks"]["PreToolUse"]
        return sorted(one["type"] for row in found for one in row["hooks"])

    able = replace(house.places, has_tool_hooks=True)
    assert command.run(AGENTS["claude-code"](able, "user", PROGRAM), house.kept) == 0
    assert kinds("home/.claude/settings.json") == ["command", "mcp_tool"]  # what guards needs no connection
    before = house.files()
    assert command.run(house.plan("claude-code", "user"), house.kept) == 0
    assert house.files() == before
    house.kept.forget(house.places.home / ".claude" / "settings.json")
    assert command.run(house.plan("claude-code", "user"), house.kept, undo=True) == 0
    assert house.files() == {"home/.claude/settings.json": b"{}\n"}
    # Others work on the project too, with whichever version they have.
    assert command.run(AGENTS["claude-code"](able, "project", PROGRAM), house.kept) == 0
    assert kinds("project/.claude/settings.json") == ["command", "command"]


def test_who_fails_closed_has_agents_do_so_too() -> None:
    places = Places(Path("/h"), Path("/p"), {}, fails_closed=True)
    claude = json.loads(_files(AGENTS["claude-code"](places, "user", PROGRAM))["settings.json"])
    guards = [row for row in claude["hooks"]["PreToolUse"] if "Edit" in row["matcher"]]
    assert [one["onFailure"] for row in guards for one in row["hooks"]] == ["block"]
    assert "onFailure" not in json.dumps(claude["hooks"]["PostToolUse"])
    cursor = json.loads(_files(AGENTS["cursor"](places, "user", PROGRAM))["hooks.json"])
    assert cursor["hooks"]["preToolUse"][0]["failClosed"] is True


@pytest.mark.parametrize("variable", ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME"])
def test_agents_that_were_moved_are_found(variable: str) -> None:
    places = Places(Path("/h"), Path("/p"), {variable: "/moved"})
    name = {"CLAUDE_CONFIG_DIR": "claude-code", "CODEX_HOME": "codex", "COPILOT_HOME": "copilot"}.get(
        variable, "gemini"
    )
    assert all(str(path).startswith("/moved/") for path, _ in AGENTS[name](places, "user", PROGRAM))


def test_a_block_that_was_edited_comes_out_all_the_same() -> None:
    block = TomlBlock(("a", "b"), ("[a.b]", "c = 1"))
    text = block.add("x = 1\n").replace("c = 1", "c = 2\nd = 3")
    assert block.remove(text) == "x = 1\n"
    entry = YamlEntry("extensions", "coeditor", ("enabled: true",))
    assert entry.remove(entry.add("a: 1\n").replace("true", "false")) == "a: 1\n"


@pytest.mark.parametrize("text", [text for text in YAML if text and "---" not in text])
def test_yaml_stays_what_it_means(text: str) -> None:
    entry = YamlEntry("extensions", "coeditor", ("enabled: true",))
    try:
        found = yaml.safe_load(entry.add(text))
    except LeftAloneError:
        return
    before = yaml.safe_load(text) or {}
    assert found["extensions"].pop("coeditor") == {"enabled": True}
    assert {**found, "extensions": found["extensions"] or None} == {
        **before,
        "extensions": before.get("extensions") or None,
    }


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    assert command.main(["codex", "--print"]) == 0
    assert command.main(["codex", "--dry-run"]) == 0
    assert not (tmp_path / ".codex").exists()
    assert command.main(["codex"]) == 0
    assert "trusted" in capsys.readouterr().out
    assert (tmp_path / ".codex" / "hooks.json").exists()
    assert command.main(["codex", "--undo"]) == 0
    assert not any((tmp_path / ".codex").iterdir())
    with pytest.raises(SystemExit) as wrong:
        command.main(["nobody"])
    assert wrong.value.code == 2
    assert os.environ["HOME"] == str(tmp_path)
