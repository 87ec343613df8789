"""Blocks of whole lines: where they stand in a file, and how a rewritten one is spelled there.

Shared by ``edit`` and by patches. Lines have no endings here.

Never: a choice between two places; callers get all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from ledger.errors import Code, CoeditorError
from lsp_server.edits.fitting import fits, loose_key
from lsp_server.edits.folding import BLANKS, EM_DASH, fold_line, fold_text, is_blank, split_indent
from lsp_server.edits.indentation import IndentMap, indent_map
from lsp_server.edits.levels import Level
from lsp_server.edits.respelling import Respeller, shared

MOST_FOUND = 10_000
"""Places of a block that are counted before it just stands at too many."""
_FEW = 3
"""Questions that are answered by a search each."""


class BlockIndex:
    """The lines of one file, folded once a level, to look blocks up in."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self._keys: dict[Level, list[str]] = {}
        self._asked: dict[Level, int] = {}
        self._places: dict[Level, dict[str, list[int]]] = {}

    def find(self, block: Sequence[str], level: Level, first: int = 0) -> list[int]:
        """Indices from ``first`` on at which ``block`` stands at ``level``, ascending, at most ``MOST_FOUND``.

        ``[]`` for an empty block.
        """
        found = self.find_loosely(block, level, first)
        if level.forgives(Level.INDENTATION):
            sent = [
                (number, split_indent(line)[0]) for number, line in enumerate(block) if not is_blank(line)
            ]
            found = (at for at in found if self._map_at(at, sent) is not None)
        return list(islice(found, MOST_FOUND))

    def find_loosely(self, block: Sequence[str], level: Level, first: int = 0) -> Iterator[int]:
        """As ``find``, all of them, whatever the indentation when the level forgives any."""
        if not block or len(block) > len(self.lines) - first:
            return
        level = min(level, Level.INDENTATION, key=lambda one: one.rank)  # lines left out are not ours
        keys = self._keys_at(level)
        wanted = [_key(line, level) for line in block]
        with_dashes = [number for number, key in enumerate(wanted) if "-" in key]
        rarest, places = self._places_of_rarest(wanted, level)
        for place in places:
            start = place - rarest
            if start < first or start + len(block) > len(keys):
                continue
            if keys[start : start + len(block)] != wanted:
                continue
            if all(fits_line(self.lines[start + number], block[number], level) for number in with_dashes):
                yield start  # the keys alone do not tell dashes apart

    def _map_at(self, start: int, sent: list[tuple[int, str]]) -> IndentMap | None:
        return indent_map((indent, split_indent(self.lines[start + number])[0]) for number, indent in sent)

    def _keys_at(self, level: Level) -> list[str]:
        if level not in self._keys:
            self._keys[level] = _keys(self.lines, level)
        return self._keys[level]

    def _places_of_rarest(self, wanted: list[str], level: Level) -> tuple[int, Iterable[int]]:
        """Which of the lines ``wanted`` to look for, and where it is; many questions pay for a dictionary."""
        self._asked[level] = self._asked.get(level, 0) + 1
        if level not in self._places and self._asked[level] <= _FEW:
            longest = max(range(len(wanted)), key=lambda number: len(wanted[number]))
            return longest, _indices(self._keys_at(level), wanted[longest])
        if level not in self._places:
            places: dict[str, list[int]] = {}
            for number, key in enumerate(self._keys_at(level)):
                places.setdefault(key, []).append(number)
            self._places[level] = places
        hits = [self._places[level].get(key, ()) for key in wanted]
        rarest = min(range(len(wanted)), key=lambda number: len(hits[number]))
        return rarest, hits[rarest]


def find_block(file_lines: Sequence[str], block: Sequence[str], level: Level) -> list[int]:
    """All indices at which ``block`` stands in ``file_lines``; use a BlockIndex for more than one question."""
    return BlockIndex(file_lines).find(block, level)


def fits_line(there: str, sent: str, level: Level) -> bool:
    """Whether one line that was sent stands for a line of the file at ``level``."""
    if there == sent:
        return True
    there, sent = fold_line(there, level), fold_line(sent, level)
    return fits(there, sent) if level.forgives(Level.TYPOGRAPHIC) else there == sent


