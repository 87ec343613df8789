"""Lists of entries: one file through its names, baselines of a diff, and what a rewind must undo."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from ledger.errors import CoeditorError
from ledger.history import Recorded, baselines, rewind_steps, touching
from ledger.journal import intended, moved_to
from ledger.types import (
    Caller,
    EditId,
    Entry,
    EntryState,
    FileOperation,
    FileRecord,
    FileState,
    ScopeKey,
    TargetKey,
    VersionToken,
)


def state(text: str) -> FileState:
    return FileState(VersionToken(text), text, "utf-8")


def change(
    operation: FileOperation, path: str, before: str | None = "0", after: str | None = "1"
) -> FileRecord:
    return FileRecord(
        TargetKey(path),
        path,
        operation,
        None if before is None else state(before),
        None if after is None else state(after),
    )


def move(source: str, path: str, text: str = "0") -> FileRecord:
    return FileRecord(
        TargetKey(path), path, "move", state(text), state(text), 0, 0, TargetKey(source), source
    )


def entry(name: str, *files: FileRecord, rewinds: str | None = None, state: EntryState = "applied") -> Entry:
    made = intended(
        EditId(name), 0.0, Caller(ScopeKey("S")), "edit", files, rewinds=EditId(rewinds) if rewinds else None
    )
    return moved_to(made, state)


def newest_first(*entries: Entry) -> list[Entry]:
    return list(reversed(entries))


def test_history_of_a_file_follows_its_earlier_names() -> None:
    entries = newest_first(
        entry("1", change("update", "a"), change("update", "z")),
        entry("2", move("a", "b")),
        entry("3", change("create", "a", None)),
        entry("4", change("update", "b")),
    )
    found = [
        (each.edit_id, [file.path for file in files]) for each, files in touching(entries, TargetKey("b"))
    ]
    assert found == [("4", ["b"]), ("2", ["b"]), ("1", ["a"])]
    assert [each.edit_id for each, _ in touching(entries, TargetKey("a"))] == ["3", "2", "1"]


@pytest.mark.parametrize(
    ("entries", "rows"),
    [
        (
            [entry("1", change("update", "a", "0", "1")), entry("2", change("update", "a", "1", "2"))],
            {"a": ("a", "0")},
        ),
        ([entry("1", change("create", "n", None, "1"))], {"n": ("n", None)}),
        ([entry("1", change("update", "a", "0", "1")), entry("2", move("a", "b", "1"))], {"b": ("a", "0")}),
        ([entry("1", move("a", "b")), entry("2", move("b", "a"))], {"a": ("a", "0")}),
        (
            [entry("1", change("delete", "a", "0", None)), entry("2", change("create", "a", None))],
            {"a": ("a", "0")},
        ),
        (
            [entry("1", change("delete", "b", "B", None)), entry("2", move("a", "b", "A"))],
            {"b": ("b", "B"), "a": ("a", "A")},
        ),
    ],
)
def test_baseline_is_what_each_file_was_before(
    entries: list[Entry], rows: Mapping[str, tuple[str, str | None]]
) -> None:
    found = {
        row.path: (row.origin_path, row.before.blob if row.before else None)
        for row in baselines(newest_first(*entries))
    }
    assert found == rows


A, B = change("update", "a"), change("update", "b")


def recorded(*entries: Entry, undone: Mapping[str, str] | None = None) -> list[Recorded]:
    """``entries`` as written down; ``undone`` names for an entry the rewind that took back all of it."""
    by = undone or {}
    return [
        Recorded(each, tuple(EditId(by[each.edit_id]) if each.edit_id in by else None for _ in each.files))
        for each in reversed(entries)
    ]


E1, E2, E3 = entry("e1", A), entry("e2", B), entry("e3", A)
UNDONE = {"e2": "r", "e3": "r"}
REWIND = entry("r", B, A, rewinds="e2")


@pytest.mark.parametrize(
    ("reach", "target", "further", "expected"),
    [
        (recorded(E2, E3), None, (), ["e3", "e2"]),
        (recorded(E3), None, (), ["e3"]),
        (recorded(E1, E2, E3), "a", (), ["e3", "e1"]),
        (recorded(E3), "b", (), []),
        ([], None, (), []),
        (recorded(E1, entry("e2", B, state="unknown"), E3), None, (), ["e3", "e1"]),
        # What a rewind took back and the rewind itself cancel out,
        (recorded(E1, E2, E3, REWIND, undone=UNDONE), None, (), ["e1"]),
        (recorded(E2, E3, REWIND, undone=UNDONE), None, (), []),
        # unless it reached further back: then it is undone like any edit, and so is what it took back.
        (recorded(E3, REWIND, undone=UNDONE), None, ("r",), ["r", "e3"]),
        (recorded(REWIND), None, ("r",), ["r"]),
        # A rewind of the rewind: everything is applied again.
        (recorded(E2, E3, REWIND, entry("q", A, B, rewinds="r"), undone={"r": "q"}), None, (), ["e3", "e2"]),
        # Taken back by a rewind of another session.
        (recorded(E1, E2, E3, undone={"e3": "person"}), None, (), ["e2", "e1"]),
    ],
)
def test_rewind_steps(
    reach: list[Recorded], target: str | None, further: tuple[str, ...], expected: list[str]
) -> None:
    wanted = None if target is None else TargetKey(target)
    steps = rewind_steps(reach, wanted, further=[EditId(name) for name in further])
    assert [step.entry.edit_id for step in steps] == expected
    if target is not None:
        assert all(file.target == target for step in steps for file in step.files)


def test_rewind_of_one_file_follows_its_names() -> None:
    reach = recorded(entry("1", A, B), entry("2", move("a", "c")), entry("3", change("update", "c"), B))
    steps = rewind_steps(reach, TargetKey("c"))
    assert [(step.entry.edit_id, [file.path for file in step.files]) for step in steps] == [
        ("3", ["c"]),
        ("2", ["c"]),
        ("1", ["a"]),
    ]


STATES: tuple[EntryState, ...] = ("intended", "applied", "refused", "unknown", "rewound")
FOLLOWS = {
    "intended": {"applied", "refused", "unknown"},
    "unknown": {"applied", "refused", "unknown"},
    "applied": {"applied", "rewound"},
    "rewound": {"applied", "rewound"},
    "refused": {"refused"},
}


@pytest.mark.parametrize("before", STATES)
@pytest.mark.parametrize("after", STATES)
def test_life_of_an_entry(before: EntryState, after: EntryState) -> None:
    made = Entry(EditId("1"), 0.0, Caller(ScopeKey("S")), "edit", before, (A,), outcome="old")
    if after in FOLLOWS[before]:
        moved = moved_to(made, after, files=[B], outcome="new")
        assert (moved.state, moved.files, moved.outcome) == (after, (B,), "new")
        assert moved_to(made, after) == moved_to(made, after, files=[A], outcome="old")
    else:
        with pytest.raises(CoeditorError, match="cannot become"):
            moved_to(made, after)
