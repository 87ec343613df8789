"""The way back from the lines of a changed text, held against lists of lines that remember where they came from."""

from __future__ import annotations

from itertools import product

import pytest

from editor_clients.lines import apply_replacements, split_lines
from editor_clients.port import Replacement
from lsp_server.edits.v4a_origins import Origins

TEXT = "1\n2\n3\n4\n5\n"
Span = tuple[int, int]
Change = tuple[int, int, int]
"""0-based line, how many lines go, how many come."""


def replacements(text: str, changes: list[Change]) -> tuple[Replacement, ...]:
    lines = split_lines(text)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    return tuple(Replacement(starts[at], starts[at + gone], "new\n" * come) for at, gone, come in changes)


def remembered(total: int, changes: list[Change]) -> list[Span]:
    """For each line after ``changes`` the lines that it came from: those it replaces, else the one it goes before."""
    lines: list[Span] = [(number, number) for number in range(1, total + 1)]
    for at, gone, come in reversed(changes):
        low = min(at + 1, max(total, 1))
        lines[at : at + gone] = [(low, max(low, at + gone))] * come
    return lines


CHANGES: list[list[Change]] = [
    [(at, gone, come)] for at, gone, come in product(range(6), (0, 1, 2), (0, 1, 3)) if at + gone <= 5
]
TWICE: list[list[Change]] = [
    [first[0], second[0]]
    for first, second in product(CHANGES, CHANGES)
    if first[0][0] + first[0][1] < second[0][0]
]


def test_every_line_leads_back_to_where_it_came_from() -> None:
    for changes in CHANGES + TWICE:
        wanted = remembered(5, changes)
        origins = Origins().then(TEXT, replacements(TEXT, changes))
        assert [origins.before((line, line)) for line in range(1, len(wanted) + 1)] == wanted, changes


def test_several_steps_are_gone_back_from_the_last_to_the_first() -> None:
    for first, second in product(CHANGES, CHANGES):
        made = replacements(TEXT, first)
        between = apply_replacements(TEXT, made)
        once, total = remembered(5, first), len(split_lines(between))
        if second[0][0] + second[0][1] > total:
            continue
        twice = remembered(total, second)
        origins = Origins().then(TEXT, made).then(between, replacements(between, second))
        for line, (low, high) in enumerate(twice, 1):
            if once:
                assert origins.before((line, line)) == (once[low - 1][0], once[high - 1][1]), (first, second)


@pytest.mark.parametrize(
    ("text", "changes", "line", "wanted"),
    [
        pytest.param("1\n2\n", [(0, 2, 0)], 1, (2, 2), id="of-a-text-that-was-emptied"),
        pytest.param("1\n", [(0, 1, 0)], 1, (1, 1), id="of-a-single-line-that-was-taken"),
        pytest.param("1\n", [(1, 0, 1)], 2, (1, 1), id="below-a-single-line"),
        pytest.param("", [(0, 0, 2)], 2, (1, 1), id="in-a-text-that-was-empty"),
    ],
)
def test_the_line_before_is_always_one_that_was_there(
    text: str, changes: list[Change], line: int, wanted: Span
) -> None:
    assert Origins().then(text, replacements(text, changes)).before((line, line)) == wanted


def test_below_a_last_line_without_an_end() -> None:
    origins = Origins().then("1\n2", (Replacement(3, 3, "\n3\n"),))
    assert [origins.before((line, line)) for line in (1, 2, 3)] == [(1, 1), (2, 2), (2, 2)]


def test_what_the_patch_added_leads_nowhere() -> None:
    added = Origins(added=True)
    assert added.before((1, 1)) is None
    assert added.then("x\n", (Replacement(0, 2, "y\n"),)) is added
