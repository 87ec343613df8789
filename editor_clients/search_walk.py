"""The files below a folder, in the order of their paths, without what is ignored, closed or version control's.

Every back end of a search is handed this list, so that what is searched never depends on which one is there.

Never: a link followed, or a name that is no text.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Event

from editor_clients.search_ignore import Ignores, top_of

VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".jj"})
"""Data of these belongs to their programs; searched only where one is named as the folder."""


_HEAD = 8192
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


class WalkStoppedError(Exception):
    """Whoever asked has left."""


@dataclass(slots=True)
class Walk:
    """One walk. Iterate over it in one thread at a time."""

    start: str
    """Canonical path of the folder."""
    roots: Sequence[str]
    """Canonical workspace folders."""
    is_open: Callable[[str], bool]
    """Whether a canonical path (of a folder: with a slash behind) may be seen at all."""
    stop: Event = field(default_factory=Event)
    unread: list[str] = field(default_factory=list)
    """Folders that could not be listed."""

    def files(self) -> Iterator[str]:
        """Canonical paths of regular files, sorted as strings. Errors: WalkStoppedError."""
        ignores = Ignores.above(self.start, top_of(self.start, self.roots))
        stack = [self._entries(self.start, ignores)]
        while stack:
            path, inner = next(stack[-1], (None, None))
            if path is None:
                stack.pop()
            elif inner is None:
                yield path
            else:
                stack.append(self._entries(path, inner))

    def lists(self, path: str) -> bool:
        """Whether a file at ``path``, which need not exist, would be in the list."""
        if not path.startswith(self.start.rstrip(os.sep) + os.sep) or not self.is_open(path):
            return False
        folder = self.start
        ignores = Ignores.above(self.start, top_of(self.start, self.roots))
        *folders, name = path[len(self.start.rstrip(os.sep)) + 1 :].split(os.sep)
        for part in [*folders, name]:
            if part in VERSION_CONTROL:
                return False
            ignores = ignores.entered(folder)
            folder = os.path.join(folder, part)
            if ignores.ignores(folder, part, is_folder=folder != path):
                return False
        return True

    def _entries(self, folder: str, above: Ignores) -> Iterator[tuple[str, Ignores | None]]:
        """What is to be seen in ``folder``, in order; for a folder with the rules that hold around it."""
        if self.stop.is_set():
            raise WalkStoppedError
        try:
            with os.scandir(folder) as listing:
                entries = [(entry.name, _kind(entry)) for entry in listing]
        except FileNotFoundError:
            return
        except OSError:
            self.unread.append(folder)
            return
        ignores = above.entered(folder, {name for name, _ in entries})
        prefix = folder.rstrip(os.sep) + os.sep
        # A folder is sorted as its files' paths go on: with the slash.
        for name, kind in sorted((name + os.sep * (kind == "folder"), kind) for name, kind in entries):
            if kind == "other":
                continue
            plain = name.rstrip(os.sep)
            if plain in VERSION_CONTROL or not _is_text(plain) or not self.is_open(prefix + name):
                continue
            is_folder = kind == "folder"
            if not ignores.ignores(prefix + plain, plain, is_folder=is_folder):
                yield prefix + plain, ignores if is_folder else None


def is_binary(path: str) -> bool:
    """Whether the first bytes show that a file is no text; false also where it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        head = os.read(descriptor, _HEAD)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return b"\0" in head and not head.startswith(_WIDE_MARKS)


def _kind(entry: os.DirEntry[str]) -> str:
    try:
        if entry.is_dir(follow_symlinks=False):
            return "folder"
        return "file" if entry.is_file(follow_symlinks=False) else "other"
    except OSError:
        return "other"


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
