"""What the chunks of one Update make of a text.

Only lines that a chunk removes or adds are written; context lines and everything between chunks keep their bytes.
New lines take the endings of those they replace, or of their neighbours. A last line that is written ends with a
newline, unless the patch says that it has none; an untouched one stays as it is.

Never: I/O, or a question whether the change has any effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from editor_clients.lines import apply_replacements, split_lines
from editor_clients.port import Replacement
from ledger.errors import CoeditorError
from lsp_server.edits.blocks import rewrite_block
from lsp_server.edits.levels import Level
from lsp_server.edits.v4a_locate import Located, Locator
from lsp_server.edits.v4a_misses import explained
from lsp_server.edits.v4a_types import Chunk, ChunkLine, UpdateSection


@dataclass(frozen=True, slots=True)
class ChunkMatch:
    """Where one chunk fitted."""

    level: Level
    lines: tuple[int, int]
    """1-based inclusive lines in the text before; for a mere addition the line that it goes after, at least 1."""


@dataclass(frozen=True, slots=True)
class ChunkOutcome:
    """What an Update does to a text."""

    after: str
    replacements: tuple[Replacement, ...]
    """Over the text before; in order, apart from each other."""
    matches: tuple[ChunkMatch, ...]
    """In the order of the chunks."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighbouring lines that are removed and added together."""

    first: int
    """0-based line."""
    removed: int
    added: tuple[ChunkLine, ...]
    """As they are written, without endings."""
    no_newline: Chunk | None = None
    """The chunk that says so of the last added line."""

    def order(self) -> tuple[int, int]:
        """Sorts groups by place; an addition stands before what is replaced there."""
        return self.first, self.first + self.removed


def apply_chunks(text: str, section: UpdateSection, *, tolerant: bool) -> ChunkOutcome:
    """The outcome of ``section`` on ``text``; ``tolerant`` off leaves only the exact level.

    Errors: FS_NO_MATCH, FS_AMBIGUOUS_MATCH, with ``file_path`` as the section has it and ``data.line``.
    """
    lines = split_lines(text)
    if "\r" in text:
        bodies = [line.rstrip("\r\n") for line in lines]
        endings = [line[len(body) :] for line, body in zip(lines, bodies, strict=True)]
    else:
        bodies = text.split("\n")[: len(lines)]
        endings = ["\n"] * (len(lines) - 1) + ["\n" if text.endswith("\n") else ""] * bool(lines)
    locator = Locator(bodies, endings, tolerant=tolerant)
    groups: list[_Group] = []
    matches: list[ChunkMatch] = []
    warnings: list[str] = []
    for chunk in section.chunks:
        try:
            located = locator.place(_without_carriage_returns(_without_mark(chunk)))
            made, more = _groups_of(located, bodies)
        except CoeditorError as error:
            raise explained(error, section.path, text, chunk) from error
        groups += made
        matches.append(ChunkMatch(located.level, _lines_of(located)))
        warnings += [*located.warnings, *more]
    replacements, more = _written(_Text(text, lines, endings), sorted(groups, key=_Group.order))
    warnings += more
    return ChunkOutcome(apply_replacements(text, replacements), replacements, tuple(matches), tuple(warnings))


def _lines_of(located: Located) -> tuple[int, int]:
    if located.end > located.start:
        return located.start + 1, located.end
    line = max(located.start, 1)
    return line, line


def _without_mark(chunk: Chunk) -> Chunk:
    """A byte order mark at the start of a chunk is not part of any line: no text that we show has one."""
    if not chunk.lines[0].text.startswith("\ufeff"):
        return chunk
    new = [number for number, line in enumerate(chunk.lines) if line.kind != "remove"]
    lines = [
        replace(line, text=line.text.removeprefix("\ufeff")) if number in (0, *new[:1]) else line
        for number, line in enumerate(chunk.lines)
    ]
    return replace(chunk, lines=tuple(lines))


def _without_carriage_returns(chunk: Chunk) -> Chunk:
    """A CR inside a line is content, and ends a line of the file: such a line becomes several."""
    if not any("\r" in line.text for line in chunk.lines):
        return chunk
    return replace(chunk, lines=tuple(part for line in chunk.lines for part in _parts(line)))


