"""Line ranges against plain sets of line numbers."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.ranges import NONE, LineRanges, lines_written
from ledger.types import LineEdit

TOTAL = 30

numbers = st.sets(st.integers(1, TOTAL))


@st.composite
def edit_lists(draw: st.DrawFn) -> list[LineEdit]:
    """Ordered edits of a text of TOTAL lines that do not overlap."""
    found: list[LineEdit] = []
    line = 1
    while line <= TOTAL + 1 and len(found) < 5:
        first = draw(st.integers(line, TOTAL + 1))
        removed = draw(st.integers(0, min(4, TOTAL + 1 - first)))
        added = draw(st.integers(0 if removed else 1, 4))
        found.append(LineEdit(first, removed, added))
        line = first + removed + draw(st.integers(0 if removed else 1, 6))
    return found


def as_set(ranges: LineRanges) -> set[int]:
    return {line for first, last in ranges for line in range(first, last + 1)}


def is_normal(ranges: LineRanges) -> bool:
    spans = ranges.spans
    return all(1 <= first <= last for first, last in spans) and all(
        before[1] + 1 < after[0] for before, after in pairwise(spans)
    )


@given(numbers, numbers)
def test_set_operations_are_those_of_sets_of_lines(one: set[int], other: set[int]) -> None:
    mine, theirs = LineRanges.lines(one), LineRanges.lines(other)
    results = {
        "union": (mine.union(theirs), one | other),
        "intersect": (mine.intersect(theirs), one & other),
        "minus": (mine.minus(theirs), one - other),
        "missing": (mine.missing(TOTAL), set(range(1, TOTAL + 1)) - one),
        "clip": (mine.clip(12), {line for line in one if line <= 12}),
    }
    for name, (got, expected) in results.items():
        assert as_set(got) == expected, name
        assert is_normal(got), name
    assert mine.includes(theirs) == (other <= one)
    assert mine.count() == len(one)
    assert bool(mine) == bool(one)
    assert mine == LineRanges.merged(reversed(mine.spans))


@given(numbers, st.integers(1, TOTAL), st.integers(0, TOTAL))
def test_covers_is_about_every_line_of_the_window(lines: set[int], first: int, last: int) -> None:
    assert LineRanges.lines(lines).covers(first, last) == (set(range(first, last + 1)) <= lines)


@given(numbers, st.integers(1, TOTAL), st.integers(0, TOTAL))
def test_touches_is_about_any_line_of_the_window(lines: set[int], first: int, last: int) -> None:
    assert LineRanges.lines(lines).touches(first, last) == bool(set(range(first, last + 1)) & lines)


@given(numbers, edit_lists())
def test_shift_follows_the_lines_that_no_edit_touched(lines: set[int], edits: list[LineEdit]) -> None:
    before: list[int | None] = list(range(1, TOTAL + 1))
    after = before[:]
    for edit in reversed(edits):
        after[edit.first - 1 : edit.first - 1 + edit.removed] = [None] * edit.added
    shifted = LineRanges.lines(lines).shift(edits)
    assert as_set(shifted) == {place for place, line in enumerate(after, 1) if line in lines}
    assert is_normal(shifted)
    assert as_set(lines_written(edits)) == {place for place, line in enumerate(after, 1) if line is None}


@pytest.mark.parametrize(
    ("ranges", "text", "pairs"),
    [
        (NONE, "", []),
        (LineRanges.of((3, 7), (12, 12)), "3-7, 12", [[3, 7], [12, 12]]),
        (LineRanges.of((5, 6), (1, 2), (3, 4)), "1-6", [[1, 6]]),
        (LineRanges.of((4, 3), (0, 2)), "1-2", [[1, 2]]),
        (LineRanges.whole(0), "", []),
        (LineRanges.whole(3), "1-3", [[1, 3]]),
    ],
)
def test_ranges_read_well(ranges: LineRanges, text: str, pairs: list[list[int]]) -> None:
    assert str(ranges) == text
    assert ranges.pairs() == pairs


def test_an_empty_window_is_covered_by_anything() -> None:
    assert NONE.covers(1, 0)
    assert not NONE.covers(1, 1)
    assert 3 in LineRanges.of((2, 4))
    assert 5 not in LineRanges.of((2, 4))
