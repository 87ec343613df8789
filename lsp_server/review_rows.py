"""The hunks of a review as a person is shown them and names them again.

Never: I/O, or a hunk that is called the same and is not.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

from ledger.types import EditId, Entry
from lsp_server.edits.pending import Hunk
from lsp_server.moments import rfc3339
from lsp_server.reviewing import FileReview

Kind = Literal["lines", "create", "delete", "move"]
"""Some lines; or that the file came, went, or has another name."""


@dataclass(frozen=True, slots=True)
class Item:
    """What can be kept or undone by itself."""

    name: str
    """The same for as long as lines, base and edits are; lines that move on keep it."""
    kind: Kind
    hunks: tuple[Hunk, ...]
    edits: tuple[EditId, ...]

    @property
    def beside(self) -> bool:
        """Somebody else changed a line right next to one of its hunks since."""
        return any(hunk.beside for hunk in self.hunks)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which items are meant; all of them where nothing is named."""

    names: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    turns: frozenset[str] = frozenset()
    edits: frozenset[str] = frozenset()

    @classmethod
    def of(cls, sent: Mapping[str, Any]) -> Chosen:
        """From a request's arguments."""
        return cls(*(frozenset(sent.get(name, ())) for name in ("hunks", "sessions", "turns", "edits")))

    def wants(self, item: Item, entries: Mapping[EditId, Entry]) -> bool:
        """Whether the item has to do with what is named."""
        return (not self.names or item.name in self.names) and any(
            self.wants_edit(edit, entries) for edit in item.edits
        )

    def wants_edit(self, edit: EditId, entries: Mapping[EditId, Entry]) -> bool:
        """Whether one edit is among what is named."""
        entry = entries.get(edit)
        caller = entry.caller if entry is not None else None
        return (
            (not self.edits or edit in self.edits)
            and (not self.sessions or (caller is not None and caller.scope.session in self.sessions))
            and (not self.turns or (caller is not None and caller.turn in self.turns))
        )

    def leaves(self, item: Item, entries: Mapping[EditId, Entry]) -> tuple[EditId, ...]:
        """Edits that have a part in the item and are not named."""
        return tuple(edit for edit in item.edits if not self.wants_edit(edit, entries))


def items_of(review: FileReview) -> tuple[Item, ...]:
    """What is pending in a file, from top to bottom; that it came or went is one item with all its lines."""
    pending = review.pending
    found: list[tuple[Kind, tuple[Hunk, ...], tuple[EditId, ...]]] = []
    if pending.came_or_went:
        edits = dict.fromkeys((*pending.makers, *(edit for hunk in pending.hunks for edit in hunk.edits)))
        found.append(("create" if pending.present else "delete", pending.hunks, tuple(edits)))
    else:
        if pending.away:
            found.append(("move", (), pending.makers))
        found += (("lines", (hunk,), hunk.edits) for hunk in pending.hunks)
    names: set[str] = set()
    rows = []
    for kind, hunks, edits_ in found:
        name = _name(review, kind, hunks, edits_, 0)
        while name in names:
            name = _name(review, kind, hunks, edits_, len(names))
        names.add(name)
        rows.append(Item(name, kind, hunks, edits_))
    return tuple(rows)


def file_row(review: FileReview, items: Sequence[Item], entries: Mapping[EditId, Entry]) -> dict[str, Any]:
    """One file of the answer."""
    pending = review.pending
    operation = "create" if not pending.was_present else "delete" if not pending.present else "update"
    row: dict[str, Any] = {
        "file_path": review.path,
        "operation": "move" if pending.away else operation,
        "version": review.token,
        "hunks": [_item_row(review, item, entries) for item in items],
    }
    if pending.away:
        row["from"] = review.origin_path
    return row


def _item_row(review: FileReview, item: Item, entries: Mapping[EditId, Entry]) -> dict[str, Any]:
    first = item.hunks[0].first if item.hunks else 0
    last = item.hunks[-1].end if item.hunks else 0
    if item.kind == "create":
        first, last = 0, len(review.pending.lines)
    return {
        "hunk": item.name,
        "kind": item.kind,
        "start_line": first + 1,
        "end_line": last,
        "before": "".join(line for hunk in item.hunks for line in hunk.base),
        "after": "".join("".join(review.pending.lines[hunk.first : hunk.end]) for hunk in item.hunks),
        "added": sum(hunk.count for hunk in item.hunks),
        "removed": sum(len(hunk.base) for hunk in item.hunks),
        "edits": [_edit_row(edit, entries.get(edit)) for edit in item.edits],
        "undoable": not item.beside,
    }


def _edit_row(edit: EditId, entry: Entry | None) -> dict[str, Any]:
    row: dict[str, Any] = {"edit_id": edit}
    if entry is None:
        return row
    caller = entry.caller
    row |= {
        "session": caller.scope.session,
        "scope": caller.scope.scope,
        "tool": entry.tool,
        "time": rfc3339(entry.time),
    }
    optional = {"turn": caller.turn, "agent": caller.agent}
    return row | {name: value for name, value in optional.items() if value is not None}


def _name(
    review: FileReview, kind: Kind, hunks: Collection[Hunk], edits: Collection[EditId], number: int
) -> str:
    lines = review.pending.lines
    parts = [os.fspath(review.target), kind, *edits, str(number)]
    for hunk in hunks:
        parts += ["".join(hunk.base), "".join(lines[hunk.first : hunk.end])]
    digest = blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=6)
    return f"h{digest.hexdigest()}"
