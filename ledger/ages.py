"""How old things are, by the time in which somebody was at work here rather than by what the clock says.

| between two looks the clock | what is counted |
| --- | --- |
| went on by less than half a day | all of it |
| went on by more: nobody was here, or it was set forward | half a day |
| went back | nothing |

So a clock that is wrong for a while makes nothing old, however wrong it is.

Never: a promise to the day; what is told to be old is at least that old.
"""

from __future__ import annotations

from collections.abc import Callable

from ledger.limits import DAY
from ledger.store import Database

_MOST_AT_ONCE = DAY / 2
_KEPT = 20_000
"""Marks; two a day are made at most on average, so this is for the longest ages that anybody sets."""


class Ages:
    """The marks of one store: how much time had been counted when the clock said what."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._clock = clock

    def look(self) -> None:
        """Count the time since the last look. Errors: FS_IO."""
        now = self._clock()
        rows = self._database.run("SELECT age, wall FROM marks ORDER BY seq DESC LIMIT 1")
        age, wall = (float(rows[0][0] or 0), float(rows[0][1] or 0)) if rows else (0.0, now)
        with self._database.transaction():
            self._database.run(
                "INSERT INTO marks (age, wall) VALUES (?, ?)",
                (age + min(max(now - wall, 0.0), _MOST_AT_ONCE), now),
            )
            self._database.run("DELETE FROM marks WHERE seq <= (SELECT max(seq) FROM marks) - ?", (_KEPT,))

    def older_than(self, age: float) -> float:
        """What has a time before this is at least ``age`` seconds old; nothing is, where it is minus infinity.

        Errors: FS_IO.
        """
        rows = self._database.run(
            "SELECT seq, wall + (SELECT max(age) FROM marks) - ? - age FROM marks"
            " WHERE age <= (SELECT max(age) FROM marks) - ? ORDER BY seq DESC LIMIT 1",
            (age, age),
        )
        if not rows:
            return float("-inf")
        seq, then = int(rows[0][0] or 0), float(rows[0][1] or 0)
        # Where the clock went back since, what came afterwards may have an earlier time.
        later = self._database.run("SELECT min(wall) FROM marks WHERE seq > ?", (seq,))
        return min(then, float(later[0][0] or then))
