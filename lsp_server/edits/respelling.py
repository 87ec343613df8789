"""New text in the spelling of the place it goes to.

Characters that old and new text share take the file's spelling of them; all others are written as sent.

Never: a change of what the text says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import TypeVar

from lsp_server.edits.fitting import path
from lsp_server.edits.folding import characters, fold_map, fold_spelling
from lsp_server.edits.levels import SPELLINGS

T = TypeVar("T")
Common = tuple[int, int, int]
"""``a[i:i+n] == b[j:j+n]`` as ``(i, j, n)``."""

_MOST_COMPARED = 9_000_000
"""Pairs of items that are compared one by one; beyond, only equal ends count as shared."""
_LOOSEST = SPELLINGS[-1]
_INSIDE = (0, "")
"""Not the first character of a unit."""


def shared(old: Sequence[T], new: Sequence[T]) -> list[Common]:
    """Runs that both have, in order: the longest first, then what is left and right of it."""
    matcher_pays = len(old) * len(new) <= _MOST_COMPARED
    if matcher_pays:
        matcher: SequenceMatcher[T] = SequenceMatcher(None, old, new, autojunk=False)
        return [(block.a, block.b, block.size) for block in matcher.get_matching_blocks() if block.size]
    least = min(len(old), len(new))
    head = next((n for n in range(least) if old[n] != new[n]), least)
    tail = next((n for n in range(least - head) if old[-1 - n] != new[-1 - n]), least - head)
    ends = ((0, 0, head), (len(old) - tail, len(new) - tail, tail))
    return [run for run in ends if run[2]]


def slid(runs: Sequence[Common], new: Sequence[str]) -> list[Common]:
    """The same runs, with text that only ``new`` has between two of them put at its most natural place.

    Made of ``"a" b``, ``"a", "c" b`` added ``, "c"`` or ``", "c``: which of them it was decides whose quote takes
    the file's spelling. Text goes in where edges of words are, else as early as it can.
    """
    found = list(runs[:1])
    for start, there, count in runs[1:]:
        first, own, size = found[-1]
        if first + size == start:  # nothing of the old text is gone here
            low = high = 0
            while 1 - low < size and new[own + size + low - 1] == new[there + low - 1]:
                low -= 1
            while high + 1 < count and new[own + size + high] == new[there + high]:
                high += 1
            by = max(range(low, high + 1), key=lambda n: _edge(new, own + size + n) + _edge(new, there + n))
            found[-1] = (first, own, size + by)
            start, there, count = start + by, there + by, count - by
        found.append((start, there, count))
    return found


def _edge(text: Sequence[str], at: int) -> int:
    """How much of an edge of a word there is before character ``at``."""
    left, right = text[at - 1], text[at]
    if left.isspace() or right.isspace():
        return 3
    return (not left.isalnum()) + (not right.isalnum())


@dataclass(slots=True)
class Respeller:
    """Knows how the file spells what was sent in ``old_lines``; remembers what it had to write as sent."""

    file_lines: Sequence[str]
    old_lines: Sequence[str]
    """They fit ``file_lines`` one by one at the loosest spelling, indentation aside."""
    _variants: dict[str, str] = field(default_factory=dict)
    """Folded spelling to the file's, where it is not the one sent."""
    _as_sent: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for there, sent in zip(self.file_lines, self.old_lines, strict=True):
            if there.rstrip(" \t") != sent.rstrip(" \t"):
                self._note_variants(there, sent)

    @property
    def differs(self) -> bool:
        """Whether the file spells anything in another way than it was sent."""
        return bool(self._variants)

    def respell(self, first: int, last: int, new_lines: Sequence[str]) -> list[str]:
        """``new_lines``, which replace the old lines ``first:last``, in the file's spelling."""
        if not self.differs or not new_lines:
            return list(new_lines)
        if first == last:
            self._as_sent += new_lines
            return list(new_lines)
        old = characters("\n".join(self.old_lines[first:last]))
        new = characters("\n".join(new_lines))
        pieces = self._pieces(first, last)
        written: list[str] = []
        done = 0
        for start, there, count in slid(shared(old, new), new):
            self._write_as_sent(written, new[done:there])
            self._write_shared(written, new[there : there + count], pieces, start)
            done = there + count
        self._write_as_sent(written, new[done:])
        return "".join(written).split("\n")

    def warnings(self) -> tuple[str, ...]:
        """One sentence for each spelling of the file that text written as sent does not follow."""
        if not self._variants:
            return ()
        runs = [(run, fold_spelling(run, _LOOSEST)) for run in self._as_sent]
        found = []
        for folded, there in self._variants.items():
            if any(folded in plain and there not in run for run, plain in runs):
                found.append(
                    f"The file spells {_shown(folded)} as {_shown(there)} here; where new_string adds it, "
                    "it was written as sent."
                )
        return tuple(found)

    def _note_variants(self, there: str, sent: str) -> None:
        mine = characters(sent)
        for (a, b), piece in _units(there, sent):
            own = "".join(mine[a:b])
            if own != piece:
                self._variants.setdefault(fold_spelling(own, _LOOSEST), piece)

    def _pieces(self, first: int, last: int) -> dict[int, tuple[int, str]]:
        """For characters of the old lines joined: from the first of a unit, its end and the file's spelling.

        Characters that are not in it are spelled the same.
        """
        found: dict[int, tuple[int, str]] = {}
        base = 0
        for number in range(first, last):
            there, sent = self.file_lines[number], self.old_lines[number]
            if there != sent:
                for (a, b), piece in _units(there, sent):
                    found[base + a] = (base + b, piece)
                    found.update((base + inner, _INSIDE) for inner in range(a + 1, b))
            base += len(characters(sent)) + 1
        return found

    def _write_shared(
        self, written: list[str], run: Sequence[str], pieces: dict[int, tuple[int, str]], start: int
    ) -> None:
        at = 0
        while at < len(run):
            end, piece = pieces.get(start + at, (start + at + 1, run[at]))
            if start < end <= start + len(run):
                written.append(piece)
                at = end - start
            else:  # only a part of a unit is shared
                self._write_as_sent(written, run[at : at + 1])
                at += 1

    def _write_as_sent(self, written: list[str], run: Sequence[str]) -> None:
        if run:
            text = "".join(run)
            self._as_sent.append(text)
            written.append(text)


