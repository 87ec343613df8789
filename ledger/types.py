"""The nouns that all three storeys share.

Never: behaviour beyond what keeps a value well formed, and never I/O.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import blake2b
from typing import Literal, NewType

TargetKey = NewType("TargetKey", str)
"""Identity of one file: its canonical absolute path, or an ``untitled:`` URI."""

VersionToken = NewType("VersionToken", str)
"""Opaque fingerprint of a decoded text; equal texts have equal tokens wherever they are held."""

EditId = NewType("EditId", str)
"""Name of one journal entry."""


def token_of(text: str) -> VersionToken:
    """The version token of a decoded text (without its BOM, with its own line endings)."""
    return token_of_utf8(text.encode("utf-8"))


def token_of_utf8(data: bytes) -> VersionToken:
    """The same token from the UTF-8 form, for callers that have the bytes already."""
    if not _LARGE <= len(data) <= _LARGEST_KEPT:
        return _hashed(data)
    global _recent
    found = known_token_of(data)
    if found is None:
        found = _hashed(data)
        _recent = ((data, found), *_recent[:2])
        if sum(len(known) for known, _ in _recent) > _LARGEST_KEPT:
            _recent = _recent[:2]  # an edit asks for that of the text before and of that after
    return found


def known_token_of(data: bytes) -> VersionToken | None:
    """The same token where it is at hand: that of a large text that was hashed lately."""
    if not _LARGE <= len(data) <= _LARGEST_KEPT:
        return None
    global _recent
    for number, (known, token) in enumerate(_recent):
        if known == data:  # a comparison costs a tenth of a hash, and an edit looks at one text several times
            if known is not data:  # who has it in hand now asks again, and then it costs nothing
                _recent = (*_recent[:number], (data, token), *_recent[number + 1 :])
            return token
    return None


_LARGE, _LARGEST_KEPT = 1 << 12, 16 << 20
"""Bytes between which the last texts that were hashed are kept: two, and three where they are no more in
all."""
_recent: tuple[tuple[bytes, VersionToken], ...] = ()


def _hashed(data: bytes) -> VersionToken:
    return VersionToken("v" + blake2b(data, digest_size=16).hexdigest())


@dataclass(frozen=True, slots=True, order=True)
class ScopeKey:
    """One context window."""

    session: str
    """The agent conversation."""
    scope: str = "main"
    """``main``, or the name of a sub-agent."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a call, as the door established it."""

    scope: ScopeKey
    call_id: str | None = None
    """The agent's (or the relay's) name of this one call."""
    turn: str | None = None
    """The agent's name of the person's request that the call belongs to."""
    agent: str | None = None
    """Name for people, for example ``claude-code``."""


@dataclass(frozen=True, slots=True)
class LineEdit:
    """Lines ``first..first+removed-1`` (1-based, in the text before) became ``added`` lines."""

    first: int
    removed: int
    added: int


class Operation(StrEnum):
    """What a request wants to do with one target."""

    WRITE = "write"
    EDIT = "edit"
    PATCH_ADD = "add"
    PATCH_UPDATE = "update"
    PATCH_DELETE = "delete"
    MOVE_SOURCE = "move-source"
    MOVE_DESTINATION = "move-destination"


@dataclass(frozen=True, slots=True)
class CreateIfAbsent:
    """Precondition: nothing is there."""


@dataclass(frozen=True, slots=True)
class ReplaceIfVersion:
    """Precondition: the current text has this token."""

    token: VersionToken


@dataclass(frozen=True, slots=True)
class ReplaceCurrent:
    """Precondition: the version met in the critical section (``read_first = false``)."""


Precondition = CreateIfAbsent | ReplaceIfVersion | ReplaceCurrent

Authority = Literal["editor", "disk"]
"""Who holds the current text of a target."""

FileOperation = Literal["create", "update", "delete", "move"]
"""What happened to one file, as outcomes and history name it."""

EntryOrigin = Literal["tool", "person", "native", "shell"]
"""How a change came about: an agent's call of our tools; a person's; an agent's native edit tool, as its hooks or
the watcher saw it; an agent's shell command."""

ReviewState = Literal["pending", "kept", "undone"]
"""What a person made of an applied entry; independent of saving."""

EntryState = Literal["intended", "applied", "refused", "unknown", "rewound"]
"""Life of a journal entry; ``rewound`` is an applied one that was taken back since."""


@dataclass(frozen=True, slots=True)
class FileState:
    """One file's content at one moment, enough to bring it back byte for byte."""

    token: VersionToken | None
    """None when the bytes are not text."""
    blob: str | None
    """Key in the content store; None when no snapshot was kept."""
    encoding: str
    """``utf-8``, ``utf-8-bom``, ... (README, "Shapes"); ``bytes`` when the blob is the raw bytes."""
    mode: int | None = None
    """Permission bits, None where there are none."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What one entry did to one file."""

    target: TargetKey
    path: str
    """As the caller spelled it, made absolute."""
    operation: FileOperation
    before: FileState | None
    """None when the file was not there."""
    after: FileState | None
    """None when the file is gone."""
    added: int = 0
    """Lines."""
    removed: int = 0
    """Lines."""
    from_target: TargetKey | None = None
    from_path: str | None = None
    authority: Authority = "disk"
    """Who held the text that was edited."""
    saved: bool = True
    """The disk had exactly this text afterwards."""
    head: str | None = None
    """Git's HEAD of the repository that holds it: the commit, a blank, the branch. None outside of one."""
    folders: tuple[str, ...] = ()
    """Folders that were not there before and were made for it, outermost first; those that go with it, where it was
    taken back.
    """


@dataclass(frozen=True, slots=True)
class Entry:
    """One recorded step of the journal."""

    edit_id: EditId
    time: float
    """Seconds since the epoch, UTC."""
    caller: Caller
    tool: str
    state: EntryState
    files: tuple[FileRecord, ...] = ()
    review: ReviewState = "pending"
    rewinds: EditId | None = None
    request: str | None = None
    """The request's arguments as JSON, for replay."""
    origin: EntryOrigin = "tool"
    outcome: str | None = field(default=None, repr=False)
    """The answer as JSON, for a caller that lost the connection."""
