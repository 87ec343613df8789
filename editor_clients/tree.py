"""The contents of a folder's files at one moment, so that it can be told later what became of them.

What has not moved since the last look, going by its stamps, is not read again. Contents are held compressed, within
a budget; of what is beyond it only the stamps are known.

Never: a file that is ignored, closed to agents, or no regular file; a link followed.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from editor_clients.disk import read_bytes
from editor_clients.search_walk import Walk
from editor_clients.walls import Walls
from ledger.errors import CoeditorError

Stamps = tuple[int, int, int, int]
"""Size, time of change, inode, mode."""

_RACY_NS = 2_000_000_000
"""A file that moved this lately may move again within the same tick of its clock."""


@dataclass(frozen=True, slots=True)
class Held:
    """One file."""

    stamps: Stamps
    packed: bytes | None = field(repr=False)
    """None beyond the budget."""
    seen: int
    """When it was read, in nanoseconds since the epoch."""

    @property
    def data(self) -> bytes | None:
        """The file's bytes; None beyond the budget."""
        return None if self.packed is None else zlib.decompress(self.packed)

    @property
    def mode(self) -> int:
        """Its permission bits."""
        return self.stamps[3] & 0o7777

    def is_still(self, stamps: Stamps) -> bool:
        """Whether a file with these stamps is surely the same."""
        return self.stamps == stamps and stamps[1] < self.seen - _RACY_NS


Picture = Mapping[str, Held]
"""Files by canonical path."""


class TooManyFilesError(Exception):
    """There are more files than can be looked at."""


class Tree:
    """The files below some folders. One look at a time; looks block."""

    def __init__(
        self, walls: Walls, roots: Sequence[str], *, files: int, file_bytes: int, budget: int
    ) -> None:
        """At most ``files`` files; contents of those up to ``file_bytes``, ``budget`` compressed bytes in all."""
        self._walls = walls
        self._roots = roots
        self._files = files
        self._file_bytes = file_bytes
        self._budget = budget
        self._held: dict[str, Held] = {}

    def look(self) -> Picture:
        """The files as they are now. Errors: TooManyFilesError."""
        found: dict[str, Held] = {}
        spent = 0
        for root in self._roots:
            for path in Walk(root, self._roots, self._walls.may_list).files():
                held = self._one(path, spent)
                if held is None:
                    continue
                found[path] = held
                spent += len(held.packed or b"")
                if len(found) > self._files:
                    raise TooManyFilesError
        self._held = found
        return found

    def _one(self, path: str, spent: int) -> Held | None:
        try:
            status = os.lstat(path)
        except OSError:
            return None
        stamps = (status.st_size, status.st_mtime_ns, status.st_ino, status.st_mode)
        known = self._held.get(path)
        if known is not None and known.is_still(stamps):
            return known
        now = time.time_ns()
        if status.st_size > self._file_bytes or spent > self._budget:
            return Held(stamps, None, now)
        try:
            file = read_bytes(self._walls, path, self._file_bytes)
        except CoeditorError:
            return Held(stamps, None, now)
        if file is None:
            return None
        if known is not None and known.packed is not None and known.data == file.data:
            return Held(stamps, known.packed, now)
        return Held(stamps, zlib.compress(file.data, 1), now)
