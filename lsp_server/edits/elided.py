"""Blocks with lines left out: a line that is only ``...`` stands for what is in between.

Never: a choice between two spans, or lines kept that new text only seems to mean.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ledger.errors import Code, CoeditorError
from lsp_server.edits.blocks import MOST_FOUND, BlockIndex, rewrite_block
from lsp_server.edits.fitting import TooManyPlacesError
from lsp_server.edits.folding import is_blank, split_indent
from lsp_server.edits.indentation import IndentMap, indent_map
from lsp_server.edits.levels import Level

_DOTS = r"(?:\.\.\.|…)"
_MARKER = re.compile(
    rf"\s*(?:(?:\#+|//+|--+|;+|%+|'|REM\b)?\s*{_DOTS}"
    rf"|/\*+\s*{_DOTS}\s*\*+/|\{{\s*/\*+\s*{_DOTS}\s*\*+/\s*\}}|<!--\s*{_DOTS}\s*-->|\(\*\s*{_DOTS}\s*\*\))\s*"
)
_MOST_STEPS = 20_000
"""Combinations of places that are tried in vain."""
_Pair = tuple[str, str]
"""An indentation that was sent, and the file's for it."""


@dataclass(frozen=True, slots=True)
class Span:
    """One way in which a block with lines left out fits: the lines of the file for each of its segments."""

    starts: tuple[int, ...]
    sizes: tuple[int, ...]
    indents: IndentMap

    @property
    def first(self) -> int:
        """Number of the first line, 0-based."""
        return self.starts[0]

    @property
    def end(self) -> int:
        """Number after the last line."""
        return self.starts[-1] + self.sizes[-1]


@dataclass(frozen=True, slots=True)
class Part:
    """Lines ``first:end`` of the file become ``lines``; what is between two parts is kept as it is."""

    first: int
    end: int
    lines: tuple[str, ...]


_WORDY = re.compile(rf"[^\S\n]*(?:#+|//+|--+|;+|%+|/\*+|\{{\s*/\*+|<!--|\(\*)[^\n]*{_DOTS}[^\n]*", re.ASCII)


def wordy_marker(old: str) -> str | None:
    """The first line of ``old`` that reads like a marker but says more, such as ``# ... other code ...``."""
    lines = (line for line in old.split("\n") if _WORDY.fullmatch(line) and not is_marker(line))
    return next(lines, None)


def is_marker(line: str) -> bool:
    """Whether a line is only ``...``, or a comment of it."""
    return _MARKER.fullmatch(line) is not None


def segments_of(lines: Sequence[str]) -> list[list[str]]:
    """What stands before, between and after the marker lines."""
    found: list[list[str]] = [[]]
    for line in lines:
        if is_marker(line):
            found.append([])
        else:
            found[-1].append(line)
    return found


def find_spans(index: BlockIndex, lines: Sequence[str]) -> Iterator[Span]:
    """All ways in which ``lines`` fit; none when nothing is left out between visible lines.

    Raises TooManyPlacesError when it would take too long to tell.
    """
    segments = segments_of(lines)
    if len(segments) < 2 or any(all(map(is_blank, segment)) for segment in segments):
        return
    places: list[list[int]] = []
    for segment in segments:
        places.append(list(islice(index.find_loosely(segment, Level.ELIDED), MOST_FOUND + 1)))
        if not places[-1]:
            return
    if max(map(len, places)) > MOST_FOUND:
        raise TooManyPlacesError
    yield from _combined(index, segments, places)


def _combined(index: BlockIndex, segments: list[list[str]], places: list[list[int]]) -> Iterator[Span]:
    """All ways to place the segments one after the other; without recursion, for there may be any number.

    Raises TooManyPlacesError after too many steps without finding one.
    """
    sizes = tuple(map(len, segments))
    starts: list[int] = []
    pairs: list[tuple[_Pair, ...]] = [()]  # the indentations up to each of them
    waiting = [iter(places[0])]
    steps = 0
    while waiting:
        at = next(waiting[-1], None)
        if at is None:
            waiting.pop()
            del starts[-1:], pairs[-1]
            continue
        steps += 1
        if steps > _MOST_STEPS:
            raise TooManyPlacesError
        known = tuple(dict.fromkeys((*pairs[-1], *_indents(index, segments[len(starts)], at))))
        indents = indent_map(known)
        if indents is None:
            continue
        if len(starts) + 1 == len(segments):
            yield Span((*starts, at), sizes, indents)
            steps = 0
            continue
        starts.append(at)
        pairs.append(known)
        ours = places[len(starts)]
        after = bisect_left(ours, at + sizes[len(starts) - 1])
        waiting.append(map(ours.__getitem__, range(after, len(ours))))


def rewrite_parts(
    index: BlockIndex, span: Span, old_lines: Sequence[str], new_lines: Sequence[str], *, ended: bool
) -> tuple[list[Part], tuple[str, ...]]:
    """The parts that change when ``old_lines``, which stand at ``span``, become ``new_lines``.

    ``ended``: after the old text (and usually the new one, whose last line is ``""`` then) comes a line end.
    Errors: FS_NO_MATCH for a marker line that stands only in the new text, or for which it is not clear what it
    stands for, and for indentation that cannot be carried over.
    """
    segments = segments_of(old_lines)
    kept = _kept_markers(_markers(old_lines), _markers(new_lines))
    parts: list[Part] = []
    warnings: dict[str, None] = {}
    done = 0
    new_parts = segments_of(new_lines)
    for number, lines in enumerate(new_parts):
        last = kept[number] + 1 if number < len(kept) else len(segments)
        ours = [line for segment in segments[done:last] for line in segment]
        theirs = [
            index.lines[line]
            for start, size in list(zip(span.starts, span.sizes, strict=True))[done:last]
            for line in range(start, start + size)
        ]
        if ended and last == len(segments):
            ours, theirs = [*ours, ""], [*theirs, ""]
        written, told = rewrite_block(theirs, ours, lines, Level.ELIDED, indents=span.indents)
        parts.append(Part(span.starts[done], span.starts[last - 1] + span.sizes[last - 1], tuple(written)))
        warnings.update(dict.fromkeys(told))
        done = last
    return parts, tuple(warnings)


def _markers(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if is_marker(line)]


def _indents(index: BlockIndex, segment: list[str], start: int) -> Iterator[_Pair]:
    return (
        (split_indent(sent)[0], split_indent(index.lines[start + number])[0])
        for number, sent in enumerate(segment)
        if not is_blank(sent)
    )


def _kept_markers(old: list[str], new: list[str]) -> tuple[int, ...]:
    """Which of the old text's markers the new text's are, in order."""
    found = _embedded(old, new)
    from_the_end = _embedded(old[::-1], new[::-1]) or ()
    if found == tuple(len(old) - 1 - number for number in reversed(from_the_end)):
        return found
    why = "stands only in new_string" if found is None else "could stand for more than one part"
    raise CoeditorError(
        Code.FS_NO_MATCH,
        f"A line of new_string that stands for lines left out {why}. Write the lines themselves, or repeat "
        "the line of old_string as it is there.",
        data={"elided": why},
    )


def _embedded(old: list[str], new: list[str]) -> tuple[int, ...] | None:
    """The first places at which the lines of ``new`` stand in ``old`` in order."""
    found: list[int] = []
    at = 0
    for line in new:
        if line not in old[at:]:
            return None
        at = old.index(line, at) + 1
        found.append(at - 1)
    return tuple(found)
