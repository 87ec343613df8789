"""The steps that a transaction is made of.

A step names its staged file and its backup before either exists, so that whoever finds the journal after a
crash can tell from the disk alone how far the step had come::

    Create    stage -> path                       published when the stage is gone
    Replace   path = backup, stage -> path        published when the stage is gone
    InPlace   bytes written over path             its old and new bytes are files beside the journal
    Rename    src -> dst
    Remove    path -> backup

Never: doing or undoing anything; `transaction` and `transaction_undo` do.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass

from editor_clients.disk import read_place
from editor_clients.places import STAGE_PREFIX, Place
from ledger.types import known_token_of, token_of_utf8

UNLIMITED = 1 << 62
"""Of bytes: what is read to be compared or kept was admitted before."""


@dataclass(frozen=True, slots=True)
class Create:
    """A new file, or a new link."""

    path: str
    stage: str
    """Name in the same folder."""
    after: str
    """Fingerprint of what is published."""


@dataclass(frozen=True, slots=True)
class Replace:
    """New content under an old name."""

    path: str
    stage: str
    backup: str
    """Name in the same folder."""
    after: str
    """Fingerprint of what is published."""


@dataclass(frozen=True, slots=True)
class InPlace:
    """New content in the same file, for files that cannot be replaced without loss."""

    path: str
    old: str
    """File beside the journal with the bytes before."""
    new: str
    """The same with those after."""
    mode: int | None = None
    """Permission bits before; None when they are not changed."""


@dataclass(frozen=True, slots=True)
class Rename:
    """The same file under a new name."""

    src: str
    dst: str
    before: str
    """Fingerprint."""
    respell: bool = False
    """Only the letter case changes, on a file system that folds it."""


@dataclass(frozen=True, slots=True)
class Remove:
    """A name taken away."""

    path: str
    backup: str


Step = Create | Replace | InPlace | Rename | Remove


def new_name() -> str:
    """A name for a staged file or backup: short, hidden, and with no ending that a tool would pick up."""
    return STAGE_PREFIX + os.urandom(8).hex()


def paths_of(step: Step) -> tuple[str, ...]:
    """The canonical paths that the step changes."""
    return (step.src, step.dst) if isinstance(step, Rename) else (step.path,)


def names_of(step: Step) -> tuple[str, ...]:
    """The helper files that the step may leave beside its target."""
    match step:
        case Create():
            return (step.stage,)
        case Replace():
            return (step.stage, step.backup)
        case Remove():
            return (step.backup,)
        case InPlace() | Rename():
            return ()


def fingerprint_of(data: bytes) -> str:
    """A fingerprint of a regular file with these bytes; one of several, so compare it by `has_fingerprint`."""
    token = known_token_of(data)
    return _BYTES + hashlib.sha256(data).hexdigest() if token is None else _UTF_8 + token


_BYTES, _UTF_8 = "bytes:", "utf-8:"
"""What follows: the hash of the bytes, or the version token of the text that they are in UTF-8."""


def fingerprint_of_link(text: str) -> str:
    """The fingerprint of a symbolic link with this text."""
    return "link:" + hashlib.sha256(os.fsencode(text)).hexdigest()


def has_fingerprint(place: Place, wanted: str) -> bool:
    """Whether what is there now has that fingerprint."""
    return fingerprint(place, wanted) == wanted


def fingerprint(place: Place, like: str = "") -> str | None:
    """Of what is there now, to be compared with ``like``; None when nothing is, ``other`` for a folder or special
    file."""
    status = place.status()
    if status is None:
        return None
    if stat.S_ISLNK(status.st_mode):
        return fingerprint_of_link(place.read_link())
    if not stat.S_ISREG(status.st_mode):
        return "other"
    found = read_place(place, place.path, UNLIMITED)
    if found is None:
        return None
    if like.startswith(_UTF_8):
        return _UTF_8 + token_of_utf8(found.data)
    return _BYTES + hashlib.sha256(found.data).hexdigest()


def moment_of(status: os.stat_result) -> tuple[int, ...]:
    """What tells one state of a file from another without reading it."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
