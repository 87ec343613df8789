"""Git at work below an agent: waited for before anything is written, and named where it moved a file.

What one checkout, rebase or stash did to many files is one operation. It is looked for when a text was found to have
moved, and a file counts as moved by it if it holds the very content that the operation left there.

Never: a wait without an end, a program of git's before something moved, or a guess.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from editor_clients.git_folder import (
    GitFolder,
    LogEntry,
    at_work,
    find_git,
    head_of,
    lock_stamp,
    mark_of,
    stash_log,
)
from editor_clients.git_moves import (
    Contents,
    GitOperation,
    has_conflict_marks,
    is_content,
    look_up,
    operations_of,
    stashed,
    unstashed,
)
from editor_clients.port import CurrentText
from ledger.types import TargetKey
from lsp_server.targets import is_untitled, is_within

_STEP, _LONGEST_STEP = 0.005, 0.05
"""Seconds between two looks at a lock; they grow."""
_AFTERWARDS = 0.1
"""Seconds from a lock's end until git has noted what it did."""
_STASHES = 5
"""Of those that are there, the newest."""


@dataclass(slots=True)
class _Known:
    """What is remembered of one work tree."""

    git: GitFolder
    told: tuple[object, ...]
    """The mark up to which there was news."""
    told_at: float
    """And when that was, in seconds since the epoch."""
    head: tuple[str, str] | None = None
    """What HEAD was, for repositories that keep no reflog."""
    mark: tuple[object, ...] = ()
    logged: list[GitOperation] = field(default_factory=list)
    popped: list[GitOperation] = field(default_factory=list)
    stashes: dict[str, LogEntry] = field(default_factory=dict)
    contents: dict[GitOperation, Contents] = field(default_factory=dict)

    def operations(self) -> list[GitOperation]:
        """Oldest first."""
        return sorted([*self.logged, *self.popped], key=lambda operation: operation.time)

    def refresh(self, now: float) -> bool:
        """Take in what git noted since the last time; whether there was anything."""
        mark = mark_of(self.git)
        if mark == self.mark:
            return False
        self.mark = mark
        there = {entry.new: entry for entry in stash_log(self.git)[-_STASHES:]}
        gone = [unstashed(entry, now) for commit, entry in self.stashes.items() if commit not in there]
        logged, head = operations_of(self.git), head_of(self.git)
        if not logged and head is not None and self.head is not None and head[0] != self.head[0]:
            gone.append(GitOperation("checkout", (self.head[1],), (head[1],), now))
        self.head = head
        self.popped = [*self.popped, *gone][-_STASHES:]
        self.stashes = there
        self.logged = [*logged, *map(stashed, there.values())]
        kept = {*self.logged, *self.popped}
        self.contents = {one: found for one, found in self.contents.items() if one in kept}
        return True


