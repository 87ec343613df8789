"""Two changes of one text side by side: what was seen, what is there now, what was wanted.

::

    both changed it, or adjoining lines     a region of both: only somebody who looks can join them
    one of them changed it                  a region of that one: the two can stand beside each other

Never: a merge. Regions are shown, not applied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editor_clients.lines import LineIndex
from editor_clients.replacements import Hunk, hunks_between

_MOST_REGIONS = 8
_LEAST = 80
"""Characters of each text of a region that are shown, however many regions there are."""

Span = tuple[int, int]
"""First and last line, 1-based; the last is one less where there are none."""


@dataclass(frozen=True, slots=True)
class Region:
    """One place in all three texts."""

    base: Span
    theirs: Span
    yours: Span
    by: frozenset[str]
    """Who changed it: ``theirs``, ``yours``."""

    @property
    def overlaps(self) -> bool:
        """Both changed it."""
        return len(self.by) == 2


def regions_of(base: str, theirs: str, yours: str) -> list[Region]:
    """The changed places, in order, each as large as the changes that touch or adjoin one another."""
    sides: Mapping[str, Sequence[Hunk]] = {
        "theirs": hunks_between(base, theirs),
        "yours": hunks_between(base, yours),
    }
    marked = sorted(
        ((hunk, side) for side, hunks in sides.items() for hunk in hunks),
        key=lambda one: one[0].first,
    )
    found: list[Region] = []
    moved = {"theirs": 0, "yours": 0}
    while marked:
        start, end = marked[0][0].first, marked[0][0].first
        grown = {"theirs": 0, "yours": 0}
        by: set[str] = set()
        while marked and (not by or marked[0][0].first <= end):
            hunk, side = marked.pop(0)
            end = max(end, hunk.first + hunk.removed)
            grown[side] += hunk.added - hunk.removed
            by.add(side)
        spans = {
            side: (start + moved[side], end - 1 + moved[side] + grown[side]) for side in ("theirs", "yours")
        }
        found.append(Region((start, end - 1), spans["theirs"], spans["yours"], frozenset(by)))
        for side in moved:
            moved[side] += grown[side]
    return found


def shown(
    regions: Sequence[Region], base: str, theirs: str, yours: str | None, *, chars: int
) -> dict[str, Any]:
    """``overlap`` and ``regions`` of a conflict, at most about ``chars`` characters: those of both come first.

    Without ``yours`` (what was wanted does not fit what was seen) it is left out.
    """
    ordered = sorted(regions, key=lambda one: not one.overlaps)
    told = ordered[:_MOST_REGIONS]
    texts = {"base": LineIndex(base), "theirs": LineIndex(theirs)}
    if yours is not None:
        texts["yours"] = LineIndex(yours)
    each = max(_LEAST, chars // max(1, len(told) * len(texts)))
    rows = [
        {name: _part(index, _span_of(region, name), each) for name, index in texts.items()} for region in told
    ]
    found: dict[str, Any] = {} if yours is None else {"overlap": any(one.overlaps for one in regions)}
    found["regions"] = rows
    if len(told) < len(ordered):
        found["more_regions"] = len(ordered) - len(told)
    return found


def _span_of(region: Region, name: str) -> Span:
    return {"base": region.base, "theirs": region.theirs, "yours": region.yours}[name]


def _part(index: LineIndex, span: Span, chars: int) -> dict[str, Any]:
    first, last = span
    if last < first:
        return {"lines": [first, last], "text": ""}
    start, end = index.span_of_lines(first, min(last, index.line_count))
    cut = {"cut": True} if end - start > chars else {}
    return {"lines": [first, last], "text": index.text[start : min(end, start + chars)], **cut}
