"""What of a file's agents' changes is still to be looked at, kept through later changes.

The text now, and hunks of it that stand for other lines: with every hunk put back there is the base. An agent's
change makes hunks and moves their base along; what anybody else changes outside of them is in both texts::

    touches or adjoins a hunk   an agent's change joins it; equal lines fall out of it again
    lies within a hunk          somebody else's change keeps what is left of it
    adjoins a hunk              somebody else's change leaves it, but it can no longer be undone alone
    puts its base back          it is gone, whoever did that

Never: I/O, or a guess which line is whose.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from editor_clients.linediff import Range, changed_ranges
from ledger.types import EditId

Lines = tuple[str, ...]
"""Each with its ending."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that agents put there, or the place from which they took some."""

    first: int
    """0-based number of its first line in the text now."""
    count: int
    base: Lines
    """The lines that it stands for."""
    edits: tuple[EditId, ...]
    """Whose they are; oldest first."""
    beside: bool = False
    """Somebody else changed a line right next to it since."""

    @property
    def end(self) -> int:
        """0-based number of the line after it in the text now."""
        return self.first + self.count


@dataclass(frozen=True, slots=True)
class Pending:
    """One file."""

    lines: Lines
    """None of them where the file is not there."""
    present: bool
    """Whether the file is there."""
    was_present: bool
    """Whether it is there in the base."""
    hunks: tuple[Hunk, ...] = ()
    away: bool = False
    """Whether it has another name than in the base."""
    makers: tuple[EditId, ...] = ()
    """The edits that created, deleted or moved it, as far as that is pending."""
    kept: frozenset[EditId] = frozenset()
    """Edits of which something was kept."""

    @property
    def alive(self) -> frozenset[EditId]:
        """The edits that something is pending of."""
        return frozenset(self.makers).union(*(hunk.edits for hunk in self.hunks))

    @property
    def came_or_went(self) -> bool:
        """Whether the file as a whole is what is pending."""
        return self.present != self.was_present


def untouched(lines: Lines, *, present: bool) -> Pending:
    """Nothing is pending."""
    return Pending(lines, present, present)


def by_agent(
    state: Pending,
    lines: Lines,
    by: Sequence[EditId],
    *,
    present: bool = True,
    away: bool = False,
    back: bool = False,
) -> Pending:
    """An edit made the text ``lines``, and what else became of the file; ``by`` is who it counts as.

    ``back``: it took other edits back. Where it changes what is pending it is no maker of it then.
    """
    ranges = changed_ranges(state.lines, lines)
    found: list[Hunk] = []
    shift = 0
    for hunks, changes in _groups(state.hunks, ranges):
        if not changes:
            found += (replace(hunk, first=hunk.first + shift) for hunk in hunks)
            continue
        begin, end = _span(hunks, changes)
        base = _base(state.lines, hunks, begin, end)
        grown = sum(b2 - b1 - (a2 - a1) for a1, a2, b1, b2 in changes)
        now = lines[begin + shift : end + shift + grown]
        edits = _union([*(one for hunk in hunks for one in hunk.edits), *(() if back and hunks else by)])
        beside = any(hunk.beside for hunk in hunks)
        for a1, a2, b1, b2 in changed_ranges(base, now):
            found.append(Hunk(begin + shift + b1, b2 - b1, tuple(base[a1:a2]), edits, beside))
        shift += grown
    makers = state.makers
    if (present, away) != (state.present, state.away) and not (back and makers):
        makers = _union([*makers, *by])
    if present == state.was_present and not away:
        makers = ()
    return replace(state, lines=lines, present=present, hunks=tuple(found), away=away, makers=makers)


def by_others(state: Pending, lines: Lines, *, present: bool = True) -> Pending:
    """Somebody else made the text ``lines``; what is left of hunks that this touched is kept.

    A hunk that was put back by hand is gone, and nothing of it kept.
    """
    ranges = changed_ranges(state.lines, lines)
    firsts, ends = [one[0] for one in ranges], [one[1] for one in ranges]
    grown = [0, *accumulate(b2 - b1 - (a2 - a1) for a1, a2, b1, b2 in ranges)]
    found: list[Hunk] = []
    kept = set(state.kept)
    touched = False
    for hunk in state.hunks:
        above = bisect_left(ends, hunk.first)
        met = ranges[above : bisect_right(firsts, hunk.end)]
        is_put_back = bool(met) and _is_put_back(lines, hunk, met, hunk.first + grown[above])
        if is_put_back or any(_is_within(one, hunk) for one in met):
            touched = True
            kept.update(() if is_put_back else hunk.edits)
            continue
        shift = grown[bisect_right(ends, hunk.first)]
        found.append(replace(hunk, first=hunk.first + shift, beside=hunk.beside or bool(met)))
    state = replace(state, lines=lines, hunks=tuple(found), kept=frozenset(kept))
    if present != state.present or (touched and state.came_or_went):
        # Whoever else makes or removes a file, or works in one that an agent made, settles that it is there.
        kept.update(state.makers if present == state.present else ())
        makers = () if not state.away else state.makers
        state = replace(state, present=present, was_present=present, makers=makers, kept=frozenset(kept))
    return state


