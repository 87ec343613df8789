"""Find the line that an ``@@`` line names.

An anchor is a whole line, at the matching levels; else the start of exactly one line; else, for
``Outer.inner``, the line that declares ``inner`` inside what ``Outer`` declares. Several in a row narrow step by
step. One that was used before names its next occurrence, as long as there is one.

Never: where a chunk goes below its anchor.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from ledger.errors import Code, CoeditorError
from lsp_server.edits.blocks import BlockIndex
from lsp_server.edits.folding import fold_line, split_indent
from lsp_server.edits.levels import Level
from lsp_server.edits.v4a_types import Anchor

_NAME = re.compile(r"[^\W\d]\w*")
_SEPARATOR = re.compile(r"\.|::|#| > |/")
_LONGEST_DECLARATION = 300
MOST_NAMED = 20
"""Places that an error names; the others are counted."""


@dataclass(frozen=True, slots=True)
class AnchorFound:
    """Where the last of a row of anchors stands."""

    line: int
    """0-based."""
    level: Level
    others: tuple[int, ...] = ()
    """Further lines that it fits as well; empty when it was singled out by repeating it."""
    warnings: tuple[str, ...] = ()


class _Starts:
    """Lines by how they start."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._sorted = sorted((line, number) for number, line in enumerate(lines))

    def find(self, start: str, first: int) -> list[int]:
        """The numbers of the lines from ``first`` on that start with ``start``, ascending."""
        low = bisect_left(self._sorted, (start, 0))
        later = (self._sorted[at] for at in range(low, len(self._sorted)))
        found = takewhile(lambda pair: pair[0].startswith(start), later)
        return sorted(number for _, number in found if number >= first)


class Anchors:
    """The anchors of one section's chunks, in order."""

    def __init__(self, index: BlockIndex, levels: Sequence[Level]) -> None:
        self._index = index
        self._levels = levels
        self._used: dict[str, AnchorFound] = {}

    def find(self, row: Sequence[Anchor], position: int) -> AnchorFound:
        """The line that ``row`` narrows down to, looked for from the 0-based ``position`` on, then everywhere.

        ``row`` is not empty. Errors: FS_NO_MATCH, FS_AMBIGUOUS_MATCH (a start of several lines).
        """
        floor = 0
        found: list[AnchorFound] = []
        for anchor in row:
            found.append(self._find_one(anchor, position, floor))
            self._used[anchor.text] = found[-1]
            position = floor = found[-1].line + 1
        return found[-1]

    def _find_one(self, anchor: Anchor, position: int, floor: int) -> AnchorFound:
        used = self._used.get(anchor.text)
        if used is not None and used.line + 1 >= floor:
            level, lines = self._whole_lines(anchor.text, used.line + 1, used.level)
            if lines:
                return AnchorFound(lines[0], level)
        for first in dict.fromkeys((position, floor)):
            level, lines = self._whole_lines(anchor.text, first)
            if lines:
                return AnchorFound(lines[0], level, tuple(lines[1:]))
        for first in dict.fromkeys((position, floor)):
            lines = self._starts(anchor.text, first)
            if len(lines) > 1:
                raise _several(anchor, lines)
            if lines:
                warning = f"Patch line {anchor.line_no}: the anchor is only the start of line {lines[0] + 1}."
                return AnchorFound(lines[0], self._levels[-1], warnings=(warning,))
        line = self._declared(anchor.text)
        if line is None:
            raise _absent(anchor, floor)
        warning = f"Patch line {anchor.line_no}: the anchor was taken as a name, declared on line {line + 1}."
        return AnchorFound(line, self._levels[-1], warnings=(warning,))

    def _whole_lines(
        self, text: str, first: int, loosest: Level = Level.INDENTATION
    ) -> tuple[Level, list[int]]:
        for level in self._levels:
            if loosest.forgives(level) and (lines := self._index.find([text], level, first)):
                return level, lines
        return loosest, []

    def _starts(self, text: str, first: int) -> list[int]:
        found = self._plain_starts.find(text.strip(), first)
        if found or self._levels[-1] is Level.EXACT:
            return found
        return self._folded_starts.find(fold_line(text, Level.INDENTATION), first)

    @cached_property
    def _plain_starts(self) -> _Starts:
        return _Starts(line.lstrip() for line in self._index.lines)

    @cached_property
    def _folded_starts(self) -> _Starts:
        return _Starts(fold_line(line, Level.INDENTATION) for line in self._index.lines)

    def _declared(self, text: str) -> int | None:
        """The line that a path of names leads to; None when it is no path, or does not lead to one line."""
        names = _SEPARATOR.split(text.strip().removesuffix("()"))
        if len(names) < 2 or not all(_NAME.fullmatch(name) for name in names):
            return None
        lines = self._index.lines
        first, last, found = 0, len(lines), list[int]()
        for name in names:
            declares = re.compile(
                rf"\s*(?:[\w\s*&<>,]*\s)?{re.escape(name)}\b\s*(?:[(<:={{]|$|extends\b|implements\b)"
            )
            found = [
                number
                for number in range(first, last)
                if name in lines[number]
                and len(lines[number]) <= _LONGEST_DECLARATION
                and declares.match(lines[number])
            ]
            if found:
                least = min(map(_depth, (lines[number] for number in found)))
                found = [number for number in found if _depth(lines[number]) == least]
            if len(found) != 1:
                return None
            first, last = found[0] + 1, self._end_of(found[0], last)
        return found[0]

    def _end_of(self, line: int, last: int) -> int:
        """End of what the line at ``line`` opens, by indentation."""
        lines = self._index.lines
        depth = _depth(lines[line])
        for number in range(line + 1, last):
            if lines[number].strip() not in ("", "{") and _depth(lines[number]) <= depth:
                return number
        return last


def _depth(line: str) -> int:
    return len(split_indent(line)[0].expandtabs(4))


def named_lines(lines: Sequence[int]) -> tuple[list[int], str]:
    """The numbers of the first of some 0-based lines, and how they are told."""
    numbers = [line + 1 for line in lines[:MOST_NAMED]]
    return numbers, ", ".join(map(str, numbers)) + ", ..." * (len(lines) > MOST_NAMED)


def _several(anchor: Anchor, lines: Sequence[int]) -> CoeditorError:
    numbers, named = named_lines(lines)
    return CoeditorError(
        Code.FS_AMBIGUOUS_MATCH,
        f"Patch line {anchor.line_no}: the anchor {anchor.text!r} is the start of {len(lines)} lines "
        f"({named}); write the whole line, or an anchor above it first.",
        data={"line": anchor.line_no, "lines": numbers, "count": len(lines), "anchor": anchor.text},
    )


def _absent(anchor: Anchor, floor: int) -> CoeditorError:
    where = f" below line {floor}, where the anchor before it stands" if floor else ""
    return CoeditorError(
        Code.FS_NO_MATCH,
        f"Patch line {anchor.line_no}: no line is, or starts with, the anchor {anchor.text!r}{where}. "
        "An anchor is a line of the file, written after '@@ '.",
        data={"line": anchor.line_no, "anchor": anchor.text, "expected": [anchor.text]},
    )
