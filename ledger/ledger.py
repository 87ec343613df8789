"""The ledger as the walk of a request uses it: observations, journal and contents of one workspace folder.

What a method was told is in the store when it returns and survives the death of the process; an intended
entry also survives a power cut.

Never: user files, protocols, or waiting.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex
from typing import TypeVar

from ledger.ages import Ages
from ledger.contents import Contents
from ledger.entry_rows import EntryRows
from ledger.errors import CoeditorError
from ledger.journaling import Journaling
from ledger.limits import DEFAULTS, Limits
from ledger.observations import Observations
from ledger.recording import Recording
from ledger.reviews import Reviews
from ledger.secret_files import NONE, SecretFiles
from ledger.store import Database
from ledger.types import VersionToken

_T = TypeVar("_T")


def new_edit_id() -> str:
    """A fresh name for an entry, short enough to be typed."""
    return f"e{token_hex(6)}"


class Ledger(Recording, Journaling, Reviews):
    """One open ledger. Its other methods are in the three parts that it is made of."""

    def __init__(
        self,
        database: Database,
        *,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = new_edit_id,
        limits: Limits = DEFAULTS,
        secrets: SecretFiles = NONE,
    ) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id
        self._limits = limits
        self._secrets = secrets
        self._observations = Observations(database, clock, limits)
        self._contents = Contents(database, clock, limits)
        self._ages = Ages(database, lambda: self._clock())
        self._entries = EntryRows(database)
        self._open = {}
        database.on_replaced = self._start_over

    @classmethod
    def open(
        cls,
        path: str | None,
        *,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = new_edit_id,
        limits: Limits = DEFAULTS,
        secrets: SecretFiles = NONE,
        flushes: bool = True,
    ) -> Ledger:
        """Open the ledger kept at ``path`` (None: in memory only), and let go of what is too old.

        A damaged file is set aside, and one of a newer Coeditor left alone, see ``take_notices``. Errors: FS_IO
        when the file cannot be opened. Without ``flushes`` a power cut can cost the last steps.
        """
        ledger = cls(
            Database(path, flushes=flushes), clock=clock, new_id=new_id, limits=limits, secrets=secrets
        )
        ledger._let_go()
        return ledger

    def close(self) -> None:
        """Close the store."""
        self._database.close()

    @contextmanager
    def step(self) -> Iterator[None]:
        """What is recorded inside reaches the store as a whole or, when the process dies, not at all.

        Errors: FS_IO; memory then still holds the observations, and they go with the next write.
        """
        with self._transaction():
            yield

    def durably(self, work: Callable[[], _T]) -> _T:
        """All that ``work`` records, on the disk as a whole before this returns; once more when the store was
        replaced below it.

        Errors: FS_IO, and then nothing of it is recorded.
        """
        replaced, known = self._database.replaced, set(self._open)
        try:
            with self._transaction(durable=True):
                return work()
        except CoeditorError:
            for edit_id in self._open.keys() - known:
                del self._open[edit_id]
            if self._database.replaced == replaced:
                raise
            with self._transaction(durable=True):
                return work()

    @contextmanager
    def _transaction(self, *, durable: bool = False) -> Iterator[None]:
        """Where it fails, the observations of memory are written again."""
        taken_back = True
        try:
            with self._database.transaction(durable=durable):
                yield
            taken_back = False
        finally:
            if not self._database.is_in_transaction:
                self._observations.step_ended(taken_back=taken_back)

    def now(self) -> float:
        """The time that entries have, in seconds since the epoch."""
        return self._clock()

    def take_notices(self) -> list[str]:
        """What a person should hear of the ledger itself, once."""
        found, self._database.notices = self._database.notices, []
        return found

    def text_of(self, token: VersionToken) -> str | None:
        """The text with that token, while it is held."""
        return self._contents.text_of(token)

    def put_blob(self, data: bytes, *, base: bytes | None = None) -> str | None:
        """Keep a snapshot; its key, or None when it is over the limit. ``base``: what it was made of.

        Errors: FS_IO.
        """
        return self._contents.put_blob(data, base=base)

    def get_blob(self, key: str) -> bytes | None:
        """A snapshot's bytes, None when they are not kept any more. Errors: FS_IO."""
        return self._contents.get_blob(key)

    def stored_size(self) -> int:
        """Bytes of texts and snapshots in the store."""
        return self._contents.stored_size()

    def compact(self) -> None:
        """Let go of what is too old or too much, and give the space back. Never an error."""
        self._let_go()
        with suppress(CoeditorError):
            self._database.shrink()

    def _let_go(self) -> None:
        replaced, older_than = self._database.replaced, self._ages.older_than
        try:
            self._ages.look()
            self._observations.expire(older_than(self._limits.session_age))
            self._entries.drop_old(
                older_than(self._limits.entry_age), older_than(self._limits.refused_age), self._limits.entries
            )
            self._entries.drop_requests(self._limits.requests)
            self._contents.trim(unused_since=older_than(self._limits.session_age))
        except CoeditorError as error:
            if self._database.replaced == replaced:
                self._database.notices.append(error.message)

    def _start_over(self) -> None:
        """The store was damaged and replaced: what memory holds is written to the new one."""
        self._contents.forget_stored()
        self._observations.write_again()
        self._write_open_entries()
