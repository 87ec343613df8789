"""New contents beside their targets, whole and flushed, before the first target changes.

Never: changing a target.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress

from editor_clients.disk_changes import ABSENT
from editor_clients.disk_errors import disk_error
from editor_clients.places import Place
from editor_clients.staging import (
    Attributes,
    CannotKeepError,
    Written,
    attributes_of,
    cause_of,
    finish_all,
    refuse_read_only,
    write_stage,
)
from editor_clients.transaction_plan import ObstacleError, Plan, Staged
from editor_clients.transaction_steps import Create, InPlace, Replace, Step, paths_of
from editor_clients.transaction_undo import write_private
from editor_clients.walls import Walls

NOT_RENAMABLE = (errno.EBUSY, errno.EPERM, errno.EACCES, errno.EXDEV, errno.EROFS)
"""What a system says of a target that cannot be replaced by a rename."""
_OPEN_AT_ONCE = 128


class Stages:
    """What one plan writes before its steps are made."""

    def __init__(self, plan: Plan, walls: Walls, journal_dir: str, *, durable: bool) -> None:
        self._plan = plan
        self._walls = walls
        self._journal_dir = journal_dir
        self._durable = durable
        self.made: list[str] = []
        """The folders that were made, outermost first."""
        self._written: list[Written] = []
        """Staged files that may not be on the disk yet."""
        self._places: list[Place] = []
        """Staged files by the folders that they were put into, wherever those are by now."""

    def write(self) -> None:
        """Folders and staged files are there, and flushed where that is asked for.

        Errors: FS_IO and FS_DENIED as `transaction.publish` has them, and ObstacleError.
        """
        self._make_folders()
        try:
            for step, staged in zip(self._plan.steps, self._plan.staged, strict=True):
                if staged is None:
                    continue
                try:
                    self._stage(step, staged)
                except OSError as error:
                    raise disk_error(error, self._plan.asked(paths_of(step)[0])) from error
                if len(self._written) == _OPEN_AT_ONCE:
                    self._finish()
            self._finish()
        finally:
            for one in self._written:
                one.close()
            self._written.clear()

    def remove(self) -> None:
        """All is put back; in a folder that was moved away meanwhile the staged files are still there."""
        for place in self._places:
            with suppress(OSError):
                place.unlink()

    def close(self) -> None:
        """Let go of the folders; the staged files stay."""
        for place in self._places:
            place.close()

    def _make_folders(self) -> None:
        for folder in self._plan.folders:
            try:
                with self._walls.open_entry(folder) as place, suppress(FileExistsError):
                    place.make_folder()
                    self.made.append(folder)
            except OSError as error:
                raise disk_error(error, folder, doing="make the folder") from error

    def _finish(self) -> None:
        """What was staged so far is on the disk: one after the other they would wait for it as often."""
        try:
            finish_all(self._written, durable=self._durable)
        except OSError as error:
            raise disk_error(error, self._plan.asked(self._target_of(error.filename))) from error
        self._written.clear()

    def _target_of(self, stage: object) -> str:
        """The canonical path that a staged file is for."""
        steps = [step for step in self._plan.steps if isinstance(step, Create | Replace)]
        names = {os.path.join(os.path.dirname(step.path), step.stage): step.path for step in steps}
        return names[str(stage)]

    def _stage(self, step: Step, staged: Staged) -> None:
        if isinstance(step, InPlace):
            self._keep_both(step, staged)
        elif isinstance(step, Create | Replace):
            with self._walls.open_entry(step.path) as place, place.sibling(step.stage) as stage:
                if isinstance(step, Replace):
                    refuse_read_only(place)
                self._places.append(place.sibling(step.stage))
                self._stage_beside(step, staged, stage)

    def _keep_both(self, step: InPlace, staged: Staged) -> None:
        """The old bytes and the new ones beside the journal, for a file that is written over."""
        with self._walls.open_entry(step.path) as place:
            refuse_read_only(place)
        for name, data in ((step.old, self._plan.expected(step.path)), (step.new, staged.data)):
            if data is not ABSENT:
                write_private(os.path.join(self._journal_dir, name), data, durable=self._durable)

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
            if isinstance(step, Replace) and error.errno in NOT_RENAMABLE:
                raise ObstacleError(step.path, error) from error
            raise

    def _attributes(self, staged: Staged) -> Attributes | None:
        if staged.like is None:
            return None
        with self._walls.open_entry(staged.like) as source:
            return attributes_of(source)
