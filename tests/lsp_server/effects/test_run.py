"""Side effects that hang or fail: named in the outcome, and no harm to the edit."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ledger.errors import Code, CoeditorError
from lsp_server.committing import Committed
from lsp_server.effects.run import Effects
from lsp_server.service import CallContext
from lsp_server.workspace import Workspace
from tests.lsp_server.tools.conftest import MakeWalk, Walk, make_walk, walk

__all__ = ["make_walk", "walk"]


async def hangs(workspace: Workspace, committed: Committed, context: CallContext) -> dict[str, Any] | None:
    await asyncio.Event().wait()
    return None


async def throws(workspace: Workspace, committed: Committed, context: CallContext) -> dict[str, Any] | None:
    raise RuntimeError("the editor ignores it")


async def works(workspace: Workspace, committed: Committed, context: CallContext) -> dict[str, Any] | None:
    return None


async def test_one_that_hangs_and_one_that_throws_are_named_and_nothing_else(make_walk: MakeWalk) -> None:
    walk = make_walk({"side_effects": {"diagnostics": True}})
    walk.app.workspace.effects = Effects(
        [
            ("diagnostics", hangs, 0.01),
            ("history", works, 60.0),
            ("refresh", throws, 60.0),
            ("events", works, 60.0),
        ]
    )
    walk.put("a.py", "v0\n")
    await walk.read("a.py")
    found = await walk.edit("a.py", "v0", "v1")
    assert (found["ok"], walk.text("a.py")) == (True, "v1\n")
    rows = {row["name"]: (row["ok"], "error" in row) for row in found["side_effects"]}
    assert rows == {
        "diagnostics": (False, True),
        "history": (True, False),
        "refresh": (False, True),
        "events": (True, False),
    }
    assert (await walk.call("rewind", to=found["edit_id"]))["ok"]


async def test_a_history_that_cannot_keep_texts_fails_no_edit(
    walk: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(data: bytes, *, base: str | None = None) -> str | None:
        raise CoeditorError(Code.FS_IO, "The disk is full.")

    walk.put("a.py", "v0\n")
    await walk.read("a.py")
    monkeypatch.setattr(walk.app.workspace.ledger, "put_blob", full)
    found = await walk.edit("a.py", "v0", "v1")
    assert (found["ok"], found["rewindable"], walk.text("a.py")) == (True, False, "v1\n")
    history = next(row for row in found["side_effects"] if row["name"] == "history")
    assert history["ok"] is False


async def test_outcomes_are_counted_by_their_codes(walk: Walk) -> None:
    walk.put("a.py", "v0\n")
    await walk.edit("a.py", "v0", "v1")
    await walk.read("a.py")
    await walk.edit("a.py", "nothing like it", "v1")
    await walk.edit("a.py", "v0", "v1")
    calls = (await walk.call("status"))["server"]["calls"]
    assert (calls["FS_NOT_OBSERVED"], calls["FS_NO_MATCH"], calls["ok"]) == (1, 1, 2)
