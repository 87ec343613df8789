"""A window that is closed with unsaved text brings it back, its other tabs only when they are shown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.agents import agent, until
from tests.e2e.vscode.workbench import Workbench, second_window, server_sees

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

BEFORE, AFTER = "one\ntwo\n", "one\n2\n"


async def test_restored_text_counts_and_a_tab_that_is_not_shown_is_on_disk(bench: Workbench) -> None:
    dirty, clean = bench.place.write("dirty.md", BEFORE), bench.place.write("clean.md", BEFORE)
    await bench.host("setting", name="files.hotExit", value="onExitAndWindowClose")
    try:
        async with second_window(bench, calm=False) as window:
            await window.open("clean.md")
            await window.open("dirty.md")
            await window.type("typed ")
            await window.until("dirty.md", text="typed " + BEFORE, dirty=True)
            async with agent(bench.place) as one:
                await server_sees(one, "dirty.md", "typed", unsaved=True)
                await window.backed_up("typed " + BEFORE)
        async with agent(bench.place) as one:
            assert (await one.call("read", file_path="dirty.md"))["authority"] == "disk"
            async with second_window(bench) as window:
                await window.until("dirty.md", text="typed " + BEFORE, dirty=True)
                assert sorted(await window.host("tabs")) == ["clean.md", "dirty.md"]
                await until(one, lambda seen: seen["unsaved"], "dirty.md")
                change: dict[str, Any] = {"old_string": "two", "new_string": "2"}
                refused = await one.call("edit", file_path="dirty.md", **change)
                assert refused["code"] == "FS_UNSAVED_CHANGES", refused
                assert "+typed one" in refused["data"]["diff"]
                assert (await one.call("edit", file_path="dirty.md", **change))["ok"] is True
                await window.until("dirty.md", text="typed " + AFTER, dirty=True)
                seen = await one.call("read", file_path="clean.md")
                # VS Code may have opened it behind its tab, and whatever it has open is told.
                assert seen["authority"] == "disk" or (await window.state("clean.md"))["open"]
                assert (await one.call("edit", file_path="clean.md", **change))["ok"] is True
                await window.open("clean.md")
                await window.until("clean.md", text=AFTER, dirty=False)
                await until(one, lambda seen: seen["authority"] == "editor", "clean.md")
        assert (dirty.read_text(), clean.read_text()) == (BEFORE, AFTER)
    finally:
        await bench.host("setting", name="files.hotExit", value="off")
