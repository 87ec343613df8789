"""Where the chunks of one Update stand in the lines of its file.

For each chunk, in this order, the first that gives an answer:

    End of File    the end of the file (blank lines there do not count)
    forward        from the chunk before, or below the anchor: exactly one place at the first level that hits
    at the anchor  a chunk that repeats its anchor as its first line
    whole file     exactly one place, overlapping no other chunk

Never: a choice between places that fit equally well, or what is written there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ledger.errors import Code, CoeditorError
from lsp_server.edits.blocks import BlockIndex
from lsp_server.edits.folding import is_blank
from lsp_server.edits.levels import Level
from lsp_server.edits.v4a_anchors import AnchorFound, Anchors, named_lines
from lsp_server.edits.v4a_occupied import Occupied
from lsp_server.edits.v4a_types import Chunk, ChunkLine

LEVELS = (Level.EXACT, Level.TRAILING_SPACE, Level.TYPOGRAPHIC, Level.INDENTATION)


@dataclass(frozen=True, slots=True)
class Located:
    """One chunk and its place."""

    chunk: Chunk
    lines: tuple[ChunkLine, ...]
    """The chunk's lines, without empty ones at the end that turned out to be spacing."""
    start: int
    """0-based line at which its old lines stand, or before which its new ones go."""
    level: Level
    warnings: tuple[str, ...] = ()

    @property
    def old(self) -> list[str]:
        """The old lines, as sent."""
        return _old(self.lines)

    @property
    def end(self) -> int:
        """0-based line after its old lines."""
        return self.start + len(self.old)


@dataclass(frozen=True, slots=True)
class _Try:
    """What hits in one region."""

    lines: tuple[ChunkLine, ...]
    level: Level
    hits: list[int]


