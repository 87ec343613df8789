"""Lines named by the numbers that they were shown with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import session
from ledger.numbering import Numbers, Stretch, Unclear, laid_over, place_of
from ledger.observation_rows import decoded, encoded
from ledger.ranges import LineRanges
from ledger.session import UNSEEN, Observation, Present, after_own_edit, after_read, after_refusal
from ledger.types import LineEdit, VersionToken

Step = tuple[str, int, int, int]


def token(number: int) -> VersionToken:
    return VersionToken(f"v{number}")


def played(steps: Sequence[Step], total: int = 100) -> Present:
    """The observation after reads (first, last, 0) and own edits (first, removed, added) of 100 lines."""
    seen: Observation = UNSEEN
    for number, (kind, first, second, third) in enumerate(steps):
        if kind == "read":
            window = LineRanges.of((first, second))
            seen = after_read(seen, token(total), total, window, call_id=f"c{number}")
            continue
        total += third - second
        seen = after_own_edit(
            seen, token(total), total, [LineEdit(first, second, third)], call_id=f"c{number}"
        )
    assert isinstance(seen, Present)
    return seen


READ = ("read", 1, 100, 0)


@pytest.mark.parametrize(
    ("steps", "asked", "found"),
    [
        ([READ], (50, 52), (50, 52)),
        ([READ, ("edit", 10, 0, 3)], (50, 52), (53, 55)),
        ([READ, ("edit", 10, 3, 0)], (50, 52), (47, 49)),
        ([READ, ("edit", 10, 0, 3), ("edit", 5, 1, 2)], (50, 52), (54, 56)),
        ([READ, ("edit", 10, 0, 3)], (3, 4), (3, 4)),
        ([READ, ("edit", 10, 2, 2)], (50, 52), (50, 52)),
        ([READ, ("edit", 10, 2, 2)], (9, 12), (9, 12)),
        # What stood between the ends is what the scope wrote itself.
        ([READ, ("edit", 50, 1, 3)], (40, 60), Unclear((40, 60), (40, 62))),
        ([READ, ("edit", 10, 0, 3), ("read", 40, 60, 0)], (50, 52), (50, 52)),
        ([READ, ("edit", 10, 0, 3), ("read", 40, 60, 0)], (70, 71), (73, 74)),
        ([READ, ("edit", 10, 0, 3)], (12, 13), Unclear((12, 13), (15, 16))),
        ([READ, ("edit", 10, 0, 3)], (10, 10), Unclear((10, 10), (13, 13))),
        ([READ, ("edit", 50, 1, 1)], (50, 50), (50, 50)),
        ([READ, ("edit", 50, 2, 0)], (50, 51), None),
        ([READ, ("edit", 50, 2, 0)], (52, 52), Unclear((52, 52), (50, 50))),
        ([READ, ("edit", 50, 2, 0)], (53, 53), (51, 51)),
        ([("read", 1, 10, 0)], (50, 50), None),
        ([("read", 1, 10, 0), ("edit", 50, 1, 4)], (51, 52), (51, 52)),
    ],
)
def test_where_the_lines_are(
    steps: list[Step], asked: tuple[int, int], found: tuple[int, int] | Unclear | None
) -> None:
    seen = played(steps)
    assert seen.where(*asked) == found
    again = decoded(encoded(seen) or "")
    assert again == seen


def test_a_refusal_that_shows_the_lines_clears_what_was_unclear() -> None:
    seen: Observation = played([READ, ("edit", 10, 0, 3)])
    assert isinstance(seen, Present)
    assert isinstance(seen.where(12, 13), Unclear)
    seen = session.after_shown(seen, seen.token, seen.total, LineRanges.of((8, 20)), call_id="r")
    assert isinstance(seen, Present)
    assert seen.where(12, 13) == (12, 13)


@dataclass
class Model:
    """Lines with names that never change, and which name each numbered showing gave to each number."""

    lines: list[int] = field(default_factory=lambda: list(range(20)))
    fresh: int = 20
    shown: list[dict[int, int]] = field(default_factory=list)

    def show(self, first: int, last: int) -> None:
        self.shown.append({n: self.lines[n - 1] for n in range(first, min(last, len(self.lines)) + 1)})

    def edit(self, edit: LineEdit) -> None:
        new = list(range(self.fresh, self.fresh + edit.added))
        self.fresh += edit.added
        self.lines[edit.first - 1 : edit.first - 1 + edit.removed] = new


steps = st.lists(
    st.tuples(
        st.sampled_from(["read", "own", "own", "other"]),
        st.integers(1, 24),
        st.integers(0, 4),
        st.integers(0, 4),
    ),
    min_size=1,
    max_size=12,
)


@given(steps=steps, first=st.integers(1, 30), length=st.integers(0, 4))
def test_lines_found_are_those_that_the_last_call_showed_by_that_number(
    steps: list[tuple[str, int, int, int]], first: int, length: int
) -> None:
    model, seen = Model(), UNSEEN
    now: Observation = seen
    for number, (kind, place, removed, added) in enumerate(steps):
        total = len(model.lines)
        place = min(place, total + 1)
        removed = min(removed, total + 1 - place)
        edit = LineEdit(place, removed, added)
        if kind == "read" or isinstance(now, session.Unseen):
            model.show(place, place + 8)
            now = after_read(
                now, token(number), total, LineRanges.of((place, place + 8)), call_id=str(number), moved=()
            )
        elif removed or added:
            model.edit(edit)
            after = len(model.lines)
            if kind == "own":
                now = after_own_edit(now, token(number), after, [edit], call_id=str(number))
            else:
                now = after_refusal(
                    now, token(number), after, LineRanges(), call_id=str(number), moved=[edit]
                )
    assert isinstance(now, Present)
    last = first + length
    found = now.where(first, last)
    for shown in reversed(model.shown):
        ends = [shown.get(first), shown.get(last)]
        if all(end in model.lines for end in ends):
            places = tuple(model.lines.index(end) + 1 for end in ends if end is not None)
            if isinstance(found, Unclear):
                assert found.other == places
                assert found.one == (first, last) != found.other
            else:
                assert found == places
            break
    else:
        # No single call showed both; then each end is one that some call showed, or that the scope wrote.
        if isinstance(found, tuple):
            assert found == (first, last) or found[1] - found[0] == length


numberings = st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(0, 3)), max_size=5).map(
    lambda parts: numbering(parts)
)


def numbering(parts: Sequence[tuple[int, int, int]]) -> Numbers:
    """Stretches (gap before, length, how far moved), each number once."""
    found, number = [], 0
    for gap, length, moved in parts:
        first, number = number + gap, number + gap + length - 1
        found.append(Stretch(first + moved, number + moved, moved))
    return tuple(found)


@given(upper=numberings, lower=numberings)
def test_a_numbering_laid_over_another_hides_its_numbers_and_holds_each_once(
    upper: Numbers, lower: Numbers
) -> None:
    found = laid_over(upper, lower)
    for line in range(80):
        assert place_of(found, line) == place_of((*upper, *lower), line)
    for one, other in pairwise(found):
        assert one.as_shown[1] < other.as_shown[0]
        assert one.moved != other.moved or one.last + 1 < other.first, "what goes on in the other is one"


def test_a_file_that_is_edited_without_end_is_known_by_no_more_than_its_lines() -> None:
    """What an observation holds, which is written with every edit, may grow with the file alone."""
    seen: Observation = after_read(UNSEEN, token(0), 60, LineRanges.whole(60), call_id="r")
    sizes = []
    for number in range(1, 1_201):
        edit = LineEdit(number * 7 % 59 + 1, 1, 2) if number % 2 else LineEdit(number * 11 % 59 + 1, 2, 1)
        total = 61 if number % 2 else 60
        seen = after_own_edit(seen, token(number), total, [edit], call_id=f"c{number}")
        if number % 5 == 0:
            seen = after_read(seen, token(number), total, LineRanges.of((3, 40)), call_id=f"r{number}")
        sizes.append(len(encoded(seen) or ""))
    assert max(sizes[900:]) <= max(sizes[300:600]) * 1.1
