"""The person decides: prompts in the editor and at the agent, answered, withdrawn, or left alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Place, agent
from tests.e2e.editors import serving
from tests.e2e.test_serve_editor import BEFORE
from tests.fakes.editor import Document, Manners, ScriptedEditor, Shown, uri_of

WRITE: dict[str, Any] = {"file_path": "a.txt", "content": "whole\n"}
DELETE: dict[str, Any] = {"patch": "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n"}
MOVE: dict[str, Any] = {"patch": "*** Begin Patch\n*** Move File: a.txt -> b.txt\n*** End Patch\n"}


def place_with(tmp_path: Path, **settings: Any) -> Place:
    return Place(tmp_path, {"side_effects": {"diagnostics": False}, **settings})


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return place_with(tmp_path)


def asking_editor(chooses: Callable[[Shown], None] | None = None, **more: Any) -> ScriptedEditor:
    return ScriptedEditor(manners=Manners(shows_questions=True, chooses=chooses), **more)


def unsaved(place: Place, editor: ScriptedEditor) -> Document:
    """a.txt, into which the person typed."""
    document = editor.open(place.write("a.txt", BEFORE))
    editor.type(document, 0, "typed ")
    return document


@pytest.mark.parametrize(
    ("tool", "arguments", "verb"),
    [("write", WRITE, "overwrite"), ("apply_patch", DELETE, "delete"), ("apply_patch", MOVE, "move")],
)
@pytest.mark.parametrize("extras", [True, False], ids=["ours", "plain"])
async def test_over_unsaved_text_the_person_is_asked_and_a_no_keeps_it(
    place: Place, tool: str, arguments: Mapping[str, Any], verb: str, *, extras: bool
) -> None:
    editor = asking_editor(extras=extras)
    document = unsaved(place, editor)
    async with serving(place, editor), agent(place, name="Ada") as one:
        await one.call("read", file_path="a.txt")
        call = asyncio.create_task(one.call(tool, **arguments))
        shown = await editor.question()
        assert shown.params["message"] == (
            f"Coeditor: Ada wants to {verb} a.txt, which has changes that you have not saved."
        )
        assert shown.titles == [f"{verb.capitalize()} Anyway", "Keep My Changes"]
        shown.choose("Keep My Changes")
        refused = await call
        assert (refused["code"], refused["data"]["rule"]) == ("FS_DENIED", "person")
        assert (document.text, place.text("a.txt")) == ("typed " + BEFORE, BEFORE)
        assert [row.name for row in place.folder.iterdir()] == ["a.txt"]
        history = await one.call("history")
        assert history["edits"] == []


async def test_a_yes_overwrites_and_one_undo_brings_the_typing_back(place: Place) -> None:
    editor = asking_editor(lambda shown: shown.choose("Overwrite Anyway"))
    document = unsaved(place, editor)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        done = await one.call("write", **WRITE)
        assert done["ok"], done
        assert done["changed_files"][0]["saved"] is False
        assert (document.text, place.text("a.txt")) == ("whole\n", BEFORE)
        editor.undo(document)
        assert document.text == "typed " + BEFORE
        assert len(editor.shown) == 1
        assert len((await one.call("history"))["edits"]) == 1


@pytest.mark.parametrize(("arguments", "there"), [(DELETE, []), (MOVE, ["b.txt"])], ids=["delete", "move"])
async def test_a_yes_to_a_delete_or_move_leaves_the_typing_in_its_document(
    place: Place, arguments: Mapping[str, Any], there: list[str]
) -> None:
    editor = asking_editor(lambda shown: shown.choose(shown.titles[0]))
    document = unsaved(place, editor)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        done = await one.call("apply_patch", **arguments)
        assert done["ok"], done
        assert any("document" in note for note in done["warnings"])
        assert [row.name for row in place.folder.iterdir()] == there
        assert document.text == "typed " + BEFORE
        if there:
            assert place.text("b.txt") == "typed " + BEFORE


@pytest.mark.parametrize(
    ("settled", "code", "text"),
    [
        # What was saved is what the agent saw, so nothing is lost by going on.
        pytest.param(ScriptedEditor.save, None, "whole\n", id="saved"),
        pytest.param(ScriptedEditor.undo, "FS_STALE_VERSION", BEFORE, id="undone"),
        pytest.param(ScriptedEditor.close, "FS_STALE_VERSION", BEFORE, id="closed without saving"),
    ],
)
async def test_the_question_goes_when_the_person_settles_it_otherwise(
    place: Place, settled: Callable[[ScriptedEditor, Document], None], code: str | None, text: str
) -> None:
    editor = asking_editor()
    document = unsaved(place, editor)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        call = asyncio.create_task(one.call("write", **WRITE))
        shown = await editor.question()
        settled(editor, document)
        found = await call
        assert shown.withdrawn
        assert found.get("code") == code, found
        assert place.text("a.txt") == text


async def test_no_answer_in_time_keeps_the_text(tmp_path: Path) -> None:
    place = place_with(tmp_path, limits={"ask_seconds": 1})
    editor = asking_editor()
    document = unsaved(place, editor)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        refused = await one.call("write", **WRITE)
        assert (refused["code"], refused["data"]["answer"]) == ("FS_UNSAVED_CHANGES", "silent")
        assert (await editor.question()).withdrawn
        assert (document.text, place.text("a.txt")) == ("typed " + BEFORE, BEFORE)


async def test_closing_the_prompt_is_no_yes(place: Place) -> None:
    editor = asking_editor(Shown.dismiss)
    document = unsaved(place, editor)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        refused = await one.call("write", **WRITE)
        assert (refused["code"], refused["data"]["answer"]) == ("FS_DENIED", "dismissed")
        assert document.text == "typed " + BEFORE


async def test_a_window_that_reloads_takes_its_question_with_it_and_nothing_is_written(place: Place) -> None:
    editor = asking_editor()
    document = unsaved(place, editor)
    async with serving(place, editor) as process, agent(place) as one:
        await one.call("read", file_path="a.txt")
        call = asyncio.create_task(one.call("write", **WRITE))
        (await editor.question()).answer.cancel()
        await process.crash()
        await process.start()
        refused = await call
        assert len(editor.shown) == 1
        assert not refused["ok"], refused
        assert (document.text, place.text("a.txt")) == ("typed " + BEFORE, BEFORE)


async def test_a_cancelled_call_takes_its_prompt_away(place: Place) -> None:
    editor = asking_editor()
    document = unsaved(place, editor)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        call = asyncio.create_task(one.call("write", **WRITE))
        shown = await editor.question()
        await one.cancel(call)
        await shown.gone.wait()
        assert document.text == "typed " + BEFORE


async def test_typing_on_while_asked_is_asked_about_again(place: Place) -> None:
    editor = asking_editor()
    document = unsaved(place, editor)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        call = asyncio.create_task(one.call("write", **WRITE))
        shown = await editor.question()
        editor.type(document, 0, "more ")
        shown.choose("Overwrite Anyway")
        refused = await call
        # The agent has not seen that either.
        assert refused["code"] == "FS_UNSAVED_CHANGES"
        assert "+more typed one" in refused["data"]["diff"]
        assert document.text == "more typed " + BEFORE


async def test_other_work_on_the_file_goes_on_while_the_person_thinks(place: Place) -> None:
    editor = asking_editor()
    document = unsaved(place, editor)
    async with serving(place, editor), agent(place) as one, agent(place) as two:
        for each in (one, two):
            await each.call("read", file_path="a.txt")
        call = asyncio.create_task(one.call("write", **WRITE))
        shown = await editor.question()
        done = await two.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert done["ok"], done
        shown.choose("Overwrite Anyway")
        refused = await call
        assert refused["code"] == "FS_STALE_VERSION"
        assert refused["data"]["moved_by"].startswith("session:")
        assert document.text == "typed one\n2\nthree\n"


async def test_three_agents_are_asked_about_one_after_the_other(tmp_path: Path) -> None:
    place = place_with(tmp_path, ask_first=["*.env"])
    editor = asking_editor()
    names = ["x.env", "y.env", "z.env"]
    async with serving(place, editor), agent(place) as one, agent(place) as two, agent(place) as three:
        calls = [
            asyncio.create_task(each.call("write", file_path=name, content="1\n"))
            for each, name in zip((one, two, three), names, strict=True)
        ]
        for number in range(3):
            shown = await editor.question(number)
            assert len(editor.shown) == number + 1
            shown.choose("Allow Once")
        assert all(found["ok"] for found in await asyncio.gather(*calls))
        assert sorted(path.name for path in place.folder.iterdir()) == names


async def test_a_file_that_wants_consent_names_its_rule_and_what_a_client_can_make_of_it(
    tmp_path: Path,
) -> None:
    place = place_with(tmp_path, ask_first=["*.env"])
    editor = asking_editor(lambda shown: shown.choose("Allow for This Session"))
    async with serving(place, editor), agent(place) as one:
        assert (await one.call("write", file_path="x.env", content="1\n"))["ok"]
        assert (await one.call("edit", file_path="x.env", old_string="1", new_string="2"))["ok"]
        (shown,) = editor.shown
        ours = shown.params["coeditor"]
        assert ours["files"] == [{"uri": uri_of(place.folder / "x.env"), "kind": "consent", "verb": "change"}]
        assert ours["answers"] == {
            "Allow Once": "yes",
            "Allow for This Session": "session",
            "Refuse": "no",
        }
        assert "ask_first: *.env" in shown.params["message"]


async def test_add_waits_for_the_person_and_still_never_overwrites(tmp_path: Path) -> None:
    place = place_with(tmp_path, ask_first=["*.env"])
    editor = asking_editor()
    patch = "*** Begin Patch\n*** Add File: x.env\n+agent\n*** End Patch\n"
    async with serving(place, editor), agent(place) as one:
        call = asyncio.create_task(one.call("apply_patch", patch=patch))
        shown = await editor.question()
        place.write("x.env", "mine\n")
        shown.choose("Allow Once")
        assert (await call)["code"] == "FS_ALREADY_EXISTS"
        assert place.text("x.env") == "mine\n"


async def test_outside_the_workspace_a_yes_is_for_that_file_alone(place: Place) -> None:
    outside = place.base / "outside.txt"
    outside.write_text("one\n")
    other = place.base / "other.txt"
    other.write_text("one\n")
    link = place.folder / "link"
    link.symlink_to(place.base)
    editor = asking_editor(lambda shown: shown.choose("Allow for This Session"))
    change: dict[str, Any] = {"file_path": str(outside), "old_string": "one", "new_string": "two"}
    async with serving(place, editor), agent(place) as one, agent(place) as two:
        unread = await one.call("read", file_path=str(outside))
        assert (unread["code"], unread["data"]["rule"]) == ("FS_DENIED", "workspace")
        assert editor.shown == [], "looking is not worth a question"
        assert (await one.call("edit", **change))["code"] == "FS_NOT_OBSERVED"
        assert (await one.call("edit", **change))["ok"]
        assert outside.read_text() == "two\n"
        assert len(editor.shown) == 1
        assert (await one.call("read", file_path=str(outside)))["ok"]
        assert (await two.call("read", file_path=str(outside)))["code"] == "FS_DENIED"
        assert (await one.call("read", file_path=str(other)))["code"] == "FS_DENIED"
        (place.base / ".git").mkdir()
        denied = await one.call("write", file_path=str(place.base / ".git" / "config"), content="x")
        assert denied["data"]["rule"] == "workspace"
        assert len(editor.shown) == 1


async def test_read_only_and_untrusted_are_nothing_to_agree_to(place: Place) -> None:
    place.settings = None
    editor = asking_editor()
    async with serving(place, editor, trusted=False), agent(place) as one:
        refused = await one.call("write", file_path=str(place.base / "x.txt"), content="x")
        assert refused["code"] == "FS_DENIED"
        assert editor.shown == []


async def test_a_dry_run_says_that_the_person_would_be_asked(place: Place) -> None:
    editor = asking_editor()
    unsaved(place, editor)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        planned = await one.call("apply_patch", **DELETE, validate_only=True)
        assert planned["applied"] == "planned"
        assert any("would be asked" in note for note in planned["warnings"])
        assert editor.shown == []


async def test_an_editor_that_cannot_ask_leaves_it_to_the_agents_person(place: Place) -> None:
    editor = ScriptedEditor()
    document = unsaved(place, editor)
    async with serving(place, editor), agent(place, elicitation={}) as one:
        await one.call("read", file_path="a.txt")
        call = asyncio.create_task(one.call("write", **WRITE))
        question = await one.heard("elicitation/create")
        assert "has changes that you have not saved" in question["params"]["message"]
        answer = {"action": "accept", "content": {"decision": "Overwrite Anyway"}}
        await one.send({"jsonrpc": "2.0", "id": question["id"], "result": answer})
        assert (await call)["ok"]
        assert document.text == "whole\n"


async def test_headless_the_agents_person_is_asked_and_nobody_else(tmp_path: Path) -> None:
    place = place_with(tmp_path, ask_first=["*.env"])
    async with agent(place, elicitation={}) as one, agent(place) as two:
        call = asyncio.create_task(one.call("write", file_path="x.env", content="1\n"))
        question = await one.heard("elicitation/create")
        await one.cancel(call)
        taken_back = await one.heard("notifications/cancelled")
        assert taken_back["params"]["requestId"] == question["id"]
        refused = await two.call("write", file_path="x.env", content="1\n")
        assert refused["data"]["rule"] == "protected:*.env"
        assert list(place.folder.iterdir()) == []
