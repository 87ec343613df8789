"""The server dies: the window starts it again, agents and ledger carry on."""

from __future__ import annotations

import pytest

from tests.e2e.agents import agent, killed
from tests.e2e.vscode.workbench import Workbench, server_sees

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

TOLD = '.notifications-center .notification-list-item-message:has-text("started again")'


async def test_killed_server_comes_back_and_knows_what_was_read(bench: Workbench) -> None:
    bench.place.write("kept.md", "alpha\n")
    bench.place.write("typed.md", "alpha\n")
    # A person is told once in a row of ends; with a start by the person a new row begins.
    earlier = await bench.server_pid()
    await bench.command("coeditor.restartServer")
    pid = await bench.server_pid(other_than=earlier)
    await bench.open("kept.md")
    await bench.open("typed.md")
    async with agent(bench.place) as one:
        for name in ("kept.md", "typed.md"):
            await one.call("read", file_path=name)
        await bench.type("mine ")
        await server_sees(one, "typed.md", "mine alpha")
        await killed(pid)
        assert await bench.server_pid(other_than=pid) != pid
        await bench.command("notifications.showList")  # by itself it shows for a while only
        await bench.wait(TOLD)
        assert len(await bench.texts(TOLD)) == 1
        await bench.picture("server-killed")

        refused = await one.call("edit", file_path="typed.md", old_string="alpha", new_string="beta")
        assert refused["code"] == "FS_UNSAVED_CHANGES", refused
        assert "+mine alpha" in refused["data"]["diff"]
        done = await one.call("edit", file_path="kept.md", old_string="alpha", new_string="beta")
        assert done["ok"] is True, done
        assert done["changed_files"][0]["authority"] == "editor"
    assert bench.place.text("kept.md") == "beta\n"
    assert bench.place.text("typed.md") == "alpha\n"
    assert await bench.text("typed.md") == "mine alpha\n"
