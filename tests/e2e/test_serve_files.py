"""A real server, real agents, and files that are deleted and renamed while an editor has them open."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.e2e.agents import Place, agent
from tests.e2e.editors import serving
from tests.fakes.editor import Manners, ScriptedEditor

DELETE = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"
MOVE = "*** Begin Patch\n*** Move File: a.txt -> b.txt\n*** End Patch"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, {"side_effects": {"diagnostics": False}})


@pytest.mark.parametrize("extras", [True, False], ids=["ours", "declares resourceOperations"])
async def test_the_editor_itself_moves_and_deletes_and_a_rewind_goes_the_same_way(
    place: Place, *, extras: bool
) -> None:
    editor = ScriptedEditor(extras=extras)
    document = editor.open(place.write("a.txt", "one\n"))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        moved = await one.call("apply_patch", patch=MOVE)
        assert moved["changed_files"][0]["authority"] == "editor", moved
        assert [Path(str(now.path)).name for now in editor.documents.values()] == ["b.txt"]
        back = await one.call("rewind", to=moved["edit_id"])
        assert back["ok"], back
        [now] = editor.documents.values()
        assert (now.path, now.undo) == (document.path, document.undo)  # what the person can undo went along
        await one.call("read", file_path="a.txt")
        gone = await one.call("apply_patch", patch=DELETE)
        assert gone["ok"], gone
        assert editor.documents == {}
        assert not (place.folder / "a.txt").exists()


async def test_an_editor_that_makes_a_deleted_file_again_is_told_of(place: Place) -> None:
    """One that cannot delete: its document stays, and is saved when the person comes back to it."""
    editor = ScriptedEditor(manners=Manners(file_operations=()))
    document = editor.open(place.write("a.txt", "one\n"))
    place.write("other.txt", "other\n")
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        gone = await one.call("apply_patch", patch=DELETE)
        assert gone["ok"], gone
        missing = await one.call("read", file_path="a.txt")
        assert missing["code"] == "FS_NOT_FOUND", missing
        editor.type(document, 0, "more ")
        editor.save(document)
        async with asyncio.timeout(60):
            while "notices" not in (found := await one.call("read", file_path="other.txt", refresh=True)):
                pass
        [notice] = found["notices"]
        assert notice["file_path"] == str(place.folder / "a.txt")
        assert notice["moved_by"] == "user-saved"
        assert gone["edit_id"] in notice["message"]
        assert "in an editor" in notice["message"]
        again = await one.call("read", file_path="other.txt", refresh=True)
        assert "notices" not in again  # once
        refused = await one.call("write", file_path="a.txt", content="over it\n")
        assert refused["code"] == "FS_NOT_OBSERVED", refused
        assert place.text("a.txt") == "more one\n"
