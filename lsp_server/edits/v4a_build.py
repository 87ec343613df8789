"""Parts of a V4A patch as the parser meets them, and how they become sections.

The parser only ever appends; cutting the list back to an earlier length takes back what was read since.

Never: reading lines, or complaints: what arrives here is in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lsp_server.edits.v4a_types import (
    AddSection,
    Anchor,
    Chunk,
    ChunkLine,
    DeleteSection,
    MoveSection,
    Section,
    UpdateSection,
)


@dataclass(frozen=True, slots=True)
class SectionStarts:
    """A section opens; lines and chunks that follow belong to it."""

    section: Section


@dataclass(frozen=True, slots=True)
class Moves:
    """``*** Move to``."""

    path: str


@dataclass(frozen=True, slots=True)
class ChunkStarts:
    """A chunk opens, with ``@@`` or without."""

    line_no: int


@dataclass(frozen=True, slots=True)
class ChunkSays:
    """``*** End of File``, or ``\\ No newline at end of file``."""

    end_of_file: bool = False
    no_newline: bool = False


Part = SectionStarts | Moves | ChunkStarts | Anchor | ChunkLine | ChunkSays


@dataclass(slots=True)
class _OpenChunk:
    line_no: int
    anchors: list[Anchor] = field(default_factory=list)
    lines: list[ChunkLine] = field(default_factory=list)
    end_of_file: bool = False
    no_newline: bool = False

    def close(self) -> Chunk:
        return Chunk(
            lines=tuple(self.lines),
            line_no=self.line_no,
            anchors=tuple(self.anchors),
            end_of_file=self.end_of_file,
            no_newline=self.no_newline and self.lines[-1].kind != "remove",
        )


@dataclass(slots=True)
class _OpenSection:
    section: Section
    move_to: str | None = None
    chunks: list[_OpenChunk] = field(default_factory=list)

    def close(self) -> Section:
        match self.section:
            case UpdateSection(path, line_no):
                return UpdateSection(
                    path, line_no, tuple(chunk.close() for chunk in self.chunks), self.move_to
                )
            case AddSection(path, line_no) if self.chunks:
                only = self.chunks[0]
                return AddSection(path, line_no, tuple(line.text for line in only.lines), only.no_newline)
            case AddSection() | DeleteSection() | MoveSection():
                return self.section


def sections_of(parts: Sequence[Part]) -> tuple[Section, ...]:
    """The sections that ``parts`` make; the lines of an Add come as one chunk."""
    sections: list[_OpenSection] = []
    for part in parts:
        match part:
            case SectionStarts(section):
                sections.append(_OpenSection(section))
            case Moves(path):
                sections[-1].move_to = path
            case ChunkStarts(line_no):
                sections[-1].chunks.append(_OpenChunk(line_no))
            case Anchor():
                sections[-1].chunks[-1].anchors.append(part)
            case ChunkLine():
                chunk = sections[-1].chunks[-1]
                chunk.lines.append(part)
                chunk.no_newline = False
            case ChunkSays():
                chunk = sections[-1].chunks[-1]
                chunk.end_of_file |= part.end_of_file
                chunk.no_newline |= part.no_newline
    return tuple(section.close() for section in sections)
