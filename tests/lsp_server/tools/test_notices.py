"""What a scope is told besides: files that moved, and what its sub-agents did."""

from __future__ import annotations

from lsp_server.wire.texts import content_text
from tests.lsp_server.tools.conftest import Walk


async def test_the_parent_hears_once_of_what_a_sub_agent_changed(walk: Walk) -> None:
    walk.put("seen", "1\n")
    walk.put("other", "1\n")
    await walk.read("seen")
    await walk.call_event("scopeStarted", {"session": "s", "scope": "sub", "parent": "main"})
    for name in ("seen", "other"):
        await walk.read(name, scope="sub")
        done = await walk.edit(name, "1", "2", scope="sub")
        assert "notices" not in done
    told = await walk.call("history")
    rows = {row["file_path"]: row for row in told["notices"]}
    assert set(rows) == {str(walk.root / "seen"), str(walk.root / "other")}
    assert {row["moved_by"] for row in rows.values()} == {"scope:s/sub"}
    assert rows[str(walk.root / "seen")]["lines"] == [[1, 1]]
    assert "version" not in rows[str(walk.root / "other")]
    text = content_text("history", told)
    assert f"{walk.root / 'other'} changed, by scope:s/sub]" in text
    assert f"{walk.root / 'seen'} changed since you read it, by scope:s/sub, lines 1]" in text
    assert "notices" not in await walk.call("history")
    # It was told that the file moved, not what it says now.
    assert (await walk.edit("seen", "2", "3"))["code"] == "FS_STALE_VERSION"


async def test_what_the_parent_has_read_since_is_no_news(walk: Walk) -> None:
    walk.put("a", "1\n")
    await walk.read("a", scope="sub")
    await walk.edit("a", "1", "2", scope="sub")
    assert "notices" not in await walk.read("a")


async def test_very_many_files_at_once_are_one_notice(walk: Walk) -> None:
    names = [f"sub/{number:02}" for number in range(15)]
    for name in names:
        walk.put(name, "1\n")
        await walk.read(name)
    for name in names:
        walk.put(name, "2\n")
    walk.app.workspace.notices.touched(frozenset(str(walk.root / name) for name in names))
    assert "notices" not in await walk.call("history"), "half of it is not told"
    assert await walk.app.workspace.notices.burst.settled(10)
    told = await walk.call("history")
    (notice,) = told["notices"]
    assert (notice["file_path"], notice["moved_by"]) == (str(walk.root / "sub"), "external")
    assert "15 files" in notice["message"]
    assert "00, 01, 02, 03, 04 and 10 more" in notice["message"]
    assert "notices" not in await walk.call("history")


async def test_an_edit_that_another_agent_undid_is_told(walk: Walk) -> None:
    walk.put("f", "1\n")
    await walk.read("f")
    done = await walk.edit("f", "1", "2")
    await walk.read("f", session="other")
    assert (await walk.edit("f", "2", "1", session="other"))["ok"]
    walk.app.workspace.notices.touched([str(walk.root / "f")])
    (notice,) = (await walk.call("history"))["notices"]
    assert (notice["moved_by"], notice["mover"]) == ("session:other", "test (2)")
    assert notice["message"] == f"It is again as it was before your edit {done['edit_id']}."
    text = content_text("history", {"ok": True, "edits": [], "notices": [notice]})
    assert "before your edit" in text


async def test_lines_that_went_at_the_end_are_told_of_where_the_file_ends_now(walk: Walk) -> None:
    walk.put("f", "1\n2\n3\n4\n")
    await walk.read("f")
    walk.put("f", "1\n2\n")
    walk.app.workspace.notices.touched([str(walk.root / "f")])
    (notice,) = (await walk.call("history"))["notices"]
    assert notice["lines"] == [[2, 2]]
