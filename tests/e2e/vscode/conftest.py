"""One window for all tests of this folder; each test finds it with every tab closed."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.e2e.agents import Place
from tests.e2e.vscode.install import install, missing_program, packaged_extension
from tests.e2e.vscode.workbench import ARTIFACTS, Workbench, workbench

_LONG = ["test_for_everybody.py", "test_several_folders.py"]
collect_ignore = [] if os.environ.get("COEDITOR_FAULTS") == "full" else _LONG
"""In the long run only: a tour of the window, with a picture of each view, and a window of its own."""

_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):  # type: ignore[no-untyped-def]
    """Remember for the fixture below how the test went."""
    outcome = yield
    if call.when == "call":
        item.stash[_FAILED] = outcome.get_result().failed


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def window(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workbench]:
    reason = missing_program()
    if reason is not None:
        pytest.skip(reason)
    place = Place(tmp_path_factory.mktemp("vscode"))
    await asyncio.to_thread(subprocess.run, ["git", "init", "--quiet", str(place.folder)], check=True)
    async with workbench(install(), packaged_extension(), place) as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def bench(window: Workbench, request: pytest.FixtureRequest) -> AsyncIterator[Workbench]:
    """The window, calm; a picture of it is kept when the test fails."""
    await window.reset()
    yield window
    if request.node.stash.get(_FAILED, False):
        await window.screenshot(ARTIFACTS / f"{request.node.name}.png")
