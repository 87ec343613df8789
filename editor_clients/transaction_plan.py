"""From the changes that were asked for to the steps that make them: preconditions, links, and who fills what.

A name that one change empties and another fills (a move away and a new file, two files that trade names)
becomes one replacement, so that no reader finds it missing in between.

Never: changing anything on disk.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from editor_clients.disk import refuse_irregular
from editor_clients.disk_changes import ABSENT, Absent, DiskChange, MoveFile, RemoveFile, WriteBytes
from editor_clients.disk_errors import already_exists, disk_error, not_a_file, stale
from editor_clients.transaction_steps import (
    Create,
    InPlace,
    Remove,
    Rename,
    Replace,
    Step,
    fingerprint_of,
    fingerprint_of_link,
    new_name,
)
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError


@dataclass(frozen=True, slots=True)
class Staged:
    """What a step publishes."""

    data: bytes = field(repr=False)
    like: str | None = None
    """Canonical path of the file whose attributes it takes; None for a new one."""
    mode: int | None = None
    link: str | None = None
    """It is a symbolic link with this text instead."""


@dataclass(frozen=True, slots=True)
class Check:
    """What must be at a canonical path, up to the moment of the change."""

    path: str
    asked: str
    """The same as the caller spelled it."""
    expect: bytes | Absent = field(repr=False)
    content: str | None = None
    """Where the bytes are, when ``path`` is a link that goes or moves; None when they are there."""
    link: str | None = None
    """The text of that link."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All that `transaction.publish` needs to know."""

    steps: tuple[Step, ...]
    staged: tuple[Staged | None, ...]
    """One for each step; None where nothing is written."""
    checks: tuple[Check, ...]
    folders: tuple[str, ...]
    """Missing parent folders, outermost first."""
    led: Set[str] = frozenset()
    """Sources of removals and renames that somebody else is to make."""

    def asked(self, path: str) -> str:
        """The caller's spelling of a canonical path."""
        return next((check.asked for check in self.checks if check.path == path), path)

    def expected(self, path: str) -> bytes | Absent:
        """What has to be at the canonical path of a file that is changed."""
        return next(check.expect for check in self.checks if check.path == path)


@dataclass(frozen=True, slots=True)
class Obstacles:
    """What an earlier attempt ran into; the next plan goes another way."""

    in_place: Set[str] = frozenset()
    """Files that cannot be replaced by a rename."""
    copied: Set[str] = frozenset()
    """Files that cannot be renamed to their destination."""


class ObstacleError(Exception):
    """This file has to be changed another way; nothing is left of the attempt."""

    def __init__(self, path: str, error: OSError, *, copy: bool = False) -> None:
        super().__init__(path)
        self.path = path
        self.error = error
        self.copy = copy


def plan_changes(changes: Sequence[DiskChange], walls: Walls, name: str, obstacles: Obstacles) -> Plan:
    """The steps for ``changes``; ``name`` is the transaction's.

    Errors: FS_DENIED, FS_NOT_FOUND, FS_NOT_REGULAR_FILE, FS_ALREADY_EXISTS, FS_STALE_VERSION (as far as names
    and sizes show), INVALID_ARGUMENT (a name is changed twice).
    """
    planner = _Planner(walls, name, obstacles)
    for change in changes:
        match change:
            case WriteBytes():
                planner.add_write(change)
            case RemoveFile():
                planner.add_remove(change)
            case MoveFile():
                planner.add_move(change)
    return planner.plan()


@dataclass(frozen=True, slots=True)
class _Fill:
    """New content for one name."""

    staged: Staged
    source: str | None = None
    """For a move that changes neither content nor mode: where the file is now."""


