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
from dataclasses import replace
from secrets import token_hex
from typing import TypeGuard

from editor_clients.disk import read_place
from editor_clients.disk_changes import ABSENT, DiskChange, Durability
from editor_clients.disk_errors import already_exists, disk_error, transaction_failed
from editor_clients.places import Place
from editor_clients.staging import CannotKeepError, attributes_of, cause_of, stage_file, write_in_place
from editor_clients.transaction_checks import Checks
from editor_clients.transaction_journal import Journal, Record
from editor_clients.transaction_plan import ObstacleError, Obstacles, Plan, Staged, plan_changes
from editor_clients.transaction_staging import NOT_RENAMABLE, Stages
from editor_clients.transaction_steps import (
    UNLIMITED,
    Create,
    InPlace,
    Remove,
    Rename,
    Replace,
    Step,
    has_fingerprint,
    paths_of,
)
from editor_clients.transaction_undo import NotRestored, Undoer, discard, take_back
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError

_NO_HARD_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS, errno.EACCES)
_PUT_BACK_ATTEMPTS = 2


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
                raise disk_error(met.error, plan.asked(met.path)) from met.error
            if met.copy:
                obstacles = replace(obstacles, copied=obstacles.copied | {met.path})
            else:
                obstacles = replace(obstacles, in_place=obstacles.in_place | {met.path})
        else:
            return attempt


