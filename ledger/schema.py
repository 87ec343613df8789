"""The tables of the ledger's store, as steps from one version to the next.

Never: a change to a step that was shipped; a new version is a new step at the end.
"""

from __future__ import annotations

_FIRST = (
    "CREATE TABLE sessions (session TEXT PRIMARY KEY, used REAL NOT NULL) WITHOUT ROWID",
    """CREATE TABLE scopes (
        session TEXT NOT NULL, scope TEXT NOT NULL, parent TEXT, started REAL NOT NULL, ended REAL,
        PRIMARY KEY (session, scope)) WITHOUT ROWID""",
    """CREATE TABLE observations (
        session TEXT NOT NULL, scope TEXT NOT NULL, target TEXT NOT NULL,
        time REAL NOT NULL, state TEXT NOT NULL,
        PRIMARY KEY (session, scope, target)) WITHOUT ROWID""",
    """CREATE TABLE child_changes (
        session TEXT NOT NULL, parent TEXT NOT NULL, child TEXT NOT NULL, target TEXT NOT NULL,
        path TEXT NOT NULL, edit_id TEXT NOT NULL,
        PRIMARY KEY (session, parent, child, target)) WITHOUT ROWID""",
    """CREATE TABLE entries (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, edit_id TEXT NOT NULL UNIQUE, time REAL NOT NULL,
        session TEXT NOT NULL, scope TEXT NOT NULL, turn TEXT, call_id TEXT, agent TEXT, tool TEXT NOT NULL,
        state TEXT NOT NULL, review TEXT NOT NULL, rewinds TEXT, request BLOB, outcome BLOB)""",
    "CREATE INDEX entries_by_session ON entries (session, seq)",
    "CREATE INDEX entries_by_call ON entries (session, call_id) WHERE call_id IS NOT NULL",
    "CREATE INDEX entries_open ON entries (state) WHERE state IN ('intended', 'refused')",
    """CREATE TABLE files (
        seq INTEGER NOT NULL, position INTEGER NOT NULL, target TEXT NOT NULL, path TEXT NOT NULL,
        operation TEXT NOT NULL, from_target TEXT, from_path TEXT,
        before_token TEXT, before_blob TEXT, before_encoding TEXT, before_mode INTEGER,
        after_token TEXT, after_blob TEXT, after_encoding TEXT, after_mode INTEGER,
        added INTEGER NOT NULL, removed INTEGER NOT NULL, authority TEXT NOT NULL, saved INTEGER NOT NULL,
        rewound_by TEXT, PRIMARY KEY (seq, position)) WITHOUT ROWID""",
    "CREATE INDEX files_by_target ON files (target, seq)",
    "CREATE INDEX files_by_source ON files (from_target, seq) WHERE from_target IS NOT NULL",
    "CREATE INDEX files_rewound ON files (rewound_by) WHERE rewound_by IS NOT NULL",
    """CREATE TABLE contents (
        key TEXT PRIMARY KEY, used REAL NOT NULL, stored INTEGER NOT NULL, data BLOB NOT NULL)""",
    "CREATE INDEX contents_by_use ON contents (used, stored)",
)

_REVIEW = (
    "ALTER TABLE entries ADD COLUMN origin TEXT NOT NULL DEFAULT 'tool'",
    "ALTER TABLE files ADD COLUMN head TEXT",
    "CREATE INDEX entries_pending ON entries (seq) WHERE review = 'pending'",
    """CREATE TABLE reviews (
        target TEXT PRIMARY KEY, seq INTEGER NOT NULL, token TEXT, base_blob TEXT, state BLOB NOT NULL)
        WITHOUT ROWID""",
)

_FOLDERS = ("ALTER TABLE files ADD COLUMN folders TEXT",)

_DELTAS = (
    "ALTER TABLE contents ADD COLUMN base TEXT",
    "ALTER TABLE contents ADD COLUMN depth INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX contents_by_base ON contents (base) WHERE base IS NOT NULL",
)

_UNKNOWN = ("CREATE INDEX entries_unknown ON entries (seq) WHERE state = 'unknown'",)

_AGES = ("CREATE TABLE marks (seq INTEGER PRIMARY KEY AUTOINCREMENT, age REAL NOT NULL, wall REAL NOT NULL)",)

_UNASKED = ("DROP INDEX entries_open",)
"""No question is answered by it, and every edit wrote it twice."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST, _REVIEW, _FOLDERS, _DELTAS, _UNKNOWN, _AGES, _UNASKED)
"""Step n leads from version n to n + 1; the version is SQLite's ``user_version``."""
