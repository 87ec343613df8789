"""Every scope's observations: in memory while their session is at work, written through to the store.

Never: the rules by which an observation moves (session), or a lost call because the store is full: what
could not be written stays in memory and goes with the next write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from ledger.errors import CoeditorError
from ledger.limits import Limits
from ledger.observation_rows import ChildChange, Known, ObservationRows, Stored, decoded
from ledger.session import UNSEEN, Observation, Present, Unseen
from ledger.store import Database
from ledger.types import Entry, ScopeKey, TargetKey

MAIN = "main"
"""The scope that every other one of its session hangs on in the end."""

_TOUCH_AFTER = 60.0
"""Seconds between two notes that a session is in use."""


class Observations:
    """What each scope saw, by target."""

    def __init__(self, database: Database, clock: Callable[[], float], limits: Limits) -> None:
        self._database = database
        self._rows = ObservationRows(database)
        self._clock = clock
        self._limits = limits
        self._scopes: dict[ScopeKey, dict[TargetKey, Known | Stored]] = {}
        self._loaded: set[str] = set()
        self._touched: dict[str, float] = {}
        self._unwritten: dict[tuple[ScopeKey, TargetKey], Known] = {}
        self._in_step: dict[tuple[ScopeKey, TargetKey], Known] = {}
        """What was written, forgotten ones among it, in a transaction that may yet be taken back."""

    def get(self, scope: ScopeKey, target: TargetKey) -> Observation:
        """What ``scope`` last saw of ``target``."""
        if scope.session not in self._loaded:
            self._load(scope.session)
        held = self._scopes.get(scope)
        found = held.get(target) if held is not None else None
        if isinstance(found, Stored):
            return self._unpack(scope, target, found).observation
        return UNSEEN if found is None else found.observation

    def time_of(self, scope: ScopeKey, target: TargetKey) -> float | None:
        """When what ``scope`` saw of ``target`` last moved, in seconds since the epoch; None when it is unseen."""
        found = self._held(scope).get(target)
        return None if found is None else found.time

    def put(self, scope: ScopeKey, target: TargetKey, observation: Observation) -> None:
        """Set what ``scope`` saw of ``target``."""
        self.put_all([(scope, target, observation)])

    def put_all(self, changes: list[tuple[ScopeKey, TargetKey, Observation]]) -> None:
        """Set several in one step."""
        now = self._clock()
        for scope, target, observation in changes:
            known = Known(scope, target, observation, now)
            held = self._held(scope)
            held.pop(target, None)
            if not isinstance(observation, Unseen):
                held[target] = known
            self._unwritten[scope, target] = known
            if len(held) > self._limits.targets:
                oldest = next(iter(held))
                del held[oldest]
                self._unwritten[scope, oldest] = Known(scope, oldest, UNSEEN, now)
        self._write({scope.session for scope, _, _ in changes}, now)

    def of_scope(self, scope: ScopeKey) -> list[Known]:
        """Every observation of ``scope``, the longest untouched first."""
        known = [
            self._unpack(scope, target, found) if isinstance(found, Stored) else found
            for target, found in self._held(scope).items()
        ]
        return [each for each in known if not isinstance(each.observation, Unseen)]

    def of_session(self, session: str) -> list[Known]:
        """Every observation of every scope of ``session``."""
        self._load(session)
        return [known for scope in self._scopes_of(session) for known in self.of_scope(scope)]

    def sessions(self) -> list[tuple[str, float]]:
        """Sessions that are remembered, with the time of their last call; the last one first. Errors: FS_IO."""
        return self._rows.sessions()

    def scopes(self) -> list[tuple[ScopeKey, int]]:
        """The scopes at work, each with how many targets it knows."""
        return [(scope, len(held)) for scope, held in self._scopes.items()]

    def observers(self, target: TargetKey) -> list[tuple[ScopeKey, Present]]:
        """The scopes at work that saw ``target`` present, and how."""
        seen = [(scope, self.get(scope, target)) for scope, held in self._scopes.items() if target in held]
        return [(scope, each) for scope, each in seen if isinstance(each, Present)]

    def targets(self) -> set[TargetKey]:
        """Every target that a session at work has seen, present or missing."""
        return {target for held in self._scopes.values() for target in held}

    def touch(self, session: str) -> None:
        """``session`` is at work: load what it saw, and note at times that it is in use."""
        is_new = session not in self._loaded
        self._load(session)
        self._write({session}, self._clock())
        if is_new:
            with suppress(CoeditorError):
                self.expire()

    def start_scope(self, scope: ScopeKey, parent: str | None) -> None:
        """A scope begins; started twice under one name, the second begins with nothing."""
        if scope.scope in self._rows.parents(scope.session):
            self.drop_scope(scope)
        self._rows.start_scope(scope, parent, self._clock())

    def end_scope(self, scope: ScopeKey) -> None:
        """A scope is over: what it saw is forgotten."""
        self._rows.end_scope(scope, self._clock())
        self.drop_scope(scope)

    def drop_scope(self, scope: ScopeKey) -> list[TargetKey]:
        """Forget all that ``scope`` saw; the targets."""
        gone = [known.target for known in self.of_scope(scope)]
        self.put_all([(scope, target, UNSEEN) for target in gone])
        return gone

    def tell_parents(self, entry: Entry) -> None:
        """Let the scopes above ``entry``'s hear of what it changed."""
        scope = entry.caller.scope
        if scope.scope == MAIN:
            return
        started = self._rows.parents(scope.session)
        parents: list[str] = []
        parent = started.get(scope.scope) or MAIN
        while parent not in parents and parent != scope.scope:
            parents.append(parent)
            # Whoever never said where it hangs, hangs on the main scope.
            parent = started.get(parent) or MAIN
        if parents:
            changes = [ChildChange(scope, file.target, file.path, entry.edit_id) for file in entry.files]
            self._rows.add_child_changes(parents, changes)

    def take_child_changes(self, parent: ScopeKey) -> list[ChildChange]:
        """What sub-agents of ``parent`` changed since it was last told; it is told now."""
        found = self._rows.child_changes(parent)
        if found:
            self._rows.drop_child_changes(parent)
        return found

    def expire(self, unused_since: float = float("-inf")) -> None:
        """Forget sessions not used since then, and the least recently used beyond the limit. Errors: FS_IO."""
        keep: set[str] = set()
        drop: list[str] = []
        for session, used in self._rows.sessions():
            if used < unused_since or len(keep) >= self._limits.sessions:
                drop.append(session)
            else:
                keep.add(session)
        if drop:
            with self._database.transaction():
                self._rows.drop_sessions(drop)
        for session in drop:
            for scope in self._scopes_of(session):
                del self._scopes[scope]
            self._loaded.discard(session)
            self._touched.pop(session, None)

    def write_again(self) -> None:
        """The store was replaced by an empty one: write what is in memory."""
        self._unwritten = {
            (scope, known.target): known for scope in self._scopes for known in self.of_scope(scope)
        }
        self._in_step = {}
        self._touched.clear()
        self._write(set(self._loaded), self._clock())

    def step_ended(self, *, taken_back: bool) -> None:
        """The transaction around the last writes is over; what it took back, memory still holds: write it again."""
        lost, self._in_step = self._in_step, {}
        if taken_back:
            self._unwritten = lost | self._unwritten
            self._touched.clear()
            self._write(set(), self._clock())

    def _held(self, scope: ScopeKey) -> dict[TargetKey, Known | Stored]:
        self._load(scope.session)
        return self._scopes.setdefault(scope, {})

    def _scopes_of(self, session: str) -> Iterator[ScopeKey]:
        return iter([scope for scope in self._scopes if scope.session == session])

    def _load(self, session: str) -> None:
        if session in self._loaded:
            return
        self._loaded.add(session)
        with suppress(CoeditorError):
            for scope, target, stored in self._rows.load(session):
                self._scopes.setdefault(scope, {})[target] = stored

    def _unpack(self, scope: ScopeKey, target: TargetKey, stored: Stored) -> Known:
        """Decode what was loaded, in its place; what makes no sense is as good as unseen."""
        known = Known(scope, target, decoded(stored.state) or UNSEEN, stored.time)
        self._scopes[scope][target] = known
        return known

    def _write(self, sessions: set[str], now: float) -> None:
        """Write through what changed, and at times that ``sessions`` are in use."""
        due = [session for session in sessions if now - self._touched.get(session, -1e18) > _TOUCH_AFTER]
        if not self._unwritten and not due:
            return
        try:
            with self._database.transaction():
                self._rows.save(self._unwritten.values())
                for session in due:
                    self._rows.touch(session, now)
        except CoeditorError:
            return
        self._in_step = self._in_step | self._unwritten if self._database.is_in_transaction else {}
        self._unwritten = {}
        for session in due:
            self._touched[session] = now
