"""Every row of the decision table, over every operation, observation and setting."""

from __future__ import annotations

from itertools import product

import pytest

from ledger.errors import Code
from ledger.policy import Decision, Refusal, decide
from ledger.ranges import NONE, LineRanges
from ledger.session import ABSENT, UNSEEN, Observation, Present, Showing, after_refusal, after_unchanged
from ledger.types import CreateIfAbsent, Operation, ReplaceCurrent, ReplaceIfVersion, VersionToken

V = VersionToken("v")
ALL = LineRanges.whole(10)
HALF = LineRanges.of((1, 5))

READ = Present(V, 10, (Showing(("c",), ALL, ALL, is_read=True),), read_needed=False)
PART = Present(V, 10, (Showing(("c",), HALF, HALF, is_read=True),), read_needed=False)
GREPPED = Present(V, 10, (Showing(("c",), HALF),), read_needed=True)
REFUSED_ALL = Present(V, 10, (Showing(("c",), ALL, NONE, is_read=True),), read_needed=True)
REFUSED_THEN_OWN = Present(V, 10, (Showing(("c",), ALL, ALL, is_read=True),), read_needed=True)
EMPTY_READ = Present(V, 0, (Showing(("c",), NONE, NONE, is_read=True),), read_needed=False)
EMPTY_REFUSED = Present(V, 0, (Showing(("c",), NONE),), read_needed=True)
CUT = Present(V, 1, (Showing(("c",), NONE, NONE, is_read=True),), read_needed=False)

OBSERVATIONS: dict[str, Observation] = {
    "unseen": UNSEEN,
    "absent": ABSENT,
    "read": READ,
    "part": PART,
    "grepped": GREPPED,
    "refused": REFUSED_ALL,
    "refused, own edit": REFUSED_THEN_OWN,
    "empty, read": EMPTY_READ,
    "empty, refused": EMPTY_REFUSED,
    "cut": CUT,
}
PRESENT = [name for name, seen in OBSERVATIONS.items() if isinstance(seen, Present)]

CREATE = CreateIfAbsent()
REPLACE = ReplaceIfVersion(V)
CURRENT = ReplaceCurrent()
NOT_OBSERVED = Refusal(Code.FS_NOT_OBSERVED)
NOT_FOUND = Refusal(Code.FS_NOT_FOUND)
EXISTS = Refusal(Code.FS_ALREADY_EXISTS)


def partial(*missing: tuple[int, int]) -> Refusal:
    return Refusal(Code.FS_PARTIALLY_OBSERVED, LineRanges.of(*missing))


WRITE: dict[str, Decision] = {
    "unseen": CREATE,
    "absent": CREATE,
    "read": REPLACE,
    "part": partial((6, 10)),
    "grepped": partial((1, 10)),
    "refused": partial((1, 10)),
    "refused, own edit": partial(),
    "empty, read": REPLACE,
    "empty, refused": partial(),
    "cut": partial((1, 1)),
}
CHANGE: dict[str, Decision] = {"unseen": NOT_OBSERVED, "absent": NOT_FOUND, **dict.fromkeys(PRESENT, REPLACE)}
TAKE_AWAY: dict[str, Decision] = {
    **CHANGE,
    **dict.fromkeys(("grepped", "refused", "refused, own edit", "empty, refused"), NOT_OBSERVED),
}
MAKE: dict[str, Decision] = {"unseen": CREATE, "absent": CREATE, **dict.fromkeys(PRESENT, EXISTS)}
GATED: dict[Operation, dict[str, Decision]] = {
    Operation.WRITE: WRITE,
    Operation.EDIT: CHANGE,
    Operation.PATCH_UPDATE: CHANGE,
    Operation.PATCH_DELETE: TAKE_AWAY,
    Operation.MOVE_SOURCE: TAKE_AWAY,
    Operation.PATCH_ADD: MAKE,
    Operation.MOVE_DESTINATION: MAKE,
}


@pytest.mark.parametrize(("operation", "name"), list(product(Operation, OBSERVATIONS)))
def test_gated_row(operation: Operation, name: str) -> None:
    assert decide(operation, OBSERVATIONS[name]) == GATED[operation][name]


@pytest.mark.parametrize(("operation", "name"), list(product(Operation, OBSERVATIONS)))
def test_read_first_off_never_asks_for_a_read(operation: Operation, name: str) -> None:
    creates = operation in (Operation.PATCH_ADD, Operation.MOVE_DESTINATION)
    expected = CREATE if creates else (REPLACE if name in PRESENT else CURRENT)
    assert decide(operation, OBSERVATIONS[name], read_first=False) == expected


@pytest.mark.parametrize("name", OBSERVATIONS)
@pytest.mark.parametrize("read_first", [True, False])
def test_edit_that_may_create(name: str, read_first: bool) -> None:
    expected = REPLACE if name in PRESENT else (CREATE if read_first else CURRENT)
    assert decide(Operation.EDIT, OBSERVATIONS[name], read_first=read_first, creates=True) == expected


@pytest.mark.parametrize("operation", [Operation.PATCH_ADD, Operation.MOVE_DESTINATION])
@pytest.mark.parametrize("name", OBSERVATIONS)
@pytest.mark.parametrize("read_first", [True, False])
def test_create_where_the_same_patch_deletes(operation: Operation, name: str, read_first: bool) -> None:
    expected = REPLACE if name in PRESENT else (CREATE if read_first else CURRENT)
    seen = OBSERVATIONS[name]
    assert decide(operation, seen, read_first=read_first, deleted_first=True) == expected


def test_what_a_refusal_showed_is_enough_for_an_edit_and_not_for_a_write() -> None:
    seen = after_refusal(UNSEEN, V, 3, LineRanges.whole(3), call_id="c")
    assert decide(Operation.EDIT, seen) == REPLACE
    assert decide(Operation.WRITE, seen) == partial((1, 3))
    again = after_unchanged(seen, V, LineRanges.whole(3))
    assert decide(Operation.WRITE, again) == REPLACE
