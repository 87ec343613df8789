"""Where the reader of a patch stands, and where it may have to go back to.

Never: reading a line.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from ledger.errors import CoeditorError


class State(Enum):
    """What the reader is among."""

    BEFORE = auto()
    """No begin marker yet."""
    OPEN = auto()
    """After it, no section yet."""
    ADD = auto()
    """Among the lines of an Add."""
    CLOSED = auto()
    """After Delete or Move File, which have no lines."""
    UPDATE = auto()
    """After an Update header, no chunk yet."""
    CHUNK = auto()
    CHUNK_END = auto()
    """After End of File."""
    DONE = auto()
    """After the end marker."""


@dataclass(frozen=True, slots=True)
class Place:
    """What the reader needs to judge the next line."""

    state: State = State.BEFORE
    path: str | None = None
    """Of the section that is open."""
    header_line: int = 0
    moved: bool = False
    chunk_line: int = 0
    implicit: bool = False
    """The chunk began without ``@@``."""
    filled: bool = False
    """The chunk has a line that is more than spacing; the Add has a line."""
    at_line: int = 0
    """Of the last ``@@`` of a chunk that has no lines yet."""
    gap: int = 0
    """Line of the first of the blank lines just passed inside an Add."""


@dataclass(slots=True)
class PossibleEnd:
    """An indented end marker where a context line can stand: what to go back to, and what came below it."""

    line_no: int
    place: Place
    parts: int
    """How many parts there were."""
    tolerated: int
    """How many tolerances there were."""
    prose: int = 0
    """The first line below that is not blank."""
    envelope: CoeditorError | None = None
    """A part of a patch below, which must not be taken for prose."""
    doubt: CoeditorError | None = None
    """An error below, which holds if this is not the end."""
