"""Sets of line numbers: what was shown of a text, and where those lines are after the text changed.

Lines are 1-based, ends inclusive. Line edits are given in the numbering of the text before, in order and not
overlapping; an insertion (nothing removed) stands before its ``first`` line.

Never: text. A range says which lines, not what stands in them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from ledger.types import LineEdit

Span = tuple[int, int]

_first_of = itemgetter(0)


@dataclass(frozen=True, slots=True)
class LineRanges:
    """Line numbers as sorted spans that neither overlap nor touch; build them with the functions below."""

    spans: tuple[Span, ...] = ()

    @classmethod
    def of(cls, *spans: Span) -> LineRanges:
        """The lines of all ``spans``; empty spans (last before first) and lines below 1 are left out."""
        return cls.merged(spans)

    @classmethod
    def merged(cls, spans: Iterable[Span]) -> LineRanges:
        """The same from any iterable, in any order."""
        return cls._joined(sorted((max(first, 1), last) for first, last in spans if last >= max(first, 1)))

    @classmethod
    def _joined(cls, ordered: Sequence[Span]) -> LineRanges:
        """Spans that are in order already, where they overlap or touch joined to one."""
        if not ordered:
            return NONE
        if len(ordered) == 1:
            return cls((ordered[0],))
        found: list[Span] = []
        first, last = ordered[0]
        for next_first, next_last in ordered:
            if next_first > last + 1:
                found.append((first, last))
                first, last = next_first, next_last
            elif next_last > last:
                last = next_last
        found.append((first, last))
        return cls(tuple(found))

    @classmethod
    def lines(cls, numbers: Iterable[int]) -> LineRanges:
        """Single lines."""
        return cls.merged((number, number) for number in numbers)

    @classmethod
    def whole(cls, total: int) -> LineRanges:
        """Every line of a text of ``total`` lines."""
        return cls(((1, total),)) if total > 0 else NONE

    def __bool__(self) -> bool:
        return bool(self.spans)

    def __iter__(self) -> Iterator[Span]:
        return iter(self.spans)

    def __contains__(self, line: object) -> bool:
        return isinstance(line, int) and self.covers(line, line)

    def count(self) -> int:
        """How many lines."""
        return sum(last - first + 1 for first, last in self.spans)

    def covers(self, first: int, last: int) -> bool:
        """Whether every line of ``first..last`` is in it; an empty window always is."""
        if last < first:
            return True
        at = bisect_right(self.spans, first, key=_first_of) - 1
        return at >= 0 and last <= self.spans[at][1]

    def touches(self, first: int, last: int) -> bool:
        """Whether any line of ``first..last`` is in it."""
        if len(self.spans) == 1:
            [(low, high)] = self.spans
            return low <= last and first <= high and first <= last
        at = bisect_right(self.spans, last, key=_first_of) - 1
        return last >= first and at >= 0 and self.spans[at][1] >= first

    def includes(self, other: LineRanges) -> bool:
        """Whether every line of ``other`` is in it."""
        return all(self.covers(first, last) for first, last in other.spans)

    def union(self, other: LineRanges) -> LineRanges:
        """Lines that are in either."""
        if not other.spans or self is other:
            return self
        if not self.spans:
            return other
        return LineRanges._joined(sorted(self.spans + other.spans))

    def intersect(self, other: LineRanges) -> LineRanges:
        """Lines that are in both."""
        if not self.spans or not other.spans:
            return NONE
        found: list[Span] = []
        mine, theirs = 0, 0
        while mine < len(self.spans) and theirs < len(other.spans):
            (a_first, a_last), (b_first, b_last) = self.spans[mine], other.spans[theirs]
            if max(a_first, b_first) <= min(a_last, b_last):
                found.append((max(a_first, b_first), min(a_last, b_last)))
            if a_last < b_last:
                mine += 1
            else:
                theirs += 1
        return LineRanges(tuple(found)) if found else NONE

    def minus(self, other: LineRanges) -> LineRanges:
        """Lines that are in this one only."""
        if not self.spans or not other.spans:
            return self
        return self.intersect(other.missing(self.spans[-1][1]))

    def clip(self, total: int) -> LineRanges:
        """Lines that a text of ``total`` lines has."""
        if not self.spans or self.spans[-1][1] <= total:
            return self
        return self.intersect(LineRanges.whole(total))

    def missing(self, total: int) -> LineRanges:
        """Lines of ``1..total`` that are not in it."""
        found: list[Span] = []
        next_line = 1
        for first, last in self.spans:
            if first > total:
                break
            if next_line < first:
                found.append((next_line, first - 1))
            next_line = last + 1
        if next_line <= total:
            found.append((next_line, total))
        return LineRanges(tuple(found)) if found else NONE

    def shift(self, edits: Sequence[LineEdit]) -> LineRanges:
        """Where these lines are after ``edits``; lines that an edit removed or rewrote are dropped."""
        if not self.spans or not edits or edits[0].first > self.spans[-1][1]:
            return self
        found: list[Span] = []
        for low, high, moved in kept_stretches(edits, self.spans[-1][1]):
            found.extend((first + moved, last + moved) for first, last in _cut(self.spans, low, high))
        return LineRanges._joined(found)

    def pairs(self) -> list[list[int]]:
        """JSON form: ``[[first, last], ...]``."""
        return [[first, last] for first, last in self.spans]

    def __str__(self) -> str:
        """For people: ``3-7, 12``."""
        return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in self.spans)


NONE = LineRanges()
"""No line at all."""


def union_of(many: Sequence[LineRanges]) -> LineRanges:
    """Lines that are in any of ``many``."""
    if len(many) == 1:
        return many[0]
    spans: list[Span] = []
    for each in many:
        spans += each.spans
    spans.sort()
    return LineRanges._joined(spans)


DIFF_CONTEXT = 3
"""Lines around a change that its diff shows."""


def lines_written(edits: Sequence[LineEdit], *, context: int = 0) -> LineRanges:
    """The lines that ``edits`` put there, in the numbering of the text after; with so many around each edit."""
    found: list[Span] = []
    moved = 0
    for edit in edits:
        first = edit.first + moved
        found.append((first - context, first + edit.added - 1 + context))
        moved += edit.added - edit.removed
    return LineRanges.merged(found)


def lines_in_diff(edits: Sequence[LineEdit]) -> LineRanges:
    """The lines that a diff of ``edits`` shows, in the numbering of the text after, which may end before them."""
    return lines_written(edits, context=DIFF_CONTEXT)


def kept_stretches(edits: Sequence[LineEdit], last: int) -> Iterator[tuple[int, int, int]]:
    """Stretches ``low..high`` (numbering before) that no edit touches, each with how far it moved; up to ``last``."""
    low, moved = 1, 0
    for edit in edits:
        if edit.first > last:
            break
        if low < edit.first:
            yield low, edit.first - 1, moved
        low = edit.first + edit.removed
        moved += edit.added - edit.removed
    if low <= last:
        yield low, last, moved


def _cut(spans: Sequence[Span], low: int, high: int) -> Iterator[Span]:
    """The parts of ``spans`` inside ``low..high``."""
    for first, last in spans:
        if last < low:
            continue
        if first > high:
            return
        yield max(first, low), min(last, high)
