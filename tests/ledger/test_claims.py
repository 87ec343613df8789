"""What the ledger claims as seen is what the scope was really shown, byte for byte, whatever happens.

A model keeps, for every scope and every line of the version that it knows, which calls put that line before
it, and for every call the very lines that it sent. One run kills the ledger and loads it again in between; a
longer one keeps it in memory.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ledger.ledger import Ledger
from ledger.ranges import LineRanges
from ledger.session import UNSEEN, Absent, Present, Unseen
from ledger.types import Caller, LineEdit, ScopeKey, TargetKey, VersionToken, token_of

pytestmark = pytest.mark.timeout(900)  # a thousand examples, on a machine that has other things to do

TARGET = TargetKey("/w/a.txt")
SCOPES = (ScopeKey("S1"), ScopeKey("S1", "sub"), ScopeKey("S2"))

scopes = st.sampled_from(SCOPES)
places = st.integers(0, 12)


def line_edits(before: list[str], after: list[str]) -> list[LineEdit]:
    """Edits between two lists of lines, by the standard library's matcher."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    return [
        LineEdit(first + 1, last - first, new_last - new_first)
        for kind, first, last, new_first, new_last in matcher.get_opcodes()
        if kind != "equal"
    ]


@dataclass
class Line:
    """What the model knows of one line of the version that a scope knows."""

    text: str
    shown_by: set[str] = field(default_factory=set)
    read_by: set[str] = field(default_factory=set)


@dataclass
class View:
    """One scope's version of the file."""

    lines: list[Line]
    must_read: bool = True
    """Something happened after which an overwrite needs a read, and there was none yet."""

    def texts(self) -> list[str]:
        return [line.text for line in self.lines]

    def shown(self) -> LineRanges:
        return LineRanges.lines(number for number, line in enumerate(self.lines, 1) if line.shown_by)

    def read(self) -> LineRanges:
        return LineRanges.lines(number for number, line in enumerate(self.lines, 1) if line.read_by)

    def follow(self, after: list[str]) -> LineRanges:
        """The same view of another text; lines that both share keep what is known. The other lines."""
        old, self.lines = self.lines, [Line(text) for text in after]
        matcher = SequenceMatcher(None, [line.text for line in old], after, autojunk=False)
        new = set(range(1, len(after) + 1))
        for kind, first, last, to, _ in matcher.get_opcodes():
            if kind == "equal":
                self.lines[to : to + last - first] = old[first:last]
                new -= set(range(to + 1, to + 1 + last - first))
        return LineRanges.lines(new)

    def unread(self) -> None:
        self.must_read = True
        for line in self.lines:
            line.read_by.clear()


