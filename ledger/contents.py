"""Texts and snapshots by content: one copy of each, compressed, bounded.

The key of a text is its version token; the key of raw bytes is the token of their UTF-8 reading, so that a
plain UTF-8 file and its text share one copy. What an edit made is kept as its difference to what it was made of,
some of them in a row; whoever drops a text writes out those that are kept as a difference to it.

Never: a promise to still have something. What was dropped is answered with None.
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress

from ledger.deltas import deflated, delta, undelta
from ledger.errors import CoeditorError
from ledger.limits import DAY, Limits
from ledger.store import Database, Row, Value
from ledger.types import VersionToken, token_of_utf8


class Contents:
    """Content by key, in memory (texts, least recently used first out) and in the store."""

    def __init__(self, database: Database, clock: Callable[[], float], limits: Limits) -> None:
        self._database = database
        self._clock = clock
        self._limits = limits
        self._recent: OrderedDict[str, str] = OrderedDict()
        self._recent_size = 0
        self._stored = self._measure()
        self._sure: dict[str, float] = {}
        """Keys that are in the store, with when that was seen; the oldest are let go."""
        self._sure_while = database.taken_back
        """As long as no more than so many transactions came to nothing: one of these may have stored them."""

    def keep_text(self, token: VersionToken, text: str, *, store: bool = True) -> None:
        """Hold ``text``, whose token is ``token``, for later diffs. A store that is full is no error.

        Not ``store``: in memory only.
        """
        if token in self._recent:
            self._recent.move_to_end(token)
            return
        self._remember(token, text)
        if store and len(text) <= self._limits.text:
            data = text.encode("utf-8")
            if len(data) <= self._limits.text:
                # Without it a later refusal has a shorter diff, nothing worse.
                with suppress(CoeditorError):
                    self._put(token, data)

    def text_of(self, token: VersionToken) -> str | None:
        """The text with that token, None when it is not held any more."""
        found = self._recent.get(token)
        if found is not None:
            self._recent.move_to_end(token)
            return found
        try:
            data = self._get(token)
            text = None if data is None else data.decode("utf-8")
        except (CoeditorError, UnicodeDecodeError):
            return None
        if text is not None:
            self._remember(token, text)
        return text

    def put_blob(self, data: bytes, *, base: bytes | None = None) -> str | None:
        """Store ``data`` and answer its key; None when it is over the limit. It takes less with the ``base`` that
        it was made of, where that is stored.

        Errors: FS_IO when the store cannot take it.
        """
        if len(data) > self._limits.blob:
            return None
        key = token_of_utf8(data)
        self._put(key, data, base=base)
        return key

    def get_blob(self, key: str) -> bytes | None:
        """What was stored under ``key``; None when it is not there any more. Errors: FS_IO."""
        return self._get(key)

    def stored_size(self) -> int:
        """Compressed bytes in the store."""
        return self._stored

    def trim(self, *, unused_since: float = float("-inf")) -> None:
        """Drop what nobody refers to and nobody used since then, then the longest unused until the limit is kept.

        Ten per cent are freed at once, so that the next edit does not trim again. What was stored just now
        goes last: the entry that refers to it may be about to be written. Errors: FS_IO.
        """
        now = self._clock()
        while unused := self._database.run(
            f"SELECT key FROM contents WHERE used < ? AND {_UNREFERENCED} AND {_NO_BASE}",
            (unused_since,),
        ):
            self._drop(unused)
        if self._stored <= self._limits.store:
            return
        while (excess := self._stored - self._limits.store * 9 // 10) > 0:
            drop: list[Row] = []
            for key, stored in self._database.run(
                f"SELECT key, stored FROM contents ORDER BY used < ? AND {_UNREFERENCED} DESC, used",
                (now - _JUST_NOW,),
            ):
                if excess <= 0:
                    break
                drop.append((key,))
                excess -= int(stored or 0)
            self._drop(drop)

    def _drop(self, rows: Sequence[Row]) -> None:
        """Let go of these keys, but of nothing that is kept as a difference to them."""
        with self._database.transaction():
            for key in self._left_without(rows):
                data = self._get(key)
                if data is not None:
                    packed = deflated(data)
                    self._database.run(
                        "UPDATE contents SET stored = ?, data = ?, base = NULL, depth = 0 WHERE key = ?",
                        (len(packed), packed, key),
                    )
            self._database.run_many("DELETE FROM contents WHERE key = ?", rows)
        self._stored = self._measure()
        self._sure.clear()

    def _left_without(self, rows: Sequence[Row]) -> list[str]:
        """Those that stay when ``rows`` go, and are kept as a difference to one of them."""
        going = [row[0] for row in rows]
        kept = self._database.run_in("SELECT key FROM contents WHERE base", going)
        return [str(key) for key in {key for (key,) in kept}.difference(going)]

    def forget_stored(self) -> None:
        """The store was replaced by an empty one."""
        self._stored = 0
        self._sure.clear()

    def _put(self, key: str, data: bytes, *, base: bytes | None = None) -> None:
        now = self._clock()
        if self._sure_while != self._database.taken_back:
            self._sure.clear()
            self._sure_while = self._database.taken_back
        if now - self._sure.get(key, -DAY) < _SURE:
            return
        with self._database.transaction():
            rows = self._database.run("SELECT used FROM contents WHERE key = ?", (key,))
            if not rows:
                if self._stored > self._limits.store * 5 // 4:
                    self.trim()
                packed, base_key, depth = self._packed(data, base)
                self._database.run(
                    "INSERT INTO contents (key, used, stored, data, base, depth) VALUES (?, ?, ?, ?, ?, ?)",
                    (key, now, len(packed), packed, base_key, depth),
                )
                self._stored += len(packed)
            elif now - float(rows[0][0] or 0) > DAY:
                self._database.run("UPDATE contents SET used = ? WHERE key = ?", (now, key))
        self._sure[key] = now
        if len(self._sure) > _SURE_KEYS:
            del self._sure[next(iter(self._sure))]

    def _packed(self, data: bytes, base: bytes | None) -> tuple[bytes, str | None, int]:
        """As it is stored: the bytes, to what they are a difference, and the how many-th in a row of them."""
        key = token_of_utf8(base) if base is not None and len(data) >= _WORTH_A_DELTA else None
        rows = self._database.run("SELECT depth FROM contents WHERE key = ?", (key,)) if key else []
        depth = int(rows[0][0] or 0) + 1 if rows else _DEEPEST + 1
        less = delta(base, data) if base is not None and depth <= _DEEPEST else None
        if less is not None and len(less) < len(data) // 20:
            return less, key, depth
        whole = deflated(data)
        return (less, key, depth) if less is not None and len(less) < len(whole) // 2 else (whole, None, 0)

    def _get(self, key: str) -> bytes | None:
        """What it was stored as, or None: never anything else."""
        packed: list[bytes] = []
        wanted: Value = key
        while wanted is not None:
            rows = self._database.run("SELECT data, base FROM contents WHERE key = ?", (wanted,))
            if not rows or not isinstance(rows[0][0], bytes) or len(packed) > _DEEPEST:
                return None
            packed.append(rows[0][0])
            wanted = rows[0][1]
        try:
            found = zlib.decompress(packed[-1])
            for difference in reversed(packed[:-1]):
                found = undelta(found, difference)
        except (zlib.error, ValueError):
            return None
        return found if len(packed) == 1 or token_of_utf8(found) == key else None

    def _remember(self, token: str, text: str) -> None:
        self._recent[token] = text
        self._recent_size += _weight(text)
        while self._recent_size > self._limits.memory and len(self._recent) > 1:
            _, old = self._recent.popitem(last=False)
            self._recent_size -= _weight(old)

    def _measure(self) -> int:
        return int(self._database.run("SELECT total(stored) FROM contents")[0][0] or 0)


_SURE = 300.0
"""Seconds for which nobody looks again whether something is stored; far less than until it is unused."""
_SURE_KEYS = 1000
_JUST_NOW = 600.0
"""Seconds."""
_WORTH_A_DELTA = 256
"""Bytes."""
_DEEPEST = 16
"""Differences in a row: how many are unpacked for one text, and how much is left of what else could go."""

_UNREFERENCED = """key NOT IN (
    SELECT iif(before_blob = '=', before_token, before_blob) FROM files WHERE before_blob IS NOT NULL
    UNION SELECT iif(after_blob = '=', after_token, after_blob) FROM files WHERE after_blob IS NOT NULL
    UNION SELECT token FROM reviews WHERE token IS NOT NULL
    UNION SELECT base_blob FROM reviews WHERE base_blob IS NOT NULL)"""
_NO_BASE = "key NOT IN (SELECT base FROM contents WHERE base IS NOT NULL)"


def _weight(text: str) -> int:
    """Bytes that a held text takes, roughly."""
    return len(text) * (1 if text.isascii() else 2) + 100
