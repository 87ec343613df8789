"""With ``hook_failure = "closed"``: what an agent runs refuses a call also where our hook cannot be started."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from lsp_server.setup import command
from lsp_server.setup.agents import AGENTS, Plan
from lsp_server.setup.pieces import JsonItem, OwnFile
from lsp_server.setup.places import Places
from lsp_server.setup.record import Kept

GUARDS = {"codex": "PreToolUse", "gemini": "BeforeTool", "vscode": "PreToolUse"}
"""Agents for which a hook's exit status 2, with words on standard error, is a refusal."""
PAYLOAD = b'{"event": "x"}'


def plan(name: str, base: Path, *program: str, closed: bool = True) -> Plan:
    places = Places(base / "home", base / "project", {}, fails_closed=closed)
    return AGENTS[name](places, "project", program)


def guard_line(files: Plan, event: str) -> str:
    """The line that the agent gives to a shell before a call."""
    for _, entries in files:
        for entry in entries:
            if isinstance(entry, JsonItem) and entry.keys == ("hooks", event):
                return str(entry.value["hooks"][0]["command"])
            if isinstance(entry, OwnFile) and event in entry.text:
                return str(json.loads(entry.text)["hooks"][event][0]["command"])
    raise AssertionError(event)


def program(base: Path) -> Path:
    """A hook that says what it was told."""
    path = base / "it's here" / "coeditor"
    path.parent.mkdir()
    path.write_text('#!/bin/sh\nprintf "%s " "$@"\ncat\n')
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("name", GUARDS)
def test_a_shell_line_refuses_where_the_hook_cannot_run(tmp_path: Path, name: str) -> None:
    def ran(path: Path) -> subprocess.CompletedProcess[bytes]:
        line = guard_line(plan(name, tmp_path, str(path)), GUARDS[name])
        return subprocess.run(line, shell=True, input=PAYLOAD, capture_output=True, check=False)

    found = ran(tmp_path / "gone" / "coeditor")
    assert (found.returncode, found.stdout) == (2, b"")
    assert b"nothing may be changed" in found.stderr
    found = ran(program(tmp_path))
    assert (found.returncode, found.stdout, found.stderr) == (0, b"hook " + PAYLOAD, b"")
    gone = str(tmp_path / "gone")
    assert guard_line(plan(name, tmp_path, gone, closed=False), GUARDS[name]) == shlex.join([gone, "hook"])


def test_clines_script_ends_the_task_where_the_hook_cannot_run(tmp_path: Path) -> None:
    def ran(path: Path) -> subprocess.CompletedProcess[bytes]:
        script = next(file for file, _ in plan("cline", tmp_path, str(path)) if file.name == "PreToolUse")
        assert command.run(plan("cline", tmp_path, str(path)), Kept(tmp_path / "kept")) == 0
        found = subprocess.run([script], input=PAYLOAD, capture_output=True, check=False)
        assert command.run(plan("cline", tmp_path, str(path)), Kept(tmp_path / "kept"), undo=True) == 0
        return found

    found = ran(tmp_path / "gone" / "coeditor")
    assert found.returncode == 0
    assert json.loads(found.stdout)["cancel"] is True
    found = ran(program(tmp_path))
    assert (found.returncode, found.stdout, found.stderr) == (0, b"hook " + PAYLOAD + b"\n", b"")


CALLS = """
const { Coeditor } = await import(process.argv[1])
const hooks = await Coeditor({ directory: "/" })
const found = {}
for (const tool of ["edit", "write", "bash", "read", "coeditor_edit"]) {
  try {
    await hooks["tool.execute.before"]({ tool, sessionID: "s", callID: tool }, { args: { filePath: "/a" } })
    found[tool] = true
  } catch (error) {
    found[tool] = error.message
  }
}
await hooks["tool.execute.after"]({ tool: "read", sessionID: "s", callID: "read", args: {} }, { output: "x" })
console.log(JSON.stringify(found))
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not here")
@pytest.mark.parametrize("closed", [False, True])
def test_opencodes_plugin_refuses_what_changes_files_where_the_hook_cannot_run(
    tmp_path: Path, closed: bool
) -> None:
    files = plan("opencode", tmp_path, str(tmp_path / "gone"), closed=closed)
    assert command.run(files, Kept(tmp_path / "kept")) == 0
    plugin = next(file for file, _ in files if file.suffix == ".js").rename(tmp_path / "plugin.mjs")
    found = subprocess.run(
        ["node", "--input-type=module", "-e", CALLS, str(plugin)], capture_output=True, check=True
    )
    ran = json.loads(found.stdout)
    assert {tool for tool, outcome in ran.items() if outcome is True} == (
        {"read", "coeditor_edit"} if closed else set(ran)
    )
    assert all(outcome is True or "nothing may be changed" in outcome for outcome in ran.values())


@pytest.mark.parametrize("name", sorted(AGENTS))
def test_a_setting_that_changed_takes_the_place_of_the_form_before(tmp_path: Path, name: str) -> None:
    kept = Kept(tmp_path / "kept")

    def all_files() -> dict[str, str]:
        return {str(path): path.read_text() for path in sorted(tmp_path.glob("*/**/*")) if path.is_file()}

    def done(*, closed: bool, undo: bool = False) -> None:
        assert command.run(plan(name, tmp_path, "/opt/coeditor", closed=closed), kept, undo=undo) == 0

    done(closed=True)
    wanted = all_files()
    done(closed=True, undo=True)
    done(closed=False)
    done(closed=True)
    after = all_files()
    if name in ("claude-code", "codex", "gemini", "cursor"):  # where it stands in the list is nothing to them
        wanted, after = (
            {file: "".join(sorted(text)) for file, text in all_.items()} for all_ in (wanted, after)
        )
    assert after == wanted
    done(closed=False, undo=True)
    assert all_files() == {}
