"""What git is doing in a work tree, and what it says that it did: read from its own files.

Never: a program that is run, or anything below ``.git`` that is written.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from functools import lru_cache

_STALE_SECONDS = 600.0
"""Age at which a lock belongs to a git that died."""
_QUIET_SECONDS = 0.3
"""Between two steps of a rebase; one that stands still for longer waits for a person."""
_TAIL = 64 << 10
"""Bytes of a reflog that are looked at; older entries are about what nobody remembers."""

_STEPPING = ("rebase-merge", "rebase-apply", "sequencer")
_STEPS = (
    "rebase-merge/done",
    "rebase-merge/msgnum",
    "rebase-apply/next",
    "sequencer/todo",
    "index",
    "logs/HEAD",
)

_LINE = re.compile(r"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*? (\d+) [-+]\d{4}(?:\t(.*))?")


@dataclass(frozen=True, slots=True)
class GitFolder:
    """One work tree."""

    top: str
    """Its canonical folder."""
    git_dir: str
    """What is this work tree's alone: HEAD, index, HEAD's reflog."""
    common_dir: str
    """What it shares with others of the repository: the stash."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One line of a reflog: where a ref went from and to, when, and by what."""

    old: str
    new: str
    time: float
    """Whole seconds since the epoch."""
    message: str


def find_git(folder: str) -> GitFolder | None:
    """The work tree that the canonical ``folder`` lies in; a submodule or a linked work tree is one of its own."""
    for top, dot_git in upwards(folder):
        found = _git_dir_of(dot_git)
        if found is not None:
            shared = _first_line(os.path.join(found, "commondir"))
            common = os.path.normpath(os.path.join(found, shared)) if shared else found
            return GitFolder(top, found, common)
    return None


@lru_cache(maxsize=1_000)
def upwards(folder: str) -> tuple[tuple[str, str], ...]:
    """``folder`` and the folders above it, each with what its ``.git`` is called; an edit asks thrice for them."""
    found = []
    while True:
        found.append((folder, os.path.join(folder, ".git")))
        above = os.path.dirname(folder)
        if above == folder:
            return tuple(found)
        folder = above


def mark_of(git: GitFolder) -> tuple[object, ...]:
    """Equal marks: nothing was recorded in between. Costs a few look-ups of files."""
    places = (
        os.path.join(git.git_dir, "logs", "HEAD"),
        os.path.join(git.git_dir, "HEAD"),
        os.path.join(git.git_dir, "MERGE_HEAD"),
        os.path.join(git.git_dir, "CHERRY_PICK_HEAD"),
        os.path.join(git.git_dir, "REVERT_HEAD"),
        os.path.join(git.common_dir, "logs", "refs", "stash"),
    )
    return tuple(_stamp(place) for place in places)


def at_work(git: GitFolder, now: float) -> str | None:
    """The file or folder that says that git is changing the work tree right now, by name; None when it is not.

    ``now``: seconds since the epoch. A lock that has been there for ten minutes is nobody's, and a rebase that
    has not moved for a moment waits for a person.
    """
    for name in ("index.lock", "HEAD.lock"):
        stamp = _stamp(os.path.join(git.git_dir, name))
        if stamp is not None and now - stamp[0] / 1e9 < _STALE_SECONDS:
            return name
    for name in _STEPPING:
        if not os.path.isdir(os.path.join(git.git_dir, name)):
            continue
        stamps = [_stamp(os.path.join(git.git_dir, step)) for step in _STEPS]
        latest = max((stamp[0] for stamp in stamps if stamp is not None), default=0)
        if now - latest / 1e9 < _QUIET_SECONDS:
            return name
    return None


def lock_stamp(git: GitFolder) -> tuple[int, ...] | None:
    """Which index lock is held, so that one that was waited for in vain is known again."""
    return _stamp(os.path.join(git.git_dir, "index.lock"))


def head_log(git: GitFolder) -> list[LogEntry]:
    """The last moves of HEAD, oldest first; empty where git keeps no reflog."""
    return _entries(os.path.join(git.git_dir, "logs", "HEAD"))


def stash_log(git: GitFolder) -> list[LogEntry]:
    """The stashes that are there, oldest first."""
    return _entries(os.path.join(git.common_dir, "logs", "refs", "stash"))


def head_of(git: GitFolder) -> tuple[str, str] | None:
    """What HEAD is: its text (``ref: ...``, or a commit), and the commit where a loose or packed ref tells it."""
    text = _first_line(os.path.join(git.git_dir, "HEAD"))
    if text is None:
        return None
    if not text.startswith("ref: "):
        return text, text
    ref = text.removeprefix("ref: ")
    return text, _commit_of(git, ref) or ""


def pending_of(git: GitFolder) -> list[tuple[str, str, float]]:
    """Operations that stopped half way: what, the commit whose changes it brings, and since when."""
    found = []
    for name, file in (
        ("merge", "MERGE_HEAD"),
        ("cherry-pick", "CHERRY_PICK_HEAD"),
        ("revert", "REVERT_HEAD"),
    ):
        place = os.path.join(git.git_dir, file)
        commit, stamp = _first_line(place), _stamp(place)
        if commit and stamp is not None:
            found.append((name, commit, stamp[0] / 1e9))
    return found


def _git_dir_of(dot_git: str) -> str | None:
    """The git folder that ``dot_git``, a folder or a file that points to one, stands for."""
    try:
        is_folder = stat.S_ISDIR(os.stat(dot_git).st_mode)
    except OSError:
        return None
    if is_folder:
        return dot_git if os.path.lexists(os.path.join(dot_git, "HEAD")) else None
    text = _first_line(dot_git)
    if text is None or not text.startswith("gitdir:"):
        return None
    place = text.removeprefix("gitdir:").strip()
    return os.path.normpath(os.path.join(os.path.dirname(dot_git), place))


def _commit_of(git: GitFolder, ref: str) -> str | None:
    loose = _first_line(os.path.join(git.common_dir, ref))
    if loose:
        return loose
    try:
        with open(os.path.join(git.common_dir, "packed-refs"), "rb") as file:
            packed = file.read()
    except OSError:
        return None
    end = packed.find(f" {ref}\n".encode("utf-8", "surrogateescape"))
    return packed[packed.rfind(b"\n", 0, end) + 1 : end].decode("ascii", "replace") if end >= 0 else None


def _entries(path: str) -> list[LogEntry]:
    found = []
    for line in _tail(path):
        parts = _LINE.fullmatch(line)
        if parts is not None:
            found.append(LogEntry(parts[1], parts[2], float(parts[3]), parts[4] or ""))
    return found


def _tail(path: str) -> list[str]:
    """The last lines of a file; the first of them may be cut, which makes it none that anybody knows."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL))
            data = file.read(_TAIL)
    except OSError:
        return []
    return data.decode("utf-8", "replace").split("\n")


def _first_line(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return file.read(4096).decode("utf-8", "replace").split("\n", 1)[0].strip()
    except OSError:
        return None


def _stamp(path: str) -> tuple[int, ...] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_ino, status.st_size)