def keep(state: Pending, chosen: Collection[Hunk], *, whole: bool = False) -> Pending:
    """``chosen`` are looked at and good. ``whole``: that the file came, went or moved is, too."""
    kept = state.kept.union(*(hunk.edits for hunk in chosen))
    good = frozenset(chosen)
    left = tuple(hunk for hunk in state.hunks if hunk not in good)
    if not whole:
        return replace(state, hunks=left, kept=kept)
    return replace(
        state, hunks=left, kept=kept.union(state.makers), makers=(), away=False, was_present=state.present
    )


def undo(lines: Sequence[str], chosen: Iterable[Hunk]) -> Lines:
    """``lines`` with ``chosen`` put back."""
    found: list[str] = []
    at = 0
    for hunk in sorted(chosen, key=lambda one: (one.first, one.end)):
        found += lines[at : hunk.first]
        found += hunk.base
        at = hunk.end
    return (*found, *lines[at:])


def committed_of(hunks: Iterable[Hunk], ranges: Sequence[Range]) -> Iterator[Hunk]:
    """Those that a commit has as they are; ``ranges`` lead from the commit's lines to those now."""
    firsts, ends = [one[2] for one in ranges], [one[3] for one in ranges]
    for hunk in hunks:
        near = ranges[bisect_left(ends, hunk.first) : bisect_right(firsts, hunk.end)]
        if not any(_differs_at(one[2], one[3], hunk) for one in near):
            yield hunk


def _differs_at(first: int, end: int, hunk: Hunk) -> bool:
    if not hunk.count:
        return first <= hunk.first <= end
    if first == end:
        return hunk.first < first < hunk.end
    return first < hunk.end and hunk.first < end


def _groups(hunks: Sequence[Hunk], ranges: Sequence[Range]) -> Iterator[tuple[list[Hunk], list[Range]]]:
    """Hunks and changes that touch or adjoin one another, in order; hunks that no change meets by themselves."""
    rows: list[tuple[int, int, Hunk | Range]] = [(hunk.first, hunk.end, hunk) for hunk in hunks]
    rows += [(one[0], one[1], one) for one in ranges]
    rows.sort(key=lambda row: row[:2])
    mine: list[Hunk] = []
    changes: list[Range] = []
    reach = 0
    for first, end, row in rows:
        if first > reach and (mine or changes):
            yield mine, changes
            mine, changes = [], []
        reach = max(reach, end)
        if isinstance(row, Hunk):
            mine.append(row)
        else:
            changes.append(row)
    if mine or changes:
        yield mine, changes


def _span(hunks: Sequence[Hunk], ranges: Sequence[Range]) -> tuple[int, int]:
    """The lines of the text before that they take up together."""
    firsts = [*(hunk.first for hunk in hunks), *(one[0] for one in ranges)]
    ends = [*(hunk.end for hunk in hunks), *(one[1] for one in ranges)]
    return min(firsts), max(ends)


def _base(lines: Sequence[str], hunks: Sequence[Hunk], first: int, end: int) -> list[str]:
    """The base of ``lines[first:end]``."""
    found: list[str] = []
    at = first
    for hunk in hunks:
        found += lines[at : hunk.first]
        found += hunk.base
        at = hunk.end
    return found + list(lines[at:end])


def _is_within(change: Range, hunk: Hunk) -> bool:
    """Whether the change is to the lines of the hunk, or to those around the place of one without lines."""
    a1, a2 = change[0], change[1]
    if a1 == a2:
        return hunk.first < a1 < hunk.end
    if not hunk.count:
        return a1 < hunk.first < a2
    return a1 < hunk.end and hunk.first < a2


def _is_put_back(now: Lines, hunk: Hunk, met: Sequence[Range], first: int) -> bool:
    """Whether the changes that meet the hunk, none of which goes beyond it, made its base of it.

    ``first`` is where the hunk starts in the lines ``now``.
    """
    if met[0][0] < hunk.first or met[-1][1] > hunk.end:
        return False
    grown = sum(b2 - b1 - (a2 - a1) for a1, a2, b1, b2 in met)
    return now[first : first + hunk.count + grown] == hunk.base


def _union(edits: Iterable[EditId]) -> tuple[EditId, ...]:
    return tuple(dict.fromkeys(edits))