def _keys(lines: Sequence[str], level: Level) -> list[str]:
    """``_key`` of all lines, folded in one go."""
    folded = fold_text("\n".join(lines), level).split("\n")
    if level.forgives(Level.INDENTATION):
        folded = [line.lstrip(BLANKS) for line in folded]
    if not level.forgives(Level.TYPOGRAPHIC):
        return folded
    return [loose_key(line) if "-" in line or EM_DASH in line else line for line in folded]


def _indices(keys: list[str], wanted: str) -> Iterator[int]:
    at = -1
    try:
        while True:
            at = keys.index(wanted, at + 1)
            yield at
    except ValueError:
        return


def _key(line: str, level: Level) -> str:
    """Equal for lines that fit each other at ``level``, and for a few that do not."""
    folded = fold_line(line, level)
    return loose_key(folded) if level.forgives(Level.TYPOGRAPHIC) else folded


def map_between(file_lines: Sequence[str], old_lines: Sequence[str]) -> IndentMap | None:
    """How the indentation of ``old_lines`` becomes that of the lines they stand for; None when it does not."""
    return indent_map(
        (split_indent(sent)[0], split_indent(there)[0])
        for there, sent in zip(file_lines, old_lines, strict=True)
        if not is_blank(sent)
    )


def rewrite_block(
    file_lines: Sequence[str],
    old_lines: Sequence[str],
    new_lines: Sequence[str],
    level: Level,
    *,
    indents: IndentMap | None = None,
    open_end: bool = False,
) -> tuple[list[str], tuple[str, ...]]:
    """``new_lines`` as they go into the file in place of ``file_lines``, which ``old_lines`` fit at ``level``.

    Returns the lines and warnings. Lines that old and new share are the file's, byte for byte.
    ``indents`` is the map of a bigger block that this one is a part of. ``open_end``: the last line goes on in
    the file, so it must not bring a line's end with it.
    Errors: FS_NO_MATCH when the new text's indentation cannot be carried over without a guess.
    """
    if not level.forgives(Level.TRAILING_SPACE):
        return list(new_lines), ()
    file_rests, old_rests = list(file_lines), list(old_lines)
    if level.forgives(Level.INDENTATION):
        indents = indents or map_between(file_lines, old_lines)
        if indents is None:
            raise ValueError("the block does not fit")
        file_rests = [split_indent(line)[1] for line in file_lines]
        old_rests = [split_indent(line)[1] for line in old_lines]
    respeller = Respeller(file_rests, old_rests)
    written: list[str] = []
    done = (0, 0)
    for start, there, count in [*shared(old_lines, new_lines), (len(old_lines), len(new_lines), 0)]:
        written += _rewritten(respeller, indents, (done[0], start), new_lines[done[1] : there])
        written += file_lines[start : start + count]
        done = (start + count, there + count)
        if open_end and count and done[1] == len(new_lines) and done[0] < len(old_lines):
            written[-1] = written[-1].rstrip(BLANKS)
    return written, respeller.warnings()


def _rewritten(
    respeller: Respeller, indents: IndentMap | None, old: tuple[int, int], new_lines: Sequence[str]
) -> list[str]:
    """Lines that are not the file's, in place of the old lines ``old``."""
    if indents is None:
        return respeller.respell(*old, new_lines)
    split = [split_indent(line) for line in new_lines]
    rests = respeller.respell(*old, [rest for _, rest in split])
    return [
        rest if is_blank(rest) else _carried(indents, indent) + rest
        for (indent, _), rest in zip(split, rests, strict=True)
    ]


def _carried(indents: IndentMap, indent: str) -> str:
    found = indents.of(indent)
    if found is None:
        raise CoeditorError(
            Code.FS_NO_MATCH,
            "old_string fits here but for its indentation, and new_string uses an indentation "
            f"({_shown(indent)}) that old_string does not have, so it is not clear how deep that goes in the "
            "file. Send the block with the file's own indentation.",
            data={"indentation": _shown(indent)},
        )
    return found


def _shown(indent: str) -> str:
    tabs, blanks = indent.count("\t"), len(indent) - indent.count("\t")
    named = [
        f"{count} {name}{'s' if count > 1 else ''}"
        for count, name in ((tabs, "tab"), (blanks, "blank"))
        if count
    ]
    return " and ".join(named) or "none"
