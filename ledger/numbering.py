"""Line numbers as a call showed them, and where those lines are now that the text went on.

A model names lines by the numbers that it was shown. Edits move the lines; the numbers in its context stay.

Never: text, or a guess between two meanings of one number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ledger.ranges import LineRanges, Span, kept_stretches
from ledger.types import LineEdit


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines that stand together and were shown together."""

    first: int
    last: int
    """Where they are now, 1-based, inclusive."""
    moved: int
    """How far they are below the numbers that they were shown with; negative: above."""

    @property
    def as_shown(self) -> Span:
        """The numbers that they were shown with."""
        return self.first - self.moved, self.last - self.moved


Numbers = tuple[Stretch, ...]
"""Stretches of one call or of several that were joined; each number is in one of them."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Numbers that may mean either of two places."""

    one: Span
    other: Span


def numbers_of(shown: LineRanges) -> Numbers:
    """The numbering of lines that are where they were shown."""
    return tuple(Stretch(first, last, 0) for first, last in shown.spans)


def shifted(numbers: Numbers, edits: Sequence[LineEdit]) -> Numbers:
    """The same after ``edits``; lines that were removed or rewritten are left out."""
    if not numbers or not edits:
        return numbers
    found: list[Stretch] = []
    stretches = list(kept_stretches(edits, max(each.last for each in numbers)))
    for each in numbers:
        for low, high, moved in stretches:
            first, last = max(low, each.first), min(high, each.last)
            if first <= last:
                found.append(Stretch(first + moved, last + moved, each.moved + moved))
    return tuple(found)


def laid_over(upper: Numbers, lower: Numbers) -> Numbers:
    """Both as one, each number once: what ``lower`` has by a number of ``upper`` is left out.

    Both have each number once already, as all that are made here do.
    """
    hidden = LineRanges.merged([each.as_shown for each in upper])
    seen = [
        Stretch(first + each.moved, last + each.moved, each.moved)
        for each in lower
        for first, last in LineRanges.of(each.as_shown).minus(hidden).spans
    ]
    found: list[Stretch] = []
    for each in sorted((*upper, *seen), key=lambda one: one.as_shown):
        if found and found[-1].moved == each.moved and found[-1].last + 1 == each.first:
            found[-1] = Stretch(found[-1].first, each.last, each.moved)
        else:
            found.append(each)
    return tuple(found)


def place_of(numbers: Numbers, line: int) -> int | None:
    """Where the line is that was shown with the number ``line``; None when it is not there any more."""
    for each in numbers:
        first, last = each.as_shown
        if first <= line <= last:
            return line + each.moved
    return None


def span_of(numbers: Numbers, first: int, last: int) -> Span | None:
    """Where the lines are that were shown as ``first`` to ``last``, by the ends of the span."""
    start, end = place_of(numbers, first), place_of(numbers, last)
    return (start, end) if start is not None and end is not None and start <= end else None
