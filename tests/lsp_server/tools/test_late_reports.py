"""Reports that come after the edit was answered reach the agent with its next call, once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from ledger.types import ScopeKey
from lsp_server.effects.late import LateReport, LateReports
from lsp_server.wire.texts import content_text
from tests.editor_clients.language_server_scripts import scripted, servers_of, until
from tests.lsp_server.tools.conftest import MakeWalk, Walk

ON: Mapping[str, Any] = {"side_effects": {"diagnostics": True}, "limits": {"diagnostics_ms": 20_000}}


def patient(walk: Walk, milliseconds: int) -> None:
    """So long an edit waits for language servers."""
    workspace = walk.app.workspace
    limits = {**workspace.settings.limits, "diagnostics_ms": milliseconds}
    workspace.settings = replace(workspace.settings, limits=limits)


async def begun(make_walk: MakeWalk, text: str, **script: object) -> Walk:
    """A workspace with a file that was read, and a server that has reported on it."""
    walk = make_walk(ON)
    servers = servers_of(scripted(**script), root=walk.root)
    walk.app.workspace.servers = servers
    walk.app.workspace.late = LateReports(servers)
    patient(walk, 150)
    walk.put("a.txt", text)
    await walk.read("a.txt")
    path = str(walk.root / "a.txt")
    await until(lambda: servers.known(path, text).state == "fresh")
    return walk


def told(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in found.get("notices", ()) if "diagnostics" in row]


async def test_a_late_report_comes_with_the_next_answer(make_walk: MakeWalk) -> None:
    walk = await begun(make_walk, "ok\nMEH\n", delay=0.6)
    heard: list[LateReport] = []
    walk.app.workspace.late.listen(heard.append)
    done = await walk.edit("a.txt", "ok", "BAD")
    assert (done["diagnostics"]["state"], done["diagnostics"]["new"]) == ("none", [])
    assert told(done) == []
    await until(lambda: bool(heard))
    following = await walk.call("status")
    (row,) = told(following)
    assert (row["file_path"], row["edit_id"]) == (str(walk.root / "a.txt"), done["edit_id"])
    delta = row["diagnostics"]
    assert [(item["line"], item["code"]) for item in delta["new"]] == [(1, "E1")]
    assert (delta["state"], delta["remaining"]["warning"]) == ("fresh", 1)
    text = content_text("status", following)
    assert f"scripted has now reported on edit {done['edit_id']}.]" in text
    assert "1:1 new error [scripted E1] found E1" in text
    assert told(await walk.call("status")) == []
    assert heard[0].to_notice() == row


async def test_another_scope_is_not_told(make_walk: MakeWalk) -> None:
    walk = await begun(make_walk, "ok\n", delay=0.6)
    heard: list[LateReport] = []
    walk.app.workspace.late.listen(heard.append)
    await walk.edit("a.txt", "ok", "BAD")
    await until(lambda: bool(heard))
    assert told(await walk.call("status", session="other")) == []
    assert len(told(await walk.call("status"))) == 1


async def test_a_report_that_comes_with_the_next_edit_is_told_with_it(make_walk: MakeWalk) -> None:
    """The text between the two edits is never lost: what the first one broke is told as its doing."""
    walk = await begun(make_walk, "ok\nok\n", delay=0.6)
    first = await walk.edit("a.txt", "ok\nok", "BAD\nok")
    assert first["diagnostics"]["state"] == "none"
    patient(walk, 20_000)
    second = await walk.edit("a.txt", "BAD\nok", "BAD\nok MEH")
    assert [item["code"] for item in second["diagnostics"]["new"]] == ["7"]
    (row,) = told(second)
    assert row["edit_id"] == first["edit_id"]
    assert [item["code"] for item in row["diagnostics"]["new"]] == ["E1"]


async def test_a_text_that_is_gone_is_not_reported_on(make_walk: MakeWalk) -> None:
    walk = await begun(make_walk, "ok\n", delay=0.8)
    await walk.edit("a.txt", "ok", "BAD")
    await walk.edit("a.txt", "BAD", "fine")
    heard: list[LateReport] = []
    walk.app.workspace.late.listen(heard.append)
    await until(lambda: bool(heard))
    assert [report.found.new for report in heard] == [()]


async def test_a_server_that_says_nothing_leaves_nothing_behind(make_walk: MakeWalk) -> None:
    walk = make_walk(ON)
    servers = servers_of(scripted(silent=True), root=walk.root)
    walk.app.workspace.servers = servers
    walk.app.workspace.late = late = LateReports(servers)
    patient(walk, 150)
    walk.put("a.txt", "ok\n")
    await walk.read("a.txt")
    done = await walk.edit("a.txt", "ok", "BAD")
    assert done["diagnostics"]["state"] == "none"
    async with asyncio.timeout(10):
        await late.close()
    assert late.take(ScopeKey("s", "main")) == []


@pytest.mark.parametrize("status", ["new", "resolved"])
async def test_without_a_baseline_nothing_is_called_new_or_resolved(make_walk: MakeWalk, status: str) -> None:
    """The server starts while the edit is made: it never saw the text before."""
    walk = make_walk(ON)
    servers = servers_of(scripted(start_delay=0.8), root=walk.root)
    walk.app.workspace.servers = servers
    walk.app.workspace.late = late = LateReports(servers)
    patient(walk, 150)
    heard: list[LateReport] = []
    late.listen(heard.append)
    walk.put("a.txt", "ok\n")
    await walk.read("a.txt")
    await walk.edit("a.txt", "ok", "BAD")
    await until(lambda: bool(heard))
    (row,) = told(await walk.call("status"))
    assert row["diagnostics"][status] == []
    assert (row["diagnostics"]["remaining"]["error"], row["diagnostics"]["state"]) == (1, "partial")
