"""Spans of lines that are taken, held against a look at every one of them."""

from __future__ import annotations

from itertools import combinations, product

from lsp_server.edits.v4a_occupied import Occupied

Span = tuple[int, int]
SPANS: list[Span] = [(start, end) for start, end in product(range(6), range(6)) if start <= end]


def meet(one: Span, other: Span) -> bool:
    """Both have a line, or one is a place strictly between lines of the other."""
    return one[0] < other[1] and other[0] < one[1]


def test_what_overlaps_is_found_and_nothing_else() -> None:
    for taken in [some for count in (1, 2, 3) for some in combinations(SPANS, count)]:
        if any(meet(one, other) for one, other in combinations(taken, 2)):
            continue
        occupied = Occupied()
        for span in taken:
            occupied.add(*span)
        for asked in SPANS:
            found = occupied.overlap(*asked)
            wanted = [span for span in taken if meet(span, asked)]
            assert found in wanted if wanted else found is None, (taken, asked)


def test_one_place_can_be_taken_twice() -> None:
    occupied = Occupied()
    for span in ((3, 3), (3, 3), (3, 5)):
        assert occupied.overlap(*span) is None
        occupied.add(*span)
    assert occupied.overlap(3, 4) == (3, 5)
    assert occupied.overlap(2, 4) == (3, 3)
    assert occupied.overlap(3, 3) is None
