"""What a scope knows after its own edits: what it sent and what the answer showed, and nothing that was left out."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.session import Present
from ledger.types import ScopeKey, TargetKey
from tests.lsp_server.tools.conftest import MakeWalk, Walk


def seen(walk: Walk, name: str = "f") -> Present:
    found = walk.app.workspace.ledger.observation(ScopeKey("s"), TargetKey(str(walk.root / name)))
    assert isinstance(found, Present)
    return found


def numbered(count: int) -> str:
    return "".join(f"line {number}\n" for number in range(1, count + 1))


async def test_the_lines_around_an_edit_are_in_its_diff(walk: Walk) -> None:
    walk.put("f", numbered(40))
    await walk.read("f", offset=1, limit=10)
    done = await walk.edit("f", "line 20\n", "twenty\n")
    assert any("not shown to you (20)" in sentence for sentence in done["warnings"])
    assert seen(walk).shown.pairs() == [[1, 10], [17, 23]]
    assert seen(walk).read.pairs() == [[1, 10], [20, 20]]
    assert (await walk.edit("f", "line 22\n", "twenty-two\n"))["warnings"] == []
    assert (await walk.write("f", "x\n"))["code"] == "FS_PARTIALLY_OBSERVED"


async def test_of_a_diff_that_was_cut_nothing_is_shown(make_walk: MakeWalk) -> None:
    walk = make_walk({"limits": {"diff_chars": 200}})
    walk.put("f", "".join(f"a long line of its own, number {number}, x\n" for number in range(1, 41)))
    await walk.read("f", offset=1, limit=10)
    done = await walk.edit("f", ", x\n", ", y\n", replace_all=True)
    assert done["diff_truncated"]
    assert seen(walk).shown.pairs() == [[1, 10]], "what it only touched by replace_all it has never seen"


async def test_a_patch_shows_the_lines_around_its_chunks(walk: Walk) -> None:
    walk.put("f", numbered(40))
    await walk.read("f", offset=18, limit=3)
    assert (await walk.patch("*** Update File: f", "@@", "-line 19", "+nineteen"))["ok"]
    assert seen(walk).shown.pairs() == [[16, 22]]


@pytest.mark.parametrize(
    ("changed", "new", "expected"),
    [
        ("top\nend\n", "q = 2", {"code": "FS_STALE_VERSION", "reason": "stale"}),
        ("top\nq = 1\nq = 1\n", "q = 2", {"code": "FS_STALE_VERSION", "reason": "stale"}),
        ("top\nq = 2\nend\n", "q = 2", {"code": "FS_NO_MATCH", "reason": "already_applied"}),
    ],
)
async def test_a_miss_in_a_text_that_moved_is_told_apart(
    make_walk: MakeWalk, changed: str, new: str, expected: dict[str, Any]
) -> None:
    walk = make_walk({"staleness": "on-miss"})
    walk.put("f", "q = 1\nend\n")
    await walk.read("f")
    walk.put("f", changed)
    found = await walk.edit("f", "q = 1", new)
    assert {"code": found["code"], "reason": found["data"]["reason"]} == expected
    assert walk.text("f") == changed
