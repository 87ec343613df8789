"""Observations, sessions and scopes as rows of the store.

Never: decisions about them. An observation that cannot be read is left out, which makes its target unseen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, cast

import orjson

from ledger.numbering import Stretch
from ledger.ranges import NONE, LineRanges
from ledger.session import ABSENT, Absent, Observation, Present, Showing
from ledger.store import Database, Value
from ledger.types import EditId, ScopeKey, TargetKey, VersionToken


@dataclass(frozen=True, slots=True)
class Known:
    """An observation as the ledger lists it."""

    scope: ScopeKey
    target: TargetKey
    observation: Observation
    time: float
    """When it last moved."""


class Stored(NamedTuple):
    """An observation as it was loaded; most of a session's are never looked at again."""

    time: float
    state: str


@dataclass(frozen=True, slots=True)
class ChildChange:
    """A file that a sub-agent changed, for its parent to hear of."""

    child: ScopeKey
    target: TargetKey
    path: str
    edit_id: EditId


class ObservationRows:
    """Reads and writes what scopes saw."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def load(self, session: str) -> Iterator[tuple[ScopeKey, TargetKey, Stored]]:
        """All observations of one session, the longest untouched first."""
        rows = self._database.run(
            "SELECT scope, target, time, state FROM observations WHERE session = ? ORDER BY time", (session,)
        )
        scopes: dict[Value, ScopeKey] = {}
        for scope, target, time, state in rows:
            key = scopes.get(scope)
            if key is None:
                key = scopes[scope] = ScopeKey(session, str(scope))
            yield key, cast(TargetKey, target), Stored(cast(float, time), cast(str, state))

    def save(self, known: Iterable[Known]) -> None:
        """Write ``known``; an unseen target's row is removed."""
        for each in known:
            place = (each.scope.session, each.scope.scope, each.target)
            state = encoded(each.observation)
            if state is None:
                self._database.run(
                    "DELETE FROM observations WHERE session = ? AND scope = ? AND target = ?", place
                )
            else:
                self._database.run(
                    "INSERT INTO observations (session, scope, target, time, state) VALUES (?, ?, ?, ?, ?)"
                    " ON CONFLICT (session, scope, target) DO UPDATE"
                    " SET time = excluded.time, state = excluded.state",
                    (*place, each.time, _evened(state)),
                )

    def touch(self, session: str, now: float) -> None:
        """``session`` made a call."""
        self._database.run("INSERT OR REPLACE INTO sessions (session, used) VALUES (?, ?)", (session, now))

    def sessions(self) -> list[tuple[str, float]]:
        """Sessions with the time of their last call, newest first."""
        rows = self._database.run("SELECT session, used FROM sessions ORDER BY used DESC")
        return [(str(session), float(used or 0)) for session, used in rows]

    def drop_sessions(self, sessions: Sequence[str]) -> None:
        """Forget all that was observed in ``sessions``."""
        rows = [(session,) for session in sessions]
        for table in ("observations", "scopes", "child_changes", "sessions"):
            self._database.run_many(f"DELETE FROM {table} WHERE session = ?", rows)

    def start_scope(self, scope: ScopeKey, parent: str | None, now: float) -> None:
        """Record the scope and its parent."""
        self._database.run(
            "INSERT OR REPLACE INTO scopes (session, scope, parent, started, ended)"
            " VALUES (?, ?, ?, ?, NULL)",
            (scope.session, scope.scope, parent, now),
        )

    def end_scope(self, scope: ScopeKey, now: float) -> None:
        """Record that the scope is over."""
        self._database.run(
            "UPDATE scopes SET ended = ? WHERE session = ? AND scope = ?", (now, scope.session, scope.scope)
        )

    def parents(self, session: str) -> dict[str, str | None]:
        """The scopes that were started in ``session``, and the parent that each one named."""
        rows = self._database.run("SELECT scope, parent FROM scopes WHERE session = ?", (session,))
        return {str(scope): None if parent is None else str(parent) for scope, parent in rows}

    def add_child_changes(self, parents: Iterable[str], changes: Iterable[ChildChange]) -> None:
        """Let every one of ``parents`` hear of ``changes``."""
        rows: list[tuple[Value, ...]] = [
            (each.child.session, parent, each.child.scope, each.target, each.path, each.edit_id)
            for parent in parents
            for each in changes
        ]
        self._database.run_many(
            "INSERT OR REPLACE INTO child_changes (session, parent, child, target, path, edit_id)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            rows,
        )

    def child_changes(self, parent: ScopeKey) -> list[ChildChange]:
        """What ``parent`` has not heard of yet."""
        rows = self._database.run(
            "SELECT child, target, path, edit_id FROM child_changes WHERE session = ? AND parent = ?"
            " ORDER BY child, path",
            (parent.session, parent.scope),
        )
        return [
            ChildChange(
                ScopeKey(parent.session, str(child)), TargetKey(str(target)), str(path), EditId(str(edit_id))
            )
            for child, target, path, edit_id in rows
        ]

    def drop_child_changes(self, parent: ScopeKey) -> None:
        """``parent`` has heard of all."""
        self._database.run(
            "DELETE FROM child_changes WHERE session = ? AND parent = ?", (parent.session, parent.scope)
        )


