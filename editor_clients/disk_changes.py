"""What `transaction.publish` is asked to do on disk.

Never: behaviour; these are values. Paths are absolute and may be spelled through links.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Final, Literal

Durability = Literal["full", "fast"]
"""``full``: what was published survives a power cut. ``fast``: it survives the end of the process."""


class Absent(Enum):
    """The precondition that nothing has the name."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


@dataclass(frozen=True, slots=True)
class WriteBytes:
    """The file holds ``data`` afterwards; through links. Missing folders are made."""

    path: str
    data: bytes = field(repr=False)
    expect: bytes | Absent = field(repr=False)
    """The exact bytes that must be there, or nothing."""
    mode: int | None = None
    """Permission bits to set; None keeps those that are there (or the umask's)."""
    through_link: bool = True
    """Create: a link that leads nowhere gets its file; False refuses it as existing."""


@dataclass(frozen=True, slots=True)
class RemoveFile:
    """The name is gone afterwards; of a link the link, never what it points to."""

    path: str
    expect: bytes = field(repr=False)
    """The exact bytes that must be there, read through a link."""
    led: bool = False
    """An editor is to do it."""


@dataclass(frozen=True, slots=True)
class MoveFile:
    """``src`` is gone and ``dst`` is there afterwards, with mode, owner and attributes of ``src``.

    Without ``data`` the file itself gets the new name (a link stays a link to the same file); with ``data``
    the destination is a regular file that holds it.
    """

    src: str
    dst: str
    expect: bytes = field(repr=False)
    """The exact bytes that must be at ``src``, read through a link."""
    data: bytes | None = field(default=None, repr=False)
    expect_dst: bytes | Absent = field(default=ABSENT, repr=False)
    """Nothing, unless the same request deletes what is there."""
    mode: int | None = None
    led: bool = False
    """An editor is to do it, if it is no more than a new name."""


DiskChange = WriteBytes | RemoveFile | MoveFile
