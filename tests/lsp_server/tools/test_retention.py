"""How much of the history stays, by the settings, and that a server at work keeps to it."""

from __future__ import annotations

import asyncio
import time

import pytest

from lsp_server.settings import Settings, merge
from tests.lsp_server.tools.conftest import MakeWalk, Walk

DAY = 86_400.0


async def edited(walk: Walk, times: int) -> None:
    walk.put("a.txt", "v0\n")
    await walk.read("a.txt")
    for number in range(times):
        assert (await walk.edit("a.txt", f"v{number}", f"v{number + 1}"))["ok"]


async def listed(walk: Walk) -> int:
    return len((await walk.call("history"))["edits"])


async def test_the_number_of_edits_is_a_limit(make_walk: MakeWalk) -> None:
    walk = make_walk({"limits": {"history_edits": 3}})
    await edited(walk, 5)
    await walk.app.close()
    assert await listed(make_walk({"limits": {"history_edits": 3}})) == 3


async def test_edits_leave_by_age_while_the_server_runs(
    make_walk: MakeWalk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lsp_server.app._IMPORT_AFTER", 0.0)
    walk = make_walk({"limits": {"history_days": 2}})
    await edited(walk, 2)
    now = time.time()
    later = [now + 0.5 * DAY]
    monkeypatch.setattr(walk.app.workspace.ledger, "_clock", lambda: later[0])
    assert await listed(walk) == 2
    await asyncio.sleep(0)
    assert await listed(walk) == 2
    for days in (1.0, 1.5, 2.0, 2.5, 3.0):
        later[0] = now + days * DAY
        assert await listed(walk) == 2 or days > 2
        for _ in range(3):
            await asyncio.sleep(0)
    assert await listed(walk) == 0


def test_a_repository_cuts_nobodys_history() -> None:
    found = merge(Settings(), {"limits": {"history_days": 1, "history_mib": 1, "file_bytes": 5}}, "project")
    assert (found.limit("history_days"), found.limit("history_mib"), found.limit("file_bytes")) == (
        30,
        256,
        5,
    )
