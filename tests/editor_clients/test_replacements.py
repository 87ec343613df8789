"""Smallest replacements and line edits: applying them gives the other text, and nothing equal is named."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients import linediff, replacements
from editor_clients.linediff import changed_ranges
from editor_clients.lines import apply_replacements, split_lines
from editor_clients.port import Replacement
from editor_clients.replacements import (
    common_prefix,
    common_suffix,
    hunks_between,
    line_edits,
    replacements_between,
)
from ledger.types import LineEdit
from tests.editor_clients.text_strategies import text_pairs


@pytest.fixture(autouse=True, params=["as-is", "cut-early", "little-work"], scope="module")
def cutting(request: pytest.FixtureRequest) -> Iterator[str]:
    """Big texts are cut into gaps before their lines are split, and the search is bounded: here early."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "cut-early":
            patch.setattr(replacements, "_BIG", 2)
            patch.setattr(replacements, "_WINDOWS", (6, 12))
            patch.setattr(replacements, "_IN_STEP", 1)
            patch.setattr(replacements, "_PIECE", 4)
            patch.setattr(linediff, "_CHUNK", 2)
        if request.param == "little-work":
            patch.setattr(linediff, "_BUDGET", 20)
        yield str(request.param)


few_lines = st.lists(st.sampled_from("abc"), max_size=30)


@given(text_pairs)
def test_applied_replacements_give_the_text_after(pair: tuple[str, str]) -> None:
    before, after = pair
    made = replacements_between(before, after)
    assert apply_replacements(before, made) == after
    for one in made:
        assert one.start < one.end or one.text
        for offset in (one.start, one.end):
            assert before[max(offset - 1, 0) : offset + 1] != "\r\n" or offset == 0


@given(text_pairs, st.booleans())
def test_hunks_are_whole_lines_and_all_that_changed(pair: tuple[str, str], lf_only: bool) -> None:
    check(*pair, lf_only)


@given(text_pairs, st.booleans())
def test_very_many_lines_that_differ_are_one_hunk(pair: tuple[str, str], lf_only: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replacements, "_MOST_LINES", 0)
        check(*pair, lf_only)
        made = replacements_between(*pair)
    assert apply_replacements(pair[0], made) == pair[1]


def check(before: str, after: str, lf_only: bool) -> None:
    hunks = hunks_between(before, after, lf_only=lf_only)
    split = split_lf if lf_only else split_lines
    rows = split(before)
    at, after_at, rebuilt = 0, 0, ""
    for hunk in hunks:
        assert before[at : hunk.start] == after[after_at : hunk.after_start]
        assert hunk.start > at or at == 0
        assert "".join(rows[hunk.first - 1 : hunk.first - 1 + hunk.removed]) == before[hunk.start : hunk.end]
        assert sum(map(len, rows[: hunk.first - 1])) == hunk.start
        assert hunk.added == len(split(after[hunk.after_start : hunk.after_end]))
        rebuilt += before[at : hunk.start] + after[hunk.after_start : hunk.after_end]
        at, after_at = hunk.end, hunk.after_end
    assert rebuilt + before[at:] == after
    assert before[at:] == after[after_at:]


def split_lf(text: str) -> list[str]:
    return StringIO(text, newline="\n").readlines()


@given(text_pairs)
def test_line_edits_rebuild_the_lines_after(pair: tuple[str, str]) -> None:
    before, after = map(split_lines, pair)
    at = after_at = 0
    rebuilt: list[str] = []
    for edit in line_edits(*pair):
        assert edit.removed or edit.added
        kept = before[at : edit.first - 1]
        after_at += len(kept) + edit.added
        rebuilt += kept + after[after_at - edit.added : after_at]
        at = edit.first - 1 + edit.removed
    assert rebuilt + before[at:] == after


