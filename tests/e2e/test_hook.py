"""``coeditor hook`` between a scripted editor and agents that use tools of their own."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lsp_server.agents.hooking import answer_to, folder_of
from lsp_server.agents.link import Seeker
from lsp_server.hooks.dialects import dialect
from lsp_server.hooks.events import HookAnswer
from lsp_server.setup.agents import TELLS_CALLER
from tests.e2e.agents import PATIENCE, Place, agent
from tests.e2e.editors import serving
from tests.fakes.editor import Document, ScriptedEditor
from tests.lsp_server.hooks import payloads

BEFORE = "one\ntwo\nthree\n"
TYPED = "typed one\ntwo\nthree\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, {"side_effects": {"diagnostics": False}})


async def told(place: Place, name: str, payload: Mapping[str, Any]) -> HookAnswer:
    """The server's answer to a payload, which is made to come from the place."""
    sent = {**payload, "cwd": str(place.folder)}
    event = dialect(name).decode(sent)
    assert event is not None
    return await asyncio.to_thread(answer_to, event, Seeker(str(place.folder), env=place.environment))


def claude(event: str, tool: str, path: Path | None = None, **more: Any) -> dict[str, Any]:
    given = {} if path is None else {"file_path": str(path)}
    return payloads.claude(event, tool_name=tool, tool_input=given, tool_use_id="C", **more)


async def hook(place: Place, text: bytes, **environment: str) -> tuple[int, str, str]:
    """A real process: exit status, standard output, standard error."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "lsp_server", "hook"),
        cwd=place.folder,
        env={**place.environment, **environment},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, error = await asyncio.wait_for(process.communicate(text), PATIENCE)
    assert process.returncode is not None
    return process.returncode, out.decode(), error.decode()


def typed(editor: ScriptedEditor, document: Document) -> None:
    editor.type(document, 0, "typed ")


async def test_a_native_edit_is_in_the_history_and_can_be_rewound(place: Place) -> None:
    path = place.write("a.txt", BEFORE)
    editor = ScriptedEditor()
    document = editor.open(path)
    async with serving(place, editor) as process, agent(place) as one:
        assert (await told(place, "claude", claude("PreToolUse", "Edit", path))).is_silent
        path.write_text("one\n2\nthree\n")
        await told(place, "claude", claude("PostToolUse", "Edit", path, tool_response={}))
        assert document.text == "one\n2\nthree\n"  # the editor has reloaded it
        row = (await one.call("history", {"session": "S"}))["edits"][0]
        assert (row["tool"], row["agent"], row["turn"], row["call_id"]) == ("Edit", "claude-code", "T", "C")
        assert (row["added"], row["removed"]) == (1, 1)
        notified = await process.told("coeditor/didApplyEdit")
        assert notified["edit_id"] == row["edit_id"]
        again = await one.call("edit", {"session": "S"}, file_path="a.txt", old_string="2", new_string="22")
        assert again["ok"], again
        assert (await one.call("rewind", {"session": "S"}, to=row["edit_id"]))["ok"]
        assert (document.text, place.text("a.txt")) == (BEFORE, BEFORE)


async def test_the_process_speaks_the_agents_words(place: Place) -> None:
    path = place.write("a.txt", BEFORE)
    editor = ScriptedEditor()
    document = editor.open(path)
    async with serving(place, editor):
        typed(editor, document)
        sent = {**claude("PreToolUse", "Write", path), "cwd": str(place.folder)}
        code, out, error = await hook(place, json.dumps(sent).encode())
        assert (code, error) == (0, "")
        found = json.loads(out)["hookSpecificOutput"]
        assert (found["hookEventName"], found["permissionDecision"]) == ("PreToolUse", "deny")
        quiet = {**payloads.claude("Stop"), "cwd": str(place.folder)}
        assert await hook(place, json.dumps(quiet).encode()) == (0, "", "")


@pytest.mark.parametrize(("mode", "status"), [("open", 0), ("closed", 2)])
async def test_what_is_no_event_is_said_on_standard_error(place: Place, mode: str, status: int) -> None:
    place.settings = {"hook_failure": mode}
    code, out, error = await hook(place, b"{not json")
    assert (code, out) == (status, "")
    assert "no JSON object" in error


async def test_an_event_that_is_nested_too_deep_is_none(place: Place) -> None:
    place.settings = {"hook_failure": "closed"}
    code, out, error = await hook(place, b"[" * 100_000)
    assert (code, out) == (2, "")
    assert "no JSON object" in error


def test_a_session_whose_folders_are_gone_is_answered(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = place.base / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    event = dialect("claude").decode({**claude("PreToolUse", "Edit", gone / "a.txt"), "cwd": str(gone)})
    assert event is not None
    assert folder_of(event, {}) == "/"


async def test_without_a_server_calls_run_and_it_is_said_once(place: Place) -> None:
    _break(place)
    sent = {**claude("PreToolUse", "Edit", place.folder / "a.txt"), "cwd": str(place.folder)}
    code, out, _ = await hook(place, json.dumps(sent).encode())
    assert code == 0
    assert "does not guard" in json.loads(out)["systemMessage"]
    assert await hook(place, json.dumps(sent).encode()) == (0, "", "")


async def test_closed_nothing_is_changed_without_a_server(place: Place) -> None:
    place.settings = {"hook_failure": "closed"}
    _break(place)
    for _ in range(2):
        sent = {**claude("PreToolUse", "Edit", place.folder / "a.txt"), "cwd": str(place.folder)}
        code, out, _ = await hook(place, json.dumps(sent).encode())
        assert (code, json.loads(out)["hookSpecificOutput"]["permissionDecision"]) == (0, "deny")
    read = {**claude("PreToolUse", "Read", place.folder / "a.txt"), "cwd": str(place.folder)}
    assert await hook(place, json.dumps(read).encode()) == (0, "", "")


def _break(place: Place) -> None:
    """Afterwards no server can be started: its state folder is a file."""
    (place.base / "state" / "coeditor").write_text("")


async def test_events_of_no_interest_ask_nobody(place: Place) -> None:
    _break(place)
    for event in ("Stop", "UserPromptSubmit", "PreCompact"):
        sent = {**payloads.claude(event), "cwd": str(place.folder)}
        assert await hook(place, json.dumps(sent).encode()) == (0, "", "")
    assert not list((place.base / "run").glob("coeditor/*/server.json"))


async def test_an_agents_own_connection_can_tell_whose_call_comes(place: Place) -> None:
    """As by Claude Code's hook of the type mcp_tool, which leaves empty what it does not know."""
    place.write("a.txt", BEFORE)

    async with agent(place) as one:

        async def code(call: str, scope: str, tool: str, **arguments: Any) -> str | None:
            told = json.dumps({"name": TELLS_CALLER["tool"], "arguments": TELLS_CALLER["input"]})
            known = {"session_id": "S", "agent_id": scope, "prompt_id": "", "tool_use_id": call}
            for name, value in known.items():
                told = told.replace(f"${{{name}}}", value)
            answer = await one.request("tools/call", json.loads(told))
            assert answer["result"]["content"] == []
            return (await one.call(tool, {"call_id": call}, file_path="a.txt", **arguments)).get("code")

        edit = {"old_string": "two", "new_string": "2"}
        assert await code("one", "", "read") is None
        assert await code("two", "helper", "edit", **edit) == "FS_NOT_OBSERVED"
        assert await code("three", "", "edit", **edit) is None
        (row,) = (await one.call("history", {"session": "S"}))["edits"]
        assert (row["scope"], row["agent"], row["call_id"]) == ("main", "claude-code", "three")