class Locator:
    """Finds the places of one section's chunks, one after the other."""

    def __init__(self, lines: Sequence[str], endings: Sequence[str], *, tolerant: bool) -> None:
        self.index = BlockIndex(lines)
        self._endings = endings
        self._levels = LEVELS if tolerant else LEVELS[:1]
        self._anchors = Anchors(self.index, self._levels)
        self._position = 0
        self._occupied = Occupied()
        self._chunk_lines: dict[tuple[int, int], int] = {}

    def place(self, chunk: Chunk) -> Located:
        """The place of the next chunk. Errors: FS_NO_MATCH, FS_AMBIGUOUS_MATCH."""
        anchor = self._anchors.find(chunk.anchors, self._position) if chunk.anchors else None
        if not _old(_without_spacing(chunk.lines)):
            found = self._place_addition(chunk, anchor)
        else:
            found = self._place_block(chunk, anchor)
        self._refuse_overlap(found)
        self._occupied.add(found.start, found.end)
        self._chunk_lines[found.start, found.end] = chunk.line_no
        if found.old or anchor is not None:
            self._position = found.end
        return found

    def _place_addition(self, chunk: Chunk, anchor: AnchorFound | None) -> Located:
        lines = _without_spacing(chunk.lines)
        if anchor is None or chunk.end_of_file:
            return Located(chunk, lines, len(self.index.lines), Level.EXACT)
        if anchor.others:
            raise _ambiguous(chunk, [anchor.line, *anchor.others], "the anchor")
        return Located(chunk, lines, anchor.line + 1, anchor.level, anchor.warnings)

    def _place_block(self, chunk: Chunk, anchor: AnchorFound | None) -> Located:
        warnings = [*anchor.warnings] if anchor is not None else []
        floor = anchor.line if anchor is not None else self._position
        if chunk.end_of_file or chunk.no_newline:
            found = self._at_end(chunk)
            if found is not None:
                return Located(chunk, *found, (*warnings, *self._dropped(chunk, found[0])))
            if chunk.end_of_file:
                warnings.append(
                    f"Patch line {chunk.line_no}: the chunk does not fit at the end of the file; "
                    "'*** End of File' was ignored."
                )
        for tried in self._tries(chunk, anchor):
            if len(tried.hits) > 1:
                raise _ambiguous(chunk, tried.hits, "the chunk")
            if tried.hits:
                start = tried.hits[0]
                if start < floor:
                    warnings.append(_out_of_order(chunk, start))
                warnings += self._dropped(chunk, tried.lines)
                return Located(chunk, tried.lines, start, tried.level, tuple(warnings))
        raise _absent(chunk)

    def _tries(self, chunk: Chunk, anchor: AnchorFound | None) -> Iterator[_Try]:
        forward = self._position if anchor is None else anchor.line + 1
        for lines in self._variants(chunk.lines):
            yield _Try(lines, *self._hits(lines, forward))
        if anchor is not None:
            for lines in self._variants(chunk.lines):
                level, hits = self._hits(lines, anchor.line)
                yield _Try(lines, level, [hit for hit in hits if hit == anchor.line])
        if forward:
            for lines in self._variants(chunk.lines):
                yield _Try(lines, *self._hits(lines, 0))

    def _hits(self, lines: Sequence[ChunkLine], first: int) -> tuple[Level, list[int]]:
        block = _old(lines)
        for level in self._levels:
            hits = [hit for hit in self.index.find(block, level, first) if self._endings_fit(lines, hit)]
            if hits:
                return level, hits
        return self._levels[-1], []

    def _at_end(self, chunk: Chunk) -> tuple[tuple[ChunkLine, ...], int, Level] | None:
        """The chunk at the very end, or above nothing but blank lines."""
        total = len(self.index.lines)
        last = total
        while last and is_blank(self.index.lines[last - 1]):
            last -= 1
        for lines in self._variants(chunk.lines):
            size = len(_old(lines))
            level, hits = self._hits(lines, max(0, last - size))
            if hits and self._occupied.overlap(hits[-1], hits[-1] + size) is None:
                return lines, hits[-1], level
        return None

    def _variants(self, lines: tuple[ChunkLine, ...]) -> Iterator[tuple[ChunkLine, ...]]:
        """``lines``, then with empty context lines at the end dropped: bare ones all, else one.

        Those with more bare ones than blank lines stand anywhere below the rest are left out: they fit nowhere.
        """
        yield lines
        core, last = _without_spacing(lines), lines[-1]
        if last.bare:
            most = min(len(lines) - len(core) - 1, self._blanks_below(_old(core)))
            yield from (lines[: len(core) + bare] for bare in range(most, -1, -1))
        elif last.kind == "context" and not last.text and _old(lines[:-1]):
            yield lines[:-1]

    def _blanks_below(self, block: list[str]) -> int:
        """The most blank lines that the file has right below a place of ``block``."""
        there = self.index.lines
        most = 0
        for start in self.index.find_loosely(block, self._levels[-1]):
            end = first = start + len(block)
            while end < len(there) and is_blank(there[end]):
                end += 1
            most = max(most, end - first)
        return most

    def _endings_fit(self, lines: Sequence[ChunkLine], start: int) -> bool:
        """Whether the file has a lone carriage return wherever the chunk has one inside a line."""
        old = [line for line in lines if line.kind != "add"]
        return all(
            self._endings[start + number] == "\r"
            for number, line in enumerate(old)
            if line.ends_in_carriage_return
        )

    def _dropped(self, chunk: Chunk, lines: Sequence[ChunkLine]) -> tuple[str, ...]:
        if len(lines) == len(chunk.lines):
            return ()
        return (
            f"Patch line {chunk.line_no}: the chunk's last empty context line does not stand in the file "
            "and was dropped.",
        )

    # Refusals

    def _refuse_overlap(self, found: Located) -> None:
        other = self._occupied.overlap(found.start, found.end)
        if other is None:
            return
        start, end = other
        line = self._chunk_lines[other]
        raise CoeditorError(
            Code.FS_NO_MATCH,
            f"Patch line {found.chunk.line_no}: the chunk fits nowhere but at line {found.start + 1}, inside the "
            f"chunk of patch line {line}. Chunks see the file as it was; make one chunk of the two.",
            data={
                "expected": found.old,
                "overlaps": {"line": line, "lines": [start + 1, max(end, start + 1)]},
            },
        )


def _out_of_order(chunk: Chunk, start: int) -> str:
    return (
        f"Patch line {chunk.line_no}: the chunk stands above the one before it, or above its anchor; "
        f"line {start + 1} is the only place in the file that fits."
    )


def _ambiguous(chunk: Chunk, hits: Sequence[int], what: str) -> CoeditorError:
    numbers, named = named_lines(hits)
    return CoeditorError(
        Code.FS_AMBIGUOUS_MATCH,
        f"Patch line {chunk.line_no}: {what} fits {len(hits)} places (lines {named}). "
        "Add context lines, or an '@@' anchor above the right one.",
        data={"lines": numbers, "count": len(hits)},
    )


def _absent(chunk: Chunk) -> CoeditorError:
    return CoeditorError(
        Code.FS_NO_MATCH,
        f"Patch line {chunk.line_no}: the chunk's old lines are not in the file.",
        data={"expected": list(chunk.old)},
    )


def _old(lines: Sequence[ChunkLine]) -> list[str]:
    return [line.text for line in lines if line.kind != "add"]


def _without_spacing(lines: tuple[ChunkLine, ...]) -> tuple[ChunkLine, ...]:
    """``lines`` without bare empty ones at the end."""
    end = len(lines)
    while end and lines[end - 1].bare:
        end -= 1
    return lines[:end]
