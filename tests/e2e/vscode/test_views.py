"""What the person sees of agents: the status bar, and the last edit's diff."""

from __future__ import annotations

import pytest

from tests.e2e.agents import agent
from tests.e2e.vscode.workbench import Workbench

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

ITEM = '.statusbar-item[id="coeditor.coeditor.coeditor.status"]'


async def test_status_bar_counts_agents_and_the_diff_shows_the_last_edit(bench: Workbench) -> None:
    bench.place.write("shown.md", "alpha\nbeta\n")
    await bench.open("shown.md")
    async with agent(bench.place) as one:
        await bench.wait(f'{ITEM}:has-text("1 agent")')
        await one.call("read", file_path="shown.md")
        done = await one.call("edit", file_path="shown.md", old_string="beta", new_string="gamma")
        assert done["ok"] is True, done
        await bench.wait(f'{ITEM} a[aria-label*="edit in shown.md (+1 −1)"]')

        await bench.palette("Coeditor: Show the Last Edit of an Agent")
        await bench.wait(".monaco-diff-editor .modified .view-lines:has-text('gamma')")
        await bench.wait(".monaco-diff-editor .original .view-lines:has-text('beta')")
    await bench.wait(f'{ITEM}:not(:has-text("1 agent"))')
