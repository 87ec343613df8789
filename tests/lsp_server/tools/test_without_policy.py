"""With the policy off, or another one in its place, tools still compare and swap: all of a change, or nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from ledger.errors import Code
from ledger.policy import Decision, Refusal
from ledger.session import Observation
from ledger.types import CreateIfAbsent, Operation, ReplaceCurrent
from tests.lsp_server.tools.conftest import MakeWalk, Walk


def no_policy(
    operation: Operation, observation: Observation, *, creates: bool = False, deleted_first: bool = False
) -> Decision:
    """Whatever was seen: what is there is replaced as it is met."""
    makes = operation in (Operation.PATCH_ADD, Operation.MOVE_DESTINATION)
    return CreateIfAbsent() if makes and not deleted_first else ReplaceCurrent()


def nobody_may(
    operation: Operation, observation: Observation, *, creates: bool = False, deleted_first: bool = False
) -> Decision:
    """A policy that says no."""
    return Refusal(Code.FS_NOT_OBSERVED)


def switched_off(make_walk: MakeWalk) -> Walk:
    return make_walk({"read_first": False})


def taken_out(make_walk: MakeWalk) -> Walk:
    walk = make_walk()
    walk.app.workspace.decide = no_policy
    return walk


WAYS = [switched_off, taken_out]


@pytest.mark.parametrize("way", WAYS)
async def test_every_tool_works_on_files_that_nobody_read(
    make_walk: MakeWalk, way: Callable[[MakeWalk], Walk]
) -> None:
    walk = way(make_walk)
    for name in ("edited", "written", "patched", "moved", "gone"):
        walk.put(name, "one\ntwo\n")
    assert (await walk.edit("edited", "one", "1"))["version_check"] == "skipped"
    assert (await walk.write("written", "all new\n"))["ok"]
    assert (await walk.write("made", "new\n"))["ok"]
    done = await walk.patch(
        "*** Update File: patched",
        "@@",
        "-one",
        "+1",
        "*** Add File: added",
        "+added",
        "*** Move File: moved -> there",
        "*** Delete File: gone",
    )
    assert done["ok"], done
    assert walk.there() == {
        "edited": b"1\ntwo\n",
        "written": b"all new\n",
        "made": b"new\n",
        "patched": b"1\ntwo\n",
        "added": b"added\n",
        "there": b"one\ntwo\n",
    }
    assert (await walk.call("rewind", to=done["edit_id"]))["ok"]
    assert walk.text("gone") == walk.text("moved") == walk.text("patched") == "one\ntwo\n"


@pytest.mark.parametrize("way", WAYS)
async def test_a_patch_is_still_all_or_nothing(make_walk: MakeWalk, way: Callable[[MakeWalk], Walk]) -> None:
    walk = way(make_walk)
    walk.put("a", "one\n")
    walk.put("b", "two\n")
    before = walk.there()
    found = await walk.patch(
        "*** Update File: a", "@@", "-one", "+1", "*** Update File: b", "@@", "-nowhere", "+2"
    )
    assert found["code"] == "FS_NO_MATCH"
    found = await walk.patch("*** Update File: a", "@@", "-one", "+1", "*** Add File: b", "+2")
    assert found["code"] == "FS_ALREADY_EXISTS"
    assert walk.there() == before


@pytest.mark.parametrize("way", WAYS)
async def test_many_at_once_lose_nothing(make_walk: MakeWalk, way: Callable[[MakeWalk], Walk]) -> None:
    walk = way(make_walk)
    walk.put("f", "".join(f"line {number}\n" for number in range(12)))
    calls: list[Any] = [
        walk.edit("f", f"line {number}\n", f"done {number}\n", session=f"s{number}") for number in range(12)
    ]
    assert all(found["ok"] for found in await asyncio.gather(*calls))
    assert walk.text("f") == "".join(f"done {number}\n" for number in range(12))


@pytest.mark.parametrize("way", WAYS)
async def test_a_text_that_moves_in_between_is_not_overwritten(
    make_walk: MakeWalk, way: Callable[[MakeWalk], Walk], monkeypatch: pytest.MonkeyPatch
) -> None:
    walk = way(make_walk)
    path = walk.put("f", "one\n")
    client = walk.app.workspace.client
    apply = client.apply
    moves = iter(["one\nsomebody's\n"])

    async def late(*changes: Any, **more: Any) -> Any:
        for text in moves:
            path.write_text(text)
        return await apply(*changes, **more)

    monkeypatch.setattr(client, "apply", late)
    assert (await walk.edit("f", "one", "1"))["ok"], "held against the text that is there now, it fits"
    assert walk.text("f") == "1\nsomebody's\n"


async def test_tools_obey_whatever_policy_they_are_handed(make_walk: MakeWalk) -> None:
    walk = make_walk()
    walk.put("f", "one\n")
    await walk.read("f")
    walk.app.workspace.decide = nobody_may
    before = walk.there()
    refused = [
        await walk.edit("f", "one", "1"),
        await walk.write("f", "new\n"),
        await walk.patch("*** Delete File: f"),
        await walk.patch("*** Update File: f", "@@", "-one", "+1"),
    ]
    assert [found["code"] for found in refused] == ["FS_NOT_OBSERVED"] * 4
    assert (await walk.write("new", "x\n"))["code"] == "FS_NOT_FOUND"
    assert walk.there() == before
