"""How often in a row one scope's edits of one file found nothing to replace.

Never: more than a bounded number of files; the one that was missed longest ago is forgotten first.
"""

from __future__ import annotations

from collections import OrderedDict

from ledger.types import ScopeKey, TargetKey

MANY = 3
"""Misses in a row after which more of the file is shown."""


class MissStreaks:
    """Counts misses; in memory alone, since a new server may well begin anew."""

    def __init__(self, most: int = 4_096) -> None:
        self._most = most
        self._counts: OrderedDict[tuple[ScopeKey, TargetKey], int] = OrderedDict()

    def missed(self, scope: ScopeKey, target: TargetKey) -> int:
        """One more miss; gives how many there were in a row."""
        count = self._counts.pop((scope, target), 0) + 1
        self._counts[scope, target] = count
        if len(self._counts) > self._most:
            self._counts.popitem(last=False)
        return count

    def ended(self, scope: ScopeKey, target: TargetKey) -> None:
        """The scope was shown the file anew, or changed it."""
        self._counts.pop((scope, target), None)
