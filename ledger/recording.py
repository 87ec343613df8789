"""The ledger's methods about what scopes saw; one for each thing that can happen to a context or a text.

Never: the rules themselves (session), or how they are kept (observations).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ledger import session
from ledger.contents import Contents
from ledger.observation_rows import ChildChange, Known
from ledger.observations import Observations
from ledger.ranges import NONE, LineRanges
from ledger.secret_files import SecretFiles
from ledger.session import ABSENT, UNSEEN, Observation, Present
from ledger.types import Caller, LineEdit, ScopeKey, TargetKey, VersionToken


class Recording:
    """The part of the ledger that mirrors contexts. Methods do not raise unless they say so."""

    _observations: Observations
    _contents: Contents
    _secrets: SecretFiles

    def is_secret(self, target: TargetKey) -> bool:
        """Whether no text of ``target`` is written to the store."""
        return self._secrets.pattern_of(target) is not None

    def keep_text(self, target: TargetKey, token: VersionToken, text: str) -> None:
        """Hold a text of ``target`` for later diffs; that of a secret file in memory only."""
        self._contents.keep_text(token, text, store=not self.is_secret(target))

    def observation(self, scope: ScopeKey, target: TargetKey) -> Observation:
        """What ``scope`` last saw of ``target``."""
        return self._observations.get(scope, target)

    def seen_at(self, scope: ScopeKey, target: TargetKey) -> float | None:
        """When that observation last moved, in seconds since the epoch; None when ``target`` is unseen."""
        return self._observations.time_of(scope, target)

    def observations(self, session_or_scope: str | ScopeKey) -> list[Known]:
        """Every observation of a scope, or of all scopes of a session."""
        if isinstance(session_or_scope, ScopeKey):
            return self._observations.of_scope(session_or_scope)
        return self._observations.of_session(session_or_scope)

    def observers(self, target: TargetKey) -> list[tuple[ScopeKey, Present]]:
        """The scopes at work that saw ``target`` present, for telling them that it moved."""
        return self._observations.observers(target)

    def observed_targets(self) -> set[TargetKey]:
        """Every target that a session at work has seen or looked for."""
        return self._observations.targets()

    def known_sessions(self) -> list[tuple[str, float]]:
        """Sessions that are remembered, with the time of their last call; the last one first. Errors: FS_IO."""
        return self._observations.sessions()

    def scopes_at_work(self) -> list[tuple[ScopeKey, int]]:
        """The scopes of the sessions at work, each with how many targets it knows."""
        return self._observations.scopes()

    def is_shown(self, scope: ScopeKey, target: TargetKey, token: VersionToken, window: LineRanges) -> bool:
        """Whether a read of ``window`` at ``token`` may be answered with "unchanged"."""
        seen = self._observations.get(scope, target)
        return isinstance(seen, Present) and seen.is_shown(token, window)

    def record_read(
        self,
        caller: Caller,
        target: TargetKey,
        token: VersionToken,
        total: int,
        window: LineRanges,
        *,
        text: str | None = None,
        moved: Sequence[LineEdit] | None = None,
    ) -> None:
        """A read sent the whole lines ``window`` of the text at ``token`` with ``total`` lines.

        ``moved``: line edits from the text observed before to this one, if it was another; lines that they
        did not touch stay shown. ``text`` is kept for later diffs.
        """
        if text is not None:
            self.keep_text(target, token, text)
        before = self._observations.get(caller.scope, target)
        after = session.after_read(before, token, total, window, call_id=caller.call_id, moved=moved)
        self._observations.put(caller.scope, target, after)

    def record_unchanged(
        self, caller: Caller, target: TargetKey, token: VersionToken, window: LineRanges
    ) -> None:
        """A read of ``window`` at ``token`` was answered with "unchanged": it counts as read (again)."""
        before = self._observations.get(caller.scope, target)
        after = session.after_unchanged(before, token, window)
        if after != before:
            self._observations.put(caller.scope, target, after)

    def record_shown(
        self,
        caller: Caller,
        target: TargetKey,
        token: VersionToken,
        total: int,
        shown: LineRanges,
        *,
        text: str | None = None,
    ) -> None:
        """Whole lines of the text at ``token`` were shown by grep, a diff or diagnostics.

        Where the scope knows another text, nothing is recorded: it stays stale until it reads or is refused.
        """
        before = self._observations.get(caller.scope, target)
        after = session.after_shown(before, token, total, shown, call_id=caller.call_id)
        if after != before:
            if text is not None:
                self.keep_text(target, token, text)
            self._observations.put(caller.scope, target, after)

    def record_refusal(
        self,
        caller: Caller,
        target: TargetKey,
        token: VersionToken,
        total: int,
        shown: LineRanges,
        *,
        text: str | None = None,
        moved: Sequence[LineEdit] | None = None,
    ) -> None:
        """A refusal told the scope that the text is at ``token``, and showed it ``shown``.

        At the version that it had already, lines are added and nothing else. Otherwise (unseen, stale) the
        observation moves there, and an overwrite, delete or move needs a read. ``moved`` as in
        ``record_read``.
        """
        if text is not None:
            self.keep_text(target, token, text)
        before = self._observations.get(caller.scope, target)
        after = session.after_refusal(before, token, total, shown, call_id=caller.call_id, moved=moved)
        self._observations.put(caller.scope, target, after)

    def record_own_edit(
        self,
        caller: Caller,
        target: TargetKey,
        token: VersionToken,
        total: int,
        edits: Sequence[LineEdit],
        *,
        text: str | None = None,
        base: VersionToken | None = None,
        moved: Sequence[LineEdit] | None = None,
        whole: bool = False,
        hidden: LineRanges = NONE,
        in_diff: bool = False,
    ) -> None:
        """The scope's own edit led to the text at ``token``; ``edits`` are those from the text before it.

        ``whole``: it sent the whole text (write, create). ``base``: token of the text before, where it is
        not the one observed (merge, on-miss), with ``moved`` from the observed one to it. ``hidden``: new
        lines that the scope was not shown after all.
        """
        if text is not None:
            self.keep_text(target, token, text)
        before = self._observations.get(caller.scope, target)
        after = session.after_own_edit(
            before,
            token,
            total,
            edits,
            call_id=caller.call_id,
            base=base,
            moved=moved,
            whole=whole,
            hidden=hidden,
            in_diff=in_diff,
        )
        self._observations.put(caller.scope, target, after)

    def record_created(
        self, caller: Caller, target: TargetKey, token: VersionToken, total: int, *, text: str | None = None
    ) -> None:
        """The scope made the file with a text that it knows as a whole."""
        if text is not None:
            self.keep_text(target, token, text)
        after = session.after_own_edit(UNSEEN, token, total, (), call_id=caller.call_id, whole=True)
        self._observations.put(caller.scope, target, after)

    def record_absent(self, scope: ScopeKey, target: TargetKey) -> None:
        """The scope knows that nothing is there: looked for and missing, deleted by it, or vanished."""
        self._observations.put(scope, target, ABSENT)

    def record_move(
        self,
        caller: Caller,
        source: TargetKey,
        target: TargetKey,
        token: VersionToken,
        total: int,
        edits: Sequence[LineEdit] = (),
        *,
        text: str | None = None,
        in_diff: bool = False,
    ) -> None:
        """The scope moved ``source`` to ``target`` with ``edits``; what it saw goes along."""
        if text is not None:
            self.keep_text(target, token, text)
        before = self._observations.get(caller.scope, source)
        after = session.after_own_edit(before, token, total, edits, call_id=caller.call_id, in_diff=in_diff)
        self._observations.put_all([(caller.scope, source, ABSENT), (caller.scope, target, after)])

    def forget(
        self,
        scope: ScopeKey,
        *,
        call_ids: Collection[str] = (),
        targets: Iterable[TargetKey] = (),
        everything: bool = False,
    ) -> list[TargetKey]:
        """What left the scope's context: calls, targets, or all; the targets that this concerned."""
        if everything:
            return self._observations.drop_scope(scope)
        changes: dict[TargetKey, Observation] = {}
        if call_ids:
            for known in self._observations.of_scope(scope):
                after = session.after_eviction(known.observation, call_ids)
                if after is not known.observation:
                    changes[known.target] = after
        for target in targets:
            if self._observations.get(scope, target) != UNSEEN:
                changes[target] = UNSEEN
        self._observations.put_all([(scope, target, after) for target, after in changes.items()])
        return list(changes)

    def start_scope(self, scope: ScopeKey, parent: str | None = None) -> None:
        """A sub-agent's context begins, with nothing seen. Errors: FS_IO."""
        self._observations.start_scope(scope, parent)

    def end_scope(self, scope: ScopeKey) -> None:
        """A sub-agent's context is over. Errors: FS_IO."""
        self._observations.end_scope(scope)

    def take_child_changes(self, parent: ScopeKey) -> list[ChildChange]:
        """Files that sub-agents of ``parent`` changed since it was last told. Errors: FS_IO."""
        return self._observations.take_child_changes(parent)

    def touch(self, session_id: str) -> None:
        """The session made a call; those that make none for long are forgotten."""
        self._observations.touch(session_id)

    def resume(self, session_id: str) -> int:
        """A session is back: how many observations it has; each is proven again by its token at first use."""
        self._observations.touch(session_id)
        return len(self._observations.of_session(session_id))
