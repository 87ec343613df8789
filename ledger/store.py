"""The ledger's SQLite file: opened, migrated, kept private, set aside when it is damaged.

One step is one transaction. With ``durable`` it is on the disk before it returns; without, it survives the
death of this process but not a power cut. A damaged file is renamed, a new one takes its place, and a notice
says so.

Never: knowledge of what the rows mean. This is the only file that imports sqlite3.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from ledger.errors import Code, CoeditorError
from ledger.schema import MIGRATIONS

Value = str | int | float | bytes | None
Row = tuple[Value, ...]

_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_LOG = "-wal"
_PAGES_AT_ONCE = 16_384
"""So that nobody waits long for it."""
_PAGES_IN_LOG = 3_000
"""Written ahead before they are moved to the file: the same few pages change again and again, and move once."""
_VALUES_AT_ONCE = 500
"""Of those bound to one statement; SQLite has a limit."""
_KEPT_ASIDE = 2
"""How many damaged files stay for a person to look at."""
_COUNTS = """
    SELECT 'sessions', count(*) FROM sessions UNION ALL SELECT 'scopes', count(*) FROM scopes
    UNION ALL SELECT 'observations', count(*) FROM observations UNION ALL SELECT 'files', count(*) FROM files
    UNION ALL SELECT 'contents', count(*) FROM contents UNION ALL SELECT 'reviews', count(*) FROM reviews
    """


class Database:
    """One connection. Calls from several threads are serialised."""

    def __init__(self, path: str | None, *, flushes: bool = True) -> None:
        """Open ``path`` (None: in memory), making and migrating it as needed.

        Without ``flushes`` no step is durable: a power cut can cost the last ones. A file that a newer Coeditor
        wrote is left alone, and one beside it used until this one is updated.

        Errors: FS_IO when it cannot be opened.
        """
        self.path = path
        self.notices: list[str] = []
        """What a person should hear, once."""
        self.on_replaced: Callable[[], None] = lambda: None
        """Called after a damaged file was replaced by an empty one."""
        self.replaced = 0
        """How often that happened."""
        self.taken_back = 0
        """How many transactions came to nothing."""
        self._flushes = flushes
        self._lock = threading.RLock()
        self._depth = 0
        self._is_damaged = False
        self._level = ""
        self._link = self._open_or_replace()

    def run(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Execute one statement with bound values; all of its rows.

        Outside a transaction it is run again on the new file when it meets damage.
        """
        with self._lock:
            try:
                return self._link.execute(sql, values).fetchall()
            except sqlite3.Error as met:
                replaced, failure = self.replaced, self._met(met)
                if self.replaced == replaced:
                    raise failure from met
            with self._translated():
                return self._link.execute(sql, values).fetchall()

    def run_many(self, sql: str, rows: Iterable[Sequence[Value]]) -> None:
        """Execute one statement for each of ``rows``."""
        with self._lock:
            try:
                self._link.executemany(sql, rows)
            except sqlite3.Error as error:
                raise self._met(error) from error

    def run_in(self, sql: str, values: Sequence[Value]) -> list[Row]:
        """All rows of ``sql`` followed by ``IN (values)``, however many those are; in no order."""
        found: list[Row] = []
        for start in range(0, len(values), _VALUES_AT_ONCE):
            part = values[start : start + _VALUES_AT_ONCE]
            found += self.run(f"{sql} IN ({', '.join('?' * len(part))})", part)
        return found

    def transaction(self, *, durable: bool = False) -> Transaction:
        """All of the statements inside the block, or none. Nested ones join the outer one."""
        return Transaction(self, durable=durable)

    def enter(self, *, durable: bool) -> None:
        """A transaction begins, or one that is under way goes on; `leave` has to follow."""
        self._lock.acquire()
        try:
            if not self._depth:
                self._begin(durable=durable)
        except BaseException:
            self._lock.release()
            raise
        self._depth += 1

    def leave(self, *, failed: bool) -> None:
        """The outermost one is kept, or taken back where it ``failed`` or cannot be kept."""
        try:
            self._depth -= 1
            if self._depth:
                return
            if failed:
                self._take_back()
                self._replace_if_damaged()
                return
            try:
                self._link.execute("COMMIT")
            except sqlite3.Error as error:
                failure = self._met(error)
                self._take_back()
                raise failure from error
        finally:
            self._lock.release()

    def _begin(self, *, durable: bool) -> None:
        try:
            self._use_level("FULL" if durable and self._flushes else "NORMAL")
            self._link.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise self._met(error) from error

    def _take_back(self) -> None:
        self.taken_back += 1
        with suppress(sqlite3.Error):
            self._link.execute("ROLLBACK")

    @property
    def is_in_transaction(self) -> bool:
        """Whether what was written may yet be taken back."""
        return self._depth > 0

    def shrink(self) -> None:
        """Give free pages and the write-ahead log back to the disk, and cached pages to the system."""
        with self._lock, self._translated():
            # As a script: executed as a statement it would be stopped after one page.
            self._link.executescript(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})")
            self._link.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._link.execute("PRAGMA shrink_memory").fetchall()

    def close(self) -> None:
        """Close the file; nothing can be run afterwards."""
        with self._lock, suppress(sqlite3.Error):
            self._link.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._met(error) from error

    def _met(self, error: sqlite3.Error) -> CoeditorError:
        """What to raise for ``error``; a damaged file is replaced first, unless a transaction is under way."""
        self._is_damaged = self._is_damaged or _tells_damage(error)
        if not self._depth:
            self._replace_if_damaged()
        return CoeditorError(
            Code.FS_IO, f"The ledger's store cannot be used ({error}). Check the disk and try again."
        )

    def _use_level(self, level: str) -> None:
        if self._level != level:
            self._link.execute(f"PRAGMA synchronous = {level}")
            self._level = level

    def _replace_if_damaged(self) -> None:
        if self._is_damaged and self.path is not None:
            self._is_damaged = False
            with suppress(sqlite3.Error):
                self._link.close()
            self._set_aside(self.path)
            self._link = self._open()
            self.replaced += 1
            self.on_replaced()

    def _open_or_replace(self) -> sqlite3.Connection:
        try:
            return self._open()
        except _NewerError as error:
            assert self.path is not None, "nobody else made what is in memory"
            self.path = f"{self.path.removesuffix('.db')}.schema-{len(MIGRATIONS)}.db"
            self.notices.append(
                f"The ledger was written by a newer Coeditor (schema {error.version}; this one knows"
                f" {len(MIGRATIONS)}) and is left alone; until this one is updated the history is kept in"
                f" {Path(self.path).name}."
            )
            return self._open_or_replace()
        except sqlite3.DatabaseError as error:
            if self.path is None or not _tells_damage(error):
                raise CoeditorError(Code.FS_IO, f"The ledger's store cannot be opened ({error}).") from error
            self._set_aside(self.path)
            return self._open()

    def _open(self) -> sqlite3.Connection:
        if self.path is not None:
            _make_private(self.path)
        link = sqlite3.connect(
            self.path or ":memory:", timeout=5.0, isolation_level=None, check_same_thread=False
        )
        self._level = ""
        try:
            if _version(link) == 0:
                link.execute("PRAGMA auto_vacuum = INCREMENTAL")
            link.execute("PRAGMA journal_mode = WAL").fetchall()
            link.execute("PRAGMA journal_size_limit = 16777216").fetchall()
            link.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_IN_LOG}")
            link.execute("PRAGMA synchronous = NORMAL")
            _migrate(link)
        except BaseException:
            link.close()
            raise
        return link

    def _set_aside(self, path: str) -> None:
        """Rename a damaged file out of the way; the newest two stay."""
        folder, name = Path(path).parent, Path(path).name
        aside_before = [each for each in folder.glob(f"{name}.damaged-*") if not each.name.endswith(_LOG)]
        taken = sorted(aside_before, key=lambda each: each.stat().st_mtime)
        for old in taken[: max(0, len(taken) - _KEPT_ASIDE + 1)]:
            old.unlink(missing_ok=True)
            Path(f"{old}{_LOG}").unlink(missing_ok=True)
        number = 1
        while (aside := folder / f"{name}.damaged-{number}").exists():
            number += 1
        Path(path).replace(aside)
        with suppress(FileNotFoundError):  # the newest steps may be in there
            Path(path + _LOG).replace(f"{aside}{_LOG}")
        Path(path + "-shm").unlink(missing_ok=True)
        self.notices.append(
            f"The ledger's store was damaged and has been set aside as {aside.name}; "
            "the history before this is not listed."
        )


