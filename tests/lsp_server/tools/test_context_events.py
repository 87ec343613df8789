"""What leaves a context, what comes back, and that no context profits from another."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lsp_server.tools.conftest import MakeWalk, Walk

SEEN = "one\ntwo\nthree\n"


@pytest.mark.parametrize(
    ("event", "gone", "kept"),
    [
        ({"call_ids": ["c-a"]}, ["a"], ["b", "c"]),
        ({"call_ids": ["c-a", "c-b", "nobody's"]}, ["a", "b"], ["c"]),
        ({"file_paths": ["c"]}, ["c"], ["a", "b"]),
        ({"all": True}, ["a", "b", "c"], []),
        ({"call_ids": ["c-a"], "scope": "sub"}, [], ["a", "b", "c"]),
        ({"all": True, "session": "other"}, [], ["a", "b", "c"]),
    ],
)
async def test_what_was_evicted_has_to_be_read_again(
    walk: Walk, event: dict[str, Any], gone: list[str], kept: list[str]
) -> None:
    for name in ("a", "b", "c"):
        walk.put(name, SEEN)
        await walk.read(name, call_id=f"c-{name}")
    answer = await walk.call_event("contextEvicted", {"session": "s"} | event)
    assert answer["forgotten"] == [str(walk.root / name) for name in gone]
    for name in gone:
        assert (await walk.edit(name, "two", "2"))["code"] == "FS_NOT_OBSERVED"
    for name in kept:
        assert (await walk.read(name))["unchanged"]
        assert (await walk.edit(name, "two", "2"))["ok"]


async def test_two_calls_that_showed_a_file_go_one_by_one(walk: Walk) -> None:
    walk.put("f", SEEN)
    await walk.read("f", limit=2, call_id="one")
    await walk.read("f", offset=2, call_id="two")
    assert (await walk.call_event("contextEvicted", {"session": "s", "call_ids": ["one"]}))["ok"]
    assert (await walk.read("f", offset=2))["unchanged"]
    assert not (await walk.read("f", limit=1))["unchanged"]


@pytest.mark.parametrize("restart", [False, True])
async def test_a_resumed_session_keeps_what_is_the_same(make_walk: MakeWalk, restart: bool) -> None:
    walk = make_walk()
    for name in ("same", "touched", "other", "gone"):
        walk.put(name, SEEN)
        await walk.read(name)
    await walk.read("missing")
    await walk.read("still missing")
    if restart:
        await walk.app.close()
    walk.put("touched", SEEN)
    walk.put("other", SEEN + "four\n")
    (walk.root / "gone").unlink()
    walk.put("missing", "here now\n")
    if restart:
        walk = make_walk()
    answer = await walk.call_event("sessionResumed", {"session": "s"})
    assert set(answer["forgotten"]) == {str(walk.root / name) for name in ("other", "gone", "missing")}
    for name in ("same", "touched"):
        assert (await walk.read(name))["unchanged"]
        assert (await walk.edit(name, "two", "2"))["ok"]
    refused = await walk.edit("other", "two", "2")
    assert (refused["code"], "+four" in refused["data"]["diff"]) == ("FS_STALE_VERSION", True)
    assert (await walk.edit("gone", "two", "2"))["data"]["vanished"]


@pytest.mark.parametrize(
    ("reader", "editor"), [("main", "sub"), ("sub", "main"), ("sub", "sub2"), ("sub2", "sub")]
)
@pytest.mark.parametrize("shown_by", ["read", "grep", "refusal", "own edit"])
async def test_no_scope_profits_from_what_another_was_shown(
    walk: Walk, reader: str, editor: str, shown_by: str
) -> None:
    walk.put("f", SEEN)
    for scope in ("sub", "sub2"):
        await walk.call_event("scopeStarted", {"session": "s", "scope": scope, "parent": "main"})
    if shown_by == "grep":
        await walk.call("grep", pattern="two", scope=reader)
    elif shown_by == "refusal":
        await walk.edit("f", "two", "2", scope=reader)
    else:
        await walk.read("f", scope=reader)
    if shown_by == "own edit":
        assert (await walk.edit("f", "one", "1", scope=reader))["ok"]
    assert (await walk.edit("f", "two", "2", scope=editor))["code"] == "FS_NOT_OBSERVED"


async def test_a_scope_that_ends_leaves_nothing_to_the_next_of_its_name(walk: Walk) -> None:
    walk.put("f", SEEN)
    for _ in range(2):
        await walk.call_event("scopeStarted", {"session": "s", "scope": "sub"})
        assert (await walk.edit("f", "two", "2", scope="sub"))["code"] == "FS_NOT_OBSERVED"
        ended = await walk.call_event("scopeEnded", {"session": "s", "scope": "sub"})
        assert ended["forgotten"] == [str(walk.root / "f")]


async def test_a_grandchilds_edits_reach_everyone_above_and_nobody_beside(walk: Walk) -> None:
    walk.put("f", SEEN)
    for scope, parent in (("child", "main"), ("grandchild", "child"), ("beside", "main")):
        await walk.call_event("scopeStarted", {"session": "s", "scope": scope, "parent": parent})
    await walk.read("f", scope="grandchild")
    await walk.edit("f", "two", "2", scope="grandchild")
    for scope, hears in (("child", True), ("main", True), ("beside", False)):
        found = await walk.call("history", scope=scope)
        assert ("notices" in found) is hears, scope
        if hears:
            assert found["notices"][0]["moved_by"] == "scope:s/grandchild"


async def test_sessions_beyond_the_limit_are_forgotten_the_longest_unused_first(make_walk: MakeWalk) -> None:
    walk = make_walk({"limits": {"sessions": 2}})
    walk.put("f", SEEN)
    for session in ("first", "second", "third"):
        await walk.read("f", session=session)
    assert (await walk.edit("f", "two", "2", session="first"))["code"] == "FS_NOT_OBSERVED"
    assert (await walk.edit("f", "two", "2", session="third"))["ok"]
