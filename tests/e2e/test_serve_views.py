"""Several editors' servers on one folder: one owns it, the others' editors are further views of it."""

from __future__ import annotations

import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Place, agent, until
from tests.e2e.editors import serving
from tests.fakes.editor import Manners, ScriptedEditor
from tests.fakes.editor_process import EditorProcess, ServerError

BEFORE, AFTER = "one\ntwo\nthree\n", "one\n2\nthree\n"
CHANGE: dict[str, Any] = {"file_path": "a.txt", "old_string": "two", "new_string": "2"}
BACK: dict[str, Any] = {"file_path": "a.txt", "old_string": "2", "new_string": "two"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, {"side_effects": {"diagnostics": False}})


def window(
    place: Place, editor: ScriptedEditor | None = None, **options: Any
) -> AbstractAsyncContextManager[EditorProcess]:
    """One more editor with a server of its own; in service, as owner or as a further one."""
    return serving(place, editor or ScriptedEditor(), **options)


def owner(place: Place, name: str = "ws") -> dict[str, Any]:
    """The discovery file of a folder."""
    for path in (place.base / "run").glob("coeditor/*/server.json"):
        found: dict[str, Any] = json.loads(path.read_text())
        if any(Path(root).name == name for root in found["roots"]):
            return found
    raise AssertionError(f"nobody owns {name}")


def pid(process: EditorProcess) -> int:
    assert process.process is not None
    return process.process.pid


async def test_what_is_typed_in_the_second_window_counts_and_is_edited_there(place: Place) -> None:
    path = place.write("a.txt", BEFORE)
    second = ScriptedEditor()
    async with window(place) as first, window(place, second) as other, agent(place) as one:
        assert owner(place)["pid"] == pid(first)
        document = second.open(path)
        await until(one, lambda seen: seen["authority"] == "editor")
        await one.call("read", file_path="a.txt")
        second.type(document, 0, "typed ")
        await until(one, lambda seen: seen["unsaved"])
        refused = await one.call("edit", **CHANGE)
        assert (refused["code"], refused["data"]["moved_by"]) == ("FS_UNSAVED_CHANGES", "user-unsaved")
        assert "+typed one" in refused["data"]["diff"]
        done = await one.call("edit", **CHANGE)
        assert (done["changed_files"][0]["saved"], done["changed_files"][0]["authority"]) == (False, "editor")
        assert (document.text, place.text("a.txt")) == ("typed " + AFTER, BEFORE)
        told = await other.told("coeditor/didApplyEdit")
        assert told["edit_id"] == done["edit_id"]
        assert (await first.told("coeditor/didApplyEdit"))["edit_id"] == done["edit_id"]
        second.undo(document)
        assert document.text == "typed " + BEFORE
        status = await one.call("status")
        assert status["editor"]["others"] == [{"name": "Scripted", "version": "1"}]
        assert status["unsaved_documents"] == [str(path)]


async def test_a_clean_file_in_the_second_window_is_saved_there_and_shown_in_the_first(place: Place) -> None:
    path = place.write("a.txt", BEFORE)
    first, second = ScriptedEditor(extras=False), ScriptedEditor()
    here, there = first.open(path), second.open(path)
    async with window(place, first), window(place, second), agent(place) as one:
        await one.call("read", file_path="a.txt")
        done = await one.call("edit", **CHANGE)
        assert done["changed_files"][0]["saved"] is True
        assert (there.text, place.text("a.txt")) == (AFTER, AFTER)
        assert here.text == BEFORE
        first.reload(here)
        assert (await one.call("edit", **BACK))["ok"]


async def test_two_windows_with_different_unsaved_texts_are_for_the_person(place: Place) -> None:
    path = place.write("a.txt", BEFORE)
    first, second = ScriptedEditor(), ScriptedEditor()
    here, there = first.open(path), second.open(path)
    async with window(place, first), window(place, second), agent(place) as one:
        await one.call("read", file_path="a.txt")
        first.type(here, 0, "here ")
        second.type(there, 0, "there ")
        await until(one, lambda seen: seen.get("code") == "FS_UNSAVED_CHANGES")
        refused = await one.call("edit", **CHANGE)
        assert (refused["code"], refused["data"]["reason"]) == ("FS_UNSAVED_CHANGES", "views")
        assert (here.text, there.text, place.text("a.txt")) == ("here " + BEFORE, "there " + BEFORE, BEFORE)
        second.undo(there)
        seen = await until(one, lambda seen: "text" in seen)
        assert "here one" in seen["text"]


@pytest.mark.parametrize("how", ["stop", "crash", "kill"])
async def test_the_survivor_takes_over_with_all_that_it_has_open(place: Place, how: str) -> None:
    path = place.write("a.txt", BEFORE)
    second = ScriptedEditor()
    async with window(place) as first, window(place, second) as other, agent(place) as one:
        document = second.open(path)
        await until(one, lambda seen: seen["authority"] == "editor")
        await one.call("read", file_path="a.txt")
        second.type(document, 0, "typed ")
        await getattr(first, how)()
        refused = await one.call("edit", **CHANGE)
        assert refused["code"] == "FS_UNSAVED_CHANGES", refused
        assert "+typed one" in refused["data"]["diff"]
        assert (await one.call("edit", **CHANGE))["ok"]
        assert (document.text, place.text("a.txt")) == ("typed " + AFTER, BEFORE)
        assert owner(place)["pid"] == pid(other)


