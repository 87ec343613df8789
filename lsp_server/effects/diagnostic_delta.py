"""What an edit did to the diagnostics: which are new, which are resolved, which remain.

Two diagnostics are the same when source, severity, code, message and range agree, the range of the older one
being carried through the edit. Where the edit rewrote the place itself, it is enough that the same is said about
what stands there now. Numbers in messages may differ where all else agrees: they often are line numbers.

Never: I/O, or an order that depends on more than the input.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Protocol

from editor_clients.diagnostic import Diagnostic
from editor_clients.lines import LineIndex, split_lines
from editor_clients.port import Replacement

Place = tuple[int, int]
"""Line and column, both 1-based."""

_MOST_TRIED = 50
"""Equal messages that are tried for one place; a flood of them must not cost its square."""
_FEW_QUESTIONS = 200
_NUMBER = re.compile(r"\d+")


class PlaceMap(Protocol):
    """Carries places through an edit."""

    def moved(self, place: Place) -> Place | None:
        """Where the character at a place of the text before is now; None when it was replaced."""
        ...

    def rewritten(self, first: Place, last: Place) -> list[tuple[Place, Place]]:
        """The stretches of the text after that replaced something of ``first..last`` of the text before.

        Each is given by its start and by the place after its end.
        """
        ...


class _Lines:
    """Where lines start; after some questions a list of all of them, since a flood asks for every line."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._index = LineIndex(text)
        self._asked = 0
        self._starts: list[int] | None = None

    def start_of(self, line: int) -> int:
        starts = self._known()
        if starts is None:
            return self._index.start_of(line)
        return starts[max(line, 1) - 1] if line <= len(starts) else len(self._text)

    def line_of(self, offset: int) -> int:
        starts = self._known()
        return self._index.line_of(offset) if starts is None else bisect_right(starts, offset)

    def _known(self) -> list[int] | None:
        self._asked += 1
        if self._asked == _FEW_QUESTIONS:
            self._starts = [0, *accumulate(map(len, split_lines(self._text)))]
            if self._text and self._text[-1] not in "\r\n":
                self._starts.pop()
        return self._starts


class TextMap:
    """An edit that is known character by character."""

    def __init__(self, before: str, after: str, replacements: Sequence[Replacement]) -> None:
        """``replacements`` are in order, do not overlap, and make ``after`` of ``before``."""
        self._before = _Lines(before)
        self._after = _Lines(after)
        self._replacements = replacements
        self._starts = [one.start for one in replacements]
        self._shifts = [0]
        for one in replacements:
            self._shifts.append(self._shifts[-1] + len(one.text) - (one.end - one.start))

    def moved(self, place: Place) -> Place | None:
        """See `PlaceMap`."""
        offset = self._offset(place)
        passed = bisect_right(self._starts, offset)
        if passed and offset < self._replacements[passed - 1].end:
            return None
        return self._place(offset + self._shifts[passed])

    def rewritten(self, first: Place, last: Place) -> list[tuple[Place, Place]]:
        """See `PlaceMap`; what was put in beside the stretch is none of it."""
        low, high = self._offset(first), self._offset(last)
        found: list[tuple[Place, Place]] = []
        for one, shift in zip(self._replacements, self._shifts, strict=False):
            if one.start <= high and one.end > low:
                start = one.start + shift
                found.append((self._place(start), self._place(start + len(one.text))))
        return found

    def _offset(self, place: Place) -> int:
        return self._before.start_of(place[0]) + place[1] - 1

    def _place(self, offset: int) -> Place:
        line = self._after.line_of(offset)
        return line, offset - self._after.start_of(line) + 1


class Unmoved:
    """No edit in this text."""

    def moved(self, place: Place) -> Place | None:
        """See `PlaceMap`."""
        return place

    def rewritten(self, first: Place, last: Place) -> list[tuple[Place, Place]]:
        """See `PlaceMap`."""
        return []


@dataclass(frozen=True, slots=True)
class Delta:
    """The diagnostics of one file, sorted by what an edit did to them."""

    new: tuple[Diagnostic, ...] = ()
    """As they are in the text after."""
    resolved: tuple[Diagnostic, ...] = ()
    """As they were in the text before."""
    remaining: tuple[Diagnostic, ...] = ()
    """As they are in the text after."""


