"""Edits by line numbers: the lines as the scope was shown them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lsp_server.tools.conftest import MakeWalk, Walk


def numbered(total: int) -> str:
    return "".join(f"line {number}\n" for number in range(1, total + 1))


async def by_lines(walk: Walk, first: int, last: int, new: str, **more: Any) -> dict[str, Any]:
    return await walk.call("edit", file_path="a", start_line=first, end_line=last, new_string=new, **more)


async def test_lines_are_replaced_whatever_they_end_with(walk: Walk) -> None:
    walk.put("a", "1\r\n2\r\n3\r\n4")
    await walk.read("a")
    assert (await by_lines(walk, 2, 3, "x\ny\nz\n"))["ok"] is True
    assert walk.text("a") == "1\r\nx\r\ny\r\nz\r\n4"
    assert (await by_lines(walk, 1, 1, ""))["ok"] is True
    assert walk.text("a") == "x\r\ny\r\nz\r\n4"


async def test_numbers_of_the_read_hold_after_own_edits_far_away(walk: Walk) -> None:
    walk.put("a", numbered(100))
    await walk.read("a")
    await walk.edit("a", "line 10\n", "line 10\nnew\nnew\n")
    done = await by_lines(walk, 50, 51, "fifty\n")
    assert walk.text("a") == numbered(100).replace("line 10\n", "line 10\nnew\nnew\n").replace(
        "line 50\nline 51\n", "fifty\n"
    )
    assert "are lines 52 to 53 now" in done["warnings"][0]
    assert done["match"]["lines"] == [[52, 53]]
    # And again, behind both edits and between them.
    assert (await by_lines(walk, 90, 90, "ninety"))["ok"] is True
    assert (await by_lines(walk, 30, 30, "thirty"))["ok"] is True
    assert walk.text("a").split("\n")[90] == "ninety"
    assert walk.text("a").split("\n")[31] == "thirty"


async def test_numbers_near_an_own_edit_that_moved_lines_are_asked_back(walk: Walk) -> None:
    walk.put("a", numbered(40))
    await walk.read("a")
    await walk.edit("a", "line 10\n", "line 10\nnew\n")
    before = walk.text("a")
    refused = await by_lines(walk, 12, 12, "x")
    assert refused["code"] == "FS_AMBIGUOUS_MATCH"
    assert refused["data"]["lines"] == [[12, 12], [13, 13]]
    assert "12\tline 11\n13\tline 12" in refused["data"]["text"]
    assert walk.text("a") == before
    assert (await by_lines(walk, 12, 12, "x"))["ok"] is True
    assert walk.text("a") == before.replace("line 11\n", "x\n")


async def test_a_later_read_gives_the_numbers_that_count(walk: Walk) -> None:
    walk.put("a", numbered(40))
    await walk.read("a")
    await walk.edit("a", "line 10\n", "line 10\nnew\n")
    await walk.read("a", refresh=True)
    assert (await by_lines(walk, 12, 12, "x"))["warnings"] == []
    assert "line 11\n" not in walk.text("a")


async def test_lines_that_were_not_shown_are_shown_and_the_same_request_applies(walk: Walk) -> None:
    walk.put("a", numbered(40))
    await walk.read("a", limit=5)
    refused = await by_lines(walk, 20, 20, "x")
    assert (refused["code"], refused["data"]["reason"]) == ("FS_NO_MATCH", "not_read")
    assert "20\tline 20" in refused["data"]["lines"]
    assert (await by_lines(walk, 20, 20, "x"))["ok"] is True


async def test_lines_past_the_end_are_refused(walk: Walk) -> None:
    walk.put("a", numbered(4))
    await walk.read("a")
    refused = await by_lines(walk, 4, 5, "x")
    assert (refused["code"], refused["data"]["total_lines"]) == ("INVALID_ARGUMENT", 4)


async def test_numbers_of_lines_behind_the_new_end_still_mean_them(walk: Walk) -> None:
    walk.put("a", numbered(40))
    await walk.read("a")
    await by_lines(walk, 1, 20, "")
    assert (await by_lines(walk, 40, 40, "last"))["ok"] is True
    assert walk.text("a").endswith("line 39\nlast\n")


async def test_another_ones_change_is_refused_and_then_numbers_are_those_shown(walk: Walk) -> None:
    walk.put("a", numbered(40))
    await walk.read("a")
    walk.put("a", "top\n" + numbered(40))
    refused = await by_lines(walk, 20, 20, "x")
    assert refused["code"] == "FS_STALE_VERSION"
    assert (await by_lines(walk, 20, 20, "x"))["ok"] is True
    # The refusal showed the lines around 20 with the numbers that they have now.
    assert walk.text("a") == "top\n" + numbered(40).replace("line 19\n", "x\n")


@pytest.mark.parametrize("settings", [{"staleness": "on-miss"}, {"on_conflict": "merge"}])
async def test_where_settings_let_it_go_on_the_lines_seen_are_found_again(
    make_walk: MakeWalk, settings: dict[str, str]
) -> None:
    walk = make_walk(settings)
    walk.put("a", numbered(40))
    await walk.read("a")
    walk.put("a", "top\n" + numbered(40))
    assert (await by_lines(walk, 20, 20, "x"))["ok"] is True
    assert walk.text("a") == "top\n" + numbered(40).replace("line 20\n", "x\n")
    walk.put("a", walk.text("a").replace("line 30\n", "other\n"))
    refused = await by_lines(walk, 30, 30, "y")
    assert refused["code"] == "FS_STALE_VERSION"


async def test_an_evicted_read_takes_its_numbers_along(walk: Walk) -> None:
    walk.put("a", numbered(40))
    await walk.read("a", call_id="r1")
    await walk.read("a", call_id="r2", offset=1, limit=10, refresh=True)
    await walk.call("context_event", event="contextEvicted", call_ids=["r1"])
    assert (await by_lines(walk, 20, 20, "x"))["data"]["reason"] == "not_read"
