"""What moved under the agents' feet: each scope is told once of a seen file that somebody else changed.

The folders of what was observed are watched; a change reported there is proven by content before it is told. What
git, or anybody else, does to many files at once is told when it is over, as one.

Never: a notice from a time stamp alone, or one about the scope's own edit.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from editor_clients.lines import count_lines_of
from editor_clients.places import STAGE_PREFIX
from editor_clients.replacements import line_edits
from editor_clients.watcher import FolderWatcher
from ledger.errors import CoeditorError
from ledger.session import Absent, Present
from ledger.types import Caller, EditId, ScopeKey, TargetKey, VersionToken
from lsp_server.changed import spans_of
from lsp_server.effects.bursts import Burst
from lsp_server.effects.summaries import summed_up
from lsp_server.git_events import GitEvents
from lsp_server.movers import look_for_movers, moved_by
from lsp_server.snapshots import text_of
from lsp_server.targets import Target
from lsp_server.view import View

if TYPE_CHECKING:
    from editor_clients.port import CurrentText
    from lsp_server.workspace import Workspace

_REMEMBERED = 20_000
"""Of anything that is remembered here; the oldest goes, and with it at most a notice."""
_FOLDERS = 500
"""Watched at a time; the ones observed first go."""
_SECONDS = 0.25
"""That one answer may be held up by looking at files; the rest is looked at with the next one."""


@dataclass(frozen=True, slots=True)
class _Moved:
    """A seen file that is not as it was seen."""

    target: TargetKey
    seen: Present | Absent
    """Absent: the session deleted it, or moved it away."""
    current: CurrentText | None


class Notices:
    """Remembers which targets may have moved, and what each scope was told."""

    def __init__(self, git: GitEvents) -> None:
        self.git = git
        """What git does to the work trees of what was seen."""
        self.burst = Burst()
        self._watcher: FolderWatcher | None = None
        self._folders: dict[str, None] = {}
        self._watched: dict[str, None] = {}
        self._moved: dict[TargetKey, int] = {}
        self._count = 0
        self._heard: dict[ScopeKey, int] = {}
        self._told: dict[tuple[ScopeKey, TargetKey], VersionToken | None] = {}
        self._proven: set[str] = set()
        self._listeners: list[Callable[[frozenset[str]], None]] = []

    def watch(self, target: TargetKey) -> None:
        """Hear of changes of ``target`` from now on. Call inside the running event loop."""
        self._watched[target] = None
        _forget_oldest(self._watched)
        self._watch_folders([os.path.dirname(target)])

    def hear(self, listener: Callable[[frozenset[str]], None]) -> None:
        """``listener`` is called with the paths to which something happened; it must not raise."""
        self._listeners.append(listener)

    def touched(self, paths: Iterable[str]) -> None:
        """Something happened to ``paths`` (canonical)."""
        kept = [
            path for path in paths if not os.path.basename(path).startswith(STAGE_PREFIX)
        ]  # ours, on its way
        self._suspect(kept)
        self.burst.touched(path for path in kept if path in self._watched)
        for listener in self._listeners:
            listener(frozenset(kept))

    async def due(self, workspace: Workspace, caller: Caller) -> list[dict[str, Any]]:
        """The notices that ``caller``'s scope has not had yet; of very many at once, what they come to."""
        found = await self._of_children(workspace, caller)
        self._suspect_loaded(workspace, caller.scope.session)
        if self.git.is_at_work():
            return summed_up(found, {})  # the rest is told when it is over
        news = await self.git.news(workspace.ledger.observed_targets)
        self._suspect(news)
        if not news and self.burst.is_on():
            return summed_up(found, {})
        moved = await self._moved_for(workspace, caller)
        if not moved:
            return summed_up(found, {})
        await look_for_movers(workspace, caller, {one.target: one.current for one in moved})
        details: dict[str, str] = {}
        for one in moved:
            row = self._row(workspace, caller, one)
            found.append(row)
            operation = self.git.mover(one.target, one.current, 0.0)
            if operation is not None and operation.detail:
                details[row["moved_by"]] = operation.detail
        return summed_up(found, details)

    async def close(self) -> None:
        """Stop watching."""
        if self._watcher is not None:
            await self._watcher.close()

    def _watch_folders(self, folders: Iterable[str]) -> None:
        new = [folder for folder in folders if folder and folder not in self._folders]
        if not new:
            return
        self._folders |= dict.fromkeys(new)
        while len(self._folders) > _FOLDERS:
            del self._folders[next(iter(self._folders))]
        for folder in new:
            self.git.know(folder)
        if self._watcher is None:
            self._watcher = FolderWatcher(self.touched)
        self._watcher.watch(self._folders)

    def _suspect_loaded(self, workspace: Workspace, session: str) -> None:
        """What a session saw before this server began is looked at again, once."""
        if session in self._proven:
            return
        self._proven.add(session)
        old = [known for known in workspace.ledger.observations(session) if known.time < workspace.started]
        kept = [known.target for known in old if isinstance(known.observation, Present)][-_REMEMBERED:]
        self._watched |= dict.fromkeys(kept)
        self._watch_folders(dict.fromkeys(os.path.dirname(target) for target in kept))
        self._suspect(kept)

    def _suspect(self, paths: Iterable[str]) -> None:
        """What is there is to be looked at again."""
        for path in paths:
            self._count += 1
            self._moved.pop(TargetKey(path), None)
            self._moved[TargetKey(path)] = self._count
        _forget_oldest(self._moved)

    async def _moved_for(self, workspace: Workspace, caller: Caller) -> list[_Moved]:
        """Which of the targets that may have moved since the scope last heard really did."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _SECONDS
        heard = self._heard.get(caller.scope, 0)
        found = []
        # The newest stand last, and are few beside all that ever moved.
        newer = [*takewhile(lambda item: item[1] > heard, reversed(self._moved.items()))]
        for target, count in reversed(newer):
            seen = workspace.ledger.observation(caller.scope, target)
            if isinstance(seen, Present) or (
                isinstance(seen, Absent) and _removal(workspace, caller, target)
            ):
                await asyncio.sleep(0)  # others have their turn
                one = await self._looked_at(workspace, caller.scope, target, seen)
                if one is not None:
                    found.append(one)
            heard = count
            if loop.time() > deadline:
                break
        self._heard[caller.scope] = heard
        _forget_oldest(self._heard)
        return found

    async def _of_children(self, workspace: Workspace, caller: Caller) -> list[dict[str, Any]]:
        """What sub-agents of this scope changed since it was last told, whether or not it has seen the files."""
        try:
            changes = workspace.ledger.take_child_changes(caller.scope)
        except CoeditorError:
            return []
        found = []
        for change in {change.target: change for change in changes}.values():
            child = f"scope:{change.child.session}/{change.child.scope}"
            seen = workspace.ledger.observation(caller.scope, change.target)
            row: dict[str, Any] | None = {"file_path": change.path, "moved_by": child}
            if isinstance(seen, Present):
                one = await self._looked_at(workspace, caller.scope, change.target, seen)
                row = self._row(workspace, caller, one) if one is not None else None
            if row is not None:
                message = f"Your sub-agent {change.child.scope} changed it (edit {change.edit_id})."
                found.append(row | {"file_path": change.path, "moved_by": child, "message": message})
        return found

    async def _looked_at(
        self, workspace: Workspace, scope: ScopeKey, target: TargetKey, seen: Present | Absent
    ) -> _Moved | None:
        """What is there now, where the scope has neither seen it nor been told of it."""
        try:
            current = await workspace.client.current(target)
        except CoeditorError:
            current = None
        token = current.token if current is not None else None
        key = (scope, target)
        if token == (seen.token if isinstance(seen, Present) else None) or (
            key in self._told and self._told[key] == token
        ):
            return None
        self._told[key] = token
        _forget_oldest(self._told)
        return _Moved(target, seen, current)

    def _row(self, workspace: Workspace, caller: Caller, one: _Moved) -> dict[str, Any]:
        current = one.current
        view = View(workspace, caller, {one.target: current})
        mover = moved_by(view, Target(one.target, str(one.target)), current)
        title = workspace.titles.of_mover(mover)
        row = {
            "file_path": str(one.target),
            "version": current.token if current is not None else None,
            "moved_by": mover,
            **({"mover": title} if title is not None else {}),
            "lines": _lines(workspace, one.seen, current) if current is not None else [],
        }
        removal = _removal(workspace, caller, one.target) if isinstance(one.seen, Absent) else None
        if removal:
            by = " when it was saved in an editor" if row["moved_by"] == "user-saved" else ""
            return row | {"message": f"Your edit {removal} took it away, and it was made again{by}."}
        undone = _undone_edit(workspace, caller, one)
        if undone:
            return row | {"message": f"It is again as it was before your edit {undone}."}
        hunks = _undone_hunks(workspace, caller, one)
        return row | {"message": hunks} if hunks else row


def _removal(workspace: Workspace, caller: Caller, target: TargetKey) -> EditId | None:
    """The session's last edit that names it, if that deleted it or moved it away."""
    try:
        [entry] = workspace.ledger.entries(session=caller.scope.session, target=target, limit=1)
    except (CoeditorError, ValueError):
        return None
    gone = any(
        (file.target == target and file.operation == "delete") or file.from_target == target
        for file in entry.files
    )
    return entry.edit_id if gone else None


