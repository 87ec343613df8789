"""Where lines start and end, and what positions mean: the one place that knows.

Only LF, CRLF and CR end a line. A final line break does not open another line: ``"a\\n"`` is one line,
``""`` is none. Our own line numbers are 1-based, LSP positions 0-based, offsets 0-based code points.

Never: I/O, ``str.splitlines`` on text that could hold other separators, or a guess about encodings.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from io import StringIO
from itertools import accumulate, pairwise
from typing import Literal

from editor_clients.port import Replacement

EndOfLine = Literal["lf", "crlf", "cr", "mixed", "none"]
PositionEncoding = Literal["utf-8", "utf-16", "utf-32"]

LINE_BREAK = re.compile(r"\r\n|\n|\r")
_OTHER_SEPARATORS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""What ``str.splitlines`` takes for line ends, and nobody else does."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_BLOCK = 8192
"""Characters between two entries of the index: small enough to walk, large enough to be few."""


def split_lines(text: str) -> list[str]:
    """The lines of ``text``, each with its ending; joined they are ``text`` again."""
    if any(character in text for character in _OTHER_SEPARATORS):
        return StringIO(text, newline="").readlines()
    return text.splitlines(keepends=True)  # twice as fast, and here it means the same


def bare_lines(text: str) -> list[str]:
    """The lines of ``text``, without their endings."""
    return [line.rstrip("\r\n") for line in split_lines(text)]


def folded(text: str) -> str:
    """``text`` with ``\\n`` for each of its line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def eol_of(text: str) -> EndOfLine:
    """Which line endings ``text`` uses; ``mixed`` for more than one kind, ``none`` where no line ends."""
    if "\r" not in text:  # a tenth of the cost of counting
        return "lf" if "\n" in text else "none"
    crlf = text.count("\r\n")
    cr = text.count("\r") - crlf
    lf = text.count("\n") - crlf
    if (crlf > 0) + (cr > 0) + (lf > 0) > 1:
        return "mixed"
    return "crlf" if crlf else "cr"


def count_lines_of(text: str) -> int:
    """How many lines ``text`` has, without an index."""
    if not text:
        return 0
    return count_breaks(text, 0, len(text)) + (text[-1] not in "\r\n")


def count_breaks(text: str, start: int, end: int) -> int:
    """How many line breaks ``text[start:end]`` has."""
    lf = text.count("\n", start, end)
    if text.find("\r", start, end) < 0:
        return lf
    return lf + text.count("\r", start, end) - text.count("\r\n", start, end)


def lines_at(text: str, offsets: Iterable[int]) -> list[int]:
    """The 1-based lines of the characters at ``offsets``, which rise; what follows the last is not looked at."""
    found: list[int] = []
    line, done = 1, 0
    for offset in offsets:
        # Between CR and LF no line has ended yet.
        edge = offset - (text[max(offset - 1, 0) : offset + 1] == "\r\n")
        line, done = line + count_breaks(text, done, edge), edge
        found.append(line)
    return found


def has_lone_cr(text: str) -> bool:
    """Whether some line of ``text`` ends with a carriage return alone."""
    return "\r" in text and text.count("\r") != text.count("\r\n")


def apply_replacements(text: str, replacements: Iterable[Replacement]) -> str:
    """``text`` with ``replacements`` made.

    They must be in order, inside the text and not overlapping: else ValueError, a mistake of ours.
    """
    pieces: list[str] = []
    done = 0
    for one in replacements:
        if not done <= one.start <= one.end <= len(text):
            raise ValueError(f"replacement {one.start}:{one.end} overlaps, or is outside the text")
        pieces += (text[done : one.start], one.text)
        done = one.end
    pieces.append(text[done:])
    return "".join(pieces)


