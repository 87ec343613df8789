"""Settles, after a crash, the entries that the journal still calls *intended*, by what is there now.

Never: a change of any file; unfinished transactions were finished or undone before.
"""

from __future__ import annotations

from collections.abc import Callable

from editor_clients.port import CurrentText
from ledger.errors import CoeditorError
from ledger.ledger import Ledger
from ledger.types import Entry, FileState, TargetKey, VersionToken

Look = Callable[[TargetKey], CurrentText | None]


def reconcile(ledger: Ledger, look: Look) -> None:
    """Every open entry becomes applied, refused or unknown."""
    for entry in ledger.intended_entries():
        if _holds(entry, look, after=True):
            ledger.mark_applied(entry.edit_id)
        elif _holds(entry, look, after=False):
            ledger.mark_refused(entry.edit_id)
        else:
            ledger.mark_unknown(entry.edit_id)


def _holds(entry: Entry, look: Look, *, after: bool) -> bool:
    """Whether every file stands as it was intended (or as it was before)."""
    for record in entry.files:
        wanted = _token(record.after if after else record.before)
        if record.from_target is not None:
            if (_now(look, record.from_target) is None) is not after:
                return False
            if not after:
                continue
        if _now(look, record.target) != wanted:
            return False
    return True


def _token(state: FileState | None) -> VersionToken | None:
    return state.token if state is not None else None


def _now(look: Look, target: TargetKey) -> VersionToken | None:
    try:
        found = look(target)
    except CoeditorError:
        return VersionToken("unreadable")
    return found.token if found is not None else None
