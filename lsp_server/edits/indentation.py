"""From the indentation that was sent to the file's: shifted, tabs for blanks, or scaled.

Never: a guess. Where what was sent does not say how a line is indented in the file, there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, product

from lsp_server.edits.folding import fold_characters

_TAB_WIDTHS = (8, 4, 2, 1, 3, 5, 6, 7)


@dataclass(frozen=True, slots=True)
class IndentMap:
    """How one block's indentation is carried over."""

    pairs: dict[str, str]
    """Each indentation that was sent, and the file's for it."""
    added: str | None
    """What stands before each in the file; None when the block is not shifted deeper (or not at all)."""
    taken: str | None
    """What the file lacks of each; None when the block is not shifted out."""

    def of(self, indent: str) -> str | None:
        """The file's indentation for one of the new text; None when that would be a guess.

        A shift carries every indentation over; tabs for blanks and scaling only those that the old text has.
        """
        indent = fold_characters(indent)
        if indent in self.pairs:
            return self.pairs[indent]
        if self.added is not None:
            found = self.added + indent
        elif self.taken is not None and indent.startswith(self.taken):
            found = indent[len(self.taken) :]
        else:
            return None
        return found if not _mixed(found) or any(map(_mixed, self.pairs.values())) or _mixed(indent) else None


def indent_map(pairs: Iterable[tuple[str, str]]) -> IndentMap | None:
    """The map of a block from ``(sent, file)`` indentations of its lines that are not blank.

    None when the lines are not shifted as one block: one indentation sent stands for two in the file, or the
    steps between lines do not keep their proportion.
    """
    return _indent_map(tuple(dict.fromkeys(pairs)))


@lru_cache(maxsize=1024)
def _indent_map(pairs: tuple[tuple[str, str], ...]) -> IndentMap | None:
    known: dict[str, str] = {}
    for sent, there in pairs:
        sent, there = fold_characters(sent), fold_characters(there)
        if known.setdefault(sent, there) != there:
            return None
    added = _common(
        {there.removesuffix(sent) for sent, there in known.items() if there.endswith(sent)}, known
    )
    if added is not None and all(added + sent == there for sent, there in known.items()):
        return IndentMap(known, added, None)
    taken = _common(
        {sent.removesuffix(there) for sent, there in known.items() if sent.endswith(there)}, known
    )
    if taken is not None and all(taken + there == sent for sent, there in known.items()):
        return IndentMap(known, None, taken)
    return IndentMap(known, None, None) if _in_proportion(known) else None


def _common(candidates: set[str], known: dict[str, str]) -> str | None:
    if not known:
        return ""
    return candidates.pop() if len(candidates) == 1 else None


def _in_proportion(known: dict[str, str]) -> bool:
    """Deeper stays deeper, and the steps are the same but for one factor, for some width of tabs."""
    steps = sorted(known.items())
    for (sent, there), (deeper, deeper_there) in pairwise(steps):
        if not (deeper.startswith(sent) and deeper_there.startswith(there) and deeper_there != there):
            return False
    return any(
        _on_a_line([(_width(sent, mine), _width(there, theirs)) for sent, there in steps])
        for mine, theirs in product(_TAB_WIDTHS, _TAB_WIDTHS)
    )


def _on_a_line(points: list[tuple[int, int]]) -> bool:
    if len(points) < 3:
        return True
    (x0, y0), (x1, y1) = points[:2]
    return all((y - y0) * (x1 - x0) == (x - x0) * (y1 - y0) for x, y in points[2:])


def _width(indent: str, tab: int) -> int:
    return sum(tab if character == "\t" else 1 for character in indent)


def _mixed(indent: str) -> bool:
    return "\t" in indent and " " in indent
