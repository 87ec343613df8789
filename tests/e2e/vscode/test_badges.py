"""Files with changes of agents that wait for the person are marked where files are listed."""

from __future__ import annotations

import pytest

from tests.e2e.agents import agent
from tests.e2e.vscode.test_review_views import OLD, PRICES, ROUNDED, SUM, edit
from tests.e2e.vscode.workbench import Workbench

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

EXPLORER = ".explorer-folders-view .monaco-list-row"
TAB = '.tab.active[data-resource-name="badges.py"]'


async def test_files_that_wait_are_marked_in_the_explorer_and_in_tabs(bench: Workbench) -> None:
    bench.place.write("marked/badges.py", PRICES)
    await bench.open("marked/badges.py")
    await bench.command("workbench.view.explorer")
    marked = f'{EXPLORER}:has-text("badges.py") [class*="monaco-decoration-itemBadge"]'
    await bench.wait(f'{EXPLORER}:has-text("badges.py")')
    await bench.wait(marked, "detached")
    async with agent(bench.place, name="Claude") as one:
        await edit(one, "marked/badges.py", SUM, ROUNDED, "1")
        await edit(one, "marked/badges.py", OLD, "", "1")
        await bench.wait(marked)
        await bench.wait(f'{EXPLORER}:has-text("marked") [class*="monaco-decoration-bubbleBadge"]')
        await bench.wait(f'{TAB} [class*="monaco-decoration-itemBadge"]')
        await bench.picture("explorer-badge", upper=True)
    await bench.command("coeditor.keepAll")
    await bench.wait(marked, "detached")
    await bench.wait(f'{TAB} [class*="monaco-decoration-itemBadge"]', "detached")