def _units(there: str, sent: str) -> list[tuple[tuple[int, int], str]]:
    """Smallest parts of ``sent`` (by character index) that stand for whole characters of ``there``."""
    left, right = fold_map(there, _LOOSEST), fold_map(sent, _LOOSEST)
    way = path(left.text, right.text)
    if way is None:
        raise ValueError("the lines do not fit")
    index_of = _character_index(sent)
    found: list[tuple[tuple[int, int], str]] = []
    from_there = from_sent = 0
    for at, done in way[1:]:
        edge, own = left.edges[at], right.edges[done]
        if edge >= 0 and own >= 0:
            found.append(((index_of[from_sent], index_of[own]), there[from_there:edge]))
            from_there, from_sent = edge, own
    tail, own_tail = there[from_there:], sent[from_sent:]
    if len(tail) == len(own_tail):  # blanks at the end, one for one
        first = index_of[from_sent]
        found += [((first + number, first + number + 1), blank) for number, blank in enumerate(tail)]
    return found


def _character_index(text: str) -> dict[int, int]:
    """From the offset at which a character starts (or the text ends) to its number."""
    offset = 0
    found = {0: 0}
    for number, character in enumerate(characters(text), 1):
        offset += len(character)
        found[offset] = number
    return found


def _shown(text: str) -> str:
    return {" ": "a blank", "\u00a0": "a no-break space"}.get(
        text, text if text.strip() else f"U+{ord(text[0]):04X}"
    )