@dataclass(slots=True)
class _Moved:
    """A diagnostic of the text before, and where it is to be looked for."""

    item: Diagnostic
    first: Place | None
    last: Place | None


def delta(before: Sequence[Diagnostic], after: Sequence[Diagnostic], edits: PlaceMap) -> Delta:
    """Sort the diagnostics of one file; equal ones are counted, never merged.

    Everything in ``after`` is either new or remaining, everything in ``before`` resolved or remaining.
    """
    olds = [_Moved(item, edits.moved(_first(item)), edits.moved(_last(item))) for item in before]
    news = list(range(len(after)))
    olds, news = _pair(olds, news, lambda old: _old_key(old), lambda at: _new_key(after[at]))
    olds, news = _pair(
        olds, news, lambda old: _old_key(old, vague=True), lambda at: _new_key(after[at], vague=True)
    )
    olds, news = _pair_rewritten(olds, news, after, edits)
    left = set(news)
    return Delta(
        new=tuple(after[at] for at in news),
        resolved=tuple(old.item for old in olds),
        remaining=tuple(item for at, item in enumerate(after) if at not in left),
    )


def _pair(
    olds: list[_Moved],
    news: list[int],
    old_key: Callable[[_Moved], Hashable],
    new_key: Callable[[int], Hashable],
) -> tuple[list[_Moved], list[int]]:
    """Take away as many of both sides as have equal keys; what is left keeps its order. None fits nothing."""
    wanted = Counter(key for old in olds if (key := old_key(old)) is not None)
    taken: Counter[Hashable] = Counter()
    left_new: list[int] = []
    for at in news:
        key = new_key(at)
        if taken[key] < wanted[key]:
            taken[key] += 1
        else:
            left_new.append(at)
    left_old: list[_Moved] = []
    for old in olds:
        key = old_key(old)
        if key is not None and taken[key]:
            taken[key] -= 1
        else:
            left_old.append(old)
    return left_old, left_new


def _pair_rewritten(
    olds: list[_Moved], news: list[int], after: Sequence[Diagnostic], edits: PlaceMap
) -> tuple[list[_Moved], list[int]]:
    """Pair what stood where the edit wrote with the same said about what it wrote."""
    said: defaultdict[Hashable, list[int]] = defaultdict(list)
    for at in news:
        said[_words(after[at])].append(at)
    left: list[_Moved] = []
    for old in olds:
        candidates = said.get(_words(old.item), [])
        found = None
        if candidates and (old.first is None or old.last is None):
            spans = edits.rewritten(_first(old.item), _last(old.item))
            found = next((at for at in candidates[:_MOST_TRIED] if _is_inside(after[at], spans, old)), None)
        if found is None:
            left.append(old)
        else:
            candidates.remove(found)
    remaining = {at for candidates in said.values() for at in candidates}
    return left, [at for at in news if at in remaining]


def _is_inside(item: Diagnostic, spans: list[tuple[Place, Place]], old: _Moved) -> bool:
    """The end that the edit left alone must be where it was moved to; else all lies in what was written."""
    first, last = _first(item), _last(item)
    if old.first is not None:
        return first == old.first
    if old.last is not None:
        return last == old.last
    return any(start <= first and last < end for start, end in spans)


def _first(item: Diagnostic) -> Place:
    return item.line, item.column


def _last(item: Diagnostic) -> Place:
    return item.end_line, item.end_column


def _words(item: Diagnostic, *, vague: bool = False) -> Hashable:
    message = _NUMBER.sub("#", item.message) if vague else item.message
    return item.file_path, item.source, item.severity, item.code, message


def _old_key(old: _Moved, *, vague: bool = False) -> Hashable:
    if old.first is None or old.last is None:
        return None
    return _words(old.item, vague=vague), old.first, old.last


def _new_key(item: Diagnostic, *, vague: bool = False) -> Hashable:
    return _words(item, vague=vague), _first(item), _last(item)