class Transaction:
    """One block of statements."""

    __slots__ = ("_database", "_durable")

    def __init__(self, database: Database, *, durable: bool) -> None:
        self._database = database
        self._durable = durable

    def __enter__(self) -> None:
        self._database.enter(durable=self._durable)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.leave(failed=kind is not None)


def describe(path: str) -> dict[str, object]:
    """How large the file ``path`` is, whether it is whole, and how many rows of what it has; none of their values."""
    found: dict[str, object] = {"known_schema": len(MIGRATIONS)}
    try:
        found["bytes"] = os.path.getsize(path)
        link = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True, timeout=5.0)
    except (OSError, sqlite3.Error) as error:
        return found | {"problem": type(error).__name__}
    try:
        found["schema"] = link.execute("PRAGMA user_version").fetchone()[0]
        found["whole"] = link.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
        found["rows"] = dict(link.execute(_COUNTS).fetchall())
        found["entries"] = dict(link.execute("SELECT state, count(*) FROM entries GROUP BY state").fetchall())
    except sqlite3.Error as error:
        found["problem"] = type(error).__name__
    finally:
        link.close()
    return found


def _make_private(path: str) -> None:
    """The file for this user only (0600), in a folder for this user only (0700)."""
    try:
        folder = Path(path).parent
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        Path(path).chmod(0o600)
    except OSError as error:
        raise CoeditorError(Code.FS_IO, f"The ledger's folder cannot be used ({error.strerror}).") from error


def _migrate(link: sqlite3.Connection) -> None:
    """Bring the schema to the newest version, one transaction a version."""
    for number, statements in enumerate(MIGRATIONS[_version(link) :], start=_version(link) + 1):
        link.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have done it while this one waited.
            if _version(link) < number:
                for statement in statements:
                    link.execute(statement)
                link.execute(f"PRAGMA user_version = {number}")
            link.execute("COMMIT")
        except BaseException:
            link.execute("ROLLBACK")
            raise


def _version(link: sqlite3.Connection) -> int:
    """The schema's version. Errors: _NewerError when this program does not know it."""
    version = int(link.execute("PRAGMA user_version").fetchone()[0])
    if version > len(MIGRATIONS):
        raise _NewerError(version)
    return version


class _NewerError(Exception):
    """A newer Coeditor wrote it."""

    def __init__(self, version: int) -> None:
        super().__init__(version)
        self.version = version


def _tells_damage(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(code, int) and (code & 0xFF) in _DAMAGED
