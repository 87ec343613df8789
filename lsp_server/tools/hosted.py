"""The steps ``host_read`` and ``host_write``: an agent's own file access by its host, on the walk of all edits.

What the agent writes is the text that it read, changed; so it is an edit of that text, unsaved typing in it included,
and is refused when the text is another by now. Never: a write of a file that was not read whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from editor_clients.lines import LineIndex
from editor_clients.port import FileChange
from editor_clients.replacements import replacements_between
from ledger.errors import Code, CoeditorError
from ledger.ranges import NONE, LineRanges
from ledger.session import Present
from ledger.types import Operation, token_of
from lsp_server import refusals
from lsp_server.checks import check
from lsp_server.edits.three_way import regions_of
from lsp_server.outcomes import Plan, Planned
from lsp_server.pipeline import mutate
from lsp_server.service import CallContext
from lsp_server.tools.edit import WriteRequest, kept_line_ends
from lsp_server.tools.read import moved_since
from lsp_server.view import View
from lsp_server.workspace import Workspace


async def host_read(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """Answers ``content``. Errors: as ``read``, but that an image is FS_NOT_TEXT."""
    target = workspace.resolve(arguments["file_path"], context, write=False)
    async with workspace.hold((target.key,)):
        current = await workspace.current_text(target.key, target.path)
        view = View(workspace, context.caller, {target.key: current})
        workspace.notices.watch(target.key)
        if current is None:
            raise refusals.not_found(view, target)
        index = LineIndex(current.text)
        total = index.line_count
        first = min(max(arguments.get("line", 1), 1), total + 1)
        last = min(total, first + arguments.get("limit", total) - 1)
        whole = first == 1 and last == total
        start, end = index.span_of_lines(first, last) if first <= last else (0, 0)
        shown = LineRanges.of((first, last)) if first <= last else NONE
        workspace.ledger.record_read(
            context.caller,
            target.key,
            current.token,
            total,
            shown,
            text=current.text,
            moved=moved_since(view, target, current),
        )
        view.told_divergence(target.key, current)
        return {"ok": True, "content": current.text if whole else current.text[start:end]}


async def host_write(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """The outcome of a write. Errors: as ``write``; but unsaved text that the agent read can be changed."""
    target = workspace.resolve(arguments["file_path"], context, write=True)
    workspace.notices.watch(target.key)
    disk = None
    with suppress(CoeditorError):
        disk = await workspace.native.disk.current(target.key)
    try:
        request = _HostWrite(target, arguments, disk=disk.text if disk is not None else None)
        return await mutate(workspace, request, context)
    except CoeditorError as error:
        if error.code is Code.FS_NO_CHANGE:
            return {"ok": True}  # an agent may well write what is there
        raise


@dataclass(frozen=True, slots=True)
class _HostWrite(WriteRequest):
    disk: str | None = None
    """The saved text: agents that read for themselves from there ask their host all the same when they write."""

    def plan(self, view: View) -> Plan:
        """Errors: as ``WriteRequest``."""
        target, current, seen = (
            self.target,
            view.current[self.target.key],
            view.observation(self.target.key),
        )
        if current is None or not isinstance(seen, Present) or seen.token != current.token:
            return WriteRequest.plan(self, view)
        check(view, Operation.WRITE, target, keeps_unsaved=True)
        checked = check(view, Operation.EDIT, target)
        content, warnings = kept_line_ends(current, self.sent["content"].removeprefix("\ufeff"))
        if content == current.text:
            raise CoeditorError(Code.FS_NO_CHANGE, "The text is there already.", file_path=target.path)
        if current.unsaved and self.disk is not None and _takes_back(self.disk, current.text, content):
            known = token_of(self.disk)
            view.workspace.ledger.keep_text(target.key, known, self.disk)
            raise refusals.moved(view, target, current, known, None)
        parts = replacements_between(current.text, content)
        change = FileChange(target.key, "update", checked.precondition, current, content, parts)
        planned = Planned(change, target.path, whole=True)
        return Plan((planned,), version_check=checked.version_check, warnings=warnings)


def _takes_back(saved: str, unsaved: str, written: str) -> bool:
    """Whether a place that the person changed would be as it was saved: its writer knew the saved text alone."""
    return any(one.by == frozenset({"theirs"}) for one in regions_of(saved, unsaved, written))
