"""The ledger's methods about review: one file's records in order, and where a review of them stands.

Never: texts, or what a person sees of them; a state of review is opaque here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from ledger.entry_forms import packed, unpacked
from ledger.entry_rows import EntryRows
from ledger.store import Database
from ledger.types import EditId, Entry, FileRecord, TargetKey, VersionToken


@dataclass(frozen=True, slots=True)
class Link:
    """One record of one file, in the order of what happened to it."""

    seq: int
    entry: Entry
    """With all of its files; neither request nor outcome."""
    file: FileRecord


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A review of one file as it stood after one record."""

    target: TargetKey
    seq: int
    """The last record that it takes into account."""
    token: VersionToken | None
    """The text that it is about; None where the file was not there."""
    base_blob: str | None
    """The snapshot of the file before what is pending, for as long as it may be wanted."""
    state: str
    """Opaque."""


class Reviews:
    """The part of the ledger that reviews are made from. Every method can raise FS_IO."""

    _database: Database
    _entries: EntryRows
    _write: Callable[..., None]

    def links(self, target: TargetKey, after: int = 0, below: int = 2**62) -> list[Link]:
        """What happened to the file that has the name ``target``, oldest first, behind ``after`` and before ``below``.

        It is the file that has the name now, or had it when ``below`` came.

        Moves are followed to the names that it had before. What stood under one of the names before the file
        that is meant came there is another file and not in it.
        """
        found: list[Link] = []
        name = target
        while True:
            for link in self._about(name, after, below):
                file = link.file
                if file.target != name:
                    return found[::-1]  # it left this name then
                found.append(link)
                if file.from_target is not None:
                    name, below = file.from_target, link.seq
                    break
            else:
                return found[::-1]

    def pending_targets(self) -> list[TargetKey]:
        """The files of entries that nobody has settled yet, under the names they had then."""
        rows = self._database.run(
            "SELECT DISTINCT target FROM files WHERE seq IN"
            " (SELECT seq FROM entries WHERE review = 'pending' AND state = 'applied')"
        )
        return [TargetKey(str(row[0])) for row in rows]

    def seq_of(self, edit_id: EditId) -> int:
        """The place of an entry in the order of all; 0 for one that is not kept."""
        return self._entries.seq_of(edit_id)

    def pending_edits(self) -> list[EditId]:
        """The entries that nobody has settled yet."""
        rows = self._database.run(
            "SELECT edit_id FROM entries WHERE review = 'pending' AND state = 'applied' ORDER BY seq"
        )
        return [EditId(str(row[0])) for row in rows]

    def checkpoint(self, target: TargetKey) -> Checkpoint | None:
        """Where the review of ``target`` stood, if it was kept."""
        rows = self._database.run(
            "SELECT seq, token, base_blob, state FROM reviews WHERE target = ?", (target,)
        )
        if not rows:
            return None
        seq, token, base, state = rows[0]
        return Checkpoint(
            target,
            int(seq or 0),
            cast("VersionToken | None", token),
            cast("str | None", base),
            unpacked(state) or "",
        )

    def keep_checkpoint(self, checkpoint: Checkpoint) -> None:
        """From now on the review of its file goes on from there."""
        self._write(
            lambda: self._database.run(
                "INSERT OR REPLACE INTO reviews (target, seq, token, base_blob, state) VALUES (?, ?, ?, ?, ?)",
                (
                    checkpoint.target,
                    checkpoint.seq,
                    checkpoint.token,
                    checkpoint.base_blob,
                    packed(checkpoint.state),
                ),
            )
        )

    def _about(self, name: TargetKey, after: int, below: int) -> Iterator[Link]:
        """The records about ``name``, newest first."""
        rows = self._database.run(
            "SELECT DISTINCT seq FROM files WHERE (target = ? OR from_target = ?) AND seq > ? AND seq < ?"
            " ORDER BY seq DESC",
            (name, name, after, below),
        )
        for seq, entry in self._entries.of_seqs([int(row[0] or 0) for row in rows]):
            for file in reversed(entry.files):
                if name in (file.target, file.from_target):
                    yield Link(seq, entry, file)