def _undone_edit(workspace: Workspace, caller: Caller, one: _Moved) -> EditId | None:
    """The session's last edit of it, if the text from before that edit is back."""
    try:
        entries = workspace.ledger.entries(session=caller.scope.session, target=one.target, limit=1)
    except CoeditorError:
        return None
    token = one.current.token if one.current is not None else None
    for entry in entries:
        for file in entry.files:
            before = file.before.token if file.before is not None else None
            if file.target == one.target and before == token and file.from_target is None:
                return entry.edit_id
    return None


def _undone_hunks(workspace: Workspace, caller: Caller, one: _Moved) -> str | None:
    """A sentence where a part of the session's last edit of the file was put back, so that it is no failed write."""
    from lsp_server.edits.rebase import put_back  # with all of the matching behind it, for a rare sentence

    try:
        entries = workspace.ledger.entries(session=caller.scope.session, target=one.target, limit=1)
    except CoeditorError:
        return None
    for entry in entries:
        for file in entry.files:
            before, after = text_of(workspace, file.before), text_of(workspace, file.after)
            if file.target != one.target or before is None or after is None or one.current is None:
                continue
            numbers = put_back(after, before, one.current.text)
            if numbers:
                named = ", ".join(str(number) for number in numbers)
                what = "Hunk" if len(numbers) == 1 else "Hunks"
                return f"{what} {named} of your edit {entry.edit_id} {'was' if len(numbers) == 1 else 'were'} put back."
    return None


def _forget_oldest(held: dict[Any, Any]) -> None:
    while len(held) > _REMEMBERED:
        del held[next(iter(held))]


def _lines(workspace: Workspace, seen: Present | Absent, current: CurrentText) -> list[list[int]]:
    """Which lines of the current text are not those seen."""
    before = workspace.ledger.text_of(seen.token) if isinstance(seen, Present) else None
    if before is None:
        return []
    spans = spans_of(line_edits(before, current.text), count_lines_of(current.text))
    return [list(span) for span in spans[:50]]
