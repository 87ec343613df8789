"""How a buffer stands to the text on disk: saved or not, moved on below it or not.

Never: I/O. Both texts were taken before; what cannot be known is taken for the person's typing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from editor_clients.encoding import decode
from editor_clients.lines import folded
from editor_clients.overlay import Buffer, Synced
from editor_clients.port import CurrentText
from ledger.types import VersionToken, token_of


@dataclass(frozen=True, slots=True)
class Standing:
    """What follows from one buffer and one text on disk."""

    in_step: bool
    """Both hold the same text."""
    unsaved: bool
    """The buffer has something that the disk never had."""
    disk_moved: bool
    """The disk is not what it was when both were last in step."""

    @property
    def diverged(self) -> bool:
        """Both moved: neither text is made from the other."""
        return self.unsaved and self.disk_moved


def standing(buffer: Buffer, disk: CurrentText | None) -> Standing:
    """``disk`` is decoded as the editor decodes it (`as_seen_by`); None when nothing is there."""
    in_step = disk is not None and buffer.text == disk.text
    moved = not in_step and buffer.synced.disk != _token(disk)
    return Standing(in_step, not in_step and _is_unsaved(buffer, disk), moved)


def synced_at_opening(buffer: Buffer, disk: CurrentText | None) -> Synced:
    """What is known of a buffer that was just opened."""
    same = disk is not None and _is_same_but_for_endings(buffer.text, disk.text)
    empty = disk is None and not buffer.text
    return Synced(buffer.token if same or empty else None, _token(disk))


def synced_at_saving(buffer: Buffer, disk: CurrentText | None) -> Synced:
    """What is known of a buffer that was just saved; where the disk holds another text, it moved since."""
    same = disk is not None and _is_same_but_for_endings(buffer.text, disk.text)
    return Synced(buffer.token, _token(disk) if same else buffer.token)


def followed(buffer: Buffer, disk: CurrentText | None) -> Buffer:
    """The buffer, its ``synced`` renewed where both hold the same text now."""
    if disk is None or buffer.text != disk.text:
        return buffer
    synced = Synced(buffer.token, disk.token)
    return buffer if synced == buffer.synced else replace(buffer, synced=synced)


def as_seen_by(buffer: Buffer, disk: CurrentText | None) -> CurrentText | None:
    """``disk`` with its bytes decoded in the encoding that the editor uses for this buffer, where they fit."""
    encoding = buffer.state.encoding if buffer.state is not None else None
    if disk is None or disk.data is None or encoding in (None, disk.encoding):
        return disk
    found = decode(disk.data, editor=encoding)
    if (found.text, found.encoding) == (disk.text, disk.encoding):
        return disk
    token = token_of(found.text)
    return replace(disk, text=found.text, encoding=found.encoding, token=token, disk_token=token)


def _is_unsaved(buffer: Buffer, disk: CurrentText | None) -> bool:
    """For a buffer that differs from the disk."""
    state = buffer.state
    if state is not None and (state.dirty or state.version >= buffer.version):
        # What was clean at an older version may have been typed into since; the news is on its way.
        return state.dirty
    if buffer.synced.token is None:
        return disk is not None or bool(buffer.text)
    return buffer.token != buffer.synced.token


def _is_same_but_for_endings(one: str, other: str) -> bool:
    """Some editors make all line endings of a file alike when they open it, and do not call that a change."""
    return one == other or folded(one) == folded(other)


def _token(disk: CurrentText | None) -> VersionToken | None:
    return disk.token if disk is not None else None
