"""What people are told of sessions' observations."""

from __future__ import annotations

from typing import Any

from lsp_server.ledger_view import lines_of
from lsp_server.service import CallContext
from tests.lsp_server.tools.conftest import Walk
from tests.shapes import check_shape


async def seen(walk: Walk, *, person: bool = True, **arguments: Any) -> list[dict[str, Any]]:
    context = CallContext(walk.caller("s"), "cli", str(walk.root), person=person)
    found = check_shape("ledger", await walk.app.call("ledger", arguments, context))
    scopes: list[dict[str, Any]] = found["scopes"]
    return scopes


async def test_files_with_state_ranges_version_and_calls(walk: Walk) -> None:
    walk.put("a", "1\n2\n3\n4\n5\n6\n7\n")
    found = await walk.read("a", call_id="r1", limit=3)
    done = await walk.edit("a", "2", "two", call_id="e1")
    await walk.call("read", file_path="gone", call_id="r2")
    (scope,) = await seen(walk)
    assert (scope["session"], scope["scope"]) == ("s", "main")
    absent, present = scope["files"]
    assert (absent["file_path"], absent["state"], absent["calls"]) == (str(walk.root / "gone"), "absent", [])
    assert present["version"] == done["changed_files"][0]["version"] != found["version"]
    assert (present["shown"], present["read"], present["may_overwrite"]) == ([[1, 5]], [[1, 3]], False)
    assert present["calls"] == [
        {"call_ids": ["e1"], "how": "edit", "lines": [[1, 5]]},
        {"call_ids": ["r1"], "how": "read", "lines": [[1, 1], [3, 3]]},
    ]


async def test_an_agent_is_told_of_its_own_session_only(walk: Walk) -> None:
    walk.put("a", "1\n")
    await walk.read("a", session="other")
    await walk.read("a", scope="sub")
    assert [scope["scope"] for scope in await seen(walk, person=False)] == ["sub"]
    assert await seen(walk, person=False, sessions=["other"]) == []
    assert {scope["session"] for scope in await seen(walk)} == {"s", "other"}
    assert [scope["session"] for scope in await seen(walk, sessions=["other"])] == ["other"]


async def test_one_file(walk: Walk) -> None:
    walk.put("a", "1\n")
    walk.put("b", "1\n")
    await walk.read("a")
    await walk.read("b")
    (scope,) = await seen(walk, file_path="b")
    assert [row["file_path"] for row in scope["files"]] == [str(walk.root / "b")]


async def test_people_read_it_line_by_line(walk: Walk) -> None:
    walk.put("a", "1\n2\n")
    await walk.read("a", call_id="r1")
    text = "\n".join(lines_of({"scopes": await seen(walk), "truncated": False}))
    assert "session s, scope main, last call " in text
    assert "lines 1-2 of 2 are known; may be overwritten; at " in text
    assert "lines 1-2 read by r1" in text
    assert list(lines_of({"scopes": [], "truncated": False})) == ["No session has seen a file here."]
