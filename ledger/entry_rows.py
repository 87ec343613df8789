"""Journal entries as rows of the store.

Never: decisions about an entry's life (journal), or what a list of them means (history).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ledger.entry_forms import entry_of, file_of, file_row, packed
from ledger.errors import Code, CoeditorError
from ledger.history import Recorded
from ledger.journal import HAPPENED
from ledger.store import Database, Row, Value
from ledger.types import EditId, Entry, EntryState, FileRecord, ReviewState

_ENTRY = "seq, edit_id, time, session, scope, turn, call_id, agent, tool, state, review, rewinds, origin"
_FILE = (
    "target, path, operation, from_target, from_path, before_token, before_blob, before_encoding, "
    "before_mode, after_token, after_blob, after_encoding, after_mode, added, removed, authority, saved, head, folders"
)
_NAMES = 5
"""How many of these say which file it is; the rest is what became of it."""
_INSERT_FILE = f"INSERT INTO files (seq, position, {_FILE}) VALUES ({', '.join('?' * 21)})"
_UPDATE_FILE = (
    f"UPDATE files SET {', '.join(f'{name} = ?' for name in _FILE.split(', ')[_NAMES:])}"
    " WHERE seq = ? AND position = ?"
)
_SEEN = ", ".join(f"'{state}'" for state in sorted(HAPPENED))


class EntryRows:
    """Reads and writes entries. Lists are newest first and carry neither requests nor outcomes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def insert(self, entry: Entry) -> None:
        """Add ``entry``. Errors: FS_IO, also when its id is taken."""
        caller = entry.caller
        [(seq,)] = self._database.run(
            "INSERT INTO entries (edit_id, time, session, scope, turn, call_id, agent, tool, state, review,"
            " rewinds, origin, request, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " RETURNING seq",
            (
                entry.edit_id,
                entry.time,
                caller.scope.session,
                caller.scope.scope,
                caller.turn,
                caller.call_id,
                caller.agent,
                entry.tool,
                entry.state,
                entry.review,
                entry.rewinds,
                entry.origin,
                packed(entry.request),
                packed(entry.outcome),
            ),
        )
        self._insert_files(seq, entry.files)

    def update(self, entry: Entry, *, files_before: Sequence[FileRecord] | None = None) -> None:
        """Write state and outcome of ``entry``; and its files, if they may differ from ``files_before``."""
        rows = self._database.run(
            "UPDATE entries SET state = ?, outcome = ? WHERE edit_id = ? RETURNING seq",
            (entry.state, packed(entry.outcome), entry.edit_id),
        )
        if files_before is None:
            return
        for (seq,) in rows:
            if [_names(file) for file in files_before] == [_names(file) for file in entry.files]:
                self._database.run_many(
                    _UPDATE_FILE,
                    [(*file_row(file)[_NAMES:], seq, at) for at, file in enumerate(entry.files)],
                )
            else:
                self._database.run("DELETE FROM files WHERE seq = ?", (seq,))
                self._insert_files(seq, entry.files)

    def set_outcome(self, edit_id: EditId, outcome: str) -> None:
        """Write the answer alone. Errors: INTERNAL for an entry that is not there."""
        found = self._database.run(
            "UPDATE entries SET outcome = ? WHERE edit_id = ? RETURNING seq", (packed(outcome), edit_id)
        )
        if not found:
            raise CoeditorError(Code.INTERNAL, f"The journal has no entry {edit_id}.")

    def get(self, edit_id: str) -> Entry | None:
        """One entry with its request and outcome."""
        return self._one("edit_id = ?", (edit_id,))

    def of_call(self, session: str | None, call_id: str) -> Entry | None:
        """The newest entry of that call (of any session), in whatever state, with its request and outcome."""
        if session is None:
            return self._one("call_id = ? ORDER BY seq DESC", (call_id,))
        return self._one("session = ? AND call_id = ? ORDER BY seq DESC", (session, call_id))

    def in_state(self, state: EntryState) -> list[Entry]:
        """Every entry in ``state``, oldest first."""
        rows = self._database.run(f"SELECT {_ENTRY} FROM entries WHERE state = ? ORDER BY seq", (state,))
        return [each.entry for each in self._recorded(rows)]

    def unknown(self, limit: int) -> list[Entry]:
        """The newest of those of which nobody knew what came of them."""
        rows = self._database.run(
            f"SELECT {_ENTRY} FROM entries WHERE state = 'unknown' ORDER BY seq DESC LIMIT ?", (limit,)
        )
        return [each.entry for each in self._recorded(rows)]

    def recorded(
        self, *, session: str | None = None, limit: int | None = None, from_edit: str | None = None
    ) -> list[Recorded]:
        """What happened, of one session or all; ``from_edit``: that entry and later ones."""
        where, values = f"state IN ({_SEEN})", list[Value]()
        if session is not None:
            where += " AND session = ?"
            values.append(session)
        if from_edit is not None:
            where += " AND seq >= (SELECT seq FROM entries WHERE edit_id = ?)"
            values.append(from_edit)
        rows = self._database.run(
            f"SELECT {_ENTRY} FROM entries WHERE {where} ORDER BY seq DESC LIMIT ?",
            (*values, -1 if limit is None else limit),
        )
        return self._recorded(rows)

    def of_target(self, target: str, *, session: str | None, limit: int | None) -> list[Entry]:
        """What happened to ``target``, also under the names it had before it was moved."""
        clauses, values = list[str](), list[Value]()
        for name, below in self._names_of(target):
            clauses.append("((target = ? OR from_target = ?) AND seq < ?)")
            values.extend((name, name, below))
        where = f"state IN ({_SEEN}) AND seq IN (SELECT seq FROM files WHERE {' OR '.join(clauses)})"
        if session is not None:
            where += " AND session = ?"
            values.append(session)
        rows = self._database.run(
            f"SELECT {_ENTRY} FROM entries WHERE {where} ORDER BY seq DESC LIMIT ?",
            (*values, -1 if limit is None else limit),
        )
        return [each.entry for each in self._recorded(rows)]

    def of_seqs(self, seqs: Sequence[int]) -> list[tuple[int, Entry]]:
        """What happened under these numbers, newest first."""
        rows = self._database.run_in(f"SELECT {_ENTRY} FROM entries WHERE state IN ({_SEEN}) AND seq", seqs)
        found = [(int(row[0] or 0), each.entry) for row, each in zip(rows, self._recorded(rows), strict=True)]
        return sorted(found, key=lambda each: -each[0])

    def last_writer(self, target: str, token: str | None) -> Entry | None:
        """The newest entry about ``target``, if it left the text with that token there (None: no file).

        An older entry that did so is no answer: since then the text went through somebody else's hands.
        """
        rows = self._database.run(
            f"SELECT {_ENTRY} FROM entries WHERE state IN ({_SEEN}) AND seq IN"
            " (SELECT seq FROM files WHERE target = ? OR from_target = ?) ORDER BY seq DESC LIMIT 1",
            (target, target),
        )
        for each in self._recorded(rows):
            if any(_left(file, target, token) for file in each.entry.files):
                return each.entry
        return None

    def seq_of(self, edit_id: str) -> int:
        """The place of an entry in the order of all; 0 for one that is not kept."""
        rows = self._database.run("SELECT seq FROM entries WHERE edit_id = ?", (edit_id,))
        return int(rows[0][0] or 0) if rows else 0

    def first_of_turn(self, turn: str, session: str | None) -> Entry | None:
        """The first entry of that turn (of the newest session that has one, when none is named)."""
        if session is None:
            rows = self._database.run(
                f"SELECT session FROM entries WHERE turn = ? AND state IN ({_SEEN})"
                " ORDER BY seq DESC LIMIT 1",
                (turn,),
            )
            if not rows:
                return None
            session = str(rows[0][0])
        return self._one(f"turn = ? AND session = ? AND state IN ({_SEEN}) ORDER BY seq", (turn, session))

    def first_of_session(self, session: str) -> Entry | None:
        """The first entry of that session."""
        return self._one(f"session = ? AND state IN ({_SEEN}) ORDER BY seq", (session,))

    def has_happened(self, session: str) -> bool:
        """Whether anything was changed in ``session``."""
        return bool(
            self._database.run(
                f"SELECT 1 FROM entries WHERE session = ? AND state IN ({_SEEN}) LIMIT 1", (session,)
            )
        )

    def set_rewound(self, edit_id: str, files: Sequence[FileRecord], rewinder: str) -> None:
        """``rewinder`` took back ``files`` of ``edit_id``.

        Where that takes back an earlier rewind, what it had taken back of these files is applied again; where it
        takes back all of it, also in files in which it came to nothing and which it therefore does not name.
        """
        seq = self.seq_of(edit_id)
        self._database.run_many(
            "UPDATE files SET rewound_by = ? WHERE seq = ? AND target = ?",
            [(rewinder, seq, file.target) for file in files],
        )
        self._settle(seq)
        restored = self._database.run("SELECT DISTINCT seq FROM files WHERE rewound_by = ?", (edit_id,))
        own = self._database.run("SELECT DISTINCT target FROM files WHERE seq = ?", (seq,))
        names = {name for file in files for name in (file.target, file.from_target) if name is not None}
        if {row[0] for row in own} <= names:
            self._database.run("UPDATE files SET rewound_by = NULL WHERE rewound_by = ?", (edit_id,))
        self._database.run_many(
            "UPDATE files SET rewound_by = NULL WHERE rewound_by = ? AND (target = ? OR from_target = ?)",
            [(edit_id, name, name) for name in names],
        )
        for (each,) in restored:
            self._settle(int(each or 0))

    def reaching_before(self, edit_id: str) -> set[EditId]:
        """The rewinds that took back something older than ``edit_id``, or of another session."""
        rows = self._database.run(
            "SELECT DISTINCT files.rewound_by FROM files JOIN entries USING (seq), entries AS first"
            " WHERE files.rewound_by IS NOT NULL AND first.edit_id = ?"
            " AND (entries.seq < first.seq OR entries.session != first.session)",
            (edit_id,),
        )
        return {EditId(str(rewinder)) for (rewinder,) in rows}

    def set_review(self, edit_id: str, review: ReviewState) -> None:
        """Write the review field."""
        self._database.run("UPDATE entries SET review = ? WHERE edit_id = ?", (review, edit_id))

    def drop_old(self, before: float, refused_before: float, keep: int) -> int:
        """Remove entries older than ``before``, refused ones older than theirs, and all beyond ``keep``."""
        rows = self._database.run(
            "SELECT seq FROM entries WHERE state != 'intended' AND"
            " (time < ? OR (state = 'refused' AND time < ?)"
            " OR seq <= (SELECT seq FROM entries ORDER BY seq DESC LIMIT 1 OFFSET ?))",
            (before, refused_before, keep),
        )
        if rows:
            with self._database.transaction():
                self._database.run_many("DELETE FROM files WHERE seq = ?", rows)
                self._database.run_many("DELETE FROM entries WHERE seq = ?", rows)
        return len(rows)

    def drop_requests(self, most: int) -> int:
        """Forget requests and answers of the oldest entries, until those that are left take ``most`` bytes."""
        rows = self._database.run(
            "SELECT seq FROM (SELECT seq, state, sum(ifnull(length(request), 0) + ifnull(length(outcome), 0))"
            " OVER (ORDER BY seq DESC) AS size FROM entries WHERE request NOTNULL OR outcome NOTNULL)"
            " WHERE size > ? AND state != 'intended'",
            (most,),
        )
        if rows:
            with self._database.transaction():
                self._database.run_many(
                    "UPDATE entries SET request = NULL, outcome = NULL WHERE seq = ?", rows
                )
        return len(rows)

    def _settle(self, seq: int) -> None:
        """Let the entry's state and review follow its files: rewound when all of them are."""
        self._database.run(
            "UPDATE entries SET state = 'rewound', review = 'undone' WHERE seq = ? AND state = 'applied'"
            " AND NOT EXISTS (SELECT 1 FROM files WHERE seq = entries.seq AND rewound_by IS NULL)",
            (seq,),
        )
        self._database.run(
            "UPDATE entries SET state = 'applied', review = 'pending' WHERE seq = ? AND state = 'rewound'"
            " AND EXISTS (SELECT 1 FROM files WHERE seq = entries.seq AND rewound_by IS NULL)",
            (seq,),
        )

    def _names_of(self, target: str) -> list[tuple[str, int]]:
        """Names that the file at ``target`` had, each with the seq below which it counts."""
        names = [(target, 2**62)]
        for name, below in names:
            moves = self._database.run(
                "SELECT from_target, seq FROM files WHERE target = ? AND seq < ? AND from_target IS NOT NULL",
                (name, below),
            )
            for source, seq in moves:
                found = (str(source), int(seq or 0))
                if not any(known == found[0] and found[1] <= bound for known, bound in names):
                    names.append(found)
        return names

    def _insert_files(self, seq: Value, files: Sequence[FileRecord]) -> None:
        self._database.run_many(
            _INSERT_FILE, [(seq, position, *file_row(file)) for position, file in enumerate(files)]
        )

    def _one(self, where: str, values: Sequence[Value]) -> Entry | None:
        rows = self._database.run(
            f"SELECT {_ENTRY}, request, outcome FROM entries WHERE {where} LIMIT 1", values
        )
        return self._recorded(rows)[0].entry if rows else None

    def _recorded(self, rows: Sequence[Row]) -> list[Recorded]:
        files = self._files_of([row[0] for row in rows])
        found: list[Recorded] = []
        for row in rows:
            mine = files.get(row[0], [])
            entry = entry_of(row, tuple(file for file, _ in mine))
            found.append(Recorded(entry, tuple(rewinder for _, rewinder in mine)))
        return found

    def _files_of(self, seqs: Sequence[Value]) -> dict[Value, list[tuple[FileRecord, EditId | None]]]:
        found: dict[Value, list[tuple[FileRecord, EditId | None]]] = {}
        rows = self._database.run_in(f"SELECT position, seq, rewound_by, {_FILE} FROM files WHERE seq", seqs)
        for _, seq, rewinder, *values in sorted(rows, key=lambda row: int(row[0] or 0)):
            found.setdefault(seq, []).append((file_of(values), cast("EditId | None", rewinder)))
        return found


def _names(file: FileRecord) -> tuple[str | None, ...]:
    return (file.target, file.path, file.operation, file.from_target, file.from_path)


def _left(file: FileRecord, target: str, token: str | None) -> bool:
    """Whether ``file`` ended with that text at ``target``, or with nothing there."""
    if token is None:
        return file.from_target == target or (file.target == target and file.after is None)
    return file.target == target and file.after is not None and file.after.token == token
