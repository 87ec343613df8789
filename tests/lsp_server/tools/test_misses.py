"""What the third miss in a row on one file brings."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lsp_server.tools.conftest import Walk

TEXT = "".join(f"value_{number} = {number}\n" for number in range(1, 201))
CLOSE = "value_100 = 1000"
"""Near a line of the file, and not in it."""


async def miss(walk: Walk, how: str = "edit", old: str = CLOSE, **who: str) -> dict[str, Any]:
    if how == "edit":
        found = await walk.edit("a.py", old, "x", **who)
    else:
        found = await walk.patch("*** Update File: a.py", "@@", f"-{old}", "+x", **who)
    assert found["code"] == "FS_NO_MATCH", found
    return found


@pytest.mark.parametrize("how", ["edit", "patch"])
async def test_the_third_shows_more_and_says_to_read(walk: Walk, how: str) -> None:
    walk.put("a.py", TEXT)
    await walk.read("a.py", limit=5)
    for _ in range(2):
        found = await miss(walk, how)
        assert "misses" not in found["data"]
        assert "in a row" not in found["message"]
    for number in (3, 4):
        found = await miss(walk, how)
        assert found["data"]["misses"] == number
        assert f"miss number {number} in a row" in found["message"]
        assert "read it again" in found["message"]
        data = found["data"]
        assert data["end_line"] - data["start_line"] >= 30
        assert data["start_line"] < 100 < data["end_line"]
        assert f"{data['end_line']}\tvalue_" in data["lines"]
    # What it showed counts as shown.
    assert (await walk.edit("a.py", "value_90 = 90\n", "y = 90\n"))["warnings"] == []


async def test_where_nothing_is_near_the_start_is_shown(walk: Walk) -> None:
    walk.put("a.py", TEXT)
    await walk.read("a.py", limit=5)
    for _ in range(2):
        await miss(walk, old="§§§§")
    found = await miss(walk, old="§§§§")
    assert (found["data"]["start_line"], found["data"]["end_line"]) == (1, 40)


@pytest.mark.parametrize("between", ["read", "edit", "write"])
async def test_a_row_ends(walk: Walk, between: str) -> None:
    walk.put("a.py", TEXT)
    await walk.read("a.py")
    await miss(walk)
    await miss(walk)
    match between:
        case "read":
            await walk.read("a.py", refresh=True)
        case "edit":
            await walk.edit("a.py", "value_1 =", "first =")
        case _:
            await walk.write("a.py", TEXT + "\n")
    assert "misses" not in (await miss(walk))["data"]


async def test_others_files_scopes_and_dry_runs_do_not_count(walk: Walk) -> None:
    walk.put("a.py", TEXT)
    walk.put("b.py", TEXT)
    for scope in ("main", "sub"):
        await walk.read("a.py", scope=scope)
        await walk.read("b.py", scope=scope)
    await miss(walk)
    await miss(walk)
    await walk.edit("b.py", CLOSE, "x")
    await miss(walk, scope="sub")
    lines = ("*** Update File: a.py", "@@", f"-{CLOSE}", "+x")
    assert "misses" not in (await walk.patch(*lines, validate_only=True))["data"]
    # An answer without text is no look at the file.
    assert (await walk.read("a.py"))["unchanged"]
    assert (await miss(walk))["data"]["misses"] == 3
