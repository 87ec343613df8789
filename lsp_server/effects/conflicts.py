"""The refusals that a person is shown where they happened, until they are resolved.

An agent's call that a person's text or word stopped leaves a mark in that file; the same agent's next change of the
file, or the end of its session, takes it away. An agent's own mistakes leave none.

Never: anything that agents are told; the marks are for people.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from ledger.errors import Code, CoeditorError
from ledger.types import Caller, ScopeKey, TargetKey

if TYPE_CHECKING:
    from lsp_server.service import CallContext
    from lsp_server.workspace import Workspace

_CHANGING = frozenset({"edit", "write", "apply_patch", "apply_patch/commit", "edit_notebook", "rewind"})
_MOST = 200
"""Marks at a time; the oldest go."""
_MOST_TEXTS = 40
"""Marks whose texts are held; of the others only what the editor has can be shown."""
_LARGEST = 1 << 20
"""Characters of a text that is held."""

_SENTENCES: Mapping[str, str] = {
    Code.FS_UNSAVED_CHANGES: "was stopped here: there are unsaved changes that it has not seen or would lose.",
    Code.FS_STALE_VERSION: "was stopped here: the text changed since it was read.",
    Code.FS_EDITOR_REFUSED: "was stopped here: the editor did not apply the change.",
    Code.FS_UNCONFIRMED: "changed this, and it is not known whether the change arrived. Look at it.",
    Code.FS_REWIND_CONFLICT: "wanted to take back a change, and somebody else's later change is in the way.",
    Code.FS_DENIED: "was not allowed to change this.",
}
"""What becomes a mark, and how it is told after the agent's name."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """One mark."""

    scope: ScopeKey
    agent: str
    code: str
    line: int
    """1-based, in the text at the time of the refusal."""
    message: str
    """A sentence for a person, with the agent's name."""
    name: str = ""
    """Tells it from others for as long as it stands."""
    time: float = 0.0
    """Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Sides:
    """What the agent went by and what it wanted; None where that is not known."""

    base: str | None
    wanted: str | None


_UNKNOWN = Sides(None, None)
Show = Callable[[TargetKey, Sequence[Conflict]], None]
"""Shows exactly these marks in a file from now on; never raises."""


class Conflicts:
    """The marks that stand, by file; of one scope at most one in each."""

    def __init__(self, show: Show | None = None) -> None:
        """``show``: None where there is nobody to show them to."""
        self._show = show
        self._marks: dict[tuple[TargetKey, ScopeKey], Conflict] = {}
        self._sides: OrderedDict[tuple[TargetKey, ScopeKey], Sides] = OrderedDict()
        self.changed: Callable[[], None] = lambda: None
        """Called when a mark came or went; must not raise."""

    def put_sides(self, scope: ScopeKey, target: TargetKey, base: str | None, wanted: str | None) -> None:
        """What the refusal that is about to be told was about, for a person who wants to look at it."""
        if self._show is None:
            return
        texts = (None if one is None or len(one) > _LARGEST else one for one in (base, wanted))
        self._sides.pop((target, scope), None)
        self._sides[target, scope] = Sides(*texts)
        while len(self._sides) > _MOST_TEXTS:
            self._sides.popitem(last=False)

    def refused(self, caller: Caller, target: TargetKey, code: str, data: Mapping[str, Any]) -> None:
        """A change of ``target`` was refused; ``code`` and ``data`` are those of the error."""
        sentence = _SENTENCES.get(code)
        if sentence is None or self._show is None:
            return
        agent = caller.agent or f"agent {caller.scope.session}"
        name = _name(target, caller.scope)
        mark = Conflict(caller.scope, agent, code, _line_of(data), f"{agent} {sentence}", name, time.time())
        self._marks.pop((target, caller.scope), None)
        self._marks[target, caller.scope] = mark
        self._tell({target})
        while len(self._marks) > _MOST:
            oldest = next(iter(self._marks))
            del self._marks[oldest]
            self._tell({oldest[0]})

    def resolved(self, scope: ScopeKey, targets: Iterable[TargetKey]) -> None:
        """``scope`` changed ``targets`` after all."""
        self._drop([(target, scope) for target in targets])

    def ended(self, session: str) -> None:
        """No scope of ``session`` is at work any more."""
        self._drop([key for key in self._marks if key[1].session == session])

    def of(self, target: TargetKey) -> tuple[Conflict, ...]:
        """The marks that stand in a file."""
        return tuple(mark for (marked, _), mark in self._marks.items() if marked == target)

    def dismissed(self, names: Collection[str]) -> list[str]:
        """The person has decided about these; gives those that stood."""
        found = [key for key, mark in self._marks.items() if mark.name in names]
        gone = [self._marks[key].name for key in found]
        self._drop(found)
        return gone

    def all(self) -> list[tuple[TargetKey, Conflict]]:
        """Every mark that stands, the newest first."""
        return [(target, mark) for (target, _), mark in reversed(self._marks.items())]

    def sides(self, target: TargetKey, mark: Conflict) -> Sides:
        """What the mark is about."""
        return self._sides.get((target, mark.scope), _UNKNOWN)

    def _drop(self, keys: Iterable[tuple[TargetKey, ScopeKey]]) -> None:
        gone = [key for key in keys if self._marks.pop(key, None) is not None]
        for key in gone:
            self._sides.pop(key, None)
        self._tell({target for target, _ in gone})

    @property
    def has_any(self) -> bool:
        """Whether anything was refused and not resolved since."""
        return bool(self._marks)

    def _tell(self, targets: Iterable[TargetKey]) -> None:
        show, found = self._show, list(targets)
        if show is not None and found:
            for target in found:
                show(target, self.of(target))
            self.changed()


def mark_refusal(workspace: Workspace, tool: str, error: CoeditorError, context: CallContext) -> None:
    """Show the person every file in which this call of an agent was refused."""
    failures = error.data.get("failures")
    rows = [error.to_object(), *(failures if isinstance(failures, list) else ())]
    for row in rows if tool in _CHANGING and not context.person else ():
        path, data = row.get("file_path"), row.get("data")
        if isinstance(path, str):
            with suppress(CoeditorError):
                target = workspace.targets.resolve(path, context.cwd)
                workspace.conflicts.refused(context.caller, target.key, str(row["code"]), data or {})


def unmark(workspace: Workspace, outcome: Mapping[str, Any], context: CallContext) -> None:
    """The caller changed files: where it was refused before, it no longer is."""
    for row in outcome.get("changed_files", ()) if workspace.conflicts.has_any else ():
        for path in (row["file_path"], row.get("from")):
            if isinstance(path, str):
                with suppress(CoeditorError):
                    target = workspace.targets.resolve(path, context.cwd)
                    workspace.conflicts.resolved(context.caller.scope, [target.key])


def _name(target: TargetKey, scope: ScopeKey) -> str:
    parts = "\0".join((target, scope.session, scope.scope))
    return f"c{blake2b(parts.encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"


def _line_of(data: Mapping[str, Any]) -> int:
    """Where it happened: the first line that moved, else the first one shown."""
    diff = data.get("diff")
    line = 0
    for text in diff.split("\n") if isinstance(diff, str) else ():
        if text.startswith("@@"):
            words = text.split()
            start = words[2].partition(",")[0].lstrip("+") if len(words) > 2 else ""
            line = int(start) if start.isdecimal() else 0
        elif line and text[:1] in ("+", "-"):
            return max(line, 1)
        elif line:
            line += 1
    start_line = data.get("start_line")
    return start_line if isinstance(start_line, int) and start_line > 0 else 1