@given(few_lines, few_lines)
def test_few_lines_give_a_smallest_script(cutting: str, a: list[str], b: list[str]) -> None:
    """Where the search is worth it, the script is as short as the longest common subsequence allows."""
    ranges = changed_ranges(a, b)
    equal = len(a) - sum(r[1] - r[0] for r in ranges)
    row = [0] * (len(b) + 1)
    for x in a:
        row = _next_row(row, x, b)
    assert equal <= row[-1]
    if len(a) * len(b) <= 64 and cutting != "little-work":
        assert equal == row[-1]


def _next_row(row: list[int], x: str, b: list[str]) -> list[int]:
    found = [0]
    for j, y in enumerate(b):
        found.append(row[j] + 1 if x == y else max(found[-1], row[j + 1]))
    return found


@given(st.lists(st.integers(0, 8).map(str), max_size=60), st.lists(st.integers(0, 8).map(str), max_size=60))
def test_ranges_leave_only_equal_items(a: list[str], b: list[str]) -> None:
    at_a = at_b = 0
    for a1, a2, b1, b2 in changed_ranges(a, b):
        assert a[at_a:a1] == b[at_b:b1]
        assert a1 > at_a or at_a == 0
        at_a, at_b = a2, b2
    assert a[at_a:] == b[at_b:]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "", ()),
        ("", "a\n", (Replacement(0, 0, "a\n"),)),
        ("a\n", "", (Replacement(0, 2, ""),)),
        ("a", "a\n", (Replacement(1, 1, "\n"),)),
        ("x\r\n", "x\n", (Replacement(1, 3, "\n"),)),
        ("x\r\ny", "x\ry", (Replacement(1, 3, "\r"),)),
        ("one two\nthree\n", "one 2 two\nthree\n", (Replacement(4, 4, "2 "),)),
        ("aXc\nbXd\n", "aYc\nbYd\n", (Replacement(1, 2, "Y"), Replacement(5, 6, "Y"))),
        ("a\nb\nc\n", "a\nc\n", (Replacement(2, 4, ""),)),
        ("f()\n", "f()\nf()\n", (Replacement(4, 4, "f()\n"),)),
    ],
)
def test_replacements(before: str, after: str, expected: tuple[Replacement, ...]) -> None:
    assert replacements_between(before, after) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", (LineEdit(2, 1, 1),)),
        ("a\nb\n", "a\nx\ny\nb\n", (LineEdit(2, 0, 2),)),
        ("a\nb\nc\n", "b\nC\n", (LineEdit(1, 1, 0), LineEdit(3, 1, 1))),
        ("a", "a\n", (LineEdit(1, 1, 1),)),
        ("a\n", "a\nb", (LineEdit(2, 0, 1),)),
        ("a\rb\r", "a\r\nb\r", (LineEdit(1, 1, 1),)),
    ],
)
def test_line_edits(before: str, after: str, expected: tuple[LineEdit, ...]) -> None:
    assert line_edits(before, after) == expected


def test_far_changes_between_repeated_lines_stay_apart(cutting: str) -> None:
    same = ["x"] * 50_000
    after = [*same[:100], "y", *same[:30_000], "z", *same[30_100:]]
    if cutting != "little-work":
        assert changed_ranges(same, after) == [(100, 100, 100, 101), (30_100, 30_100, 30_101, 30_102)]


def test_texts_that_share_nothing_in_order_are_still_right() -> None:
    """More work than the search may do: the answer is coarse, never wrong."""
    rows = [f"{i * 7919 % 97}\n" for i in range(5_000)]
    before, after = "".join(rows), "".join(reversed(rows))
    assert apply_replacements(before, replacements_between(before, after)) == after


@given(st.text("ab", max_size=8), st.text("ab", max_size=8), st.sampled_from([0, 1, 65535, 65536, 131072]))
def test_common_ends_over_the_size_of_a_piece(a: str, b: str, size: int) -> None:
    filler = "é" * size
    expected = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    assert common_prefix(filler + a, filler + b) == size + expected
    a, b = a[::-1], b[::-1]
    assert common_suffix(a + filler, b + filler, size + min(len(a), len(b))) == size + expected
