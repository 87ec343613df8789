"""Agents' own tools over a person's unsaved typing: guarded before, recorded after."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ledger.types import Caller, ScopeKey
from lsp_server.hooks.dialects import dialect
from lsp_server.service import CallContext
from tests.lsp_server.hooks import payloads
from tests.lsp_server.native.conftest import Desk, MakeDesk

BEFORE = "one\ntwo\nthree\n"
TYPED = "typed one\ntwo\nthree\n"


def claude(event: str, tool: str, path: Path, **more: Any) -> dict[str, Any]:
    return payloads.claude(
        event, tool_name=tool, tool_input={"file_path": str(path)}, tool_use_id="C", **more
    )


def was_shown(path: Path, text: str) -> dict[str, Any]:
    told = {"type": "text", "file": {"filePath": str(path), "content": text, "startLine": 1}}
    return claude("PostToolUse", "Read", path, tool_response=told)


def _private_text_of(path: Path) -> str:
    assert path.stat().st_mode & 0o077 == 0
    return path.read_text()


def codex(tool: str, command: str) -> dict[str, Any]:
    return payloads.codex("PreToolUse", tool_name=tool, tool_input={"command": command}, tool_use_id="C")


async def test_claudes_read_of_unsaved_typing_is_pointed_at_a_copy(desk: Desk) -> None:
    path = desk.file("a.txt", BEFORE)
    document = desk.opened(path, typed=False)
    assert (await desk.told("claude", claude("PreToolUse", "Read", path))).is_silent
    desk.editor.type(document, 0, "typed ")
    answer = await desk.told("claude", claude("PreToolUse", "Read", path))
    assert answer.read_path is not None
    assert answer.context is not None
    copy = Path(answer.read_path)
    assert _private_text_of(copy) == TYPED
    assert copy.name == "a.txt"
    assert not copy.is_relative_to(desk.root)
    await desk.told("claude", was_shown(copy, TYPED))
    done = await desk.call("edit", file_path="a.txt", old_string="two", new_string="2")
    assert done["ok"], done
    assert document.text == "typed one\n2\nthree\n"
    assert path.read_text() == BEFORE


@pytest.mark.parametrize(("tool", "word"), [("Edit", "does not see"), ("Write", "would lose")])
async def test_a_native_change_over_unsaved_typing_is_refused(desk: Desk, tool: str, word: str) -> None:
    path = desk.file("a.txt", BEFORE)
    document = desk.opened(path)
    answer = await desk.told("claude", claude("PreToolUse", tool, path))
    assert answer.deny is not None
    assert word in answer.deny
    assert "mcp__coeditor__edit" in answer.deny
    assert "+typed one" in answer.deny
    assert (document.text, path.read_text()) == (TYPED, BEFORE)


async def test_by_policy_typing_is_saved_before_an_edit_never_before_a_whole_file(
    make_desk: MakeDesk,
) -> None:
    desk = make_desk({"unsaved_native": "save"})
    path = desk.file("a.txt", BEFORE)
    document = desk.opened(path)
    assert (await desk.told("claude", claude("PreToolUse", "Write", path))).deny
    assert path.read_text() == BEFORE
    answer = await desk.told("claude", claude("PreToolUse", "Edit", path))
    assert answer.deny is None
    assert "saved first" in (answer.context or "")
    assert (path.read_text(), document.dirty) == (TYPED, False)


async def test_by_policy_typing_is_saved_before_a_read_and_a_command(make_desk: MakeDesk) -> None:
    desk = make_desk({"unsaved_native": "save"})
    path, other = desk.file("a.txt", BEFORE), desk.file("b.txt", BEFORE)
    desk.opened(path)
    desk.opened(other)
    assert (await desk.told("claude", claude("PreToolUse", "Read", path))).read_path is None
    assert (path.read_text(), other.read_text()) == (TYPED, BEFORE)
    assert (await desk.told("codex", codex("Bash", "cat b.txt"))).is_silent
    assert other.read_text() == TYPED


async def test_what_cannot_be_saved_is_refused_with_the_reason(make_desk: MakeDesk) -> None:
    desk = make_desk({"unsaved_native": "save"})
    path = desk.file("a.txt", BEFORE)
    desk.editor.manners.save_fails = "the disk is full"
    desk.opened(path)
    answer = await desk.told("claude", claude("PreToolUse", "Edit", path))
    assert "the disk is full" in (answer.deny or "")
    assert path.read_text() == BEFORE


async def test_typing_is_never_saved_over_a_file_that_moved_below_it(make_desk: MakeDesk) -> None:
    desk = make_desk({"unsaved_native": "save"})
    path = desk.file("a.txt", BEFORE)
    desk.opened(path)
    path.write_text("somebody else's\n")
    assert (await desk.told("claude", claude("PreToolUse", "Edit", path))).deny
    assert path.read_text() == "somebody else's\n"


async def test_a_read_that_cannot_be_pointed_elsewhere_is_told_the_typing(desk: Desk) -> None:
    path = desk.file("a.txt", BEFORE)
    document = desk.opened(path)
    read = payloads.gemini("BeforeTool", tool_name="read_file", tool_input={"file_path": str(path)})
    assert (await desk.told("gemini", read)).is_silent
    done = {**read, "hook_event_name": "AfterTool", "tool_response": {"llmContent": BEFORE}}
    answer = await desk.told("gemini", done)
    assert "+typed one" in (answer.context or "")
    found = await desk.call("edit", file_path="a.txt", old_string="typed one", new_string="1")
    assert found["ok"], found
    assert document.text == "1\ntwo\nthree\n"


async def test_what_was_not_shown_is_not_recorded_as_shown(desk: Desk) -> None:
    path = desk.file("a.txt", BEFORE)
    await desk.told("claude", was_shown(path, "quite another text\n"))
    refused = await desk.call("edit", file_path="a.txt", old_string="two", new_string="2")
    assert refused["code"] == "FS_NOT_OBSERVED"


async def test_a_part_that_was_read_is_no_ground_for_an_overwrite(desk: Desk) -> None:
    path = desk.file("a.txt", BEFORE)
    await desk.told("claude", was_shown(path, "one\ntwo\n"))
    assert (await desk.call("write", file_path="a.txt", content="x"))["code"] == "FS_PARTIALLY_OBSERVED"
    await desk.told("claude", was_shown(path, BEFORE))
    assert (await desk.call("write", file_path="a.txt", content="x"))["ok"]


async def test_every_file_of_a_patch_is_looked_at(desk: Desk) -> None:
    desk.file("a.txt", BEFORE)
    path = desk.file("b.txt", BEFORE)
    desk.opened(path)
    update = "*** Update File: {}.txt\n@@\n-two\n+2\n"
    patch = "*** Begin Patch\n" + update.format("a") + update.format("b") + "*** End Patch\n"
    assert str(path) in ((await desk.told("codex", codex("apply_patch", patch))).deny or "")
    alone = "*** Begin Patch\n" + update.format("a") + "*** End Patch\n"
    assert (await desk.told("codex", codex("apply_patch", alone))).is_silent
    deletion = "*** Begin Patch\n*** Delete File: b.txt\n*** End Patch\n"
    answer = await desk.told("codex", codex("apply_patch", deletion))
    assert "deleting it would lose them" in (answer.deny or "")


async def test_a_native_edit_is_in_the_history_and_can_be_rewound(desk: Desk) -> None:
    path = desk.file("a.txt", BEFORE)
    document = desk.opened(path, typed=False)
    assert (await desk.told("claude", claude("PreToolUse", "Edit", path))).is_silent
    path.write_text("one\n2\nthree\n")
    await desk.told("claude", claude("PostToolUse", "Edit", path, tool_response={}))
    assert document.text == "one\n2\nthree\n"  # the editor has reloaded it
    row = (await desk.call("history"))["edits"][0]
    assert (row["tool"], row["agent"], row["turn"], row["call_id"]) == ("Edit", "claude-code", "T", "C")
    assert (row["added"], row["removed"]) == (1, 1)
    again = await desk.call("edit", file_path="a.txt", old_string="2", new_string="22")
    assert again["ok"], again
    assert (await desk.call("rewind", to=row["edit_id"]))["ok"]
    assert (document.text, path.read_text()) == (BEFORE, BEFORE)


async def test_a_new_file_and_a_failed_edit(desk: Desk) -> None:
    path = desk.root / "new.txt"
    assert (await desk.told("claude", claude("PreToolUse", "Write", path))).is_silent
    path.write_text("x\n")
    await desk.told("claude", claude("PostToolUse", "Write", path, tool_response={}))
    assert (await desk.told("claude", claude("PreToolUse", "Edit", path))).is_silent
    await desk.told("claude", claude("PostToolUseFailure", "Edit", path, error="no"))
    rows = (await desk.call("history"))["edits"]
    assert [(row["files"][0]["operation"], row["added"]) for row in rows] == [("create", 1)]
    assert (await desk.call("write", file_path="new.txt", content="y\n"))["ok"]


async def test_a_call_that_never_came_to_its_end_is_forgotten(desk: Desk) -> None:
    path = desk.file("a.txt", BEFORE)
    await desk.told("claude", claude("PreToolUse", "Edit", path))  # the person did not allow it
    path.write_text("one\nthe person's\nthree\n")
    await desk.told("claude", claude("PreToolUse", "Edit", path))
    path.write_text("one\nthe person's\n3\n")
    await desk.told("claude", claude("PostToolUse", "Edit", path, tool_response={}))
    (row,) = (await desk.call("history"))["edits"]
    diff = (await desk.call("diff", since=row["edit_id"]))["diff"]
    assert "+3" in diff
    assert "+the person's" not in diff


async def test_a_native_edit_is_told_to_the_parent_agent(desk: Desk) -> None:
    path = desk.file("a.txt", BEFORE)
    await desk.told("claude", payloads.claude("SubagentStart", agent_id="A", agent_type="x"))
    sent = claude("PreToolUse", "Edit", path, agent_id="A", agent_type="x")
    await desk.told("claude", sent)
    path.write_text("one\n2\nthree\n")
    await desk.told("claude", {**sent, "hook_event_name": "PostToolUse", "tool_response": {}})
    notices = (await desk.call("status"))["notices"]
    assert [row["moved_by"] for row in notices] == ["scope:S/A"]


async def test_a_whole_file_is_not_written_over_a_text_that_was_not_seen(desk: Desk) -> None:
    path = desk.file("a.txt", BEFORE)
    await desk.call("read", file_path="a.txt")
    path.write_text("one\nsomebody else's\n")
    answer = await desk.told("claude", claude("PreToolUse", "Write", path))
    assert "+somebody else's" in (answer.deny or "")
    await desk.told("claude", was_shown(path, path.read_text()))
    assert (await desk.told("claude", claude("PreToolUse", "Write", path))).is_silent


async def test_rules_bind_native_tools_inside_the_workspace_only(make_desk: MakeDesk) -> None:
    desk = make_desk({"mode": "read-only"})
    outside = desk.root.parent / "elsewhere.txt"
    outside.write_text("x")
    assert (await desk.told("claude", claude("PreToolUse", "Write", outside))).is_silent
    assert (await desk.told("claude", claude("PreToolUse", "Read", desk.root / "b.txt"))).is_silent
    answer = await desk.told("claude", claude("PreToolUse", "Write", desk.root / "b.txt"))
    assert "read-only" in (answer.deny or "")


async def test_gits_own_files_are_not_for_native_tools(desk: Desk) -> None:
    (desk.root / ".git").mkdir()
    answer = await desk.told("claude", claude("PreToolUse", "Write", desk.root / ".git" / "config"))
    assert answer.deny


async def test_what_commands_do_not_see_is_told_once(desk: Desk) -> None:
    path = desk.file("a.txt", BEFORE)
    document = desk.opened(path, typed=False)
    assert (await desk.told("codex", codex("Bash", "cat a.txt"))).is_silent
    desk.editor.type(document, 0, "typed ")
    assert str(path) in ((await desk.told("codex", codex("Bash", "cat a.txt"))).context or "")
    assert (await desk.told("codex", codex("Bash", "cat a.txt"))).is_silent
    assert path.read_text() == BEFORE


async def test_what_a_command_changed_is_recorded_where_the_agent_saw_it(desk: Desk) -> None:
    path = desk.file("a.txt", BEFORE)
    await desk.call("read", file_path="a.txt")
    path.write_text("one\n2\nthree\n")
    told = {"stdout": "", "bashEditDiff": {"changedFiles": [str(path)], "moreFiles": 0}}
    sent = payloads.claude(
        "PostToolUse",
        tool_name="Bash",
        tool_input={"command": "sed"},
        tool_use_id="C",
        tool_response=told,
    )
    await desk.told("claude", sent)
    row = (await desk.call("history"))["edits"][0]
    assert (row["tool"], row["files"][0]["file_path"]) == ("Bash", str(path))
    assert (await desk.call("edit", file_path="a.txt", old_string="2", new_string="two"))["ok"]


async def test_what_a_command_changed_is_tracked_by_setting(make_desk: MakeDesk) -> None:
    desk = make_desk({"track_external": True})
    path = desk.file("a.txt", BEFORE)
    await desk.told("codex", codex("Bash", "sed -i s/two/2/ a.txt"))
    path.write_text("one\n2\nthree\n")
    done = {**codex("Bash", "sed"), "hook_event_name": "PostToolUse", "tool_response": ""}
    await desk.told("codex", done)
    row = (await desk.call("history"))["edits"][0]
    assert (row["agent"], row["files"][0]["file_path"]) == ("codex", str(path))


EDIT: dict[str, Any] = {"file_path": "a.txt", "old_string": "two", "new_string": "2"}


@pytest.mark.parametrize(
    "event",
    [
        ("claude", payloads.claude("PostCompact", trigger="auto")),
        ("claude", payloads.claude("SessionStart", source="compact")),
        ("claude", payloads.claude("SessionStart", source="clear")),
        ("codex", payloads.codex("PostCompact", trigger="auto")),
        ("copilot", payloads.copilot(trigger="auto", customInstructions="")),
        ("opencode", payloads.opencode("session.compacted")),
    ],
    ids=["claude", "claude starts again", "claude cleared", "codex", "copilot", "opencode"],
)
async def test_compaction_is_heard(desk: Desk, event: tuple[str, dict[str, Any]]) -> None:
    desk.file("a.txt", BEFORE)
    await desk.call("read", file_path="a.txt")
    await desk.told(*event)
    assert (await desk.call("edit", **EDIT))["code"] == "FS_NOT_OBSERVED"


@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop", "Notification"])
async def test_a_prompt_in_between_makes_nothing_unread(desk: Desk, event: str) -> None:
    desk.file("a.txt", BEFORE)
    desk.file("b.txt", BEFORE)
    for name in ("a.txt", "b.txt"):
        await desk.call("read", file_path=name)
    sent = dialect("claude").decode({**payloads.claude(event), "cwd": str(desk.root)})
    if sent is not None:
        await desk.told("claude", payloads.claude(event))
    found = await asyncio.gather(
        *(desk.call("edit", **(EDIT | {"file_path": name})) for name in ("a.txt", "b.txt"))
    )
    assert [one["ok"] for one in found] == [True, True]


@pytest.mark.parametrize("source", ["startup", "resume"])
async def test_a_session_that_is_resumed_knows_what_it_saw(desk: Desk, source: str) -> None:
    desk.file("a.txt", BEFORE)
    await desk.call("read", file_path="a.txt")
    await desk.told("claude", payloads.claude("SessionStart", source=source))
    assert (await desk.call("edit", **EDIT))["ok"]


async def test_a_sub_agent_has_seen_nothing_and_leaves_nothing(desk: Desk) -> None:
    desk.file("a.txt", BEFORE)
    await desk.call("read", file_path="a.txt")
    await desk.told("claude", payloads.claude("SubagentStart", agent_id="A", agent_type="x"))
    assert (await desk.call("edit", scope="A", **EDIT))["code"] == "FS_NOT_OBSERVED"
    await desk.told("claude", payloads.claude("SubagentStop", agent_id="A", agent_type="x"))
    assert (await desk.call("edit", **EDIT))["ok"]


async def test_an_mcp_call_is_its_hooks(desk: Desk) -> None:
    path = desk.file("a.txt", BEFORE)
    given = {"file_path": "a.txt"}
    sent = payloads.copilot(
        toolName="coeditor-read",
        toolArgs=given,
        sessionId="A",
        agentId="A",
        parentAgentId="S",
    )
    await desk.told("copilot", sent)
    await desk.call("read", agent="copilot", session="S", **given)
    seen = await desk.call("ledger", session="S")
    assert [(row["scope"], row["files"][0]["file_path"]) for row in seen["scopes"]] == [("A", str(path))]


async def test_the_start_names_what_is_unsaved(desk: Desk) -> None:
    path = desk.file("a.txt", BEFORE)
    assert (await desk.told("claude", payloads.claude("SessionStart", source="startup"))).is_silent
    desk.opened(path)
    answer = await desk.told("claude", payloads.claude("SessionStart", source="startup"))
    assert str(path) in (answer.context or "")


async def test_an_event_of_another_shape_is_refused(desk: Desk) -> None:
    assert (await desk.call("hook", event={"kind": "before"}))["code"] == "INVALID_ARGUMENT"


async def test_a_lost_answer_is_found_although_a_hook_named_the_session(desk: Desk) -> None:
    desk.file("a.txt", BEFORE)
    await desk.call("read", file_path="a.txt")
    await desk.told("copilot", payloads.copilot(toolName="coeditor-edit", toolArgs=EDIT))
    caller = Caller(ScopeKey("the connection's own"), "0123456789abcdef", None, "copilot")
    done = await desk.app.call("edit", EDIT, CallContext(caller, "mcp", str(desk.root)))
    found = await desk.app.outcome_of("the connection's own", "0123456789abcdef")
    assert found is not None
    assert found["result"]["edit_id"] == done["edit_id"]
    assert await desk.app.outcome_of("the connection's own", "fedcba9876543210") is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"\0binary", b"text\n", id="no-text-before"),
        pytest.param(b"text\n", b"\0binary", id="no-text-after"),
    ],
)
async def test_what_was_no_text_is_neither_created_nor_deleted(
    desk: Desk, before: bytes, after: bytes
) -> None:
    path = desk.root / "a.txt"
    path.write_bytes(before)
    assert (await desk.told("claude", claude("PreToolUse", "Write", path))).is_silent
    path.write_bytes(after)
    assert (await desk.told("claude", claude("PostToolUse", "Write", path, tool_response={}))).is_silent
    assert (await desk.call("history"))["edits"] == []
