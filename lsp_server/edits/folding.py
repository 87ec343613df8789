"""Spellings that mean the same: what one line or a whole text looks like at a matching level.

A *character* here is what a reader takes for one: a letter with its combining marks, a Hangul syllable in its
parts. Folding never joins or splits two of them.

Never: line endings other than ``\\n`` (callers fold those first), compatibility forms (full width is another
text), or similarity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from unicodedata import category, is_normalized, normalize

from lsp_server.edits.levels import Level

BLANKS = " \t"
EM_DASH = "\u2014"
"""After folding, what fits both ``-`` and ``--``."""

_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
LOOK_ALIKES = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
    "\u2015": EM_DASH,
    "\u2026": "...",
    **dict.fromkeys(_SPACES, " "),
}
"""Each typographic character and how it is spelled after folding."""

_ONE_SPELLING = re.compile(r"[A-JL-Za-z0-9_!#$%&()*+,/:?@\[\]^{|}~\\]+")
"""Runs of characters that no other character folds to, and that no fold joins with others.

Without quotes, hyphen, dot and blank; the semicolon, the grave accent and K, which have canonical doubles.
"""
_MOST_ANCHORS = 50

_TABLE = str.maketrans(LOOK_ALIKES)
_INDENT = re.compile(f"[ \t{_SPACES}]*")


@dataclass(frozen=True, slots=True)
class FoldedLine:
    """One line at a level, and where its characters came from."""

    text: str
    edges: tuple[int, ...]
    """For each offset in ``text`` (its end included) the offset in the line, -1 inside a character."""


def fold_line(line: str, level: Level) -> str:
    """``line`` (without its ending) as it is compared at ``level``; two lines fit if the results fit.

    They fit when they are equal, but for ``EM_DASH`` (see ``fitting``).
    """
    line = fold_spelling(line, level)
    if level.forgives(Level.INDENTATION):
        line = line.lstrip(BLANKS)
    return line.rstrip(BLANKS) if level.forgives(Level.TRAILING_SPACE) else line


def fold_text(text: str, level: Level) -> str:
    """A text with ``\\n`` endings as its lines are compared at ``level``, indentation aside; it keeps its lines."""
    text = fold_spelling(text, level)
    if not level.forgives(Level.TRAILING_SPACE):
        return text
    if " \n" in text or "\t\n" in text or text[-1:] in (" ", "\t"):
        return "\n".join([line.rstrip(BLANKS) for line in text.split("\n")])
    return text


def fold_spelling(text: str, level: Level) -> str:
    """``text`` with each character as it is compared at ``level``; blanks at line ends, and line ends, stay.

    A character folds by itself, whatever stands around it: ``fold_map`` finds the way back by that.
    """
    return fold_characters(text) if level.forgives(Level.TYPOGRAPHIC) else text


def fold_characters(text: str) -> str:
    """``text`` composed, with plain quotes, dashes, dots and blanks."""
    if text.isascii():
        return text
    if not is_normalized("NFC", text):
        text = normalize("NFC", text)
    if len(text) < 500:
        return text.translate(_TABLE)
    for special, plain in LOOK_ALIKES.items():
        if special in text:
            text = text.replace(special, plain)
    return text


def fold_map(line: str, level: Level) -> FoldedLine:
    """``fold_line`` at one of ``SPELLINGS``, with the way back."""
    if line.isascii() or not level.forgives(Level.TYPOGRAPHIC):
        text = fold_line(line, level)
        return FoldedLine(text, tuple(range(len(text) + 1)))
    pieces: list[str] = []
    edges = [0]
    offset = 0
    for character in characters(line):
        piece = _fold_character(character, level)
        offset += len(character)
        pieces.append(piece)
        edges += [-1] * (len(piece) - 1) + [offset]
    text = "".join(pieces).rstrip(BLANKS)
    return FoldedLine(text, tuple(edges[: len(text) + 1]))


def characters(text: str) -> list[str]:
    """``text`` cut into characters; line feeds stand alone."""
    if text.isascii():
        return list(text)
    found: list[str] = []
    for point in text:
        if found and _continues(point) and _can_carry(found[-1][-1]):
            found[-1] += point
        else:
            found.append(point)
    return found


def cuts_character(text: str, offset: int) -> bool:
    """Whether a cut of ``text`` at ``offset`` would part a letter from its combining mark."""
    if not 0 < offset < len(text):
        return False
    point = text[offset]
    return point >= "\u0300" and _continues(point) and _can_carry(text[offset - 1])


def split_indent(line: str) -> tuple[str, str]:
    """A line's indentation and the rest; a blank line has none."""
    found = _INDENT.match(line)
    assert found is not None  # it matches the empty string
    if found.end() == len(line):
        return "", line
    return line[: found.end()], line[found.end() :]


def must_stand(lines: Iterable[str]) -> list[str]:
    """Texts that are, as they are, in every text that ``lines`` fit at whatever level: one a line, at most."""
    found = []
    for line in islice(lines, _MOST_ANCHORS):
        runs = _ONE_SPELLING.findall(fold_characters(line))
        if runs:
            found.append(max(runs, key=len))
    return found


def is_blank(line: str) -> bool:
    """Whether a line (without ending) shows nothing."""
    return not fold_line(line, Level.TYPOGRAPHIC)


@lru_cache(maxsize=4096)
def _fold_character(character: str, level: Level) -> str:
    return fold_line(character + "x", level)[:-1]  # the x keeps a blank from being one at the line's end


def _continues(point: str) -> bool:
    """Whether this code point belongs to the character before it."""
    if point < "\u0300":
        return False
    if "\u1160" <= point <= "\u11ff" or "\ud7b0" <= point <= "\ud7ff":
        return True  # vowels and finals of Hangul in parts
    return category(point)[0] == "M"


def _can_carry(point: str) -> bool:
    """Whether a combining mark after this code point joins it."""
    return point >= " " and category(point)[0] != "C"
