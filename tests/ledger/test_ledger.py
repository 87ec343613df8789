"""The ledger as a whole: scopes, moves, journal, history, rewinds, limits, and that all of it outlives the process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.errors import Code, CoeditorError
from ledger.ledger import Ledger
from ledger.limits import DAY, Limits
from ledger.ranges import LineRanges
from ledger.session import ABSENT, UNSEEN, Present
from ledger.types import (
    Caller,
    EditId,
    Entry,
    FileOperation,
    FileRecord,
    FileState,
    LineEdit,
    ScopeKey,
    TargetKey,
    token_of,
)

MAIN, SUB, OTHER = ScopeKey("S1"), ScopeKey("S1", "sub"), ScopeKey("S2")
A, B, C = TargetKey("/w/a"), TargetKey("/w/b"), TargetKey("/w/c")
T1, T2, T3 = token_of("1"), token_of("2"), token_of("3")
WHOLE = LineRanges.whole(10)


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "ledger.db")


@pytest.fixture
def ledger(path: str, clock: Clock) -> Iterator[Ledger]:
    opened = Ledger.open(path, clock=clock)
    yield opened
    opened.close()


def caller(scope: ScopeKey = MAIN, call: str | None = None, turn: str | None = None) -> Caller:
    return Caller(scope, call, turn, "test")


def record(
    target: TargetKey = A,
    operation: FileOperation = "update",
    source: TargetKey | None = None,
    after: str = "2",
) -> FileRecord:
    return FileRecord(
        target,
        str(target),
        operation,
        None if operation == "create" else FileState(T1, "b1", "utf-8", 0o644),
        None if operation == "delete" else FileState(token_of(after), "b2", "utf-8", 0o755),
        2,
        1,
        source,
        source,
    )


def applied(
    ledger: Ledger,
    *files: FileRecord,
    scope: ScopeKey = MAIN,
    turn: str | None = None,
    call: str | None = None,
    rewinds: EditId | None = None,
) -> EditId:
    edit_id = ledger.intend(caller(scope, call, turn), "edit", files, '{"x": 1}', rewinds=rewinds)
    ledger.mark_applied(edit_id)
    return edit_id


def present(ledger: Ledger, scope: ScopeKey, target: TargetKey) -> Present:
    seen = ledger.observation(scope, target)
    assert isinstance(seen, Present)
    return seen


def ids(entries: list[Entry]) -> list[EditId]:
    return [entry.edit_id for entry in entries]


# Observations


def test_scopes_never_profit_from_each_other(ledger: Ledger) -> None:
    ledger.record_read(caller(SUB), A, T1, 10, WHOLE)
    assert ledger.observation(MAIN, A) == UNSEEN
    assert ledger.observation(OTHER, A) == UNSEEN
    ledger.record_read(caller(MAIN), B, T1, 10, WHOLE)
    assert ledger.observation(SUB, B) == UNSEEN


def test_another_scopes_edit_leaves_the_observation_at_its_old_version(ledger: Ledger) -> None:
    for scope in (MAIN, OTHER):
        ledger.record_read(caller(scope), A, T1, 10, WHOLE)
    ledger.record_own_edit(caller(OTHER), A, T2, 11, [LineEdit(1, 0, 1)])
    assert present(ledger, MAIN, A).token == T1
    assert {scope: seen.token for scope, seen in ledger.observers(A)} == {MAIN: T1, OTHER: T2}
    assert ledger.observers(B) == []
    ledger.record_refusal(caller(), A, T2, 11, LineRanges.of((1, 2)), moved=[LineEdit(1, 0, 1)])
    assert present(ledger, MAIN, A).shown == LineRanges.whole(11)
    assert not present(ledger, MAIN, A).is_whole_read()


def test_move_takes_the_observation_along_and_leaves_absent(ledger: Ledger) -> None:
    ledger.record_read(caller(), A, T1, 10, LineRanges.of((1, 5)))
    ledger.record_move(caller(call="m"), A, B, T2, 10, [LineEdit(2, 1, 1)])
    assert ledger.observation(MAIN, A) == ABSENT
    assert present(ledger, MAIN, B).token == T2
    assert present(ledger, MAIN, B).read == LineRanges.of((1, 5))


def test_created_and_absent(ledger: Ledger) -> None:
    ledger.record_absent(MAIN, A)
    assert ledger.observation(MAIN, A) == ABSENT
    ledger.record_created(caller(), A, T1, 3, text="1")
    assert present(ledger, MAIN, A).is_whole_read()
    assert ledger.text_of(T1) == "1"
    assert ledger.observed_targets() == {A}


def test_what_left_the_context_is_forgotten(ledger: Ledger) -> None:
    ledger.record_read(caller(call="r1"), A, T1, 10, LineRanges.of((1, 5)))
    ledger.record_read(caller(call="r2"), A, T1, 10, LineRanges.of((6, 7)))
    ledger.record_read(caller(call="r2"), B, T1, 10, WHOLE)
    ledger.record_read(caller(SUB, "r2"), B, T1, 10, WHOLE)
    ledger.record_absent(MAIN, C)
    assert ledger.forget(MAIN, call_ids=["r2", "none"]) == [A, B]
    assert present(ledger, MAIN, A).shown == LineRanges.of((1, 5))
    assert ledger.observation(MAIN, B) == UNSEEN
    assert present(ledger, SUB, B)
    assert ledger.forget(MAIN, targets=[C, TargetKey("/w/never")]) == [C]
    assert ledger.forget(MAIN, everything=True) == [A]
    assert ledger.observations(MAIN) == []
    assert len(ledger.observations("S1")) == 1


def test_scopes_begin_and_end_with_nothing(ledger: Ledger) -> None:
    ledger.record_read(caller(SUB), A, T1, 10, WHOLE)
    ledger.start_scope(SUB, "main")
    assert present(ledger, SUB, A), "the event came after the first call"
    ledger.start_scope(SUB, "main")
    assert ledger.observation(SUB, A) == UNSEEN
    ledger.record_read(caller(SUB), A, T1, 10, WHOLE)
    ledger.end_scope(SUB)
    assert ledger.observation(SUB, A) == UNSEEN


def test_parents_hear_once_of_what_their_children_changed(ledger: Ledger) -> None:
    nested = ScopeKey("S1", "nested")
    ledger.start_scope(SUB, "main")
    ledger.start_scope(nested, "sub")
    first = applied(ledger, record(A), scope=nested)
    second = applied(ledger, record(B), scope=ScopeKey("S1", "never started"))
    applied(ledger, record(C), scope=MAIN)
    applied(ledger, record(C), scope=OTHER)
    assert [(each.child, each.target, each.edit_id) for each in ledger.take_child_changes(SUB)] == [
        (nested, A, first)
    ]
    told = ledger.take_child_changes(MAIN)
    assert {(each.child.scope, each.path, each.edit_id) for each in told} == {
        ("nested", A, first),
        ("never started", B, second),
    }
    assert ledger.take_child_changes(MAIN) == []
    assert ledger.take_child_changes(nested) == []


def test_sessions_expire_by_age_and_by_number(path: str, clock: Clock) -> None:
    limits = Limits(sessions=2, session_age=100.0)
    ledger = Ledger.open(path, clock=clock, limits=limits)
    for number in range(4):
        clock.now += 10
        ledger.record_read(caller(ScopeKey(f"N{number}")), A, T1, 10, WHOLE)
    ledger.compact()
    seen = [ledger.observation(ScopeKey(f"N{number}"), A) != UNSEEN for number in range(4)]
    assert seen == [False, False, True, True]
    clock.now += 95
    ledger.touch("N3")
    assert ledger.resume("N3") == 1
    ledger.compact()
    assert ledger.observation(ScopeKey("N2"), A) == UNSEEN
    assert ledger.observation(ScopeKey("N3"), A) != UNSEEN
    ledger.close()


def test_a_scope_that_saw_too_many_files_forgets_the_oldest(path: str) -> None:
    ledger = Ledger.open(path, limits=Limits(targets=3))
    for number in range(5):
        ledger.record_absent(MAIN, TargetKey(f"/{number}"))
    ledger.close()
    again = Ledger.open(path)
    assert {known.target for known in again.observations(MAIN)} == {"/2", "/3", "/4"}
    again.close()


# Journal and history


def test_an_entry_from_intended_to_applied(ledger: Ledger, clock: Clock) -> None:
    edit_id = ledger.intend(caller(call="c", turn="t"), "edit", [record()], "request " * 200)
    assert ids(ledger.intended_entries()) == [edit_id]
    assert ledger.entries() == []
    final = record(after="formatted")
    ledger.mark_applied(edit_id, [final], '{"ok": true}')
    entry = ledger.entry(edit_id)
    assert entry == Entry(
        edit_id,
        clock.now,
        caller(call="c", turn="t"),
        "edit",
        "applied",
        (final,),
        request="request " * 200,
        outcome='{"ok": true}',
    )
    ledger.set_outcome(edit_id, '{"ok": true, "more": 1}')
    assert ledger.intended_entries() == []
    by_call = ledger.entry_of_call("S1", "c")
    assert by_call is not None
    assert by_call.outcome == '{"ok": true, "more": 1}'
    assert ledger.entry_of_call("S2", "c") is None
    assert ledger.entry("nothing") is None
    with pytest.raises(CoeditorError, match="no entry"):
        ledger.mark_applied(EditId("nothing"))


def test_refused_calls_are_not_in_the_history_and_unknown_ones_are(ledger: Ledger) -> None:
    refused = ledger.intend(caller(call="c1"), "edit", [record()])
    ledger.mark_refused(refused, '{"ok": false}')
    unknown = ledger.intend(caller(call="c2"), "edit", [record()])
    ledger.mark_unknown(unknown)
    assert ids(ledger.entries()) == [unknown]
    found = ledger.entry_of_call("S1", "c1")
    assert found is not None
    assert (found.state, found.outcome) == ("refused", '{"ok": false}')
    with pytest.raises(CoeditorError, match="cannot become"):
        ledger.mark_applied(refused)
    ledger.mark_applied(unknown)
    assert ledger.entries()[0].state == "applied"


def test_history_is_newest_first_by_session_by_file_and_limited(ledger: Ledger) -> None:
    first = applied(ledger, record(A))
    moved = applied(ledger, record(B, "move", A))
    other = applied(ledger, record(B), scope=OTHER)
    again = applied(ledger, record(A, "create"))
    assert ids(ledger.entries()) == [again, other, moved, first]
    assert ids(ledger.entries(limit=2)) == [again, other]
    assert ids(ledger.entries(session="S1")) == [again, moved, first]
    assert ids(ledger.entries(target=B)) == [other, moved, first]
    assert ids(ledger.entries(target=B, session="S1", limit=1)) == [moved]
    assert ids(ledger.entries(target=A)) == [again, moved, first]
    assert ledger.entries(target=C) == []
    assert ledger.had_edits("S2")
    assert not ledger.had_edits("S3")


def test_a_file_that_went_round_in_circles_has_one_history(ledger: Ledger) -> None:
    steps = [applied(ledger, record(B, "move", A)), applied(ledger, record(A, "move", B))] * 2
    assert set(ids(ledger.entries(target=A))) == set(steps)


def test_last_writer_is_whose_edit_produced_the_text(ledger: Ledger) -> None:
    first = applied(ledger, record(A, after="2"), scope=OTHER)
    applied(ledger, record(C, after="2"))
    found = ledger.last_writer(A, T2)
    assert found is not None
    assert (found.edit_id, found.caller.scope) == (first, OTHER)
    assert ledger.last_writer(B, T2) is None
    assert ledger.last_writer(A, T1) is None


def test_last_writer_is_unknown_when_an_old_text_came_back_by_other_hands(ledger: Ledger) -> None:
    applied(ledger, record(A, after="2"), scope=OTHER)
    applied(ledger, record(A, after="3"))
    assert ledger.last_writer(A, T2) is None
    moved = applied(ledger, record(B, "move", A, after="3"))
    assert ledger.last_writer(A, T3) is None
    found = ledger.last_writer(B, T3)
    assert found is not None
    assert found.edit_id == moved
    ledger.mark_refused(ledger.intend(caller(), "edit", [record(B, after="2")]))
    assert ledger.last_writer(B, T3) is not None


def test_a_step_reaches_the_store_as_a_whole(ledger: Ledger, path: str, clock: Clock) -> None:
    edit_id = ledger.intend(caller(), "edit", [record()])
    with ledger.step():
        ledger.mark_applied(edit_id)
        ledger.record_own_edit(caller(), A, T2, 10, [LineEdit(1, 1, 1)])
        other = Ledger.open(path, clock=clock)
        assert ids(other.intended_entries()) == [edit_id]
        assert other.observation(MAIN, A) == UNSEEN
        other.close()

    def fail() -> None:
        with ledger.step():
            ledger.record_absent(MAIN, B)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    again = Ledger.open(path, clock=clock)
    assert ids(again.entries()) == [edit_id]
    assert present(again, MAIN, A).token == T2
    assert again.observation(MAIN, B) == ABSENT
    again.close()


def test_what_was_forgotten_in_a_step_that_fails_does_not_come_back(
    ledger: Ledger, path: str, clock: Clock
) -> None:
    for target in (A, B, C):
        ledger.record_read(caller(), target, T1, 10, WHOLE)

    def fail() -> None:
        with ledger.step():
            ledger.forget(MAIN, targets=[A])
            with ledger.step():
                ledger.forget(MAIN, targets=[B])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with ledger.step():
        ledger.record_read(caller(), B, T2, 10, WHOLE)
    with pytest.raises(ZeroDivisionError):
        fail()
    ledger.record_read(caller(), B, T3, 10, WHOLE)
    again = Ledger.open(path, clock=clock)
    assert again.observation(MAIN, A) == UNSEEN
    assert present(again, MAIN, B).token == T3
    assert present(again, MAIN, C).token == T1
    again.close()


def test_entries_since_an_edit_a_turn_or_the_start(ledger: Ledger) -> None:
    e1 = applied(ledger, record(A), turn="t1")
    e2 = applied(ledger, record(B), turn="t2")
    applied(ledger, record(B), scope=OTHER, turn="t2")
    e3 = applied(ledger, record(A), turn="t3")
    assert ids(ledger.entries_since(None, session="S1")) == [e3, e2, e1]
    assert ids(ledger.entries_since(e2, session="S1")) == [e3, e2]
    assert ids(ledger.entries_since("t2", session="S1")) == [e3, e2]
    assert ids(ledger.entries_since("t1", session="S1", target=A)) == [e3, e1]
    assert ids(ledger.entries_since(e2)) == [e3, e2]


@pytest.mark.parametrize("ask", ["entries_since", "rewind_steps"])
def test_names_of_other_sessions_and_of_nothing_are_refused(ledger: Ledger, ask: str) -> None:
    edit_id = applied(ledger, record(A), turn="t9")
    for name, session in ((edit_id, "S2"), ("t9", "S2"), ("nothing", "S1"), ("nothing", None)):
        with pytest.raises(CoeditorError) as raised:
            getattr(ledger, ask)(name, session=session)
        assert raised.value.code is Code.INVALID_ARGUMENT


def test_rewound_entries_and_a_rewind_of_the_rewind(ledger: Ledger) -> None:
    e1 = applied(ledger, record(A), turn="t1")
    e2 = applied(ledger, record(A), record(B), turn="t2")
    steps = ledger.rewind_steps("t2", session="S1")
    assert ids([step.entry for step in steps]) == [e2]
    r1 = applied(ledger, record(A), record(B), rewinds=e2)
    ledger.mark_rewound(r1, steps)
    entry = ledger.entry(e2)
    assert entry is not None
    assert (entry.state, entry.review) == ("rewound", "undone")
    assert ledger.rewind_steps(e2, session="S1") == ()
    assert ids([step.entry for step in ledger.rewind_steps(e1, session="S1")]) == [e1]
    again = ledger.rewind_steps(r1, session="S1")
    assert ids([step.entry for step in again]) == [r1]
    r2 = applied(ledger, record(A), record(B), rewinds=r1)
    ledger.mark_rewound(r2, again)
    states = {each.edit_id: (each.state, each.review) for each in ledger.entries()}
    assert states == {
        e1: ("applied", "pending"),
        e2: ("applied", "pending"),
        r1: ("rewound", "undone"),
        r2: ("applied", "pending"),
    }
    assert ids([step.entry for step in ledger.rewind_steps(e1)]) == [e2, e1]


def test_rewind_of_one_file_leaves_the_entry_applied_until_all_are_back(ledger: Ledger) -> None:
    e1 = applied(ledger, record(A), record(B))
    ledger.mark_rewound(applied(ledger, record(A), rewinds=e1), ledger.rewind_steps(e1, target=A))
    entry = ledger.entry(e1)
    assert entry is not None
    assert entry.state == "applied"
    left = ledger.rewind_steps(e1)
    assert [file.target for step in left for file in step.files] == [B]
    ledger.mark_rewound(applied(ledger, record(B), rewinds=e1), left)
    entry = ledger.entry(e1)
    assert entry is not None
    assert entry.state == "rewound"


def test_review_is_a_field_of_its_own(ledger: Ledger) -> None:
    e1 = applied(ledger, record(A))
    ledger.set_review(e1, "kept")
    entry = ledger.entry(e1)
    assert entry is not None
    assert (entry.state, entry.review) == ("applied", "kept")


def test_old_entries_go_and_open_ones_never(path: str, clock: Clock) -> None:
    limits = Limits(entries=2, entry_age=1000.0, refused_age=10.0)
    ledger = Ledger.open(path, clock=clock, limits=limits)
    still_open = ledger.intend(caller(), "edit", [record()])
    old = applied(ledger, record())
    refused = ledger.intend(caller(), "edit", [record()])
    ledger.mark_refused(refused)
    clock.now += 500
    ledger.compact()
    assert ledger.entry(refused) is None
    assert ids(ledger.entries()) == [old]
    kept = [applied(ledger, record()) for _ in range(3)][1:]
    ledger.compact()
    assert ids(ledger.entries()) == kept[::-1]
    clock.now += 1001
    ledger.compact()
    assert ledger.entries() == []
    assert ids(ledger.intended_entries()) == [still_open]
    ledger.close()


@pytest.mark.parametrize("jump", [20 * 365 * DAY, -20 * 365 * DAY])
def test_a_clock_that_jumps_loses_no_history(path: str, clock: Clock, jump: float) -> None:
    clock.now = 1_700_000_000.0
    ledger = Ledger.open(path, clock=clock)
    ledger.record_read(caller(), A, T1, 10, WHOLE, text="1")
    old = applied(ledger, record())
    ledger.close()
    clock.now += jump
    ledger = Ledger.open(path, clock=clock)
    young = applied(ledger, record())
    ledger.compact()
    clock.now -= jump
    ledger.compact()
    assert ids(ledger.entries()) == [young, old]
    assert ledger.observation(MAIN, A) != UNSEEN
    assert ledger.text_of(T1) == "1"
    ledger.close()


# The death of the process

VICTIM = """
import sys, time
from ledger.ledger import Ledger
from ledger.ranges import LineRanges
from ledger.types import *
ledger = Ledger.open(sys.argv[1])
caller = Caller(ScopeKey("S1"), "c1", "t1")
A, B = TargetKey("/w/a"), TargetKey("/w/b")
ledger.record_read(caller, A, token_of("1"), 10, LineRanges.of((2, 7)), text="1")
ledger.record_absent(caller.scope, B)
ledger.start_scope(ScopeKey("S1", "sub"), "main")
key = ledger.put_blob(b"before")
state = FileState(token_of("1"), key, "utf-8")
done = ledger.intend(caller, "edit", [FileRecord(A, "/w/a", "update", state, state)], "{}")
ledger.mark_applied(done, None, "outcome")
open_ = ledger.intend(Caller(ScopeKey("S1"), "c2"), "edit", [FileRecord(A, "/w/a", "update", state, state)], "{}")
print(done, open_, key, flush=True)
time.sleep(600)
"""


def test_everything_told_is_there_after_sigkill(path: str) -> None:
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", VICTIM, path],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    ) as victim:
        assert victim.stdout is not None
        done, still_open, key = victim.stdout.readline().split()
        victim.send_signal(signal.SIGKILL)
    ledger = Ledger.open(path)
    seen = present(ledger, MAIN, A)
    assert (seen.token, seen.shown, seen.read_needed) == (T1, LineRanges.of((2, 7)), False)
    assert ledger.observation(MAIN, B) == ABSENT
    assert ledger.text_of(T1) == "1"
    assert ledger.get_blob(key) == b"before"
    assert ids(ledger.entries()) == [done]
    assert ids(ledger.intended_entries()) == [still_open]
    assert ledger.forget(MAIN, call_ids=["c1"]) == [A]
    entry = ledger.entry_of_call("S1", "c1")
    assert entry is not None
    assert entry.outcome == "outcome"
    assert ledger.take_notices() == []
    ledger.close()