class Claims(RuleBasedStateMachine):
    """One file, three scopes, and a world that types."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger = self.opened()
        self.count = 0
        self.calls = 0
        self.world: list[str] = [self.fresh() for _ in range(8)]
        self.views: dict[ScopeKey, View | None] = dict.fromkeys(SCOPES)
        self.sent: dict[str, set[str]] = {}
        """The lines that each call put before its scope."""

    def opened(self) -> Ledger:
        """The ledger that all of it is told to."""
        return Ledger.open(None)

    def teardown(self) -> None:
        self.ledger.close()

    def fresh(self) -> str:
        """A new line; every fourth one is a brace that stands in many places."""
        self.count += 1
        return "}\n" if self.count % 4 == 0 else f"line {self.count}\n"

    def token(self) -> VersionToken:
        return token_of("".join(self.world))

    def call(self, scope: ScopeKey) -> Caller:
        self.calls += 1
        name = f"c{self.calls}"
        self.sent[name] = set()
        return Caller(scope, name)

    def mark(self, view: View, caller: Caller, numbers: LineRanges, *, read: bool) -> None:
        """Call ``caller`` put the lines ``numbers`` of ``view`` before its scope."""
        name = caller.call_id
        assert name is not None
        for first, last in numbers:
            for line in view.lines[first - 1 : last]:
                line.shown_by.add(name)
                self.sent[name].add(line.text)
                if read:
                    line.read_by.add(name)

    def at_world(self, scope: ScopeKey) -> View:
        """The scope is told of the current text: its view moves there, and what it read is stale."""
        view = self.views[scope]
        if view is None:
            view = self.views[scope] = View([Line(text) for text in self.world])
        elif view.texts() != self.world:
            view.follow(self.world)
            view.unread()
        return view

    def moved(self, scope: ScopeKey) -> list[LineEdit] | None:
        view = self.views[scope]
        return None if view is None else line_edits(view.texts(), self.world)

    def window(self, first: int, length: int) -> LineRanges:
        return LineRanges.of((first + 1, first + length)).clip(len(self.world))

    def splice(self, at: int, removed: int, added: int) -> list[LineEdit]:
        """Change the world; the line edits."""
        before, at = self.world[:], min(at, len(self.world))
        self.world[at : at + removed] = [self.fresh() for _ in range(added)]
        return line_edits(before, self.world)

    @rule(at=places, removed=st.integers(0, 3), added=st.integers(0, 3))
    def somebody_else_types(self, at: int, removed: int, added: int) -> None:
        self.splice(at, removed, added)

    @rule(scope=scopes, at=places, removed=st.integers(0, 3), added=st.integers(0, 3), in_diff=st.booleans())
    def own_edit(self, scope: ScopeKey, at: int, removed: int, added: int, in_diff: bool) -> None:
        view = self.views[scope]
        if view is None or view.texts() != self.world:
            return
        edits, caller = self.splice(at, removed, added), self.call(scope)
        self.ledger.record_own_edit(caller, TARGET, self.token(), len(self.world), edits, in_diff=in_diff)
        self.mark(view, caller, view.follow(self.world), read=True)
        if in_diff:
            self.mark(view, caller, self.around(edits), read=False)

    def around(self, edits: list[LineEdit]) -> LineRanges:
        """The lines that a diff of ``edits`` shows."""
        found, shift = set[int](), 0
        for edit in edits:
            first = edit.first + shift
            found |= set(range(max(1, first - 3), min(len(self.world), first + edit.added + 2) + 1))
            shift += edit.added - edit.removed
        return LineRanges.lines(found)

    @rule(scope=scopes, at=places, added=st.integers(0, 3))
    def edit_over_what_was_not_seen(self, scope: ScopeKey, at: int, added: int) -> None:
        """A merge: the scope's edit is applied on top of somebody else's change."""
        view = self.views[scope]
        if view is None or view.texts() == self.world:
            return
        base, base_token, moved = self.world[:], self.token(), self.moved(scope)
        edits, caller = self.splice(at, 1, added), self.call(scope)
        self.ledger.record_own_edit(
            caller, TARGET, self.token(), len(self.world), edits, base=base_token, moved=moved
        )
        view.follow(base)
        view.unread()
        self.mark(view, caller, view.follow(self.world), read=True)

    @rule(scope=scopes, length=st.integers(0, 6))
    def whole_write(self, scope: ScopeKey, length: int) -> None:
        view = self.views[scope]
        if view is None or view.texts() != self.world:
            return
        edits, caller = self.splice(0, len(self.world), length), self.call(scope)
        self.ledger.record_own_edit(caller, TARGET, self.token(), length, edits, whole=True)
        view.follow(self.world)
        view.must_read = False
        self.mark(view, caller, LineRanges.whole(length), read=True)
        assert self.present(scope).is_whole_read()

    @rule(scope=scopes, first=places, length=st.integers(1, 12))
    def read(self, scope: ScopeKey, first: int, length: int) -> None:
        window, caller = self.window(first, length), self.call(scope)
        view, token = self.views[scope], self.token()
        if self.ledger.is_shown(scope, TARGET, token, window):
            assert view is not None
            assert view.texts() == self.world
            self.ledger.record_unchanged(caller, TARGET, token, window)
            for low, high in window:
                for line in view.lines[low - 1 : high]:
                    line.read_by |= line.shown_by
        else:
            total, moved = len(self.world), self.moved(scope)
            self.ledger.record_read(caller, TARGET, token, total, window, moved=moved)
            view = self.at_world(scope)
            self.mark(view, caller, window, read=True)
        view.must_read = False
        assert not self.present(scope).read_needed

    @rule(scope=scopes, first=places, length=st.integers(1, 5))
    def refused(self, scope: ScopeKey, first: int, length: int) -> None:
        window, caller = self.window(first, length), self.call(scope)
        total, moved = len(self.world), self.moved(scope)
        self.ledger.record_refusal(caller, TARGET, self.token(), total, window, moved=moved)
        self.mark(self.at_world(scope), caller, window, read=False)

    @rule(scope=scopes, lines=st.sets(st.integers(1, 12), max_size=4))
    def grep(self, scope: ScopeKey, lines: set[int]) -> None:
        shown, caller = LineRanges.lines(lines).clip(len(self.world)), self.call(scope)
        self.ledger.record_shown(caller, TARGET, self.token(), len(self.world), shown)
        view = self.views[scope]
        if shown and (view is None or view.texts() == self.world):
            self.mark(self.at_world(scope), caller, shown, read=False)

    @precondition(lambda self: self.calls > 0)
    @rule(scope=scopes, pick=st.integers(0, 1000), more=st.integers(1, 3))
    def evicted(self, scope: ScopeKey, pick: int, more: int) -> None:
        gone = {f"c{1 + (pick + step) % self.calls}" for step in range(more)}
        self.ledger.forget(scope, call_ids=gone)
        view = self.views[scope]
        if view is None:
            return
        had = bool(view.shown())
        for line in view.lines:
            line.shown_by -= gone
            line.read_by -= gone
        if not view.shown():
            is_unseen = self.ledger.observation(scope, TARGET) == UNSEEN
            assert is_unseen or not (had and view.lines), "nothing is left of it, and still it counts as seen"
            if is_unseen:
                self.views[scope] = None

    @rule(scope=scopes, by_target=st.booleans())
    def compacted(self, scope: ScopeKey, by_target: bool) -> None:
        if by_target:
            self.ledger.forget(scope, targets=[TARGET])
        else:
            self.ledger.forget(scope, everything=True)
        self.views[scope] = None

    @rule(scope=scopes)
    def looked_for_and_missing(self, scope: ScopeKey) -> None:
        self.ledger.record_absent(scope, TARGET)
        self.views[scope] = None

    def present(self, scope: ScopeKey) -> Present:
        seen = self.ledger.observation(scope, TARGET)
        assert isinstance(seen, Present)
        return seen

    @invariant()
    def every_claim_is_true_and_nothing_is_forgotten(self) -> None:
        for scope, view in self.views.items():
            if view is None:
                assert isinstance(self.ledger.observation(scope, TARGET), Unseen | Absent)
                continue
            seen = self.present(scope)
            assert seen.token == token_of("".join(view.texts()))
            assert seen.total == len(view.lines)
            assert seen.shown == view.shown()
            assert seen.read == view.read()
            assert seen.shown.includes(seen.read)
            assert seen.read_needed or not view.must_read
            for line in view.lines:
                assert not line.shown_by or any(line.text in self.sent[call] for call in line.shown_by)


class ClaimsThroughCrashes(Claims):
    """The same with a ledger on disk, whose process dies at times."""

    def opened(self) -> Ledger:
        self.folder = tempfile.mkdtemp(prefix="claims-")
        self.path = str(Path(self.folder) / "state" / "ledger.db")
        return Ledger.open(self.path)

    def teardown(self) -> None:
        super().teardown()
        shutil.rmtree(self.folder)

    @rule()
    def killed(self) -> None:
        """The process dies without a word; another one takes over."""
        old, self.ledger = self.ledger, Ledger.open(self.path)
        old.close()


TestClaims = Claims.TestCase
TestClaims.settings = settings(
    max_examples=max(300, settings().max_examples), stateful_step_count=14, deadline=None
)
TestClaimsThroughCrashes = ClaimsThroughCrashes.TestCase
TestClaimsThroughCrashes.settings = settings(stateful_step_count=20, deadline=None)
