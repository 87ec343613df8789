"""The text of an open document, kept so that a key in a large one costs what the key costs and not what the text does.

A text is a row of pieces, each a span of some string. A change makes one piece anew; whoever asks for the whole has
it joined once, and the pieces are spans of that from then on.

Never: I/O, a piece that starts between CR and LF or between the halves of a character, or a whole text copied for a
change of a part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from editor_clients.lines import (
    LINE_BREAK,
    PositionEncoding,
    code_points_in,
    count_breaks,
    has_halves,
    units_of,
)

_PIECE = 32 << 10
"""Characters of a piece when it is cut; none grows beyond twice that."""
_SMALL = 8 << 10
"""A changed piece below that takes in its neighbour, so that pieces never become many and tiny."""

Position = tuple[int, int]
"""Line and character of LSP, both 0-based, in the connection's position encoding."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """``source[start:end]``."""

    source: str
    start: int
    end: int
    breaks: int
    lf_ends_all: bool
    """Whether each of its line breaks ends with LF."""
    units: int
    """Its length in code units of the position encoding."""
    has_halves: bool

    @property
    def text(self) -> str:
        return self.source[self.start : self.end]


class Pieces:
    """One text; it never changes, only how it is kept does."""

    __slots__ = ("_has_halves", "_pieces", "_whole", "encoding")

    def __init__(self, text: str, encoding: PositionEncoding = "utf-16") -> None:
        self.encoding: PositionEncoding = encoding
        self._whole: str | None = joined(text)
        self._pieces: Sequence[_Piece] | None = None
        self._has_halves: bool | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pieces) and (self is other or self.text == other.text)

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def text(self) -> str:
        """The whole."""
        if self._whole is None:
            assert self._pieces is not None
            self._whole = "".join(_runs(self._pieces))
            self._pieces = _spans_of(self._whole, self._pieces)
        return self._whole

    @property
    def has_halves(self) -> bool:
        """Whether the text holds a half of a character."""
        if self._has_halves is None:
            if self._pieces is not None:
                self._has_halves = any(piece.has_halves for piece in self._pieces)
            else:
                self._has_halves = has_halves(self.text)
        return self._has_halves

    def spliced(self, start: Position, end: Position, new: str) -> Pieces | None:
        """The text with ``new`` in place of what is between two positions; None when they are in the wrong order.

        As LSP says, a character past the end of a line is the end of its content, a line past the last one the end
        of the text. A position inside a character is the start of that character. Halves of one character that come
        together are that character.
        """
        pieces = self._cut()
        first, head = _place(pieces, start, self.encoding)
        last, tail = _place(pieces, end, self.encoding)
        if (last, tail) < (first, head):
            return None
        after = Pieces("", self.encoding)
        after._whole = None
        if not pieces:
            after._pieces = _pieces_of(joined(new), self.encoding)
            return after
        one, other = pieces[first], pieces[last]
        middle = one.source[one.start : one.start + head] + new + other.source[other.start + tail : other.end]
        first, last, middle = _with_neighbours(pieces, first, last + 1, middle)
        after._pieces = (*pieces[:first], *_pieces_of(joined(middle), self.encoding), *pieces[last:])
        return after

    def _cut(self) -> Sequence[_Piece]:
        if self._pieces is None:
            self._pieces = _pieces_of(self.text, self.encoding)
        return self._pieces


