"""A real server between a scripted editor and real agents: the open buffer is the truth."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Place, agent
from tests.fakes.editor import EditorProcess, ScriptedEditor


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@asynccontextmanager
async def serving(place: Place, editor: ScriptedEditor, **options: Any) -> AsyncIterator[EditorProcess]:
    """The server that the editor started, in service."""
    process = EditorProcess(editor, place.folder, place.environment)
    await process.start(**options)
    try:
        await process.told("coeditor/agents")
        yield process
    finally:
        if process.process is not None and process.process.returncode is None:
            await process.stop()


async def test_an_edit_of_a_clean_open_file_is_applied_confirmed_and_saved(place: Place) -> None:
    path = place.write("a.txt", "one\ntwo\nthree\n")
    editor = ScriptedEditor()
    document = editor.open(path)
    async with serving(place, editor), agent(place) as one:
        seen = await one.call("read", file_path="a.txt")
        assert (seen["authority"], seen["unsaved"]) == ("editor", False)
        done = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert done["ok"], done
        assert done["changed_files"][0]["saved"] is True
        assert done["changed_files"][0]["authority"] == "editor"
        assert document.text == place.text("a.txt") == "one\n2\nthree\n"
        assert not document.dirty


async def test_unseen_typing_is_a_conflict_that_shows_what_was_typed(place: Place) -> None:
    path = place.write("a.txt", "one\ntwo\nthree\n")
    editor = ScriptedEditor()
    document = editor.open(path)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        editor.type(document, 0, "typed ")
        refused = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert refused["code"] == "FS_UNSAVED_CHANGES"
        assert "+typed one" in refused["data"]["diff"]
        assert refused["data"]["moved_by"] == "user-unsaved"
        assert (document.text, place.text("a.txt")) == ("typed one\ntwo\nthree\n", "one\ntwo\nthree\n")
        seen = await one.call("read", file_path="a.txt", refresh=True)
        assert seen["unsaved"] is True
        done = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert done["changed_files"][0]["saved"] is False
        assert document.text == "typed one\n2\nthree\n"
        assert place.text("a.txt") == "one\ntwo\nthree\n"
        editor.undo(document)
        assert document.text == "typed one\ntwo\nthree\n"
