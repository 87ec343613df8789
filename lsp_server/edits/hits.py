"""Where a text that was sent stands in a file's text, character by character.

A hit is a span of the file's own text. It never cuts a line ending, a letter from its combining mark, a dash or
an ellipsis.

Never: a choice between hits, or a level that looks at whole lines only (``blocks``, ``elided``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from editor_clients.lines import eol_of, folded, split_lines
from lsp_server.edits import fitting
from lsp_server.edits.folding import (
    BLANKS,
    FoldedLine,
    cuts_character,
    fold_line,
    fold_map,
    fold_text,
    is_blank,
)
from lsp_server.edits.levels import Level


@dataclass(frozen=True, slots=True)
class Hit:
    """One place that fits."""

    start: int
    end: int
    """Offsets in the file's text."""
    unended: bool = False
    """The line end that was sent last is not there: the file's last line has none."""


class FileText:
    """A file's text, with its lines found when they are asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def view(self) -> str:
        """The text with ``\\n`` for each line end."""
        return folded(self.text)

    @cached_property
    def line_end(self) -> str | None:
        """What ends every line; None when lines end in more than one way, or there is but one line."""
        kind = eol_of(self.text)
        return {"lf": "\n", "crlf": "\r\n", "cr": "\r"}.get(kind)

    @cached_property
    def ended_lines(self) -> list[str]:
        """Lines with their own endings; one more, empty, after a final line end."""
        lines = split_lines(self.text)
        if not lines or lines[-1][-1] in "\r\n":
            lines.append("")
        return lines

    @cached_property
    def lines(self) -> list[str]:
        """``ended_lines`` without their endings."""
        return self.view.split("\n")

    @cached_property
    def starts(self) -> list[int]:
        """Offset in the text at which each of ``lines`` starts."""
        return [0, *accumulate(map(len, self.ended_lines))][:-1]

    @cached_property
    def _view_starts(self) -> list[int]:
        return starts_of(self.lines)

    def offset_of(self, in_view: int) -> int:
        """The offset in the text of one in ``view``; before both characters of a CRLF."""
        if self.view is self.text:
            return in_view
        line = bisect_right(self._view_starts, in_view) - 1
        return self.starts[line] + in_view - self._view_starts[line]

    def line_of(self, offset: int) -> int:
        """The 0-based number of the line that holds the character at ``offset``."""
        return bisect_right(self.starts, offset) - 1


def starts_of(lines: list[str]) -> list[int]:
    """Offset of each of ``lines`` in the text that they make when joined with one character between."""
    return [0, *accumulate(len(line) + 1 for line in lines)][:-1]


def exact_hits(file: FileText, old: str, *, overlapping: bool = True) -> Iterator[Hit]:
    """All hits of ``old`` (folded as a request) in the file's text, by start.

    Without ``overlapping`` each hit starts at or after the end of the one before. A lone CR in ``old`` is found
    where the file has one.
    """
    if "\n" in old and "\r" not in old and file.line_end == "\r\n":
        old = needle = old.replace("\n", "\r\n")
        has_break = False  # none that would need a view
    else:
        needle = old.replace("\r", "\n") if "\r" in old else old
        has_break = "\n" in needle
    there = file.view if has_break else file.text
    at = there.find(needle)
    while at >= 0:
        end = at + len(needle)
        hit = Hit(file.offset_of(at), file.offset_of(end)) if has_break else Hit(at, end)
        good = not (cuts_character(file.text, hit.start) or cuts_character(file.text, hit.end))
        if good and needle is not old:
            good = all(
                file.text[file.offset_of(at + number)] == "\r"
                and not file.text.startswith("\r\n", file.offset_of(at + number))
                for number, character in enumerate(old)
                if character == "\r"
            )
        if good:
            yield hit
        at = there.find(needle, at + 1 if overlapping or not good else end)


def folded_hits(file: FileText, old: str, level: Level) -> Iterator[Hit]:
    """All hits at ``trailing-space`` or ``typographic``, overlapping ones too, by start.

    An ``old`` without anything to see has none.
    """
    wanted = _Wanted.of(old, level)
    if wanted is None:
        return
    there = _Folded(file, level)
    seen: set[tuple[int, int]] = set()
    for start, end in fitting.hits(there.text, wanted.core, dashes=level.forgives(Level.TYPOGRAPHIC)):
        for hit in _grown(there, wanted, start, end):
            span = (hit.start, hit.end)
            cut = cuts_character(file.text, hit.start) or cuts_character(file.text, hit.end)
            if not cut and span not in seen:
                seen.add(span)
                yield hit


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A folded request: what must be there, and what may stand after it."""

    core: str
    """Without blanks at line ends, and without what is below."""
    blank_start: bool
    """The first line sent is made of blanks only: it stands for all blanks at that line's end."""
    tail: str
    """Blanks at the very end: within a line they must be there, at a line end they need not."""
    ended: bool
    """A line end at the very end, which a last line may lack."""

    @classmethod
    def of(cls, old: str, level: Level) -> _Wanted | None:
        if is_blank(old.replace("\n", " ")):
            return None
        *whole, last = old.split("\n")
        folded = [fold_line(line, level) for line in whole]
        last = fold_text(last + "x", level)[:-1]  # the x keeps the blanks before it
        stripped = last.rstrip(BLANKS)
        core = "\n".join([*folded, stripped])
        ended = not last
        if ended:
            core = core[:-1]
        blank_start = bool(whole and whole[0]) and not folded[0]
        return cls(core, blank_start, last[len(stripped) :], ended)


class _Folded:
    """A file's text at a level, and the way back to its offsets."""

    def __init__(self, file: FileText, level: Level) -> None:
        self.file = file
        self.level = level
        self.text = fold_text(file.view, level)
        self._maps: dict[int, FoldedLine] = {}

    @cached_property
    def _starts(self) -> list[int]:
        return starts_of(self.text.split("\n"))

    def back(self, offset: int) -> int | None:
        """The offset in the file's text; None inside a character."""
        line = bisect_right(self._starts, offset) - 1
        if line not in self._maps:
            self._maps[line] = fold_map(self.file.lines[line], self.level)
        edge = self._maps[line].edges[offset - self._starts[line]]
        return None if edge < 0 else self.file.starts[line] + edge

    def content_end(self, offset: int) -> int:
        """End of the content, blanks and all, of the line that holds the folded ``offset``."""
        line = bisect_right(self._starts, offset) - 1
        return self.file.starts[line] + len(self.file.lines[line])


def _grown(there: _Folded, wanted: _Wanted, start: int, end: int) -> Iterator[Hit]:
    """The hits that come of ``core`` standing at ``start:end`` of the folded text."""
    first, last = there.back(start), there.back(end)
    if first is None or last is None:
        return
    if wanted.core[0] == "\n" and not wanted.blank_start:
        first = there.content_end(start)  # blanks before a line end that was sent first are not part of it
    at_line_end = end == len(there.text) or there.text[end] == "\n"
    if wanted.ended:
        if end == len(there.text):
            if there.file.text[-1] not in "\r\n":  # else the line that is not ended is not there at all
                yield Hit(first, there.content_end(end), unended=True)
        elif at_line_end:
            after = there.back(end + 1)
            assert after is not None  # a line starts with a whole character
            yield Hit(first, after)
        return
    if not wanted.tail:
        yield Hit(first, last)
        return
    if at_line_end:
        yield Hit(first, there.content_end(end))
    elif there.text.startswith(wanted.tail, end):
        after = there.back(end + len(wanted.tail))
        if after is not None:
            yield Hit(first, after)
