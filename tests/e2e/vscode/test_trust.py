"""In a workspace that the person has not trusted, agents read and change nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Agent, Place, agent
from tests.e2e.vscode.install import install, missing_program, packaged_extension
from tests.e2e.vscode.workbench import PATIENCE, workbench

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]


async def test_untrusted_workspace_is_read_only_until_it_is_trusted(tmp_path: Path) -> None:
    reason = missing_program()
    if reason is not None:
        pytest.skip(reason)
    place = Place(tmp_path)
    path = place.write("held.md", "alpha\n")
    async with (
        workbench(install(), packaged_extension(), place, ask_for_trust=True) as bench,
        agent(place) as one,
    ):
        assert (await bench.host("ping"))["trusted"] is False
        pid = await bench.server_pid()
        assert "alpha" in (await one.call("read", file_path="held.md"))["text"]
        refused = await _edit(one)
        assert (refused["code"], refused["data"]["rule"]) == ("FS_DENIED", "untrusted")
        assert path.read_text() == "alpha\n"

        await bench.palette("Workspaces: Manage Workspace Trust")
        await bench.click('.workspace-trust-editor .monaco-button:text-is("Trust")')
        await bench.server_pid(other_than=pid)
        async with asyncio.timeout(PATIENCE):
            while (done := await _edit(one))["ok"] is False:
                assert done["code"] == "FS_DENIED", done  # the old server, until it has ended
        assert path.read_text() == "beta\n"


async def _edit(one: Agent) -> dict[str, Any]:
    return await one.call("edit", file_path="held.md", old_string="alpha", new_string="beta")
