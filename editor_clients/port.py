"""What the walk needs from whoever holds the texts: one editor, or the disk alone.

Never: policy. A client compares and swaps; whether the swap is allowed was decided before.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ledger.types import Authority, FileOperation, Precondition, TargetKey, VersionToken


@dataclass(frozen=True, slots=True)
class CurrentText:
    """The current text of a target, from whoever is its authority, in one frozen value."""

    text: str
    """Decoded, without BOM, with its own line endings."""
    token: VersionToken
    authority: Authority
    encoding: str
    """README, "Shapes": ``utf-8``, ``utf-8-bom``, ``utf-16-le``, IANA names, ``unknown-8bit``."""
    unsaved: bool = False
    """The buffer differs from the disk text that it was last in step with."""
    disk_token: VersionToken | None = None
    """Token of the text on disk; None when it is not text or not there."""
    diverged: bool = False
    """Unsaved, and the disk moved below it as well."""
    below: str | None = field(default=None, repr=False)
    """The text on disk, where it diverged."""
    mode: int | None = None
    """Permission bits of the file on disk."""
    moved_by: str | None = None
    """Who made this text, where the editor told: ``user-saved`` when the person saved it there."""
    formatted_from: VersionToken | None = None
    """The text of which the editor's formatter made this one while it saved, where that is known."""
    notebook: bool = False
    """An editor has it open as a notebook, where only its cells can be changed."""
    data: bytes | None = field(default=None, repr=False, compare=False)
    """The bytes on disk that ``text`` was decoded from; None for a buffer."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """Characters ``start:end`` of the text before (0-based code points, end exclusive) become ``text``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """What is to happen to one target; a change of several targets is all or nothing."""

    target: TargetKey
    operation: FileOperation
    precondition: Precondition
    before: CurrentText | None
    """What the plan was made from; None for a create."""
    after: str | None
    """The whole text afterwards; None for a delete. For a move: the text at the destination."""
    replacements: tuple[Replacement, ...] = ()
    """How ``before`` becomes ``after``; in order, not overlapping. Empty for create, delete, plain move."""
    from_target: TargetKey | None = None
    """For a move, where it comes from; ``target`` is the destination."""
    encoding: str | None = None
    """Encoding to write in; None keeps that of ``before`` (UTF-8 for a create)."""
    mode: int | None = None
    """Permission bits to set; None keeps those that are there (or the umask's)."""
    raw: bytes | None = field(default=None, repr=False)
    """The very bytes of ``after``, where they are known: a rewind brings a file back as it was."""
    replaces: CurrentText | None = None
    """For a move, what stands at the destination and is to be gone; None where nothing may stand there."""
    over_unsaved: bool = False
    """The person agreed that unsaved text of the target (for a move, of its source) is not waited for."""


@dataclass(frozen=True, slots=True)
class Applied:
    """It happened, and was read back."""

    current: Mapping[TargetKey, CurrentText | None]
    """What each named target holds now; None where nothing is."""
    saved: Mapping[TargetKey, bool]
    formatted: Mapping[TargetKey, tuple[str, str]] = field(default_factory=dict)
    """Texts before and after the editor's format on save, where it changed something."""
    warnings: tuple[str, ...] = ()


class EditorClient(Protocol):
    """One authority over texts. All methods raise CoeditorError and leave everything as it was when they do."""

    async def current(self, target: TargetKey) -> CurrentText | None:
        """The current text; None when there is no such file.

        Errors: FS_NOT_TEXT, FS_NOT_REGULAR_FILE, FS_TOO_LARGE, FS_NOT_FOUND (the path runs through a file),
        FS_DENIED, FS_IO.
        """
        ...

    async def apply(self, changes: Sequence[FileChange], *, edit_id: str = "") -> Applied:
        """Compare and swap all of ``changes``, or none. ``edit_id`` is what an editor is told that it is.

        Errors: FS_STALE_VERSION when a precondition fails (``data["target"]``), FS_ALREADY_EXISTS,
        FS_TRANSACTION_FAILED, FS_ENCODING, FS_DENIED, FS_IO, FS_EDITOR_REFUSED, FS_UNCONFIRMED.
        """
        ...

    async def save(self, target: TargetKey) -> CurrentText | None:
        """Have unsaved text saved as it is; gives the current text, which is the disk's then.

        Errors: as ``current``; FS_EDITOR_REFUSED when it stays unsaved (``data.reason``).
        """

    async def until_resolved(self, targets: Collection[TargetKey]) -> None:
        """Return when one of ``targets`` has no unsaved text (any more); never where nothing can have any."""
        ...

    def open_targets(self) -> frozenset[TargetKey]:
        """What an editor has open, whose current text may be another than the disk's."""
        ...

    def describe(self) -> dict[str, Any]:
        """What ``status`` says about the editor: name, version, open and unsaved documents."""
        ...