def _parts(line: ChunkLine) -> Iterator[ChunkLine]:
    *ended, last = line.text.split("\r")
    for text in ended:
        yield replace(line, text=text, ends_in_carriage_return=True)
    yield replace(line, text=last)


def _groups_of(located: Located, bodies: Sequence[str]) -> tuple[list[_Group], Sequence[str]]:
    """What one chunk removes and adds, spelled as the file does."""
    written, warnings = _respelled(located, bodies)
    groups: list[_Group] = []
    at = located.start
    first, removed, added = at, 0, list[ChunkLine]()
    new = iter(written)
    for line in (*located.lines, None):
        if line is None or line.kind == "context":
            if removed or added:
                said = located.chunk if line is None and located.chunk.no_newline else None
                groups.append(_Group(first, removed, tuple(added), said))
            if line is not None:
                next(new)
            at += 1
            first, removed, added = at, 0, []
        elif line.kind == "remove":
            at += 1
            removed += 1
        else:
            added.append(replace(line, text=next(new)))
    return groups, warnings


def _respelled(located: Located, bodies: Sequence[str]) -> tuple[list[str], Sequence[str]]:
    new = [line.text for line in located.lines if line.kind != "remove"]
    old = located.old
    if not old:
        return new, ()
    there = bodies[located.start : located.end]
    try:
        written, warnings = rewrite_block(there, old, new, located.level)
    except CoeditorError as error:
        error.data.setdefault("lines", [located.start + 1, located.end])
        raise
    place = f"Patch line {located.chunk.line_no}: "
    return written, [place + warning.replace("new_string", "the patch") for warning in warnings]


@dataclass(frozen=True, slots=True)
class _Text:
    """A file's text and lines, as far as writing between them needs."""

    whole: str
    lines: Sequence[str]
    endings: Sequence[str]

    def near(self, line: int) -> str:
        """The ending for text before the 0-based ``line``: of the line above, else below, else further above."""
        for number in (line - 1, line, line - 2):
            if 0 <= number < len(self.endings) and self.endings[number]:
                return self.endings[number]
        return "\n"


def _written(text: _Text, groups: Sequence[_Group]) -> tuple[tuple[Replacement, ...], list[str]]:
    """The replacements for ``groups``, which are in order and apart."""
    total = len(text.lines)
    starts = [0, *accumulate(map(len, text.lines))]
    unended = text.endings[-1:] == [""]
    made: list[Replacement] = []
    warnings: list[str] = []
    for number, group in enumerate(groups):
        end = group.first + group.removed
        piece = _joined(text, group)
        if unended and end == total:
            # Text goes on after the last line: that one needs an ending, unless it is gone.
            if not group.removed:
                piece = text.near(total) + piece
            unended = False
        if group.no_newline is not None and group.added:
            if end == total and number == len(groups) - 1:
                piece = piece.removesuffix("\n").removesuffix("\r")
            else:
                warnings.append(
                    f"Patch line {group.no_newline.line_no}: the chunk is not at the end of the file; "
                    "'\\ No newline at end of file' was ignored."
                )
        made.append(Replacement(starts[group.first], starts[end], piece))
    changing = [one for one in _merged(made) if text.whole[one.start : one.end] != one.text]
    return tuple(changing), warnings


def _joined(text: _Text, group: _Group) -> str:
    """The added lines of a group with their endings."""
    replaced = text.endings[group.first : group.first + group.removed]
    ending = text.near(group.first)
    pieces: list[str] = []
    for number, line in enumerate(group.added):
        if number < len(replaced) and replaced[number]:
            ending = replaced[number]
        pieces += (line.text, "\r" if line.ends_in_carriage_return else ending)
    return "".join(pieces)


def _merged(replacements: Sequence[Replacement]) -> list[Replacement]:
    """Replacements that touch made one, so that their order can never matter."""
    merged: list[Replacement] = []
    for one in replacements:
        if merged and merged[-1].end == one.start:
            merged[-1] = Replacement(merged[-1].start, one.end, merged[-1].text + one.text)
        else:
            merged.append(one)
    return merged
