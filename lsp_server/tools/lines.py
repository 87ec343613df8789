"""The ``lines`` step: which lines of a file are an agent's, and whose, and which the person's.

Never: a guess; what no recorded edit wrote is the person's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editor_clients.lines import split_lines
from ledger.errors import Code, CoeditorError
from ledger.reviews import Link
from ledger.types import EditId, Entry, FileState, VersionToken
from lsp_server.edits.blame import Blamed, changed, runs, untouched
from lsp_server.moments import rfc3339
from lsp_server.service import CallContext
from lsp_server.snapshots import text_of
from lsp_server.workspace import Workspace

Text = Blamed[EditId | None]
_VERSIONS = 200
"""Earlier texts of a file whose writers are remembered while it is gone through."""


async def lines(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """``lines``: the current text in runs, from top to bottom. Errors: as ``resolve``, FS_NOT_FOUND."""
    target = workspace.resolve(arguments["file_path"], context, write=False)
    async with workspace.hold([target.key]):
        current = await workspace.client.current(target.key)
        links = workspace.ledger.links(target.key)
    if current is None:
        raise CoeditorError(Code.FS_NOT_FOUND, f"{target.path} is not there.", file_path=target.path)
    story = _Story(workspace)
    for link in links:
        story.tell(link)
    text = story.end(current.token, current.text)
    entries = {link.entry.edit_id: link.entry for link in links}
    return {
        "ok": True,
        "file_path": target.path,
        "version": current.token,
        "text": current.text,
        "lines": [_row(first, last, entries.get(who) if who else None) for first, last, who in runs(text)],
    }


class _Story:
    """One file's texts, one after the other."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._text: Text | None = None
        self._token: VersionToken | None = None
        self._known: dict[VersionToken, Text] = {}
        self._before: dict[EditId, Text] = {}

    def tell(self, link: Link) -> None:
        """The next record."""
        entry, file = link.entry, link.file
        if entry.state == "unknown":
            return
        self._move(file.before, None, None)
        if self._text is not None:
            self._before[entry.edit_id] = self._text
        if len(self._before) > _VERSIONS:
            self._before.pop(next(iter(self._before)))
        like = self._before.get(entry.rewinds) if entry.rewinds is not None else None
        if like is None and entry.tool == "review":
            like = next(iter(self._before.values()), None)
        self._move(file.after, None if entry.origin == "person" else entry.edit_id, like)

    def end(self, token: VersionToken, text: str) -> Text:
        """The text now."""
        self._become(token, split_lines(text), None, None)
        assert self._text is not None
        return self._text

    def _move(self, state: FileState | None, who: EditId | None, like: Text | None) -> None:
        text = text_of(self._workspace, state) if state is not None else ""
        if text is not None:
            self._become(state.token if state is not None else None, split_lines(text), who, like)

    def _become(
        self, token: VersionToken | None, lines_: list[str], who: EditId | None, like: Text | None
    ) -> None:
        if self._text is None:
            self._text = untouched(lines_, who)
        elif token != self._token:
            known = self._known.get(token) if token is not None else None
            self._text = known or changed(self._text, lines_, who, like)
        self._token = token
        if token is not None:
            self._known[token] = self._text
            if len(self._known) > _VERSIONS:
                self._known.pop(next(iter(self._known)))


def _row(first: int, last: int, entry: Entry | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "start_line": first,
        "end_line": last,
        "by": "person" if entry is None else "agent",
    }
    if entry is None:
        return row
    caller = entry.caller
    row |= {
        "edit_id": entry.edit_id,
        "session": caller.scope.session,
        "scope": caller.scope.scope,
        "tool": entry.tool,
        "time": rfc3339(entry.time),
    }
    optional = {"turn": caller.turn, "agent": caller.agent}
    return row | {name: value for name, value in optional.items() if value is not None}
