"""Where an agent was refused, a person sees it until it is resolved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from ledger.types import Caller, ScopeKey, TargetKey
from lsp_server.effects.conflicts import Conflict, Conflicts

A, B = TargetKey("/w/a"), TargetKey("/w/b")
ADA = Caller(ScopeKey("s1", "main"), agent="Ada")
BEN = Caller(ScopeKey("s2", "main"))
DIFF = "--- a/a\n+++ b/a\n@@ -1,4 +1,5 @@\n one\n two\n+three\n four\n"


class Screen:
    """Remembers what is shown in each file."""

    def __init__(self) -> None:
        self.shown: dict[TargetKey, list[Conflict]] = {}
        self.conflicts = Conflicts(self.show)

    def show(self, target: TargetKey, marks: Sequence[Conflict]) -> None:
        self.shown[target] = list(marks)

    def messages(self, target: TargetKey) -> list[str]:
        return [mark.message for mark in self.shown.get(target, [])]


@pytest.mark.parametrize(
    ("code", "data", "line", "words"),
    [
        ("FS_UNSAVED_CHANGES", {"diff": DIFF, "start_line": 1}, 3, "Ada was stopped here: there are unsaved"),
        ("FS_STALE_VERSION", {"start_line": 7}, 7, "Ada was stopped here: the text changed"),
        ("FS_DENIED", {"rule": "person"}, 1, "Ada was not allowed"),
        ("FS_REWIND_CONFLICT", {"diff": "no diff"}, 1, "Ada wanted to take back"),
        ("FS_EDITOR_REFUSED", {}, 1, "the editor did not apply"),
    ],
)
def test_a_refusal_is_shown_where_it_happened(code: str, data: dict[str, Any], line: int, words: str) -> None:
    screen = Screen()
    screen.conflicts.refused(ADA, A, code, data)
    (mark,) = screen.shown[A]
    assert (mark.line, mark.code, mark.agent) == (line, code, "Ada")
    assert words in mark.message


@pytest.mark.parametrize("code", ["FS_NO_MATCH", "FS_AMBIGUOUS_MATCH", "INVALID_ARGUMENT", "FS_NOT_OBSERVED"])
def test_an_agents_own_mistake_is_not_shown(code: str) -> None:
    screen = Screen()
    screen.conflicts.refused(ADA, A, code, {})
    assert screen.shown == {}


def test_a_mark_goes_when_its_agent_changes_the_file_or_ends() -> None:
    screen = Screen()
    screen.conflicts.refused(ADA, A, "FS_STALE_VERSION", {})
    screen.conflicts.refused(BEN, A, "FS_UNSAVED_CHANGES", {})
    screen.conflicts.refused(ADA, B, "FS_STALE_VERSION", {})
    assert len(screen.messages(A)) == 2
    assert "agent s2" in screen.messages(A)[1]
    screen.conflicts.resolved(ADA.scope, [A])
    assert len(screen.messages(A)) == 1
    screen.conflicts.ended("s2")
    assert (screen.messages(A), len(screen.messages(B))) == ([], 1)
    screen.conflicts.ended("s1")
    assert screen.messages(B) == []


def test_a_second_refusal_takes_the_place_of_the_first() -> None:
    screen = Screen()
    screen.conflicts.refused(ADA, A, "FS_STALE_VERSION", {"start_line": 2})
    screen.conflicts.refused(ADA, A, "FS_STALE_VERSION", {"start_line": 9})
    assert [mark.line for mark in screen.shown[A]] == [9]


def test_there_are_never_more_than_a_bounded_number() -> None:
    screen = Screen()
    for number in range(250):
        screen.conflicts.refused(ADA, TargetKey(f"/w/{number}"), "FS_STALE_VERSION", {})
    assert sum(len(marks) for marks in screen.shown.values()) == 200
