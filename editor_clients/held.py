"""Changes on disk that can still be taken back, some of which an editor is to make.

Never: an answer that was not read back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from editor_clients.port import Applied
from editor_clients.transaction import Transaction
from editor_clients.transaction_steps import Remove, Rename, paths_of
from ledger.types import TargetKey


class Held:
    """One transaction; `keep` or `give_back` ends it."""

    def __init__(self, transaction: Transaction, read_back: Callable[[], Applied]) -> None:
        self._transaction = transaction
        self._read_back = read_back

    @property
    def led(self) -> frozenset[TargetKey]:
        """Sources of the changes that are left to an editor."""
        steps = self._transaction.plan.steps
        return frozenset(_source(step) for step in steps if self._transaction.is_led(step))

    def left_to_do(self) -> frozenset[TargetKey]:
        """Those of them that have not been made, as the disk shows."""
        return frozenset(_source(step) for step in self._transaction.left_to_do())

    def make(self, sources: Collection[TargetKey]) -> None:
        """Make these after all, without an editor. Errors: as `publish`; `give_back` has to follow then."""
        for step in self._transaction.left_to_do():
            if _source(step) in sources:
                self._transaction.make(step)

    def read_back(self) -> Applied:
        """What is there now. Errors: FS_UNCONFIRMED when it is something else; `give_back` has to follow then."""
        return self._read_back()

    def keep(self) -> None:
        """It is final. Errors: as ``EditorClient.apply``; everything is put back when it could not be kept."""
        self._transaction.keep()

    def give_back(self) -> Sequence[dict[str, str | None]]:
        """All is as before; gives what had to be left, as ``not_restored``."""
        return self._transaction.give_back()


def _source(step: Remove | Rename) -> TargetKey:
    return TargetKey(paths_of(step)[0])
