"""A real server between a scripted editor and real agents: the open buffer is the truth."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Place, agent
from tests.e2e.editors import serving
from tests.fakes.editor import Manners, ScriptedEditor, uri_of
from tests.fakes.editor_process import ServerError

BEFORE, AFTER = "one\ntwo\nthree\n", "one\n2\nthree\n"
CHANGE: dict[str, Any] = {"file_path": "a.txt", "old_string": "two", "new_string": "2"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, {"side_effects": {"diagnostics": False}})


def record(place: Place) -> dict[str, Any]:
    """The discovery file."""
    (path,) = (place.base / "run").glob("coeditor/*/server.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


async def test_an_edit_of_a_clean_open_file_is_applied_confirmed_and_saved(place: Place) -> None:
    path = place.write("a.txt", BEFORE)
    editor = ScriptedEditor()
    document = editor.open(path)
    async with serving(place, editor) as process, agent(place) as one:
        seen = await one.call("read", file_path="a.txt")
        assert (seen["authority"], seen["unsaved"]) == ("editor", False)
        done = await one.call("edit", **CHANGE)
        row = done["changed_files"][0]
        assert (row["saved"], row["authority"], done["warnings"]) == (True, "editor", [])
        assert document.text == place.text("a.txt") == AFTER
        assert not document.dirty
        (asked,) = [params for method, params in editor.asked if method == "workspace/applyEdit"]
        assert asked["coeditor"]["edit_id"] == done["edit_id"]
        told = await process.told("coeditor/didApplyEdit")
        assert (told["edit_id"], told["tool"], told["agent"]) == (done["edit_id"], "edit", "test-agent")
        assert told["files"] == [{"uri": uri_of(path), "operation": "update", "added": 1, "removed": 1}]
        versions = await process.request("coeditor/fileVersions", {"edit_id": done["edit_id"]})
        assert versions["files"] == [
            {"file_path": str(path), "operation": "update", "before": BEFORE, "after": AFTER}
        ]
        await process.told(
            "coeditor/agents", lambda told: [one["name"] for one in told["agents"]] == ["test-agent"]
        )


async def test_unseen_typing_is_a_conflict_that_shows_what_was_typed(place: Place) -> None:
    path = place.write("a.txt", BEFORE)
    editor = ScriptedEditor()
    document = editor.open(path)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        editor.type(document, 0, "typed ")
        refused = await one.call("edit", **CHANGE)
        assert (refused["code"], refused["data"]["moved_by"]) == ("FS_UNSAVED_CHANGES", "user-unsaved")
        assert "+typed one" in refused["data"]["diff"]
        assert (document.text, place.text("a.txt")) == ("typed " + BEFORE, BEFORE)
        seen = await one.call("read", file_path="a.txt", refresh=True)
        assert seen["unsaved"] is True
        done = await one.call("edit", **CHANGE)
        assert done["changed_files"][0]["saved"] is False
        assert (document.text, place.text("a.txt")) == ("typed " + AFTER, BEFORE)
        editor.undo(document)
        assert document.text == "typed " + BEFORE
        status = await one.call("status")
        assert status["editor"]["name"] == "Scripted"
        assert status["unsaved_documents"] == [str(path)]


@pytest.mark.parametrize("order", ["answer-first", "change-first"])
async def test_typing_at_the_moment_of_the_edit_is_told_with_its_diff(place: Place, order: Any) -> None:
    editor = ScriptedEditor(manners=Manners(order=order))
    document = editor.open(place.write("a.txt", BEFORE))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        editor.manners.before_apply = lambda: editor.type(document, 0, "typed ")
        refused = await one.call("edit", **CHANGE)
        assert refused["code"] == "FS_UNSAVED_CHANGES"
        assert "+typed one" in refused["data"]["diff"]
        assert (document.text, place.text("a.txt")) == ("typed " + BEFORE, BEFORE)
        again = await one.call("edit", **CHANGE)
        assert again["ok"]
        history = await one.call("history")
        assert [row["edit_id"] for row in history["edits"]] == [again["edit_id"]]


@pytest.mark.parametrize(("saw_it_typed", "mover"), [(True, "formatter"), (False, "user-saved")])
async def test_what_the_formatter_made_of_what_was_seen_is_the_formatters(
    place: Place, saw_it_typed: bool, mover: str
) -> None:
    editor = ScriptedEditor(manners=Manners(formatter=lambda text: text.replace("( ", "(")))
    document = editor.open(place.write("a.txt", BEFORE))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        editor.type(document, 0, "f( x)\n")
        if saw_it_typed:
            assert (await one.call("read", file_path="a.txt"))["unsaved"]
        editor.save(document)
        refused = await one.call("edit", **CHANGE)
        assert (refused["code"], refused["data"]["moved_by"]) == ("FS_STALE_VERSION", mover)
        assert (await one.call("edit", **CHANGE))["ok"]
        assert place.text("a.txt") == "f(x)\n" + AFTER


async def test_what_the_person_saved_is_stale_and_says_who(place: Place) -> None:
    editor = ScriptedEditor()
    document = editor.open(place.write("a.txt", BEFORE))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        editor.type(document, 0, "typed ")
        editor.save(document)
        refused = await one.call("edit", **CHANGE)
        assert (refused["code"], refused["data"]["moved_by"]) == ("FS_STALE_VERSION", "user-saved")
        done = await one.call("edit", **CHANGE)
        assert done["changed_files"][0]["saved"] is True
        assert place.text("a.txt") == "typed " + AFTER


async def test_the_formatters_part_is_reported_apart_and_makes_nothing_stale(place: Place) -> None:
    editor = ScriptedEditor(manners=Manners(formatter=lambda text: text.replace("2", "II")))
    editor.open(place.write("a.txt", BEFORE))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        done = await one.call("edit", **CHANGE)
        assert "+2" in done["diff"]
        assert "-2\n+II" in done["formatted"]
        assert done["changed_files"][0]["saved"] is True
        more = await one.call("edit", file_path="a.txt", old_string="II", new_string="zwei")
        assert more["ok"], more
        assert place.text("a.txt") == BEFORE.replace("two", "zwei")
        back = await one.call("rewind", to=done["edit_id"])
        assert back["ok"]
        assert place.text("a.txt") == BEFORE


async def test_a_disk_write_below_unsaved_text_is_told_once_per_text(place: Place) -> None:
    path = place.write("a.txt", BEFORE)
    editor = ScriptedEditor()
    document = editor.open(path)
    async with serving(place, editor), agent(place) as one, agent(place) as two:
        editor.type(document, 0, "typed ")
        await one.call("read", file_path="a.txt")
        place.write("a.txt", "external\n")
        refused = await one.call("edit", **CHANGE)
        assert (refused["code"], refused["data"]["diverged"]) == ("FS_STALE_VERSION", True)
        assert "+external" in refused["data"]["disk_diff"]
        seen = await two.call("read", file_path="a.txt")
        assert seen["diverged"] is True
        assert "+external" in seen["notices"][0]["diff"]
        for each in (one, two):
            done = await each.call("edit", **CHANGE)
            assert done["changed_files"][0]["saved"] is False
            editor.undo(document)
            await each.call("read", file_path="a.txt", refresh=True)
        assert place.text("a.txt") == "external\n"


async def test_closed_files_are_changed_on_disk_and_nothing_is_opened(place: Place) -> None:
    editor = ScriptedEditor()
    editor.open(place.write("a.txt", BEFORE))
    place.write("b.txt", BEFORE)
    patch = (
        "*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** Update File: b.txt\n@@\n one\n-two\n+2\n"
        "*** Add File: c.txt\n+new\n*** End Patch\n"
    )
    async with serving(place, editor), agent(place) as one:
        for name in ("a.txt", "b.txt"):
            await one.call("read", file_path=name)
        done = await one.call("apply_patch", patch=patch)
        assert [row["authority"] for row in done["changed_files"]] == ["editor", "disk", "disk"]
        assert all(row["saved"] for row in done["changed_files"])
        assert [place.text(name) for name in ("a.txt", "b.txt", "c.txt")] == [AFTER, AFTER, "new\n"]
        assert len(editor.documents) == 1


async def test_a_plain_editor_keeps_edits_unsaved_and_every_answer_says_so(place: Place) -> None:
    editor = ScriptedEditor(extras=False)
    document = editor.open(place.write("a.txt", BEFORE))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        done = await one.call("edit", **CHANGE)
        assert done["changed_files"][0]["saved"] is False
        assert any("not saved" in note for note in done["warnings"])
        assert (document.text, place.text("a.txt")) == (AFTER, BEFORE)
        assert (await one.call("edit", file_path="a.txt", old_string="2", new_string="two"))["ok"]


async def test_another_agents_unsaved_edit_is_stale_by_that_session(place: Place) -> None:
    editor = ScriptedEditor(extras=False)
    editor.open(place.write("a.txt", BEFORE))
    async with serving(place, editor), agent(place) as one, agent(place) as two:
        for each in (one, two):
            await each.call("read", file_path="a.txt")
        assert (await one.call("edit", **CHANGE))["ok"]
        refused = await two.call("edit", **CHANGE)
        assert refused["code"] == "FS_STALE_VERSION"
        assert refused["data"]["moved_by"].startswith("session:")


async def test_a_killed_server_that_the_editor_starts_again_knows_what_was_read(place: Place) -> None:
    editor = ScriptedEditor()
    document = editor.open(place.write("a.txt", BEFORE))
    place.write("b.txt", BEFORE)
    async with serving(place, editor) as process, agent(place) as one, agent(place) as two:
        for each in (one, two):
            await each.call("read", file_path="a.txt")
            await each.call("read", file_path="b.txt")
        first = record(place)["pid"]
        await process.kill()
        editor.type(document, 0, "typed ")
        await process.start()
        refused = await one.call("edit", **CHANGE)
        assert refused["code"] == "FS_UNSAVED_CHANGES"
        assert "+typed one" in refused["data"]["diff"]
        assert (await one.call("edit", **CHANGE))["ok"]
        assert (await two.call("edit", **(CHANGE | {"file_path": "b.txt"})))["ok"]
        assert document.text == "typed " + AFTER
        assert place.text("b.txt") == AFTER
        assert record(place)["pid"] != first


async def test_a_headless_server_gives_way_and_the_agent_goes_on(place: Place) -> None:
    path = place.write("a.txt", BEFORE)
    async with agent(place) as one:
        assert (await one.call("read", file_path="a.txt"))["authority"] == "disk"
        assert record(place)["kind"] == "headless"
        editor = ScriptedEditor()
        document = editor.open(path)
        async with serving(place, editor):
            assert record(place)["kind"] == "editor"
            done = await one.call("edit", **CHANGE)
            assert done["changed_files"][0]["authority"] == "editor"
            assert document.text == AFTER
        assert not list((place.base / "run").glob("coeditor/*/server.json"))
        seen = await one.call("read", file_path="a.txt", refresh=True)
        assert (seen["authority"], seen["text"]) == ("disk", "1\tone\n2\t2\n3\tthree")


@pytest.mark.parametrize("how", ["stop", "crash", "go_deaf"])
async def test_the_discovery_file_goes_with_the_editor(place: Place, how: str) -> None:
    async with serving(place, ScriptedEditor()) as process:
        assert process.process is not None
        assert record(place)["pid"] == process.process.pid
        await getattr(process, how)()
        assert not list((place.base / "run").glob("coeditor/*/server.json"))


async def test_an_untrusted_workspace_is_only_read(place: Place) -> None:
    place.write("a.txt", BEFORE)
    async with serving(place, ScriptedEditor(), trusted=False), agent(place) as one:
        assert (await one.call("read", file_path="a.txt"))["ok"]
        refused = await one.call("edit", **CHANGE)
        assert (refused["code"], refused["data"]["rule"]) == ("FS_DENIED", "untrusted")
        assert place.text("a.txt") == BEFORE


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        pytest.param({"mode": "read-only"}, "FS_DENIED", id="read-only"),
        pytest.param({"read_first": False}, None, id="no gate"),
    ],
)
async def test_the_editors_settings_hold(place: Place, settings: Mapping[str, Any], code: str | None) -> None:
    place.settings = None
    place.write("a.txt", BEFORE)
    async with serving(place, ScriptedEditor(), settings=settings), agent(place) as one:
        assert (await one.call("edit", **CHANGE)).get("code") == code


async def test_every_folder_of_the_editor_is_served_by_one_server(place: Place) -> None:
    more = place.base / "more"
    more.mkdir()
    (more / "b.txt").write_text(BEFORE)
    editor = ScriptedEditor()
    document = editor.open(more / "b.txt")
    async with serving(place, editor, roots=(place.folder, more)):
        records = [
            json.loads(path.read_text()) for path in (place.base / "run").glob("coeditor/*/server.json")
        ]
        assert [one["roots"] for one in records] == [[str(place.folder), str(more)]] * 2
        async with agent(place, cwd=more) as one:
            await one.call("read", file_path="b.txt")
            assert (await one.call("edit", **(CHANGE | {"file_path": "b.txt"})))["ok"]
        assert document.text == AFTER


async def test_tools_are_lsp_requests_of_the_editor_too(place: Place) -> None:
    editor = ScriptedEditor()
    document = editor.open(place.write("a.txt", BEFORE))
    async with serving(place, editor) as process:
        with pytest.raises(ServerError) as caught:
            await process.request("coeditor/write", {"file_path": "a.txt", "content": AFTER})
        assert (caught.value.code, caught.value.data["code"]) == (-32803, "FS_NOT_OBSERVED")
        await process.request("coeditor/read", {"file_path": "a.txt"})
        done = await process.request("coeditor/write", {"file_path": "a.txt", "content": AFTER})
        assert done["ok"]
        assert document.text == AFTER
        with pytest.raises(ServerError) as caught:
            await process.request("coeditor/fileVersions", {"edit_id": "none"})
        assert caught.value.data["code"] == "INVALID_ARGUMENT"


async def test_a_killed_server_with_an_edit_under_way_settles_it_by_the_buffer(place: Place) -> None:
    editor = ScriptedEditor(extras=False)
    document = editor.open(place.write("a.txt", BEFORE))
    async with serving(place, editor) as process, agent(place) as one:
        await one.call("read", file_path="a.txt")
        applied = asyncio.Event()
        editor.manners.after_apply = applied.set
        editor.hold()
        call = asyncio.create_task(one.call("edit", **CHANGE))
        await asyncio.wait_for(applied.wait(), 30)
        assert process.process is not None
        process.process.kill()
        await process.kill()
        editor.release()
        await process.start()
        done = await call
        assert done["ok"] or done["code"] == "FS_UNCONFIRMED", done
        assert document.text == AFTER
        history = await one.call("history")
        assert [row["state"] for row in history["edits"]] == ["applied"]


async def test_an_edit_comes_back_with_what_the_editors_language_servers_say(place: Place) -> None:
    place.settings = None
    path = place.write("a.json", '{"a": 1}\n')
    editor = ScriptedEditor()
    document = editor.open(path)
    problem = {
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
        "severity": 1,
        "source": "json",
        "code": 514,
        "message": "End of file expected.",
    }
    async with serving(place, editor) as process, agent(place) as one:
        await one.call("read", file_path="a.json")
        editor.manners.before_save = lambda: editor.diagnose(document, problem)
        done = await one.call("edit", file_path="a.json", old_string="1}", new_string="1")
        assert [row["message"] for row in done["diagnostics"]["new"]] == ["End of file expected."]
        assert (done["diagnostics"]["state"], done["diagnostics"]["source"]) == ("fresh", ["Scripted"])
        found = await one.call("diagnostics", file_path="a.json")
        assert [row["code"] for row in found["items"]] == ["514"]
        editor.manners.before_save = lambda: editor.diagnose(document)
        done = await one.call("edit", file_path="a.json", old_string="1", new_string="1}")
        assert [row["message"] for row in done["diagnostics"]["resolved"]] == ["End of file expected."]
        assert process.process is not None


async def test_the_person_sees_where_an_agent_was_stopped_until_it_is_resolved(place: Place) -> None:
    path = place.write("a.txt", BEFORE)
    editor = ScriptedEditor()
    document = editor.open(path)
    published = "textDocument/publishDiagnostics"
    async with serving(place, editor) as process, agent(place) as one:
        await one.call("read", file_path="a.txt")
        editor.type(document, 0, "typed\n")
        refused = await one.call("edit", **CHANGE)
        assert refused["code"] == "FS_UNSAVED_CHANGES"
        shown = await process.told(published)
        assert shown["uri"] == uri_of(path)
        (mark,) = shown["diagnostics"]
        assert (mark["severity"], mark["source"], mark["code"]) == (3, "coeditor", "FS_UNSAVED_CHANGES")
        assert mark["message"].startswith("test-agent was stopped here")
        assert mark["range"]["start"] == {"line": 0, "character": 0}
        editor.diagnose(document, mark)
        found = await one.call("diagnostics", file_path="a.txt")
        assert found["items"] == []
        assert found["warnings"] == [
            "This is about the unsaved text in the editor, not about the file on disk."
        ]
        assert (await one.call("edit", **CHANGE))["ok"] is True
        await process.told(published, lambda told: told["diagnostics"] == [])


async def test_problems_of_what_a_command_wrote_are_those_of_the_new_text(place: Place) -> None:
    place.settings = None
    path = place.write("a.json", '{"a": 1}\n')
    editor = ScriptedEditor()
    document = editor.open(path)
    problem = {
        "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}},
        "severity": 1,
        "message": "End of file expected.",
    }
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.json")
        editor.diagnose(document, problem)
        place.write("a.json", '{"a": 2}\n')
        found = await one.call("diagnostics", file_path="a.json")
        assert document.text == '{"a": 2}\n', "a document without typing was taken from the disk first"
        assert found["items"] == [], "what was said of the old text is not about this one"
        assert found["state"] != "fresh"
        editor.type(document, 0, " ")
        place.write("a.json", '{"a": 3}\n')
        editor.diagnose(document, problem)
        found = await one.call("diagnostics", file_path="a.json")
        assert any("disk" in note for note in found["warnings"]), found
        assert document.text == ' {"a": 2}\n'


async def test_a_refusal_is_an_ordinary_answer_and_unusable_callers_are_told(place: Place) -> None:
    place.write("a.txt", BEFORE)
    async with serving(place, ScriptedEditor()) as process:
        for fields in ({"scope": ""}, {"session": ""}, {"scope": "x" * 201}, {"turn": 3}):
            with pytest.raises(ServerError) as caught:
                await process.request("coeditor/read", {"file_path": "a.txt", **fields})
            assert caught.value.data["code"] == "INVALID_ARGUMENT", fields
        with pytest.raises(ServerError) as caught:
            await process.request("coeditor/edit", CHANGE)
        assert caught.value.data["code"] == "FS_NOT_OBSERVED"
    assert b"ERROR" not in process.log, process.log.decode()
    assert b"descriptor" not in process.log, process.log.decode()
