"""The ledger's methods about what was done: journal, history, and what a rewind undoes.

Never: the life of an entry (journal), what a list means (history), or rows (entry_rows).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from ledger import history, journal
from ledger.entry_rows import EntryRows
from ledger.errors import Code, CoeditorError
from ledger.history import RewindStep
from ledger.observations import Observations
from ledger.store import Database
from ledger.types import (
    Caller,
    EditId,
    Entry,
    EntryOrigin,
    EntryState,
    FileRecord,
    ReviewState,
    TargetKey,
    VersionToken,
)


class Journaling:
    """The part of the ledger that keeps the journal. Lists are newest first; every method can raise FS_IO."""

    _database: Database
    _entries: EntryRows
    _observations: Observations
    _clock: Callable[[], float]
    _new_id: Callable[[], str]
    _open: dict[EditId, Entry]

    def intend(
        self,
        caller: Caller,
        tool: str,
        files: Sequence[FileRecord],
        request: str | None = None,
        *,
        rewinds: EditId | None = None,
        origin: EntryOrigin = "tool",
    ) -> EditId:
        """Record what is about to be done, durably. Errors: FS_IO, and then it must not be done."""
        edit_id = EditId(self._new_id())
        entry = journal.intended(
            edit_id, self._clock(), caller, tool, files, request=request, rewinds=rewinds, origin=origin
        )
        self._write(lambda: self._entries.insert(entry), durable=True)
        self._open[edit_id] = entry
        return edit_id

    def mark_applied(
        self, edit_id: EditId, files: Sequence[FileRecord] | None = None, outcome: str | None = None
    ) -> Entry:
        """It happened; ``files`` as they were read back. Errors: INTERNAL for an entry that is not open."""
        entry = self._mark(edit_id, "applied", files, outcome)
        with suppress(CoeditorError):
            self._observations.tell_parents(entry)
        return entry

    def mark_refused(self, edit_id: EditId, outcome: str | None = None) -> Entry:
        """Nothing happened; the entry is not in the history. Errors: as ``mark_applied``."""
        return self._mark(edit_id, "refused", None, outcome)

    def mark_unknown(
        self, edit_id: EditId, outcome: str | None = None, files: Sequence[FileRecord] | None = None
    ) -> Entry:
        """Whether it happened cannot be told. Errors: as ``mark_applied``."""
        return self._mark(edit_id, "unknown", files, outcome)

    def set_outcome(self, edit_id: EditId, outcome: str) -> None:
        """Keep the answer for a caller that lost its connection."""
        self._write(lambda: self._entries.set_outcome(edit_id, outcome))

    def entry(self, edit_id: str) -> Entry | None:
        """One entry in whatever state, with request and outcome."""
        return self._entries.get(edit_id)

    def entry_of_call(self, session_id: str | None, call_id: str) -> Entry | None:
        """The entry that a call made (of any session for None), in whatever state, with its outcome."""
        return self._entries.of_call(session_id, call_id)

    def intended_entries(self) -> list[Entry]:
        """Entries that a crash left open, oldest first, to be compared with the current texts."""
        return self._entries.in_state("intended")

    def unknown_entries(self, limit: int = 100) -> list[Entry]:
        """The newest entries of which could not be told whether they happened."""
        return self._entries.unknown(limit)

    def entries(
        self, *, session: str | None = None, target: TargetKey | None = None, limit: int | None = 50
    ) -> list[Entry]:
        """The history, newest first: of a session or all, of a file (also under earlier names) or all."""
        if target is not None:
            return self._entries.of_target(target, session=session, limit=limit)
        return [each.entry for each in self._entries.recorded(session=session, limit=limit)]

    def last_writer(self, target: TargetKey, token: VersionToken | None) -> Entry | None:
        """Whose edit produced the text with that token in ``target`` (None: took the file away).

        None when it was none of ours.
        """
        return self._entries.last_writer(target, token)

    def had_edits(self, session_id: str) -> bool:
        """Whether the session changed anything."""
        return self._entries.has_happened(session_id)

    def start_of(self, since: str, session_id: str | None) -> Entry:
        """The entry that an edit id, a turn or a session names: that edit, or the first of them.

        With a session (an agent's), another session's edit is an INVALID_ARGUMENT, as is a name that nothing
        has.
        """
        entry = self._entries.get(since)
        if entry is None or entry.state not in journal.HAPPENED:
            entry = self._entries.first_of_turn(since, session_id) or self._entries.first_of_session(since)
        if entry is None:
            raise CoeditorError(
                Code.INVALID_ARGUMENT,
                f"Nothing in the history is called {since!r}. `history` lists the edits, their turns and sessions."
                + self._newest(session_id),
            )
        if session_id is not None and entry.caller.scope.session != session_id:
            raise CoeditorError(
                Code.INVALID_ARGUMENT, f"The edit {since} belongs to another session; name one of your own."
            )
        return entry

    def _newest(self, session_id: str | None) -> str:
        """A sentence with the edit that who asks for the last one most likely means; empty when there is none."""
        if session_id is None:
            return ""
        made = (one.edit_id for one in self.entries(session=session_id) if one.state == "applied")
        newest = next(made, None)
        return "" if newest is None else f" Your newest edit is {newest}."

    def entries_since(
        self, since: str | None, *, session: str | None = None, target: TargetKey | None = None
    ) -> list[Entry]:
        """That edit (or turn, or the session's start) and what came after in the same session, newest first.

        Errors: as ``start_of``, FS_IO.
        """
        first = None if since is None else self.start_of(since, session)
        owner = session if first is None else first.caller.scope.session
        recorded = self._entries.recorded(session=owner, from_edit=first.edit_id if first else None)
        entries = [each.entry for each in recorded]
        if target is None:
            return entries
        return [replace(entry, files=files) for entry, files in history.touching(entries, target)]

    def entries_between(self, first: str, last: str, *, session: str | None = None) -> list[Entry]:
        """From one edit to another of the same session, or from turns or sessions, both included; newest first.

        Errors: as ``start_of``; INVALID_ARGUMENT where the last one is before the first or another session's.
        """
        start, end = self.start_of(first, session), self.start_of(last, session)
        owner = start.caller.scope.session
        recorded = self._entries.recorded(session=owner, from_edit=start.edit_id)
        found = [each.entry for each in recorded]
        named = {last, end.edit_id}
        for index, entry in enumerate(found):
            if not named.isdisjoint((entry.edit_id, entry.caller.turn, entry.caller.scope.session)):
                return found[index:]
        raise CoeditorError(
            Code.INVALID_ARGUMENT,
            f"{last} does not come after {first} in the same session; name them the other way.",
        )

    def rewind_steps(
        self, to: str, *, session: str | None = None, target: TargetKey | None = None
    ) -> tuple[RewindStep, ...]:
        """What a rewind to that edit or turn must undo, newest first; empty when nothing is left.

        Errors: as ``start_of``, FS_IO.
        """
        first = self.start_of(to, session)
        reach = self._entries.recorded(session=first.caller.scope.session, from_edit=first.edit_id)
        return history.rewind_steps(reach, target, further=self._entries.reaching_before(first.edit_id))

    def mark_rewound(self, rewind_id: EditId, steps: Sequence[RewindStep]) -> None:
        """The rewind ``rewind_id`` took ``steps`` back."""

        def write() -> None:
            for step in steps:
                self._entries.set_rewound(step.entry.edit_id, step.files, rewind_id)

        self._write(write)

    def set_review(self, edit_id: EditId, review: ReviewState) -> None:
        """What a person made of the entry."""
        self._entries.set_review(edit_id, review)

    def _mark(
        self,
        edit_id: EditId,
        state: EntryState,
        files: Sequence[FileRecord] | None,
        outcome: str | None,
    ) -> Entry:
        before = self._known(edit_id)
        entry = journal.moved_to(before, state, files=files, outcome=outcome)
        changed = None if files is None else before.files
        self._write(lambda: self._entries.update(entry, files_before=changed))
        self._open.pop(edit_id, None)
        return entry

    def _write(self, step: Callable[[], None], *, durable: bool = False) -> None:
        """Run ``step`` in one transaction; once more when the store was replaced below it."""
        replaced = self._database.replaced
        try:
            with self._database.transaction(durable=durable):
                step()
        except CoeditorError:
            if self._database.replaced == replaced:
                raise
            with self._database.transaction(durable=durable):
                step()

    def _write_open_entries(self) -> None:
        """The store was replaced by an empty one: entries that are under way are written to it."""
        with suppress(CoeditorError), self._database.transaction():
            for entry in self._open.values():
                self._entries.insert(entry)

    def _known(self, edit_id: EditId) -> Entry:
        entry = self._open.get(edit_id) or self._entries.get(edit_id)
        if entry is None:
            raise CoeditorError(Code.INTERNAL, f"The journal has no entry {edit_id}.")
        return entry