class GitEvents:
    """The work trees that targets lie in."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._known: dict[str, _Known] = {}
        self._given_up: dict[str, tuple[int, ...] | None] = {}
        self._looking = asyncio.Lock()

    async def settled(self, targets: Iterable[TargetKey], seconds: float) -> list[str]:
        """Return when git is not changing the work trees of ``targets``, or after ``seconds``.

        Gives a sentence for each work tree where it still is. A lock that was waited for in vain is not waited
        for again.
        """
        deadline = asyncio.get_running_loop().time() + seconds
        notes = []
        for known in self._of(targets):
            git = known.git
            if self._at_work(git) is None:
                continue
            mark = mark_of(git)
            if await _until(lambda git=git: self._at_work(git) is None, deadline):  # type: ignore[misc]
                # It frees its lock, and notes what it did after.
                noted = min(deadline, asyncio.get_running_loop().time() + _AFTERWARDS)
                await _until(lambda git=git, mark=mark: mark_of(git) != mark, noted)  # type: ignore[misc]
            else:
                self._given_up[git.git_dir] = lock_stamp(git)
                notes.append(
                    f"Git is still at work in {git.top} (index.lock, or a rebase) and may change again what was "
                    "written just now."
                )
        return notes

    def know(self, folder: str) -> None:
        """From now on what git does in the work tree of the canonical ``folder`` is news."""
        self._in(folder)

    def is_at_work(self) -> bool:
        """Whether git is changing a known work tree at this moment."""
        return any(self._at_work(known.git) is not None for known in self._known.values())

    async def news(self, observed: Callable[[], Iterable[TargetKey]]) -> set[TargetKey]:
        """Those of the ``observed`` targets to which git has done something since this was asked last."""
        due = [known for known in self._known.values() if mark_of(known.git) != known.told]
        if not due:
            return set()
        now = self._clock()
        targets = list(observed())
        found: set[TargetKey] = set()
        for known in due:
            known.told = mark_of(known.git)
            since = known.told_at
            known.told_at = now
            await self.look({key: since for key in targets if is_within(key, known.git.top)})
            for operation in known.operations():
                contents = known.contents.get(operation)
                if operation.time + 1 >= since and contents is not None:
                    found.update(TargetKey(path) for path in contents.left)
        return found

    async def look(self, targets: Mapping[TargetKey, float]) -> None:
        """Find out what git did to ``targets``, each since its moment (seconds since the epoch).

        Afterwards ``mover`` can tell.
        """
        async with self._looking:
            for known in self._of(targets):
                known.refresh(self._clock())
                inside = {key: since for key, since in targets.items() if is_within(key, known.git.top)}
                since = min(inside.values(), default=0.0)
                late = [one for one in known.operations() if one.time + 1 >= since]
                asked = [(one, known.contents.setdefault(one, Contents())) for one in late]
                open_ones = [(one, found) for one, found in asked if not found.asked.issuperset(inside)]
                if open_ones:
                    await asyncio.to_thread(_look_up_all, known.git, open_ones, list(inside))

    def mover(self, target: TargetKey, current: CurrentText | None, since: float) -> GitOperation | None:
        """The operation after ``since`` that left what is there now; None where git is not known to have.

        ``current``: None when the file is gone.
        """
        known = self._holding(target)
        if known is None or (current is not None and current.unsaved):
            return None
        for operation in reversed(known.operations()):
            contents = known.contents.get(operation)
            if operation.time + 1 < since or contents is None:
                continue
            if target in contents.left:
                data = None if current is None else current.data
                if current is not None and data is None:
                    return None
                if is_content(data, contents.left[target]):
                    return operation
                return operation if current is not None and has_conflict_marks(current.text) else None
        return None

    def _at_work(self, git: GitFolder) -> str | None:
        what = at_work(git, self._clock())
        if what is not None and git.git_dir in self._given_up:
            if self._given_up[git.git_dir] == lock_stamp(git):
                return None
            del self._given_up[git.git_dir]
        return what

    def _of(self, targets: Iterable[TargetKey]) -> list[_Known]:
        """The work trees of ``targets``."""
        folders = {os.path.dirname(target) for target in targets if not is_untitled(target)}
        found = [self._in(folder) for folder in folders]
        return list({known.git.top: known for known in found if known is not None}.values())

    def _in(self, folder: str) -> _Known | None:
        """The work tree of a canonical folder."""
        git = find_git(folder)
        if git is None:
            return None
        known = self._known.get(git.top)
        if known is None or known.git != git:
            known = self._known[git.top] = _Known(
                git, told=mark_of(git), told_at=self._clock(), head=head_of(git)
            )
        return known

    def _holding(self, target: TargetKey) -> _Known | None:
        """The deepest known work tree around ``target``."""
        tops = [top for top in self._known if is_within(target, top)]
        return self._known[max(tops, key=len)] if tops else None


async def _until(holds: Callable[[], bool], deadline: float) -> bool:
    """Wait until ``holds``, by looking again and again; False when ``deadline`` came first."""
    step = _STEP
    while not holds():
        if asyncio.get_running_loop().time() >= deadline:
            return False
        await asyncio.sleep(step)
        step = min(step * 2, _LONGEST_STEP)
    return True


def _look_up_all(
    git: GitFolder, asked: Iterable[tuple[GitOperation, Contents]], paths: Iterable[TargetKey]
) -> None:
    for operation, found in asked:
        look_up(git, operation, paths, found)
