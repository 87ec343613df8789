"""Life of one entry: intended before the edit leaves, then applied, refused or unknown.

::

    intended -> applied | refused | unknown
    unknown  -> applied | refused            the text was looked at again
    applied <-> rewound                      a rewind took it back; a rewind of that rewind restores it

Never: I/O. The store keeps what these functions return.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ledger.errors import Code, CoeditorError
from ledger.types import Caller, EditId, Entry, EntryOrigin, EntryState, FileRecord, ReviewState

_NEXT: dict[EntryState, frozenset[EntryState]] = {
    "intended": frozenset({"applied", "refused", "unknown"}),
    "unknown": frozenset({"applied", "refused", "unknown"}),
    "applied": frozenset({"applied", "rewound"}),
    "rewound": frozenset({"rewound", "applied"}),
    "refused": frozenset({"refused"}),
}

HAPPENED: frozenset[EntryState] = frozenset({"applied", "rewound", "unknown"})
"""States that people and agents see in the history."""


def intended(
    edit_id: EditId,
    time: float,
    caller: Caller,
    tool: str,
    files: Sequence[FileRecord],
    *,
    request: str | None = None,
    rewinds: EditId | None = None,
    origin: EntryOrigin = "tool",
) -> Entry:
    """A new entry: this is what is about to be done. A person's own edits are nothing to be reviewed."""
    review: ReviewState = "kept" if origin == "person" else "pending"
    return Entry(
        edit_id, time, caller, tool, "intended", tuple(files), review, rewinds, request=request, origin=origin
    )


def moved_to(
    entry: Entry,
    state: EntryState,
    *,
    files: Sequence[FileRecord] | None = None,
    outcome: str | None = None,
) -> Entry:
    """The entry in its next state; ``files`` as they were read back, ``outcome`` where there is one.

    Errors: INTERNAL when the state cannot follow.
    """
    if state not in _NEXT[entry.state]:
        raise CoeditorError(Code.INTERNAL, f"An entry that is {entry.state} cannot become {state}.")
    return replace(
        entry,
        state=state,
        files=entry.files if files is None else tuple(files),
        outcome=entry.outcome if outcome is None else outcome,
    )
