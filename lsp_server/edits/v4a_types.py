"""What a V4A patch says, as frozen values: sections, chunks, lines, each with its place in the patch.

Never: how a patch is read, or where it fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

LineKind = Literal["context", "remove", "add"]


@dataclass(frozen=True, slots=True)
class PatchLimits:
    """How much one patch may hold; more is FS_TOO_LARGE, with the field's name as ``data.limit_name``."""

    patch_bytes: int = 1 << 20
    """The patch text as sent, in UTF-8."""
    patch_files: int = 100
    """Different paths that have a section; a move counts once."""
    patch_chunks: int = 1_000
    patch_lines: int = 50_000
    """Lines of content: context, removed and added ones."""


@dataclass(frozen=True, slots=True)
class ChunkLine:
    """One line of a chunk, without its prefix and its ending."""

    kind: LineKind
    text: str
    bare: bool = False
    """An empty line that came without the blank of a context line: it may only have been spacing."""
    ends_in_carriage_return: bool = False
    """Its line in the file ends with a CR alone, which the patch has as content."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """The text of one ``@@`` line: a line of the file that stands before the chunk."""

    text: str
    line_no: int
    """1-based in the patch as sent."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Neighbouring lines of a file, some of them removed or added."""

    lines: tuple[ChunkLine, ...]
    line_no: int
    """Of its (first) ``@@`` line, else of its first line; 1-based in the patch as sent."""
    anchors: tuple[Anchor, ...] = ()
    """Narrowing step by step."""
    end_of_file: bool = False
    no_newline: bool = False
    """``\\ No newline at end of file`` stands after its last line."""

    @property
    def old(self) -> tuple[str, ...]:
        """The lines that the file should hold."""
        return tuple(line.text for line in self.lines if line.kind != "add")

    @property
    def new(self) -> tuple[str, ...]:
        """The lines that should stand there afterwards."""
        return tuple(line.text for line in self.lines if line.kind != "remove")


@dataclass(frozen=True, slots=True)
class AddSection:
    """``*** Add File``: a new file."""

    path: str
    line_no: int
    lines: tuple[str, ...] = ()
    no_newline: bool = False
    """The last line is to stay without a newline."""


@dataclass(frozen=True, slots=True)
class DeleteSection:
    """``*** Delete File``."""

    path: str
    line_no: int


@dataclass(frozen=True, slots=True)
class UpdateSection:
    """``*** Update File``, with ``*** Move to`` or without; it has chunks, ``move_to`` or both."""

    path: str
    line_no: int
    chunks: tuple[Chunk, ...] = ()
    move_to: str | None = None


@dataclass(frozen=True, slots=True)
class MoveSection:
    """``*** Move File: A -> B``."""

    path: str
    """Where it is."""
    move_to: str
    line_no: int


Section = AddSection | DeleteSection | UpdateSection | MoveSection


@dataclass(frozen=True, slots=True)
class Patch:
    """A whole patch that parsed."""

    sections: tuple[Section, ...]
    warnings: tuple[str, ...] = ()
    """One sentence for each thing that was tolerated."""


@dataclass(frozen=True, slots=True)
class PatchProgress:
    """How far a patch that is still being written has come."""

    files: int
    chunks: int
    lines: int
    """Lines of content so far."""
    path: str | None
    """Of the section that is being written."""
    complete: bool
    """The end marker was seen."""