class _Planner:
    def __init__(self, walls: Walls, name: str, obstacles: Obstacles) -> None:
        self._walls = walls
        self._name = name
        self._obstacles = obstacles
        self._checks: dict[str, Check] = {}
        self._wanted_free: set[str] = set()
        self._vacated: dict[str, str | None] = {}
        """Names that go; with the text of the link, where it is one."""
        self._fills: dict[str, _Fill] = {}
        self._respelled: list[Rename] = []
        self._led: set[str] = set()

    def add_write(self, change: WriteBytes) -> None:
        real = self._walls.check(change.path, write=True)
        new = change.expect is ABSENT
        if new and not change.through_link and self._walls.is_link(change.path):
            raise already_exists(change.path)
        self._fill(real, change.path, _Fill(Staged(change.data, None if new else real, change.mode)))
        self._expect(Check(real, change.path, change.expect))

    def add_remove(self, change: RemoveFile) -> None:
        path = self._walls.check_entry(change.path)
        if self._vacate(path, change.path, change.expect) is None and change.led:
            self._led.add(path)

    def add_move(self, change: MoveFile) -> None:
        src = self._walls.check_entry(change.src)
        dst = self._walls.check(change.dst, write=True)
        if dst == src and _same_but_case(change.dst, src):
            self._respell(change, src)
            return
        if dst == src or (change.expect_dst is ABSENT and self._walls.is_link(change.dst)):
            raise already_exists(change.dst)
        content = self._vacate(src, change.src, change.expect)
        if change.led and content is None:
            self._led.add(src)
        data = change.expect if change.data is None else change.data
        plain = change.data is None and change.mode is None
        self._fill(dst, change.dst, _Fill(Staged(data, content or src, change.mode), src if plain else None))
        self._expect(Check(dst, change.dst, change.expect_dst))

    def plan(self) -> Plan:
        for check in self._checks.values():
            self._refuse_early(check)
        moved = {path: fill.source for path, fill in self._fills.items() if self._may_rename(path, fill)}
        pairs: list[tuple[Step, Staged | None]] = [
            self._filling(path, fill) for path, fill in self._fills.items() if path not in moved
        ]
        for path, source in moved.items():
            if source is not None:
                pairs.append((Rename(source, path, self._mark(source, self._fills[path])), None))
        pairs += [(step, None) for step in self._respelled]
        kept = {*self._fills, *moved.values()}
        pairs += [(Remove(path, new_name()), None) for path in self._vacated if path not in kept]
        steps, staged = zip(*pairs, strict=True) if pairs else ((), ())
        return Plan(steps, staged, tuple(self._checks.values()), self._missing_folders(), self._led)

    def _respell(self, change: MoveFile, src: str) -> None:
        """Only letter case changes, and the file system takes both names for one."""
        self._expect(Check(src, change.src, change.expect))
        data = change.expect if change.data is None else change.data
        if data != change.expect or change.mode is not None:
            self._fill(src, change.src, _Fill(Staged(data, src, change.mode)))
        dst = os.path.join(os.path.dirname(src), os.path.basename(change.dst))
        self._respelled.append(Rename(src, dst, fingerprint_of(data), respell=True))

    def _vacate(self, path: str, asked: str, expect: bytes) -> str | None:
        """Plan that the name goes; answers where its bytes are when it is a link."""
        if path in self._vacated:
            raise _twice(asked)
        text = _link_text(path)
        content = self._walls.check(asked, write=False) if text is not None else None
        self._vacated[path] = text
        self._expect(Check(path, asked, expect, content, text))
        return content

    def _fill(self, path: str, asked: str, fill: _Fill) -> None:
        if path in self._fills:
            raise _twice(asked)
        self._fills[path] = fill

    def _expect(self, check: Check) -> None:
        """One check for each name; another change of the same request may make it free."""
        known = self._checks.get(check.path)
        if check.expect is ABSENT:
            self._wanted_free.add(check.path)
        if known is None or known.expect is ABSENT:
            self._checks[check.path] = check
        elif check.expect is not ABSENT and check.expect != known.expect:
            raise _twice(check.asked)

    def _refuse_early(self, check: Check) -> None:
        status = _status(check.path)
        if check.path in self._wanted_free and check.path not in self._vacated and status is not None:
            if stat.S_ISDIR(status.st_mode):
                raise not_a_file(check.asked, "folder")
            raise already_exists(check.asked)
        if check.expect is ABSENT:
            return
        if status is None:
            raise stale(check.asked, vanished=True)
        if not stat.S_ISLNK(status.st_mode):
            refuse_irregular(status, check.asked)
            if status.st_size != len(check.expect):
                raise stale(check.asked)

    def _may_rename(self, path: str, fill: _Fill) -> bool:
        """Whether the moved file itself can take the new name."""
        source = fill.source
        if source is None or source in self._fills or source in self._obstacles.copied:
            return False
        if os.path.lexists(path):
            return False
        text = self._vacated[source]
        return text is None or os.path.isabs(text) or os.path.dirname(path) == os.path.dirname(source)

    def _mark(self, source: str, fill: _Fill) -> str:
        text = self._vacated[source]
        return fingerprint_of(fill.staged.data) if text is None else fingerprint_of_link(text)

    def _filling(self, path: str, fill: _Fill) -> tuple[Step, Staged]:
        staged, status = fill.staged, _status(path)
        text = self._vacated[fill.source] if fill.source is not None else None
        if text is not None and status is None and fill.source is not None:
            text = _retargeted(text, fill.source, path)
            return Create(path, new_name(), fingerprint_of_link(text)), Staged(b"", link=text)
        if status is None:
            return Create(path, new_name(), fingerprint_of(staged.data)), staged
        if staged.like is None:  # deleted and added again: it keeps what it was besides its content
            staged = Staged(staged.data, path, staged.mode)
        linked = status.st_nlink > 1 and not stat.S_ISLNK(status.st_mode)
        if linked or path in self._obstacles.in_place:
            serial = f"{self._name}.{len(self._fills)}-{new_name()[1:]}"
            mode = None if staged.mode is None else stat.S_IMODE(status.st_mode)
            return InPlace(path, serial + ".old", serial + ".new", mode), staged
        return Replace(path, new_name(), new_name(), fingerprint_of(staged.data)), staged

    def _missing_folders(self) -> tuple[str, ...]:
        missing: set[str] = set()
        for path in [*self._fills, *(step.dst for step in self._respelled)]:
            folder = os.path.dirname(path)
            while folder not in missing and not os.path.lexists(folder):
                if folder in self._walls.roots:
                    raise _no_workspace(folder)
                missing.add(folder)
                folder = os.path.dirname(folder)
        return tuple(sorted(missing, key=lambda folder: (folder.count(os.sep), folder)))


def _same_but_case(asked: str, path: str) -> bool:
    one, other = os.path.basename(asked), os.path.basename(path)
    return one != other and one.casefold() == other.casefold()


def _retargeted(text: str, source: str, path: str) -> str:
    """The text with which a link at ``path`` points where the one at ``source`` does."""
    if os.path.isabs(text):
        return text
    return os.path.relpath(os.path.join(os.path.dirname(source), text), os.path.dirname(path))


def _status(path: str) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise disk_error(error, path) from error


def _link_text(path: str) -> str | None:
    """What the link says; None for anything else, and where nothing is."""
    try:
        return os.readlink(path)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT, errno.ENOTDIR):
            return None
        raise disk_error(error, path) from error


def _no_workspace(folder: str) -> CoeditorError:
    message = f"The workspace folder {folder} does not exist any more. Ask the person where it went."
    return CoeditorError(Code.FS_NOT_FOUND, message, file_path=folder)


def _twice(path: str) -> CoeditorError:
    return CoeditorError(Code.INVALID_ARGUMENT, f"{path} is changed twice in one request.", file_path=path)
