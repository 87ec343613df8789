"""An edit moved over what changed since it was made: only when neither touches nor adjoins the other.

Never: a guess. Where the two meet, there is no result.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from editor_clients.lines import apply_replacements
from editor_clients.port import Replacement
from editor_clients.replacements import (
    Hunk,
    hunks_between,
    line_edits,
    replacements_between,
    replacements_of,
)
from ledger.types import LineEdit
from lsp_server.edits.matching import Match

_MOST_NAMED = 20
"""Changed places that are named one by one."""


def rebase(match: Match, base: str, current: str) -> Match | None:
    """``match``, found on ``base``, as it applies to ``current``; None where its lines touch or adjoin a change."""
    changed = line_edits(base, current)
    met = _Met((edit.first, edit.removed) for edit in changed)
    if any(map(met.by, match.lines)):
        return None
    moved = _Moved(replacements_between(base, current))
    shifted = tuple(map(moved.over, match.replacements))
    grown = [0, *accumulate(edit.added - edit.removed for edit in changed)]
    firsts = [edit.first for edit in changed]
    shifts = [grown[bisect_right(firsts, first)] for first, _ in match.lines]
    lines = tuple((first + by, last + by) for (first, last), by in zip(match.lines, shifts, strict=True))
    named = [_named(edit, by) for edit, by in zip(changed[:_MOST_NAMED], grown, strict=False)]
    more = f" and {len(changed) - len(named)} more places" if len(changed) > len(named) else ""
    note = f"What changed since you read the file was kept: {', '.join(named)}{more}."
    return replace(match, replacements=shifted, lines=lines, warnings=(*match.warnings, note))


def take_back(
    after: str, before: str, now: str, *, only: int | None = None
) -> str | tuple[tuple[int, int], ...]:
    """``now`` without the edit that made ``after`` of ``before``; what else happened to ``after`` since stays.

    Where something else touches or adjoins the edit's lines: those lines of ``now`` (1-based, inclusive), instead.
    Lines that are back already are left alone. ``only``: the hunk with that number (0-based) instead of all.
    """
    if now == after and only is None:
        return before
    undo = hunks_between(after, before)
    if only is not None:
        undo = undo[only : only + 1]
    others = hunks_between(after, now)
    made = _made_by(others, now)
    undo = tuple(hunk for hunk in undo if not _is_back(hunk, before, made))
    met = _Met((hunk.first, hunk.removed) for hunk in undo)
    theirs = [other for other in others if met.by((other.first, other.first + other.removed - 1))]
    if theirs:
        return tuple((one.after_first, one.after_first + max(one.added - 1, 0)) for one in theirs)
    moved = _Moved(replacements_of(after, now, others))
    return apply_replacements(now, map(moved.over, replacements_of(after, before, undo)))


def put_back(after: str, before: str, now: str) -> list[int]:
    """Which hunks (counted from 1) of the edit that made ``after`` of ``before`` are undone in ``now``."""
    made = _made_by(hunks_between(after, now), now)
    hunks = hunks_between(after, before)
    return [number for number, hunk in enumerate(hunks, start=1) if _is_back(hunk, before, made)]


def _made_by(hunks: Sequence[Hunk], now: str) -> dict[tuple[int, int], str]:
    """What each of the hunks put in place of which span."""
    return {(hunk.start, hunk.end): now[hunk.after_start : hunk.after_end] for hunk in hunks}


def _is_back(hunk: Hunk, before: str, made: Mapping[tuple[int, int], str]) -> bool:
    """Whether somebody put back what ``hunk`` would."""
    return made.get((hunk.start, hunk.end)) == before[hunk.after_start : hunk.after_end]


class _Met:
    """Changed lines, each a first line and how many were removed there; in order, and apart."""

    def __init__(self, changes: Iterable[tuple[int, int]]) -> None:
        rows = list(changes)
        self._reaches = [first - 1 for first, _ in rows]
        self._ends = [first + removed for first, removed in rows]

    def by(self, span: tuple[int, int]) -> bool:
        """Whether the span shares a line with one of them, or no line is left between the two."""
        return bisect_left(self._ends, span[0]) < bisect_right(self._reaches, span[1])


class _Moved:
    """What replacements of a text, in order and apart, do to the offsets behind them."""

    def __init__(self, replacements: Sequence[Replacement]) -> None:
        self._ends = [one.end for one in replacements]
        self._grown = [0, *accumulate(len(one.text) - (one.end - one.start) for one in replacements)]

    def over(self, part: Replacement) -> Replacement:
        """``part`` of the text before as it stands in the text after."""
        by = self._grown[bisect_right(self._ends, part.start)]
        return Replacement(part.start + by, part.end + by, part.text)


def _named(edit: LineEdit, shift: int) -> str:
    """The lines of one change, in the text as it is now; those above it made it longer by ``shift`` lines."""
    first = edit.first + shift
    if edit.added == 0:
        return f"lines removed before line {first}"
    last = first + edit.added - 1
    return f"line {first}" if last == first else f"lines {first}-{last}"
