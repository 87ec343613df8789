"""Publish changes of files on disk: all of them, or none, whatever fails and whenever the process dies.

Everything is staged beside its target and flushed before the first target changes. One file needs no more
than that: a rename is the whole publication. Several are noted in a journal first, so that what a dead
process left is taken back (or tidied up) by `recovery.recover`. Writers that do not take our locks can still
lose a race that is a few microseconds wide, between the last look at the bytes and the rename; new files
cannot.

Never: deciding whether a change is allowed.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import TypeGuard

from editor_clients.disk import read_place
from editor_clients.disk_changes import ABSENT, DiskChange, Durability
from editor_clients.disk_errors import already_exists, disk_error, stale, transaction_failed
from editor_clients.places import Place, is_link
from editor_clients.staging import (
    Attributes,
    CannotKeepError,
    Written,
    attributes_of,
    cause_of,
    finish_all,
    refuse_read_only,
    stage_file,
    write_in_place,
    write_stage,
)
from editor_clients.transaction_journal import Journal, Record
from editor_clients.transaction_plan import Check, ObstacleError, Obstacles, Plan, Sight, Staged, plan_changes
from editor_clients.transaction_steps import (
    UNLIMITED,
    Create,
    InPlace,
    Remove,
    Rename,
    Replace,
    Step,
    has_fingerprint,
    moment_of,
    paths_of,
)
from editor_clients.transaction_undo import NotRestored, Undoer, discard, take_back, write_private
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError

_NOT_RENAMABLE = (errno.EBUSY, errno.EPERM, errno.EACCES, errno.EXDEV, errno.EROFS)
_NO_HARD_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS, errno.EACCES)
_PUT_BACK_ATTEMPTS = 2
_OPEN_AT_ONCE = 128
_YOUNG_NS = 100_000_000
"""A file that was changed this recently may change again without its time stamp showing it."""


def publish(
    changes: Sequence[DiskChange], *, journal_dir: str, walls: Walls, durability: Durability = "full"
) -> None:
    """All of ``changes`` happen, or none; the caller holds the locks of all targets.

    With ``full`` durability they survive a power cut once this returns. Errors: FS_STALE_VERSION
    (``data.target``), FS_ALREADY_EXISTS, FS_DENIED, FS_NOT_FOUND, FS_NOT_REGULAR_FILE, FS_IO; of several
    targets, once something had to be put back, FS_TRANSACTION_FAILED (``data.cause``, ``data.rolled_back``,
    ``data.not_restored``).
    """
    begin(changes, journal_dir=journal_dir, walls=walls, durability=durability, open_end=False)


def begin(
    changes: Sequence[DiskChange],
    *,
    journal_dir: str,
    walls: Walls,
    durability: Durability = "full",
    open_end: bool = True,
) -> Transaction:
    """The same, up to the point where it could still be taken back: `Transaction.keep` or `Transaction.give_back`
    has to follow. What is ``led`` among ``changes`` is ready to be done by somebody else then.

    Not ``open_end``: it is kept already. Errors: as `publish`.
    """
    obstacles = Obstacles()
    while True:
        name = f"{time.time_ns():020d}-{token_hex(4)}"
        plan = plan_changes(changes, walls, name, obstacles)
        several = len(changes) > 1
        attempt = Transaction(plan, walls, journal_dir, name, durable=durability == "full", several=several)
        try:
            attempt.run(open_end=open_end)
        except ObstacleError as met:
            if met.path in obstacles.in_place | obstacles.copied:
                raise disk_error(met.error, attempt.asked(met.path)) from met.error
            if met.copy:
                obstacles = replace(obstacles, copied=obstacles.copied | {met.path})
            else:
                obstacles = replace(obstacles, in_place=obstacles.in_place | {met.path})
        else:
            return attempt


@dataclass(slots=True)
class Transaction:
    """One run over one plan."""

    plan: Plan
    walls: Walls
    journal_dir: str
    name: str
    durable: bool
    several: bool = False
    """Whether more than one change was asked for."""
    _journal: Journal | None = None
    _made: list[str] = field(default_factory=list)
    _seen: dict[str, Sight] = field(default_factory=dict)
    _written: list[Written] = field(default_factory=list)
    """Staged files that may not be on the disk yet."""
    _stages: list[Place] = field(default_factory=list)
    """Staged files by the folders that they were put into, wherever those are by now."""
    _published: bool = False

    def asked(self, path: str) -> str:
        """The caller's spelling of a canonical path."""
        return next((check.asked for check in self.plan.checks if check.path == path), path)

    def run(self, *, open_end: bool) -> None:
        """Errors: those of `publish`, and ObstacleError; everything is put back when it raises."""
        steps = self.plan.steps
        if not steps:
            return
        alone = not open_end and len(steps) == 1 and isinstance(steps[0], Create | Replace | Rename)
        journal = self._journal = self._begin(synced=self.durable and not alone)
        with self._putting_back(journal):
            self._stage()
            for check in self.plan.checks:
                self._verify(check)
            if not alone:
                journal.advance("publishing")
            for step, staged in zip(steps, self.plan.staged, strict=True):
                self._apply(step, staged, alone=alone)
                self._published = True
            if not open_end:
                self._end(journal, alone=alone)
        if not open_end:
            self._tidy(journal)

    @contextmanager
    def _putting_back(self, journal: Journal) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            failure = self._failed(journal, error)
            if failure is error:
                raise
            raise failure from error
        finally:
            for stage in self._stages:
                stage.close()

    def _end(self, journal: Journal, *, alone: bool = False) -> None:
        if self.durable:
            self._sync_folders()
        if not alone:
            journal.advance("done")

    # What follows `begin`.

    def left_to_do(self) -> list[Remove | Rename]:
        """The steps that are led and have not been made."""
        return [step for step in self.plan.steps if self.is_led(step) and not self._is_made(step)]

    def is_led(self, step: Step) -> TypeGuard[Remove | Rename]:
        """Whether somebody else is to make this step."""
        return isinstance(step, Remove | Rename) and paths_of(step)[0] in self.plan.led

    def make(self, step: Remove | Rename) -> None:
        """Make a led step after all. Errors: those of `publish`; `give_back` has to follow then."""
        try:
            with self._reach(paths_of(step)[0]) as place:
                if isinstance(step, Rename):
                    self._rename(step)
                else:
                    self._confirm(place)
                    place.unlink()
        except OSError as error:
            raise disk_error(error, self.asked(paths_of(step)[0])) from error

    def keep(self) -> None:
        """It is final. Errors: those of `publish`; everything is put back when it raises."""
        if self._journal is not None:
            with self._putting_back(self._journal):
                self._end(self._journal)
            self._tidy(self._journal)

    def give_back(self) -> list[dict[str, str | None]]:
        """All is as before, led steps that were made included; gives what had to be left, as ``not_restored``."""
        kept: list[NotRestored] = []
        if self._journal is not None:
            kept, _ = self._put_back(self._journal)
        return [{"file_path": self.asked(item.path), "snapshot": item.snapshot} for item in kept]

    def _is_made(self, step: Remove | Rename) -> bool:
        with self._reach(paths_of(step)[0]) as place:
            if place.status() is not None:
                return False
        if isinstance(step, Remove):
            return True
        with self._reach(step.dst) as there:
            return has_fingerprint(there, step.before)

    def _begin(self, *, synced: bool) -> Journal:
        record = Record(self.plan.steps, self.plan.folders, self.walls.roots)
        try:
            return Journal.begin(self.journal_dir, self.name, record, durable=synced)
        except OSError as error:
            first = self.asked(paths_of(self.plan.steps[0])[0])
            raise disk_error(error, first, doing="keep a journal for") from error

    def _stage(self) -> None:
        for folder in self.plan.folders:
            try:
                with self._reach(folder) as place, suppress(FileExistsError):
                    place.make_folder()
                    self._made.append(folder)
            except OSError as error:
                raise disk_error(error, folder, doing="make the folder") from error
        try:
            for step, staged in zip(self.plan.steps, self.plan.staged, strict=True):
                if staged is None:
                    continue
                try:
                    self._stage_one(step, staged)
                except OSError as error:
                    raise disk_error(error, self.asked(paths_of(step)[0])) from error
                if len(self._written) == _OPEN_AT_ONCE:
                    self._finish_stages()
            self._finish_stages()
        finally:
            self._close_written()

    def _finish_stages(self) -> None:
        """What was staged so far is on the disk: one after the other they would wait for it as often."""
        try:
            finish_all(self._written, durable=self.durable)
        except OSError as error:
            raise disk_error(error, self.asked(self._target_of(error.filename))) from error
        self._written.clear()

    def _target_of(self, stage: object) -> str:
        """The canonical path that a staged file is for."""
        steps = [step for step in self.plan.steps if isinstance(step, Create | Replace)]
        names = {os.path.join(os.path.dirname(step.path), step.stage): step.path for step in steps}
        return names[str(stage)]

    def _close_written(self) -> None:
        for one in self._written:
            one.close()
        self._written.clear()

    def _stage_one(self, step: Step, staged: Staged) -> None:
        if isinstance(step, InPlace):
            self._stage_in_place(step, staged)
        elif isinstance(step, Create | Replace):
            with self._reach(step.path) as place, place.sibling(step.stage) as stage:
                if isinstance(step, Replace):
                    refuse_read_only(place)
                self._stages.append(place.sibling(step.stage))
                self._stage_beside(step, staged, stage)

    def _stage_in_place(self, step: InPlace, staged: Staged) -> None:
        with self._reach(step.path) as place:
            refuse_read_only(place)
        old = next(check.expect for check in self.plan.checks if check.path == step.path)
        for name, data in ((step.old, old), (step.new, staged.data)):
            if data is not ABSENT:
                write_private(os.path.join(self.journal_dir, name), data, durable=self.durable)

    def _stage_beside(self, step: Create | Replace, staged: Staged, stage: Place) -> None:
        if staged.link is not None:
            stage.make_link(staged.link)
            return
        try:
            like = self._attributes(staged)
            self._written.append(write_stage(stage, staged.data, like=like, mode=staged.mode))
        except CannotKeepError as error:
            if isinstance(step, Replace):
                raise ObstacleError(step.path, cause_of(error)) from error
            raise cause_of(error) from error  # a moved file whose owner cannot be kept stays where it is
        except OSError as error:
            if isinstance(step, Replace) and error.errno in _NOT_RENAMABLE:
                raise ObstacleError(step.path, error) from error
            raise

    def _attributes(self, staged: Staged) -> Attributes | None:
        if staged.like is None:
            return None
        with self._reach(staged.like) as source:
            return attributes_of(source)

    def _verify(self, check: Check) -> None:
        """Errors: FS_STALE_VERSION, FS_ALREADY_EXISTS; a link put in the way is FS_DENIED."""
        if check.expect is ABSENT:
            return  # the publication itself refuses to replace anything
        with self._reach(check.content or check.path) as place:
            self._compare(place, check)

    def _compare(self, place: Place, check: Check) -> None:
        status, now = place.status(), time.time_ns()
        found = read_place(place, check.asked, UNLIMITED)
        if found is None or status is None or found.data != check.expect:
            raise stale(check.asked, vanished=found is None)
        self._seen[check.path] = Sight(status, now - status.st_mtime_ns < _YOUNG_NS)

    def _confirm(self, place: Place, *, alone: bool = False) -> None:
        """The file is still the one whose bytes were compared."""
        check = next(check for check in self.plan.checks if check.path == place.path)
        now = place.status()
        if check.link is not None:
            if not is_link(now) or place.read_link() != check.link:
                raise stale(check.asked, vanished=now is None)
            return
        seen = self._seen[place.path]
        if now is None or moment_of(seen.status) != moment_of(now) or (seen.young and not alone):
            self._compare(place, check)

    def _apply(self, step: Step, staged: Staged | None, *, alone: bool) -> None:
        try:
            match step:
                case Create():
                    self._create(step)
                case Replace():
                    self._replace(step, alone=alone)
                case InPlace():
                    self._write_in_place(step, staged)
                case Rename():
                    self._rename(step, only_look=self.is_led(step))
                case Remove():
                    self._remove(step)
        except OSError as error:
            raise disk_error(error, self.asked(paths_of(step)[0])) from error

    def _create(self, step: Create) -> None:
        with self._reach(step.path) as place, place.sibling(step.stage) as stage:
            try:
                stage.rename_new(place)
            except FileExistsError as error:
                raise already_exists(self.asked(step.path)) from error

    def _replace(self, step: Replace, *, alone: bool) -> None:
        with self._reach(step.path) as place, place.sibling(step.stage) as stage:
            self._confirm(place, alone=alone)
            if not alone:
                self._back_up(place, step.backup)
            try:
                stage.replace(place)
            except OSError as error:
                if error.errno in _NOT_RENAMABLE:
                    raise ObstacleError(step.path, error) from error
                raise

    def _back_up(self, place: Place, name: str) -> None:
        with place.sibling(name) as backup:
            try:
                place.hard_link_to(backup)
            except OSError as error:
                if error.errno not in _NO_HARD_LINKS:
                    raise
                self._copy(place, backup)

    def _copy(self, place: Place, backup: Place) -> None:
        """A backup for file systems without hard links."""
        found = read_place(place, place.path, UNLIMITED)
        data = b"" if found is None else found.data
        try:
            stage_file(backup, data, like=attributes_of(place), mode=None, durable=self.durable)
        except CannotKeepError as error:
            raise ObstacleError(place.path, cause_of(error)) from error

    def _write_in_place(self, step: InPlace, staged: Staged | None) -> None:
        if staged is None:
            return
        with self._reach(step.path) as place:
            self._confirm(place)
            write_in_place(place, staged.data, mode=staged.mode, durable=self.durable)

    def _rename(self, step: Rename, *, only_look: bool = False) -> None:
        with self._reach(step.src) as src, self._reach(step.dst) as dst:
            if only_look:
                self._confirm(src)
                if dst.status() is not None:
                    raise already_exists(self.asked(step.dst))
                return
            if step.respell:
                src.replace(dst)
                return
            self._confirm(src)
            try:
                src.rename_new(dst)
            except FileExistsError as error:
                raise already_exists(self.asked(step.dst)) from error
            except OSError as error:
                if error.errno == errno.EXDEV:
                    raise ObstacleError(step.src, error, copy=True) from error
                raise

    def _remove(self, step: Remove) -> None:
        with self._reach(step.path) as place, place.sibling(step.backup) as backup:
            self._confirm(place)
            if self.is_led(step):
                self._back_up(place, step.backup)  # a second name, by which it can come back
            else:
                place.replace(backup)

    def _reach(self, path: str) -> Place:
        return self.walls.open_entry(path)

    def _sync_folders(self) -> None:
        paths = {os.path.dirname(path): path for step in self.plan.steps for path in paths_of(step)}
        paths |= {os.path.dirname(folder): folder for folder in self._made}
        for path in paths.values():
            with self._reach(path) as place:
                place.sync_folder()

    def _failed(self, journal: Journal, error: BaseException) -> BaseException:
        """Put everything back; answers what to raise."""
        touched = self._published
        kept, whole = self._put_back(journal)
        if isinstance(error, ObstacleError) and whole and not kept:
            return error
        if isinstance(error, ObstacleError):
            error = error.error
        if isinstance(error, OSError):
            error = disk_error(error, self.asked(paths_of(self.plan.steps[0])[0]))
        if not isinstance(error, CoeditorError):
            return error
        lost = [{"file_path": self.asked(item.path), "snapshot": item.snapshot} for item in kept]
        state = {"rolled_back": whole and not kept, "not_restored": lost}
        if self.several and (touched or error.code is Code.FS_IO):
            return transaction_failed(error, state)
        if not state["rolled_back"]:
            error.data.update(state)
        return error

    def _put_back(self, journal: Journal) -> tuple[list[NotRestored], bool]:
        """What had to be left, and whether all the rest is back."""
        undoer = Undoer(self.walls, self.journal_dir, self.name)
        kept: dict[str, NotRestored] = {}
        for _ in range(_PUT_BACK_ATTEMPTS):
            with suppress(OSError, CoeditorError):
                if self._published and journal.phase == "staging":
                    self._unpublish(undoer, self.plan.steps[0], kept)
                    self._published = False
                take_back(journal, undoer, self.plan.steps, self._made, kept)
                self._unstage()
                return [*kept.values()], True
        journal.close()  # recovery tries again
        return [*kept.values()], False

    def _unstage(self) -> None:
        """All is put back; in a folder that was moved away meanwhile the staged files are still there."""
        for stage in self._stages:
            with suppress(OSError):
                stage.unlink()

    def _unpublish(self, undoer: Undoer, step: Step, kept: dict[str, NotRestored]) -> None:
        """A single file was published, but its folder could not be flushed; the old bytes are in memory."""
        if not isinstance(step, Replace):
            item = undoer.undo(step)
            if item is not None:
                kept.setdefault(item.path, item)
            return
        with self._reach(step.path) as place, place.sibling(step.stage) as stage:
            old = next(check.expect for check in self.plan.checks if check.path == step.path)
            data = b"" if old is ABSENT else old
            if not has_fingerprint(place, step.after):
                kept.setdefault(step.path, NotRestored(step.path, undoer.keep_bytes(data)))
                return
            mode = stat.S_IMODE(self._seen[step.path].status.st_mode)
            stage.unlink()
            stage_file(stage, data, like=attributes_of(place), mode=mode, durable=False)
            stage.replace(place)

    def _tidy(self, journal: Journal) -> None:
        undoer = Undoer(self.walls, self.journal_dir, self.name)
        try:
            if journal.phase == "done":
                for step in self.plan.steps:
                    discard(undoer, step)
            journal.remove()
        except (OSError, CoeditorError):
            journal.close()  # it is published; recovery removes what is left
