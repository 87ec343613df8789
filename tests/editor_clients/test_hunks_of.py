"""Hunks from known replacements: the same lines as a comparison of the whole texts would allow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.lines import apply_replacements, split_lines
from editor_clients.port import Replacement
from editor_clients.replacements import Hunk, hunks_of

PIECES = st.text(st.sampled_from("ab\n"), max_size=6) | st.sampled_from(["\r\n", "\n\n", "x\r\ny", ""])


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, list[Replacement]]:
    text = draw(st.text(st.sampled_from("abc\n\n"), max_size=60))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    ends = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8)))
    safe = [end for end in ends if text[end - 1 : end + 1] != "\r\n"]
    pairs = list(zip(safe[::2], safe[1::2], strict=False))
    found: list[Replacement] = []
    for start, end in pairs:
        if found and start < found[-1].end:
            continue
        found.append(Replacement(start, end, draw(PIECES)))
    return text, found


def check(before: str, after: str, hunks: tuple[Hunk, ...]) -> None:
    """The hunks are whole lines, in order, apart, and everything between them is equal."""
    a, b = split_lines(before), split_lines(after)
    at, at_after = 0, 0
    line, after_line = 1, 1
    for one in hunks:
        assert before[at : one.start] == after[at_after : one.after_start]
        assert at == 0 or one.start > at
        kept = len(split_lines(before[at : one.start]))
        assert (one.first, one.after_first) == (line + kept, after_line + kept)
        assert "".join(a[one.first - 1 : one.first - 1 + one.removed]) == before[one.start : one.end]
        assert (
            "".join(b[one.after_first - 1 : one.after_first - 1 + one.added])
            == after[one.after_start : one.after_end]
        )
        at, at_after = one.end, one.after_end
        line, after_line = one.first + one.removed, one.after_first + one.added
    assert before[at:] == after[at_after:]


@given(changes())
def test_hunks_of_any_change(change: tuple[str, list[Replacement]]) -> None:
    before, replacements = change
    after = apply_replacements(before, replacements)
    check(before, after, hunks_of(before, after, replacements))


@pytest.mark.parametrize(
    ("before", "replacements", "lines"),
    [
        ("a\nb\nc\n", [Replacement(2, 3, "B")], [(2, 1, 1)]),
        ("a\nb\nc\n", [Replacement(1, 2, " ")], [(1, 2, 1)]),
        ("a\nb\nc\n", [Replacement(2, 4, "")], [(2, 1, 0)]),
        ("a\nb\n", [Replacement(2, 2, "x\n")], [(2, 0, 1)]),
        ("a\nb", [Replacement(3, 3, "\nc")], [(2, 1, 2)]),
        ("a\nb\nc\nd\n", [Replacement(0, 1, "A"), Replacement(2, 3, "B")], [(1, 2, 2)]),
        ("a\nb\nc\nd\n", [Replacement(0, 1, "A"), Replacement(4, 5, "C")], [(1, 1, 1), (3, 1, 1)]),
        ("aa\nb\n", [Replacement(0, 1, "x"), Replacement(1, 2, "y")], [(1, 1, 1)]),
        ("a\r\nb\r\n", [Replacement(3, 4, "B")], [(2, 1, 1)]),
        ("a\rb\r", [Replacement(2, 3, "B")], [(2, 1, 1)]),
        ("", [Replacement(0, 0, "x\n")], [(1, 0, 1)]),
        ("a\n", [Replacement(0, 1, "a")], []),
    ],
)
def test_hunk_lines(before: str, replacements: list[Replacement], lines: list[tuple[int, int, int]]) -> None:
    after = apply_replacements(before, replacements)
    found = hunks_of(before, after, replacements)
    check(before, after, found)
    assert [(one.first, one.removed, one.added) for one in found] == lines


def test_every_line_of_many_replaced() -> None:
    before = "old\n" * 3_000
    replacements = [Replacement(4 * n, 4 * n + 3, "new") for n in range(3_000)]
    after = apply_replacements(before, replacements)
    (one,) = hunks_of(before, after, replacements)
    assert (one.first, one.removed, one.added) == (1, 3_000, 3_000)