def joined(text: str) -> str:
    """Halves of one character that came together are that character; others stay."""
    if not has_halves(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _pieces_of(text: str, encoding: PositionEncoding) -> tuple[_Piece, ...]:
    """``text`` cut into pieces, which are spans of it."""
    found, start = [], 0
    while start < len(text):
        end = start + _PIECE
        if end + _PIECE >= len(text):
            end = len(text)  # the last is as long as one and a rest
        elif text[end - 1 : end + 1] == "\r\n":
            end += 1
        found.append(_piece(text, start, end, encoding))
        start = end
    return tuple(found)


def _piece(source: str, start: int, end: int, encoding: PositionEncoding) -> _Piece:
    lf = source.count("\n", start, end)
    breaks = count_breaks(source, start, end) if source.find("\r", start, end) >= 0 else lf
    if source.isascii():
        return _Piece(source, start, end, breaks, breaks == lf, end - start, has_halves=False)
    text = source[start:end]
    return _Piece(source, start, end, breaks, breaks == lf, units_of(text, encoding), has_halves(text))


def _runs(pieces: Iterable[_Piece]) -> Iterator[str]:
    """The texts of ``pieces``, neighbours of one string in one."""
    run: tuple[str, int, int] | None = None
    for piece in pieces:
        if run is not None and run[0] is piece.source and run[2] == piece.start:
            run = (run[0], run[1], piece.end)
            continue
        if run is not None:
            yield run[0][run[1] : run[2]]
        run = (piece.source, piece.start, piece.end)
    if run is not None:
        yield run[0][run[1] : run[2]]


def _spans_of(whole: str, pieces: Iterable[_Piece]) -> tuple[_Piece, ...]:
    """The same pieces as spans of ``whole``, so that the strings that they were spans of can go."""
    found, start = [], 0
    for one in pieces:
        end = start + one.end - one.start
        found.append(_Piece(whole, start, end, one.breaks, one.lf_ends_all, one.units, one.has_halves))
        start = end
    return tuple(found)


def _place(pieces: Sequence[_Piece], position: Position, encoding: PositionEncoding) -> tuple[int, int]:
    """The piece that holds a position, and the offset in it; the end of a piece only in the last one."""
    line, character = position
    if line < 0 or not pieces:
        return 0, 0
    number, offset = _start_of_line(pieces, line)
    units = max(character, 0)
    while True:
        piece = pieces[number]
        start = piece.start + offset
        if offset == 0 and piece.breaks == 0 and units > piece.units and number + 1 < len(pieces):
            units -= piece.units  # a line longer than a piece
            number += 1
            continue
        end = _content_end(piece.source, start, piece.end)
        content = piece.source[start:end]
        size = units_of(content, encoding)
        if units <= size or end < piece.end or number + 1 == len(pieces):
            found = offset + code_points_in(content, units, encoding)
            past = found == piece.end - piece.start and number + 1 < len(pieces)
            return (number + 1, 0) if past else (number, found)
        units -= size
        number, offset = number + 1, 0


def _start_of_line(pieces: Sequence[_Piece], line: int) -> tuple[int, int]:
    """The piece and the offset in it after the ``line``-th break; the end of the text for a line after the last."""
    if line == 0:
        return 0, 0
    for number, piece in enumerate(pieces):
        if line <= piece.breaks:
            return number, _after_break(piece, line)
        line -= piece.breaks
    return len(pieces) - 1, pieces[-1].end - pieces[-1].start


def _after_break(piece: _Piece, number: int) -> int:
    """The offset in ``piece`` after its ``number``-th break (1-based)."""
    if not piece.lf_ends_all:
        found = LINE_BREAK.finditer(piece.source, piece.start, piece.end)
        return next(islice(found, number - 1, None)).end() - piece.start
    at = piece.start
    for _ in range(number):
        at = piece.source.index("\n", at) + 1
    return at - piece.start


def _content_end(source: str, start: int, end: int) -> int:
    """Where the line's content ends that starts at ``start``; ``end`` when no break comes before."""
    lf = source.find("\n", start, end)
    edge = end if lf < 0 else lf
    cr = source.find("\r", start, edge)
    return edge if cr < 0 else cr


def _with_neighbours(pieces: Sequence[_Piece], first: int, last: int, middle: str) -> tuple[int, int, str]:
    """``middle``, which replaces ``pieces[first:last]``, with what it cannot be kept apart from."""
    while len(middle) < _SMALL and (first > 0 or last < len(pieces)):
        if last < len(pieces):
            middle, last = middle + pieces[last].text, last + 1
        else:
            first -= 1
            middle = pieces[first].text + middle
    while last < len(pieces) and _belong_together(middle[-1], pieces[last].source[pieces[last].start]):
        middle, last = middle + pieces[last].text, last + 1
    while first > 0 and _belong_together(pieces[first - 1].source[pieces[first - 1].end - 1], middle[0]):
        first -= 1
        middle = pieces[first].text + middle
    return first, last, middle


def _belong_together(before: str, after: str) -> bool:
    """Whether two characters are one line break, or one character."""
    if before == "\r":
        return after == "\n"
    return "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff"
