"""Whether the files of a plan are still what was asked about, up to the moment of the change.

Bytes are compared once; afterwards a look at the file's status is enough, unless it is so young that a further
change need not show there.

Never: changing anything on disk.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

from editor_clients.disk import read_place
from editor_clients.disk_changes import ABSENT
from editor_clients.disk_errors import stale
from editor_clients.places import Place, is_link
from editor_clients.transaction_plan import Check, Plan
from editor_clients.transaction_steps import UNLIMITED, moment_of
from editor_clients.walls import Walls

_YOUNG_NS = 100_000_000
"""A file that was changed this recently may change again without its time stamp showing it."""


@dataclass(frozen=True, slots=True)
class _Sight:
    """What a checked file looked like just before its bytes were compared."""

    status: os.stat_result
    young: bool
    """Changed so recently that a further change need not show in its time stamp."""


class Checks:
    """The preconditions of one plan, and what was seen when they were held against the disk."""

    def __init__(self, plan: Plan, walls: Walls) -> None:
        self._plan = plan
        self._walls = walls
        self._seen: dict[str, _Sight] = {}

    def verify_all(self) -> None:
        """Compare the bytes of every file that has to be there.

        Errors: FS_STALE_VERSION; FS_DENIED for a link that was put in the way.
        """
        for check in self._plan.checks:
            if check.expect is not ABSENT:  # the publication itself refuses to replace anything
                with self._walls.open_entry(check.content or check.path) as place:
                    self._compare(place, check)

    def confirm(self, place: Place, *, alone: bool = False) -> None:
        """The file is still the one whose bytes were compared; ``alone``: nothing was done since then.

        Errors: FS_STALE_VERSION.
        """
        check = next(check for check in self._plan.checks if check.path == place.path)
        now = place.status()
        if check.link is not None:
            if not is_link(now) or place.read_link() != check.link:
                raise stale(check.asked, vanished=now is None)
            return
        seen = self._seen[place.path]
        if now is None or moment_of(seen.status) != moment_of(now) or (seen.young and not alone):
            self._compare(place, check)

    def mode_of(self, path: str) -> int:
        """The file type and mode bits (``st_mode``) that a verified file had."""
        return self._seen[path].status.st_mode

    def _compare(self, place: Place, check: Check) -> None:
        status, now = place.status(), time.time_ns()
        found = read_place(
            place, check.asked, UNLIMITED, maybe=None if check.expect is ABSENT else check.expect
        )
        if found is None or status is None or found.data != check.expect:
            raise stale(check.asked, vanished=found is None)
        self._seen[check.path] = _Sight(status, now - status.st_mtime_ns < _YOUNG_NS)
