"""A clock that is set forward or back takes nothing away from an agent at work, and mixes up no history."""

from __future__ import annotations

import time

import pytest

from tests.lsp_server.tools.conftest import Walk

YEAR = 365 * 86_400.0


@pytest.mark.parametrize("jump", [-30 * YEAR, -3_600.0, 3_600.0, 10 * YEAR])
async def test_a_jump_of_the_clock(walk: Walk, monkeypatch: pytest.MonkeyPatch, jump: float) -> None:
    walk.put("a.txt", "1\n")
    await walk.read("a.txt")
    first = await walk.edit("a.txt", "1", "2")
    real = time.time
    monkeypatch.setattr(walk.app.workspace.ledger, "_clock", lambda: real() + jump)
    second = await walk.edit("a.txt", "2", "3")
    assert second["ok"], second
    walk.app.workspace.ledger.compact()
    edits = (await walk.call("history"))["edits"]
    assert [one["edit_id"] for one in edits] == [second["edit_id"], first["edit_id"]]
    assert (await walk.call("rewind", to=first["edit_id"]))["ok"]
    assert walk.text("a.txt") == "1\n"