def _evened(state: str) -> str:
    """``state`` with blanks behind: one that is as long as it was is written over where it stands, and no page is
    given back and taken anew for it.
    """
    return state if len(state) < _EVENED_FROM else state + " " * (-len(state) % _EVENED_FROM)


_EVENED_FROM = 1024
"""Bytes; what is shorter stands in one page with others."""


def encoded(observation: Observation) -> str | None:
    """The stored form; None for an unseen target, which has no row."""
    if isinstance(observation, Present):
        form: list[Any] = [observation.token, observation.total, int(observation.read_needed)]
        try:
            return orjson.dumps([*form, _all_packed(observation.showings)]).decode()
        except TypeError:  # a call may have any name, also one that is no valid Unicode
            showings = [_form(showing) for showing in observation.showings]
            return json.dumps([*form, showings], separators=(",", ":"))
    return "absent" if isinstance(observation, Absent) else None


def _all_packed(showings: Sequence[Showing]) -> list[orjson.Fragment]:
    """Their stored forms; most showings of an observation are those of the one before, and are packed already."""
    found = []
    for showing in showings:
        known = _recent.get(id(showing))
        if known is None or known[0] is not showing:
            if len(_recent) >= _RECENT:
                _recent.clear()
            known = _recent[id(showing)] = showing, orjson.Fragment(orjson.dumps(_form(showing)))
        found.append(known[1])
    return found


_recent: dict[int, tuple[Showing, orjson.Fragment]] = {}
"""By identity, with the showing, which thereby stays what its identity names."""
_RECENT = 2_000


def _form(showing: Showing) -> list[Any]:
    return [
        list(showing.calls),
        _flat(showing.shown),
        None if showing.read == showing.shown else _flat(showing.read),
        int(showing.is_read),
        int(showing.is_edit),
        _flat(showing.around),
        None if showing.moved is None else [_stretch(each) for each in showing.moved],
        int(showing.has_unnamed),
    ]


def decoded(state: str) -> Observation | None:
    """The observation of a stored form; None when it makes no sense."""
    if state == "absent":
        return ABSENT
    try:
        token, total, read_needed, showings = orjson.loads(state)
        return Present(
            VersionToken(str(token)),
            int(total),
            tuple([_showing(*each) for each in showings]),
            bool(read_needed),
        )
    except (ValueError, TypeError):
        return None


def _showing(
    calls: list[str],
    shown: list[int],
    read: list[int] | None,
    is_read: Any,
    is_edit: Any = False,
    around: Sequence[int] = (),
    moved: list[list[int]] | None = None,
    has_unnamed: Any = False,
) -> Showing:
    lines = _ranges(shown)
    return Showing(
        tuple(calls),
        lines,
        lines if read is None else _ranges(read),
        bool(is_read),
        bool(is_edit),
        _ranges(around) if around else NONE,
        None if moved is None else tuple(Stretch(*each) for each in moved),
        bool(has_unnamed),
    )


def _stretch(stretch: Stretch) -> list[int]:
    return [stretch.first, stretch.last, stretch.moved]


def _flat(ranges: LineRanges) -> list[int]:
    return list(chain.from_iterable(ranges.spans))


def _ranges(flat: Sequence[int]) -> LineRanges:
    if len(flat) == 2:
        return LineRanges(((flat[0], flat[1]),))
    return LineRanges(tuple(zip(flat[::2], flat[1::2], strict=True))) if flat else NONE
