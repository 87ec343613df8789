"""The ``read`` tool: numbered lines of the current text, and the record that they were shown.

Never: text beyond what is sent counts as shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editor_clients.lines import LineIndex, eol_of
from editor_clients.port import CurrentText
from editor_clients.replacements import line_edits
from ledger.errors import Code, CoeditorError
from ledger.ranges import NONE, LineRanges
from ledger.session import Present
from ledger.types import LineEdit
from lsp_server import refusals
from lsp_server.pipeline import current_text
from lsp_server.reading import show_window
from lsp_server.service import CallContext
from lsp_server.targets import Target
from lsp_server.view import View
from lsp_server.workspace import Workspace


async def read(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """Result fields: README, "Tools".

    Errors: FS_NOT_FOUND (and the target counts as absent), FS_NOT_REGULAR_FILE, FS_NOT_TEXT, FS_TOO_LARGE,
    FS_DENIED, INVALID_ARGUMENT (an offset past the end, with ``data.total_lines``).
    """
    target = workspace.resolve(arguments["file_path"], context.cwd, write=False)
    async with workspace.hold((target.key,)):
        current = await current_text(workspace, target.key, target.path)
        view = View(workspace, context.caller, {target.key: current})
        workspace.notices.watch(target.key)
        if current is None:
            raise refusals.not_found(view, target)
        if workspace.settings.side_effects["diagnostics"]:
            workspace.servers.warm(target.key, current.text)
        return _shown(view, target, current, arguments)


def _shown(view: View, target: Target, current: CurrentText, arguments: Mapping[str, Any]) -> dict[str, Any]:
    index = LineIndex(current.text)
    total = index.line_count
    offset, limit = arguments["offset"], arguments["limit"]
    if offset > max(total, 1):
        raise CoeditorError(
            Code.INVALID_ARGUMENT,
            f"{target.path} has {total} lines; offset {offset} is past its end.",
            file_path=target.path,
            data={"total_lines": total},
        )
    ledger = view.workspace.ledger
    last = min(total, offset + limit - 1)
    wanted = LineRanges.of((offset, last)) if last >= offset else NONE
    forced = arguments["refresh"] or arguments["changed_only"]
    if not forced and ledger.is_shown(view.caller.scope, target.key, current.token, wanted):
        ledger.record_unchanged(view.caller, target.key, current.token, wanted)
        return {"ok": True, "unchanged": True} | _where(current, offset, last, total)
    window = show_window(current.text, index, offset, limit, view.workspace.settings.read_chars)
    whole = LineRanges.of(window.whole) if window.whole else NONE
    moved = _moved_since(view, target, current)
    ledger.record_read(view.caller, target.key, current.token, total, whole, text=current.text, moved=moved)
    view.workspace.misses.ended(view.caller.scope, target.key)
    found: dict[str, Any] = {"ok": True, "text": window.text, "unchanged": False}
    found |= _where(current, window.first, window.last, total)
    found |= {
        "encoding": current.encoding,
        "eol": eol_of(current.text),
        "truncated": window.truncated,
    }
    if current.diverged:
        found["diverged"] = True
        found["notices"] = [
            {
                "file_path": target.path,
                "moved_by": "external",
                "version": current.disk_token,
                "message": "The file on disk changed below this unsaved text. From here to there:",
                "diff": refusals.difference_below(view, target, current),
            }
        ]
        view.told_divergence(target.key, current)
    return found


def _where(current: CurrentText, first: int, last: int, total: int) -> dict[str, Any]:
    return {
        "start_line": first,
        "end_line": last,
        "total_lines": total,
        "version": current.token,
        "authority": current.authority,
        "unsaved": current.unsaved,
    }


def _moved_since(view: View, target: Target, current: CurrentText) -> tuple[LineEdit, ...] | None:
    """How the text that the scope saw before became this one; None when it saw none, or it is not kept."""
    seen = view.observation(target.key)
    if not isinstance(seen, Present) or seen.token == current.token:
        return None
    before = view.workspace.ledger.text_of(seen.token)
    return line_edits(before, current.text) if before is not None else None
