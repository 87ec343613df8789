"""Our own mirror of the texts that one editor holds open.

Fed with the editor's notifications in the order in which they came, it holds what the editor holds: the order of
the pipe is the truth, versions only name the moments.

Never: I/O, a line that ends where the editor ends none, or a text of a document that is not open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256

from editor_clients.lines import PositionEncoding
from editor_clients.notebooks import OpenCell
from editor_clients.pieces import Pieces, Position
from ledger.types import TargetKey, VersionToken, token_of


@dataclass(frozen=True, slots=True)
class Change:
    """One content change of a didChange."""

    span: tuple[Position, Position] | None
    """Start and end; None for a change of the whole text."""
    text: str


@dataclass(frozen=True, slots=True)
class DocumentState:
    """What the editor itself said of a buffer, beside its text."""

    version: int
    """Document version to which the rest belongs."""
    dirty: bool
    encoding: str | None = None
    """Name on our wire."""
    readonly: bool = False
    untitled: bool = False
    attended: bool = True
    """False where the editor has no language server for it, so that nothing is ever said of its problems."""


@dataclass(frozen=True, slots=True)
class Synced:
    """When buffer and disk were last in step."""

    token: VersionToken | None
    """Of the buffer's text then; None when they never were since it was opened."""
    disk: VersionToken | None
    """Of the text on disk then (or when the buffer was opened); None when nothing was there."""


@dataclass(frozen=True)
class Buffer:
    """One open document at one moment."""

    uri: str
    """Exactly as the editor spells it; edits must be sent with it."""
    target: TargetKey | None
    """None for a scheme that no tool can name."""
    epoch: int
    """Counts openings, so that a document that was closed and opened again is another one."""
    version: int
    """The editor's document version."""
    pieces: Pieces
    """The text."""
    sound: bool = True
    """False after a change that did not fit: the editor's text is not known until it is told again."""
    told_at: int | None = None
    """Document version of a text that the editor told when asked: changes up to it are in there already, and may
    come late."""
    state: DocumentState | None = None
    """None for an editor that does not tell."""
    synced: Synced = Synced(None, None)
    view: int = 0
    """Number of the editor that holds it."""
    cells: tuple[OpenCell, ...] | None = None
    """Of a notebook, whose ``text`` is that of its file with these cells; None for a document of text."""

    @property
    def text(self) -> str:
        """The text; in one piece from now on."""
        return self.pieces.text

    def with_text(self, text: str) -> Buffer:
        """The same document with another text."""
        return replace(self, pieces=Pieces(text, self.pieces.encoding))

    @property
    def has_halves(self) -> bool:
        """Whether the text holds a half of a character: it cannot be written, hashed or sent then."""
        return self.pieces.has_halves

    @cached_property
    def token(self) -> VersionToken:
        """The version token of the text. Errors: UnicodeEncodeError when it has halves of characters."""
        return token_of(self.text)

    @cached_property
    def hash(self) -> str:
        """What editors compare texts by."""
        return hash_of(self.text)

    @property
    def is_untitled(self) -> bool:
        """Whether there is no file that it could be saved to without asking."""
        return self.uri.startswith("untitled:") or (self.state is not None and self.state.untitled)


class Overlay:
    """All open documents of one editor."""

    def __init__(self, encoding: PositionEncoding = "utf-16", *, view: int = 0) -> None:
        """``view``: the editor's number."""
        self.encoding: PositionEncoding = encoding
        self.view = view
        self._buffers: dict[str, Buffer] = {}
        self._uris: dict[TargetKey, dict[str, None]] = {}
        """Of the documents of each target."""
        self._epoch = 0

    def open(self, uri: str, target: TargetKey | None, version: int, text: str) -> Buffer:
        """A document was opened; one that was open already under this URI is replaced."""
        self._epoch += 1
        buffer = Buffer(uri, target, self._epoch, version, Pieces(text, self.encoding), view=self.view)
        self.close(uri)
        return self.put(buffer)

    def change(self, uri: str, version: int, changes: Iterable[Change]) -> Buffer | None:
        """The buffer after ``changes``, made one after the other; None when it is not open."""
        before = self._buffers.get(uri)
        if before is None or (before.told_at is not None and version <= before.told_at):
            return before
        pieces, sound = before.pieces, before.sound
        # Versions grow with each change; one that does not may be in the text already, or not.
        is_doubtful = version <= before.version
        for change in changes:
            if change.span is None:
                pieces, sound = Pieces(change.text, self.encoding), True
            elif is_doubtful:
                sound = False
            elif sound:
                after = pieces.spliced(*change.span, change.text)
                pieces, sound = after or pieces, after is not None
        return self.put(replace(before, version=version, pieces=pieces, sound=sound))

    def set_text(self, uri: str, version: int, text: str) -> Buffer | None:
        """The editor told the whole text of a version; None when it is not open (any more)."""
        before = self._buffers.get(uri)
        if before is None:
            return None
        return self.put(replace(before.with_text(text), version=version, sound=True, told_at=version))

    def put(self, buffer: Buffer) -> Buffer:
        """Keep ``buffer`` as the newest of its document, which is open."""
        before = self._buffers.get(buffer.uri)
        if before is None or before.target != buffer.target:
            self._forget_target(before)
            if buffer.target is not None:
                self._uris.setdefault(buffer.target, {})[buffer.uri] = None
        self._buffers[buffer.uri] = buffer
        return buffer

    def close(self, uri: str) -> Buffer | None:
        """A document was closed; gives what it was."""
        found = self._buffers.pop(uri, None)
        self._forget_target(found)
        return found

    def find(self, uri: str) -> Buffer | None:
        """The open document with exactly this URI."""
        return self._buffers.get(uri)

    def of(self, target: TargetKey) -> list[Buffer]:
        """The open documents of one target, the one opened first before the others."""
        found = [self._buffers[uri] for uri in self._uris.get(target, ())]
        return sorted(found, key=lambda buffer: buffer.epoch)

    def targets(self) -> frozenset[TargetKey]:
        """What is open and has a name that tools can use."""
        return frozenset(self._uris)

    def all(self) -> Sequence[Buffer]:
        """Every open document."""
        return tuple(self._buffers.values())

    def _forget_target(self, buffer: Buffer | None) -> None:
        if buffer is not None and buffer.target is not None:
            uris = self._uris[buffer.target]
            del uris[buffer.uri]
            if not uris:
                del self._uris[buffer.target]


def hash_of(text: str) -> str:
    """SHA-256 of a text as LSP has it, hexadecimal."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
