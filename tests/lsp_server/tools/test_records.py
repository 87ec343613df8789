"""History, diff, status, context events: what is told afterwards, and to whom."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from lsp_server.service import CallContext
from lsp_server.timings import STEPS
from tests.lsp_server.tools.conftest import Walk


async def test_history_lists_ones_own_edits_newest_first(walk: Walk) -> None:
    walk.put("a.py", "v0\n")
    await walk.read("a.py")
    one = await walk.edit("a.py", "v0", "v1", turn="t1", call_id="c1")
    two = await walk.write("b.py", "b\n")
    await walk.edit("a.py", "nothing like it", "x")
    await walk.write("b.py", "b\n", session="other")
    rows = (await walk.call("history"))["edits"]
    assert [row["edit_id"] for row in rows] == [two["edit_id"], one["edit_id"]]
    last = rows[-1]
    assert (last["turn"], last["call_id"], last["tool"], last["agent"]) == ("t1", "c1", "edit", "test")
    assert (last["added"], last["removed"], last["state"], last["review"]) == (1, 1, "applied", "pending")
    assert last["time"].endswith("Z")
    assert [row["edit_id"] for row in (await walk.call("history", file_path="a.py"))["edits"]] == [
        one["edit_id"]
    ]
    assert len((await walk.call("history", limit=1))["edits"]) == 1
    assert (await walk.call("history", session="other"))["edits"] == []


async def test_diff_since_an_edit_a_turn_or_the_start(walk: Walk) -> None:
    walk.put("a.py", "x\ny\n")
    await walk.read("a.py")
    first = await walk.edit("a.py", "x", "X", turn="t1")
    second = await walk.edit("a.py", "y", "Y", turn="t2")
    whole = (await walk.call("diff"))["diff"]
    assert "-x\n-y\n+X\n+Y\n" in whole
    assert (await walk.call("diff", since=first["edit_id"]))["diff"] == whole
    later = (await walk.call("diff", since=second["edit_id"]))["diff"]
    assert "-y\n+Y\n" in later
    assert "-x" not in later
    assert (await walk.call("diff", since="t2"))["diff"] == later
    assert (await walk.call("diff", since="nothing"))["code"] == "INVALID_ARGUMENT"


async def test_diff_can_be_applied_by_git(walk: Walk, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for name, text in (("a.py", "x\ny\n"), ("m.py", "m\n"), ("d.py", "d\n")):
        walk.put(name, text)
        (copy / name).write_text(text)
        await walk.read(name)
    await walk.edit("a.py", "y\n", "z")
    await walk.patch("*** Move File: m.py -> sub/m2.py", "*** Delete File: d.py", "*** Add File: n.py", "+n")
    diff = (await walk.call("diff"))["diff"]
    await asyncio.to_thread(subprocess.run, ["git", "apply", "-"], cwd=copy, input=diff.encode(), check=True)
    there = {str(path.relative_to(copy)): path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    assert there == walk.there()


@pytest.mark.parametrize(
    ("event", "fields", "unseen"),
    [
        ("contextEvicted", {"all": True}, True),
        ("contextEvicted", {"file_paths": ["a.py"]}, True),
        ("contextEvicted", {"file_paths": ["b.py"]}, False),
        ("contextEvicted", {"call_ids": ["c1"]}, True),
        ("contextEvicted", {"call_ids": ["c2"]}, False),
        ("sessionResumed", {}, False),
        ("contextEvicted", {"all": True, "scope": "sub"}, False),
        ("contextEvicted", {"all": True, "session": "other"}, False),
    ],
)
async def test_context_events_forget_exactly_what_they_name(
    walk: Walk, event: str, fields: dict[str, object], unseen: bool
) -> None:
    walk.put("a.py", "x\n")
    walk.put("b.py", "y\n")
    await walk.read("a.py", call_id="c1")
    await walk.read("b.py", call_id="c2")
    await walk.read("a.py", scope="sub")
    found = await walk.call_event(event, fields)
    assert found["ok"]
    assert (str(walk.root / "a.py") in found["forgotten"]) is (unseen or fields.get("scope") == "sub")
    answer = await walk.edit("a.py", "x", "z")
    assert answer.get("code") == ("FS_NOT_OBSERVED" if unseen else None)


@pytest.mark.parametrize(
    ("event", "fields"), [("contextEvicted", {}), ("scopeStarted", {}), ("nonsense", {})]
)
async def test_context_events_that_say_nothing(walk: Walk, event: str, fields: dict[str, object]) -> None:
    assert (await walk.call_event(event, fields))["code"] == "INVALID_ARGUMENT"


async def test_a_scope_that_ended_is_forgotten(walk: Walk) -> None:
    walk.put("a.py", "x\n")
    await walk.call_event("scopeStarted", {"scope": "sub", "parent": "main"})
    await walk.read("a.py", scope="sub")
    found = await walk.call_event("scopeEnded", {"scope": "sub"})
    assert found["forgotten"] == [str(walk.root / "a.py")]
    assert (await walk.edit("a.py", "x", "y", scope="sub"))["code"] == "FS_NOT_OBSERVED"


async def test_a_person_sees_every_sessions_history(walk: Walk) -> None:
    await walk.write("a.py", "a\n", session="one")
    await walk.write("b.py", "b\n", session="two")
    person = CallContext(walk.caller("me"), "cli", str(walk.root), person=True)
    rows = (await walk.app.call("history", {}, person))["edits"]
    assert [row["session"] for row in rows] == ["two", "one"]


async def test_status_counts_outcomes_and_names_the_policy(walk: Walk) -> None:
    walk.put("a.py", "x\n")
    await walk.read("a.py")
    await walk.read("gone.py")
    found = await walk.call("status")
    assert found["server"]["calls"] == {"FS_NOT_FOUND": 1, "ok": 1}
    assert found["workspace_folders"] == [str(walk.root)]
    assert found["policy"]["read_first"] is True
    assert [row["session"] for row in found["sessions"]] == ["s"]


async def test_status_tells_where_the_time_went_if_asked(walk: Walk) -> None:
    walk.put("a.py", "x\n")
    await walk.read("a.py")
    await walk.edit("a.py", "x", "y")
    assert "timings" not in await walk.call("status")
    rows = (await walk.call("status", timings=True))["timings"]
    assert {row["step"] for row in rows} == set(STEPS)
    assert all(row["count"] == 1 and row["p50"] <= row["max"] for row in rows)
    whole = next(row["max"] for row in rows if row["step"] == "whole")
    assert sum(row["mean"] for row in rows) <= 2 * whole + 0.1, "the steps are parts of it"


async def test_a_lost_answer_is_in_the_journal(walk: Walk) -> None:
    walk.put("a.py", "x\n")
    await walk.read("a.py", call_id="r")
    done = await walk.edit("a.py", "x", "y", call_id="c1")
    await walk.edit("a.py", "nothing", "z", call_id="c2")
    # How long effects took is not what anybody comes back for.
    untimed = done | {"side_effects": [row | {"ms": 0.0} for row in done["side_effects"]]}
    assert await walk.app.outcome_of("s", "c1") == {"state": "applied", "result": untimed}
    assert await walk.app.outcome_of("s", "c2") is None
    assert await walk.app.outcome_of("other", "c1") is None


async def test_diff_only_names_what_is_no_text_any_more(walk: Walk) -> None:
    for name in ("a.py", "b.py"):
        await walk.write(name, "x\n")
    walk.put("a.py", b"\0")
    found = await walk.call("diff")
    assert found["ok"]
    assert "new file mode 100644\nBinary files /dev/null and b/a.py differ\n" in found["diff"]
    assert "+++ b/b.py\n" in found["diff"]