async def test_of_two_survivors_one_owns_and_the_other_joins_it_before_agents_go_on(place: Place) -> None:
    path, more = place.write("a.txt", BEFORE), place.write("b.txt", BEFORE)
    second, third = ScriptedEditor(), ScriptedEditor()
    async with (
        window(place) as first,
        window(place, second),
        window(place, third),
        agent(place) as one,
    ):
        two, three = second.open(path), third.open(more)
        for name in ("a.txt", "b.txt"):
            await until(one, lambda seen: seen["authority"] == "editor", name)
            await one.call("read", file_path=name)
        second.type(two, 0, "second ")
        third.type(three, 0, "third ")
        await first.stop()
        for name, document in (("a.txt", two), ("b.txt", three)):
            refused = await one.call("edit", **(CHANGE | {"file_path": name}))
            assert refused["code"] == "FS_UNSAVED_CHANGES", refused
            assert (await one.call("edit", **(CHANGE | {"file_path": name})))["ok"]
            assert document.text.endswith(AFTER)
            assert place.text(name) == BEFORE


async def test_an_editor_that_starts_its_killed_server_again_is_a_view_of_the_survivor(place: Place) -> None:
    path = place.write("a.txt", BEFORE)
    first_editor = ScriptedEditor()
    document = first_editor.open(path)
    async with window(place, first_editor) as first, window(place) as other, agent(place) as one:
        await one.call("read", file_path="a.txt")
        await first.kill()
        first_editor.type(document, 0, "typed ")
        await first.start()
        await until(one, lambda seen: seen["unsaved"])
        assert owner(place)["pid"] == pid(other)
        refused = await one.call("edit", **CHANGE)
        assert refused["code"] == "FS_UNSAVED_CHANGES"
        assert (await one.call("edit", **CHANGE))["ok"]
        assert document.text == "typed " + AFTER


async def test_the_second_editors_own_requests_are_the_owners_work(place: Place) -> None:
    place.write("a.txt", BEFORE)
    async with window(place), window(place) as other, agent(place) as one:
        await one.call("read", file_path="a.txt")
        done = await one.call("edit", **CHANGE)
        history = await other.request("coeditor/history", {"person": True})
        assert [row["edit_id"] for row in history["edits"]] == [done["edit_id"]]
        versions = await other.request("coeditor/fileVersions", {"edit_id": done["edit_id"]})
        assert [(one["before"], one["after"]) for one in versions["files"]] == [(BEFORE, AFTER)]
        with pytest.raises(ServerError) as caught:
            await other.request("coeditor/edit", BACK)
        assert caught.value.data["code"] == "FS_NOT_OBSERVED"
        assert (await other.request("coeditor/edit", BACK))["ok"]
        assert place.text("a.txt") == BEFORE


async def test_typing_in_the_second_window_at_the_moment_of_the_edit_is_kept(place: Place) -> None:
    path = place.write("a.txt", BEFORE)
    second = ScriptedEditor(manners=Manners(order="change-first"))
    document = second.open(path)
    async with window(place), window(place, second), agent(place) as one:
        await one.call("read", file_path="a.txt")
        second.manners.before_apply = lambda: second.type(document, 0, "typed ")
        refused = await one.call("edit", **CHANGE)
        assert refused["code"] == "FS_UNSAVED_CHANGES"
        assert (document.text, place.text("a.txt")) == ("typed " + BEFORE, BEFORE)
        second.manners.after_apply = lambda: second.type(document, 0, "more ")
        assert (await one.call("edit", **CHANGE))["ok"]
        assert document.text == "more typed " + AFTER


async def test_untitled_documents_of_two_windows_are_two(place: Place) -> None:
    first, second = ScriptedEditor(), ScriptedEditor()
    here, there = (
        each.open_untitled("Untitled-1", f"{name}\n") for each, name in ((first, "x"), (second, "y"))
    )
    async with window(place, first), window(place, second), agent(place) as one:
        status = await one.call("status")
        assert status["open_documents"] == ["untitled:Untitled-1", "untitled:Untitled-1#2"]
        for name, old in (("untitled:Untitled-1", "x"), ("untitled:Untitled-1#2", "y")):
            seen = await one.call("read", file_path=name)
            assert seen["text"] == f"1\t{old}"
            done = await one.call("edit", file_path=name, old_string=old, new_string=old * 2)
            assert done["changed_files"][0]["saved"] is False
        assert (here.text, there.text) == ("xx\n", "yy\n")


async def test_a_window_on_a_folder_inside_and_one_around_see_each_others_typing(place: Place) -> None:
    path = place.write("sub/a.txt", BEFORE)
    outer, inner = ScriptedEditor(), ScriptedEditor()
    sub = place.folder / "sub"
    async with (
        window(place, outer) as around,
        window(place, inner, roots=(sub,)) as inside,
        agent(place) as above,
        agent(place, cwd=sub) as below,
    ):
        assert owner(place, "sub")["pid"] == pid(inside)
        assert owner(place)["pid"] == pid(around)
        there = inner.open(path)
        inner.type(there, 0, "inner ")
        seen = await until(above, lambda seen: seen["unsaved"], "sub/a.txt")
        assert "inner one" in seen["text"]
        inner.undo(there)
        inner.close(there)
        here = outer.open(path)
        outer.type(here, 0, "outer ")
        seen = await until(below, lambda seen: seen["unsaved"])
        assert "outer one" in seen["text"]
        await below.call("read", file_path="a.txt")
        assert (await below.call("edit", **CHANGE))["ok"]
        assert (here.text, place.text("sub/a.txt")) == ("outer " + AFTER, BEFORE)
