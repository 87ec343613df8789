"""Where agents were stopped, as people look at it and settle it."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.errors import CoeditorError
from ledger.types import Caller, ScopeKey, TargetKey
from lsp_server.effects.conflicts import Conflicts
from lsp_server.service import CallContext
from tests.lsp_server.tools.conftest import Walk
from tests.shapes import check_shape


async def asked(walk: Walk, tool: str, *, person: bool = True, **arguments: Any) -> dict[str, Any]:
    context = CallContext(walk.caller("person"), "lsp", str(walk.root), person=person)
    try:
        return check_shape(tool, await walk.app.call(tool, arguments, context))
    except CoeditorError as error:
        return error.to_object()


async def stopped(walk: Walk, name: str) -> None:
    """An agent wants to change what somebody else has changed since it read it."""
    path = walk.put(name, "one\ntwo\n")
    await walk.read(name)
    path.write_text("ONE\ntwo\n")
    assert (await walk.edit(name, "one", "uno"))["code"] == "FS_STALE_VERSION"


@pytest.fixture
def told(walk: Walk) -> list[str]:
    """What happens to marks, in order; somebody is there to see them."""
    found: list[str] = []
    walk.app.workspace.conflicts = Conflicts(lambda target, marks: found.append(f"{len(marks)}"))
    walk.app.workspace.conflicts.changed = lambda: found.append("changed")
    return found


async def test_a_conflict_has_the_three_texts_until_it_is_dismissed(walk: Walk, told: list[str]) -> None:
    await stopped(walk, "a.txt")
    (row,) = (await asked(walk, "conflicts"))["conflicts"]
    assert (row["line"], row["code"], row["texts"]) == (1, "FS_STALE_VERSION", True)
    texts = await asked(walk, "conflicts/texts", conflict=row["conflict"])
    assert (texts["base"], texts["current"], texts["wanted"]) == ("one\ntwo\n", "ONE\ntwo\n", "uno\ntwo\n")
    assert (await asked(walk, "conflicts/dismiss", conflicts=[row["conflict"], "cx"]))["dismissed"] == [
        row["conflict"]
    ]
    assert (await asked(walk, "conflicts"))["conflicts"] == []
    gone = await asked(walk, "conflicts/texts", conflict=row["conflict"])
    assert (gone["code"], gone["data"]["argument"]) == ("INVALID_ARGUMENT", "conflict")
    assert told == ["1", "changed", "0", "changed"]


async def test_the_end_of_its_session_takes_it_away(walk: Walk, told: list[str]) -> None:
    await stopped(walk, "a.txt")
    await walk.call_event("sessionEnded", {"session": "other"})
    assert len((await asked(walk, "conflicts"))["conflicts"]) == 1
    await walk.call_event("sessionEnded", {"session": "s"})
    assert (await asked(walk, "conflicts"))["conflicts"] == []
    assert told == ["1", "changed", "0", "changed"]


async def test_the_agents_own_next_change_settles_it(walk: Walk, told: list[str]) -> None:
    await stopped(walk, "a.txt")
    assert (await walk.edit("a.txt", "ONE", "uno"))["ok"]
    assert (await asked(walk, "conflicts"))["conflicts"] == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("conflicts", {}), ("conflicts/texts", {"conflict": "c"}), ("conflicts/dismiss", {"conflicts": []})],
)
async def test_an_agent_is_told_nothing_of_it(walk: Walk, tool: str, arguments: dict[str, Any]) -> None:
    refused = await asked(walk, tool, person=False, **arguments)
    assert (refused["code"], refused["data"]["rule"]) == ("FS_DENIED", "person")


def test_texts_are_held_of_the_last_marks_only() -> None:
    found = Conflicts(lambda target, marks: None)
    scopes = [ScopeKey(f"s{number}") for number in range(50)]
    target = TargetKey("/w/a")
    for scope in scopes:
        found.put_sides(scope, target, "seen", "w" * (2 << 20))
        found.refused(Caller(scope), target, "FS_STALE_VERSION", {})
    marks = [mark for _, mark in found.all()]
    assert [mark.scope for mark in marks] == scopes[::-1]
    held = [found.sides(target, mark) for mark in marks]
    assert [one.base for one in held] == ["seen"] * 40 + [None] * 10
    assert {one.wanted for one in held} == {None}
    assert len({mark.name for mark in marks}) == 50
