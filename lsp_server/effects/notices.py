"""What moved under the agents' feet: each scope is told once of a seen file that somebody else changed.

The folders of what was observed are watched; a change reported there is proven by content before it is told.

Never: a notice from a time stamp alone, or one about the scope's own edit.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from editor_clients.replacements import line_edits
from editor_clients.transaction_steps import STAGE_PREFIX
from editor_clients.watcher import FolderWatcher
from ledger.errors import CoeditorError
from ledger.session import Present
from ledger.types import Caller, ScopeKey, TargetKey, VersionToken
from lsp_server.refusals import moved_by
from lsp_server.targets import Target
from lsp_server.view import View

if TYPE_CHECKING:
    from editor_clients.port import CurrentText
    from lsp_server.workspace import Workspace

_MOST = 10
"""Notices with one answer; more are summed up."""
_NAMED = 5
"""Files that such a summary names."""
_REMEMBERED = 10_000
"""Of anything that is remembered here; the oldest goes, and with it at most a notice."""
_FOLDERS = 500
"""Watched at a time; the ones observed first go."""


class Notices:
    """Remembers which targets may have moved, and what each scope was told."""

    def __init__(self) -> None:
        self._watcher: FolderWatcher | None = None
        self._folders: dict[str, None] = {}
        self._moved: dict[TargetKey, int] = {}
        self._count = 0
        self._heard: dict[ScopeKey, int] = {}
        self._told: dict[tuple[ScopeKey, TargetKey], VersionToken | None] = {}

    def watch(self, target: TargetKey) -> None:
        """Hear of changes of ``target`` from now on. Call inside the running event loop."""
        folder = os.path.dirname(target)
        if not folder or folder in self._folders:
            return
        self._folders[folder] = None
        if len(self._folders) > _FOLDERS:
            del self._folders[next(iter(self._folders))]
        if self._watcher is None:
            self._watcher = FolderWatcher(self.touched)
        self._watcher.watch(self._folders)

    def touched(self, paths: frozenset[str]) -> None:
        """Something happened to ``paths`` (canonical)."""
        self._count += 1
        for path in paths:
            if os.path.basename(path).startswith(STAGE_PREFIX):
                continue  # a write of our own on its way
            self._moved.pop(TargetKey(path), None)
            self._moved[TargetKey(path)] = self._count
        _forget_oldest(self._moved)

    async def due(self, workspace: Workspace, caller: Caller) -> list[dict[str, Any]]:
        """The notices that ``caller``'s scope has not had yet; of very many at once, what they come to."""
        found = await self._of_children(workspace, caller)
        heard = self._heard.get(caller.scope, 0)
        if heard == self._count:
            return _summed_up(found)
        self._heard[caller.scope] = self._count
        _forget_oldest(self._heard)
        for target in [key for key, count in self._moved.items() if count > heard]:
            seen = workspace.ledger.observation(caller.scope, target)
            if not isinstance(seen, Present):
                continue
            notice = await self._notice(workspace, caller, target, seen)
            if notice is not None:
                found.append(notice)
        return _summed_up(found)

    async def close(self) -> None:
        """Stop watching."""
        if self._watcher is not None:
            await self._watcher.close()

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
                row = await self._notice(workspace, caller, change.target, seen)
            if row is not None:
                message = f"Your sub-agent {change.child.scope} changed it (edit {change.edit_id})."
                found.append(row | {"file_path": change.path, "moved_by": child, "message": message})
        return found

    async def _notice(
        self, workspace: Workspace, caller: Caller, target: TargetKey, seen: Present
    ) -> dict[str, Any] | None:
        try:
            current = await workspace.client.current(target)
        except CoeditorError:
            current = None
        token = current.token if current is not None else None
        key = (caller.scope, target)
        if token == seen.token or (key in self._told and self._told[key] == token):
            return None
        self._told[key] = token
        _forget_oldest(self._told)
        row: dict[str, Any] = {"file_path": str(target), "version": token}
        if current is None:
            return row | {"moved_by": "external", "lines": []}
        view = View(workspace, caller, {target: current})
        mover = moved_by(view, Target(target, str(target)), current)
        return row | {"moved_by": mover, "lines": _lines(workspace, seen, current)}


def _summed_up(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """``found`` itself, or one notice for all where a checkout or a generator moved very many files."""
    if len(found) <= _MOST:
        return found
    paths = sorted(row["file_path"] for row in found)
    folder = os.path.commonpath([os.path.dirname(path) for path in paths])
    named = ", ".join(os.path.relpath(path, folder) for path in paths[:_NAMED])
    message = (
        f"{len(paths)} files below it that you know changed: {named} and {len(paths) - _NAMED} more. Read one "
        "again before you rely on it; edits of them are checked as ever."
    )
    movers = {row["moved_by"] for row in found}
    return [
        {"file_path": folder, "message": message} | ({"moved_by": movers.pop()} if len(movers) == 1 else {})
    ]


def _forget_oldest(held: dict[Any, Any]) -> None:
    while len(held) > _REMEMBERED:
        del held[next(iter(held))]


def _lines(workspace: Workspace, seen: Present, current: CurrentText) -> list[list[int]]:
    """Which lines of the current text are not those seen."""
    before = workspace.ledger.text_of(seen.token)
    if before is None:
        return []
    found = []
    shift = 0
    for edit in line_edits(before, current.text):
        first = edit.first + shift
        found.append([first, max(first, first + edit.added - 1)])
        shift += edit.added - edit.removed
    return found[:50]