class LineIndex:
    """Line starts of one text, found when they are asked for.

    The first question counts the breaks of the whole text; each costs a walk through one block besides.
    """

    __slots__ = ("_cr", "_edges", "_ends", "_sums", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._cr = "\r" in text
        self._edges: list[int] = []
        self._sums: list[int] = []
        self._ends: tuple[int, list[int]] = (-1, [])

    @property
    def line_count(self) -> int:
        """How many lines the text has."""
        if not self.text:
            return 0
        return self.break_count + (self.text[-1] not in "\r\n")

    @property
    def break_count(self) -> int:
        """How many line breaks the text has; LSP counts one line more."""
        return self._counted()[-1]

    def line_of(self, offset: int) -> int:
        """The 1-based line that holds the character at ``offset``.

        The end of a text that ends with a line break belongs to the line that would follow.
        """
        return self._breaks_before(offset) + 1

    def start_of(self, line: int) -> int:
        """Offset at which the 1-based ``line`` starts; the end of the text for a line after the last."""
        return self._after_break(line - 1)

    def span_of_lines(self, first: int, last: int) -> tuple[int, int]:
        """Offsets ``(start, end)`` of the lines ``first..last`` (1-based, inclusive) with their endings.

        Lines that are not there are empty spans at the end of the text; ``last`` below ``first`` is the empty
        span before ``first``.
        """
        start = self.start_of(first)
        return start, max(start, self.start_of(last + 1))

    def line_text(self, line: int) -> str:
        """One 1-based line, without its ending."""
        start, end = self.span_of_lines(line, line)
        return self.text[start : self._content_end(start, end)]

    def position_at(self, offset: int, encoding: PositionEncoding = "utf-16") -> tuple[int, int]:
        """The LSP position ``(line, character)``, both 0-based, of an offset.

        Offsets outside the text are clamped; one between CR and LF is the end of that line's content.
        """
        offset = min(max(offset, 0), len(self.text))
        line = self._breaks_before(offset)
        start = self._after_break(line)
        if self._cr and 0 < offset < len(self.text) and self.text[offset - 1 : offset + 1] == "\r\n":
            offset -= 1
        return line, units_of(self.text[start:offset], encoding)

    def offset_at(self, line: int, character: int, encoding: PositionEncoding = "utf-16") -> int:
        """The offset of an LSP position (0-based).

        As LSP says, a character past the end of the line is the end of its content; a line past the last
        one is the end of the text. A position inside a character is the start of that character.
        """
        if line < 0:
            return 0
        if line > self.break_count:
            return len(self.text)
        start = self._after_break(line)
        content = self.text[start : self._content_end(start, self._after_break(line + 1))]
        return start + code_points_in(content, max(character, 0), encoding)

    def _content_end(self, start: int, end: int) -> int:
        if end > start and self.text[end - 1] == "\n":
            end -= 1
        return end - 1 if end > start and self.text[end - 1] == "\r" else end

    def _counted(self) -> list[int]:
        """Breaks before each edge; edges never stand between CR and LF."""
        if not self._sums:
            text = self.text
            edges = list(range(0, len(text), _BLOCK)) or [0]
            if self._cr:
                edges = [e + (text[max(e - 1, 0) : e + 1] == "\r\n") for e in edges]
            edges.append(len(text))
            if self._cr:
                counts = [count_breaks(text, a, b) for a, b in pairwise(edges)]
            else:
                counts = [text.count("\n", a, b) for a, b in pairwise(edges)]
            self._edges = edges
            self._sums = [0, *accumulate(counts)]
        return self._sums

    def _breaks_before(self, offset: int) -> int:
        """How many breaks end at or before ``offset``."""
        sums = self._counted()
        block = bisect_right(self._edges, offset) - 1
        found = sums[block] + count_breaks(self.text, self._edges[block], offset)
        cut = self._cr and 0 < offset < len(self.text) and self.text[offset - 1 : offset + 1] == "\r\n"
        return found - cut

    def _after_break(self, number: int) -> int:
        """Offset after the ``number``-th break (1-based); 0 for none, the end of the text for too many."""
        if number <= 0:
            return 0
        sums = self._counted()
        if number > sums[-1]:
            return len(self.text)
        block = bisect_right(sums, number - 1) - 1
        return self._ends_in(block)[number - sums[block] - 1]

    def _ends_in(self, block: int) -> list[int]:
        """The ends of the breaks in one block. Neighbouring lines are asked for one after the other: the last
        block's are kept, so that many short lines cost one walk and not one each."""
        if self._ends[0] != block:
            found = LINE_BREAK.finditer(self.text, self._edges[block], self._edges[block + 1])
            self._ends = (block, [one.end() for one in found])
        return self._ends[1]


def units_of(text: str, encoding: PositionEncoding) -> int:
    """Length of ``text`` in the code units of ``encoding``."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def has_halves(text: str) -> bool:
    """Whether ``text`` holds a half of a character: it cannot be written, hashed or sent then."""
    return not text.isascii() and _SURROGATE.search(text) is not None


def code_points_in(text: str, units: int, encoding: PositionEncoding) -> int:
    """How many whole characters of ``text`` fit into ``units`` code units."""
    if encoding == "utf-32" or text.isascii():
        return min(units, len(text))
    if has_halves(text):
        # An editor may send halves of pairs one by one; they have no strict form to cut.
        sizes = accumulate(units_of(character, encoding) for character in text)
        return sum(1 for size in sizes if size <= units)
    if encoding == "utf-8":
        return len(text.encode("utf-8")[:units].decode("utf-8", "ignore"))
    return len(text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore"))
