"""Sets of characters as Rust's regular expressions name them: ``\\w``, ``\\p{Lu}``, ``[[:alpha:]]``, case folding.

The tables come from this Python's own Unicode data; characters that it does not know yet are unassigned here.

Never: Python's own meaning of ``\\w``, ``\\s`` or case where Rust's is another.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

_LAST = sys.maxunicode

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CharSet:
    """Code points as sorted spans that do not touch; both ends inclusive."""

    spans: tuple[Span, ...] = ()

    @classmethod
    def of(cls, spans: Iterable[Span]) -> CharSet:
        """The code points of all ``spans``."""
        found: list[Span] = []
        for first, last in sorted(spans):
            if found and first <= found[-1][1] + 1:
                found[-1] = (found[-1][0], max(last, found[-1][1]))
            else:
                found.append((first, last))
        return cls(tuple(found))

    @classmethod
    def chars(cls, characters: str) -> CharSet:
        """Single characters."""
        return cls.of((ord(each), ord(each)) for each in characters)

    def __contains__(self, point: int) -> bool:
        return any(first <= point <= last for first, last in self.spans)

    def union(self, other: CharSet) -> CharSet:
        """In either."""
        return CharSet.of(self.spans + other.spans)

    def negated(self) -> CharSet:
        """All others."""
        found: list[Span] = []
        next_one = 0
        for first, last in self.spans:
            if next_one < first:
                found.append((next_one, first - 1))
            next_one = last + 1
        if next_one <= _LAST:
            found.append((next_one, _LAST))
        return CharSet(tuple(found))

    def intersect(self, other: CharSet) -> CharSet:
        """In both."""
        return self.negated().union(other.negated()).negated()

    def minus(self, other: CharSet) -> CharSet:
        """In this one only."""
        return self.intersect(other.negated())

    def folded(self) -> CharSet:
        """With every character that is the same but for its case (simple case folding)."""
        more = [(each, each) for point, same in _cases().items() if point in self for each in same]
        return CharSet.of([*self.spans, *more]) if more else self

    def source(self) -> str:
        """As a class of Python's ``re``."""
        if not self.spans:
            return "(?!)"
        parts = (_spelled(a) if a == b else f"{_spelled(a)}-{_spelled(b)}" for a, b in self.spans)
        return f"[{''.join(parts)}]"


ASCII = CharSet(((0, 127),))
ANY = CharSet(((0, _LAST),))
SPACE = CharSet.chars("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000").union(
    CharSet(((0x2000, 0x200A),))
)
_NOT_LETTERS_BUT_ALPHABETIC = [(0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189)]

POSIX = {
    "alnum": CharSet.of([(48, 57), (65, 90), (97, 122)]),
    "alpha": CharSet.of([(65, 90), (97, 122)]),
    "ascii": ASCII,
    "blank": CharSet.chars("\t "),
    "cntrl": CharSet.of([(0, 31), (127, 127)]),
    "digit": CharSet(((48, 57),)),
    "graph": CharSet(((33, 126),)),
    "lower": CharSet(((97, 122),)),
    "print": CharSet(((32, 126),)),
    "punct": CharSet.of([(33, 47), (58, 64), (91, 96), (123, 126)]),
    "space": CharSet.chars("\t\n\v\f\r "),
    "upper": CharSet(((65, 90),)),
    "word": CharSet.of([(48, 57), (65, 90), (95, 95), (97, 122)]),
    "xdigit": CharSet.of([(48, 57), (65, 70), (97, 102)]),
}

_CATEGORIES = (
    "Lu=uppercaseletter Ll=lowercaseletter Lt=titlecaseletter LC=casedletter Lm=modifierletter Lo=otherletter "
    "L=letter Mn=nonspacingmark Mc=spacingmark Me=enclosingmark M=mark Nd=decimalnumber Nl=letternumber "
    "No=othernumber N=number Pc=connectorpunctuation Pd=dashpunctuation Ps=openpunctuation "
    "Pe=closepunctuation Pi=initialpunctuation Pf=finalpunctuation Po=otherpunctuation P=punctuation "
    "Sm=mathsymbol Sc=currencysymbol Sk=modifiersymbol So=othersymbol S=symbol Zs=spaceseparator "
    "Zl=lineseparator Zp=paragraphseparator Z=separator Cc=control Cf=format Co=privateuse"
)
_BY_NAME = {
    name.lower(): pair.split("=")[0] for pair in _CATEGORIES.split() for name in (pair, *pair.split("="))
}


def word(*, ascii_only: bool) -> CharSet:
    """``\\w``."""
    return POSIX["word"] if ascii_only else _unicode_word()


def digit(*, ascii_only: bool) -> CharSet:
    """``\\d``."""
    return POSIX["digit"] if ascii_only else _of_categories(("Nd",))


def category(name: str, *, ascii_only: bool) -> CharSet | None:
    """``\\p{name}`` for general categories; None for what is not one."""
    plain = name.lower().replace("_", "").replace("-", "").replace(" ", "")
    if plain == "any":
        return ANY
    if plain == "ascii":
        return ASCII
    short = _BY_NAME.get(plain)
    if short is None:
        return None
    wanted = ("Lu", "Ll", "Lt") if short == "LC" else (short,)
    return _scan(wanted, 127) if ascii_only else _of_categories(wanted)


@cache
def _unicode_word() -> CharSet:
    letters = _of_categories(("L", "M", "Nd", "Nl", "Pc"))
    return letters.union(CharSet.of([*_NOT_LETTERS_BUT_ALPHABETIC, (0x200C, 0x200D)]))


@cache
def _of_categories(wanted: tuple[str, ...]) -> CharSet:
    return _scan(wanted, _LAST)


def _scan(wanted: tuple[str, ...], last: int) -> CharSet:
    fitting = (point for point in range(last + 1) if unicodedata.category(chr(point)).startswith(wanted))
    return CharSet(tuple(_runs(fitting)))


def _runs(points: Iterable[int]) -> Iterator[Span]:
    first = last = -2
    for point in points:
        if point != last + 1:
            if first >= 0:
                yield first, last
            first = point
        last = point
    if first >= 0:
        yield first, last


@cache
def _cases() -> dict[int, tuple[int, ...]]:
    """Characters with others that differ in case alone."""
    groups: dict[str, list[int]] = {}
    for point in range(0x1E944):
        char = chr(point)
        if char.lower() != char or char.upper() != char or char.casefold() != char:
            key = next((each for each in (char.casefold(), char.lower()) if len(each) == 1), char)
            groups.setdefault(key, []).append(point)
            if ord(key) not in groups[key]:
                groups[key].append(ord(key))
    return {point: tuple(group) for group in groups.values() if len(group) > 1 for point in group}


def _spelled(point: int) -> str:
    return f"\\x{point:02x}" if point < 256 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