class Transaction:
    """One run over one plan."""

    def __init__(
        self, plan: Plan, walls: Walls, journal_dir: str, name: str, *, durable: bool, several: bool
    ) -> None:
        """``several``: more than one change was asked for."""
        self.plan = plan
        self._walls = walls
        self._journal_dir = journal_dir
        self._name = name
        self._durable = durable
        self._several = several
        self._stages = Stages(plan, walls, journal_dir, durable=durable)
        self._checks = Checks(plan, walls)
        self._journal: Journal | None = None
        self._published = False
        """A step has been made."""

    def run(self, *, open_end: bool) -> None:
        """Errors: those of `publish`, and ObstacleError; everything is put back when it raises."""
        steps = self.plan.steps
        if not steps:
            return
        alone = not open_end and len(steps) == 1 and isinstance(steps[0], Create | Replace | Rename)
        journal = self._journal = self._begin(synced=self._durable and not alone)
        with self._putting_back(journal):
            self._stages.write()
            self._checks.verify_all()
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
            self._stages.close()

    def _end(self, journal: Journal, *, alone: bool = False) -> None:
        if self._durable:
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
                    self._checks.confirm(place)
                    place.unlink()
        except OSError as error:
            raise disk_error(error, self.plan.asked(paths_of(step)[0])) from error

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
        return [{"file_path": self.plan.asked(item.path), "snapshot": item.snapshot} for item in kept]

    def _is_made(self, step: Remove | Rename) -> bool:
        with self._reach(paths_of(step)[0]) as place:
            if place.status() is not None:
                return False
        if isinstance(step, Remove):
            return True
        with self._reach(step.dst) as there:
            return has_fingerprint(there, step.before)

    def _begin(self, *, synced: bool) -> Journal:
        record = Record(self.plan.steps, self.plan.folders, self._walls.roots)
        try:
            return Journal.begin(self._journal_dir, self._name, record, durable=synced)
        except OSError as error:
            first = self.plan.asked(paths_of(self.plan.steps[0])[0])
            raise disk_error(error, first, doing="keep a journal for") from error

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
            raise disk_error(error, self.plan.asked(paths_of(step)[0])) from error

    def _create(self, step: Create) -> None:
        with self._reach(step.path) as place, place.sibling(step.stage) as stage:
            try:
                stage.rename_new(place)
            except FileExistsError as error:
                raise already_exists(self.plan.asked(step.path)) from error

    def _replace(self, step: Replace, *, alone: bool) -> None:
        with self._reach(step.path) as place, place.sibling(step.stage) as stage:
            self._checks.confirm(place, alone=alone)
            if not alone:
                self._back_up(place, step.backup)
            try:
                stage.replace(place)
            except OSError as error:
                if error.errno in NOT_RENAMABLE:
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
            stage_file(backup, data, like=attributes_of(place), mode=None, durable=self._durable)
        except CannotKeepError as error:
            raise ObstacleError(place.path, cause_of(error)) from error

    def _write_in_place(self, step: InPlace, staged: Staged | None) -> None:
        if staged is None:
            return
        with self._reach(step.path) as place:
            self._checks.confirm(place)
            write_in_place(place, staged.data, mode=staged.mode, durable=self._durable)

    def _rename(self, step: Rename, *, only_look: bool = False) -> None:
        with self._reach(step.src) as src, self._reach(step.dst) as dst:
            if only_look:
                self._checks.confirm(src)
                if dst.status() is not None:
                    raise already_exists(self.plan.asked(step.dst))
                return
            if step.respell:
                src.replace(dst)
                return
            self._checks.confirm(src)
            try:
                src.rename_new(dst)
            except FileExistsError as error:
                raise already_exists(self.plan.asked(step.dst)) from error
            except OSError as error:
                if error.errno == errno.EXDEV:
                    raise ObstacleError(step.src, error, copy=True) from error
                raise

    def _remove(self, step: Remove) -> None:
        with self._reach(step.path) as place, place.sibling(step.backup) as backup:
            self._checks.confirm(place)
            if self.is_led(step):
                self._back_up(place, step.backup)  # a second name, by which it can come back
            else:
                place.replace(backup)

    def _reach(self, path: str) -> Place:
        return self._walls.open_entry(path)

    def _sync_folders(self) -> None:
        paths = {os.path.dirname(path): path for step in self.plan.steps for path in paths_of(step)}
        paths |= {os.path.dirname(folder): folder for folder in self._stages.made}
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
            error = disk_error(error, self.plan.asked(paths_of(self.plan.steps[0])[0]))
        if not isinstance(error, CoeditorError):
            return error
        lost = [{"file_path": self.plan.asked(item.path), "snapshot": item.snapshot} for item in kept]
        state = {"rolled_back": whole and not kept, "not_restored": lost}
        if self._several and (touched or error.code is Code.FS_IO):
            return transaction_failed(error, state)
        if not state["rolled_back"]:
            error.data.update(state)
        return error

    def _put_back(self, journal: Journal) -> tuple[list[NotRestored], bool]:
        """What had to be left, and whether all the rest is back."""
        undoer = Undoer(self._walls, self._journal_dir, self._name)
        kept: dict[str, NotRestored] = {}
        for _ in range(_PUT_BACK_ATTEMPTS):
            with suppress(OSError, CoeditorError):
                if self._published and journal.phase == "staging":
                    self._unpublish(undoer, self.plan.steps[0], kept)
                    self._published = False
                take_back(journal, undoer, self.plan.steps, self._stages.made, kept)
                self._stages.remove()
                return [*kept.values()], True
        journal.close()  # recovery tries again
        return [*kept.values()], False

    def _unpublish(self, undoer: Undoer, step: Step, kept: dict[str, NotRestored]) -> None:
        """A single file was published, but its folder could not be flushed; the old bytes are in memory."""
        if not isinstance(step, Replace):
            item = undoer.undo(step)
            if item is not None:
                kept.setdefault(item.path, item)
            return
        with self._reach(step.path) as place, place.sibling(step.stage) as stage:
            old = self.plan.expected(step.path)
            data = b"" if old is ABSENT else old
            if not has_fingerprint(place, step.after):
                kept.setdefault(step.path, NotRestored(step.path, undoer.keep_bytes(data)))
                return
            mode = stat.S_IMODE(self._checks.mode_of(step.path))
            stage.unlink()
            stage_file(stage, data, like=attributes_of(place), mode=mode, durable=False)
            stage.replace(place)

    def _tidy(self, journal: Journal) -> None:
        undoer = Undoer(self._walls, self._journal_dir, self._name)
        try:
            if journal.phase == "done":
                for step in self.plan.steps:
                    discard(undoer, step)
            journal.remove()
        except (OSError, CoeditorError):
            journal.close()  # it is published; recovery removes what is left
