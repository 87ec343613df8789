"""What an agent's shell command changed, as an edit of its session: the files before it held against those after.

What somebody else did meanwhile, as far as it is known (recorded edits, saves in the editor, a branch that was
switched), is not the command's.

Never: a change of a file, or a guess at what is beyond the limits; that is named in a warning.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from editor_clients.encoding import decode
from editor_clients.git import Head, changed_between
from editor_clients.port import Applied, CurrentText, FileChange
from editor_clients.replacements import replacements_between
from editor_clients.tree import Held, Picture, TooManyFilesError, Tree
from ledger.errors import CoeditorError
from ledger.types import Caller, CreateIfAbsent, ReplaceIfVersion, ScopeKey, TargetKey, token_of
from lsp_server.committing import record_done
from lsp_server.outcomes import Plan, Planned
from lsp_server.service import CallContext
from lsp_server.workspace import Workspace, git_top, head_at

if TYPE_CHECKING:
    from lsp_server.committing import Committed

FILES = 20_000
FILE_BYTES = 1 << 20
BUDGET = 64 << 20
MOST = 500
"""Files of one command that are recorded; more are a build's or a checkout's."""
_RUNNING = 64


@dataclass(frozen=True, slots=True)
class _Began:
    picture: Picture
    time: float
    command: str | None
    heads: Mapping[str, str | None]
    """HEAD of each git top level."""


class ShellChanges:
    """The commands that run."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._running: OrderedDict[tuple[ScopeKey, str | None], _Began] = OrderedDict()
        self._looking = asyncio.Lock()

    @classmethod
    def of(cls, workspace: Workspace) -> ShellChanges:
        """Those of a workspace."""
        return cls(Tree(workspace.walls, workspace.roots, files=FILES, file_bytes=FILE_BYTES, budget=BUDGET))

    async def began(self, workspace: Workspace, caller: Caller, command: str | None = None) -> bool:
        """A command of the caller is about to run; whether its changes will be found."""
        if not workspace.settings.track_external:
            return False
        try:
            async with self._looking:
                picture = await asyncio.to_thread(self._tree.look)
        except TooManyFilesError:
            return False
        heads = {top: head_at(top + "/x") for top in _tops(workspace)}
        self._running[caller.scope, caller.call_id] = _Began(picture, workspace.ledger.now(), command, heads)
        while len(self._running) > _RUNNING:
            self._running.popitem(last=False)
        return True

    async def ended(
        self, workspace: Workspace, context: CallContext, warnings: list[str] | None = None
    ) -> Committed | None:
        """The command has run: what it changed, recorded; None where there is nothing to record.

        Errors: FS_IO when it cannot be recorded.
        """
        warnings = [] if warnings is None else warnings
        began = self._taken(context.caller)
        if began is None:
            return None
        try:
            async with self._looking:
                after = await asyncio.to_thread(self._tree.look)
        except TooManyFilesError:
            warnings.append("There are too many files to tell what the command changed.")
            return None
        paths = _changed(began.picture, after)
        paths -= await _of_git(began, after, paths)
        if len(paths) > MOST:
            warnings.append(f"The command changed {len(paths)} files, which are not recorded one by one.")
            return None
        planned: list[Planned] = []
        applied: dict[TargetKey, CurrentText | None] = {}
        for path in sorted(paths):
            one = await _planned(workspace, path, began, after.get(path), warnings)
            if one is not None:
                planned.append(one)
                applied[one.change.target] = _text(after.get(path))
        if not planned:
            return None
        request = json.dumps({"command": began.command}, ensure_ascii=False)
        happened = Applied(applied, dict.fromkeys(applied, True))
        plan = Plan(tuple(planned), version_check="skipped")
        return record_done(workspace, "shell", plan, happened, context.caller, request, origin="shell")

    def _taken(self, caller: Caller) -> _Began | None:
        found = self._running.pop((caller.scope, caller.call_id), None)
        if found is None:
            # An agent that does not name its calls alike before and after has one command at a time.
            mine = [key for key in self._running if key[0] == caller.scope]
            found = self._running.pop(mine[-1]) if mine else None
        return found


def _changed(before: Picture, after: Picture) -> set[str]:
    """The files whose contents are not those that they were, or cannot be told to be."""
    found = before.keys() ^ after.keys()
    for path in before.keys() & after.keys():
        one, other = before[path], after[path]
        same = one is other or (one.packed == other.packed if one.packed else one.stamps == other.stamps)
        if not same or one.mode != other.mode:
            found.add(path)
    return set(found)


async def _of_git(began: _Began, after: Picture, paths: set[str]) -> set[str]:
    """Those that switching to another branch brought."""
    found: set[str] = set()
    for top, was in began.heads.items():
        now = head_at(top + "/x")
        if was is None or now is None or was == now:
            continue
        old, new = Head.of(was), Head.of(now)
        if old.branch != new.branch and old.commit and new.commit and old.commit != new.commit:
            names = await changed_between(top, old.commit, new.commit)
            found |= {path for path in paths if path.removeprefix(top + "/") in names}
    return found


async def _planned(
    workspace: Workspace, path: str, began: _Began, now: Held | None, warnings: list[str]
) -> Planned | None:
    """What became of one file; None where it was somebody else who changed it, or nobody can tell."""
    target = TargetKey(path)
    after = _text(now)
    before = _text(began.picture.get(path))
    if (now is not None and after is None) or (path in began.picture and before is None):
        warnings.append(f"{path} changed and is not recorded: it is no text, or too large.")
        return None
    for entry in workspace.ledger.entries(target=target, limit=1):
        record = next((one for one in reversed(entry.files) if one.target == target), None)
        if record is None or entry.time < began.time:
            continue
        if (record.after.token if record.after else None) == (after.token if after else None):
            return None
        if record.after is not None and record.after.token is not None:
            text = workspace.ledger.text_of(record.after.token)
            if text is not None and before is not None:
                before = CurrentText(
                    text, record.after.token, "disk", record.after.encoding, mode=before.mode
                )
    if await _was_saved(workspace, target, after):
        return None
    if before is None:
        if after is None:
            return None
        change = FileChange(target, "create", CreateIfAbsent(), None, after.text, encoding=after.encoding)
        return Planned(change, path, whole=True)
    if after is None:
        return Planned(FileChange(target, "delete", ReplaceIfVersion(before.token), before, None), path)
    parts = replacements_between(before.text, after.text)
    change = FileChange(
        target, "update", ReplaceIfVersion(before.token), before, after.text, parts, mode=after.mode
    )
    return Planned(change, path)


async def _was_saved(workspace: Workspace, target: TargetKey, after: CurrentText | None) -> bool:
    """Whether the person saved this text in the editor."""
    try:
        current = await workspace.client.current(target)
    except CoeditorError:
        return False
    return (
        current is not None
        and after is not None
        and current.token == after.token
        and current.moved_by == "user-saved"
    )


def _text(held: Held | None) -> CurrentText | None:
    data = held.data if held is not None else None
    if held is None or data is None:
        return None
    try:
        found = decode(data)
    except CoeditorError:
        return None
    return CurrentText(found.text, token_of(found.text), "disk", found.encoding, mode=held.mode, data=data)


def _tops(workspace: Workspace) -> set[str]:
    return {top for root in workspace.roots if (top := git_top(root)) is not None}
