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
from lsp_server.changed import came, gone_before, show_changed, spans_of
from lsp_server.reading import show_window
from lsp_server.service import CallContext
from lsp_server.targets import Target
from lsp_server.view import View
from lsp_server.workspace import Workspace


async def read(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """Result fields: README, "Tools".

    An image is no text to be edited, so nothing is recorded of it. Errors: FS_NOT_FOUND (and the target counts
    as absent), FS_NOT_REGULAR_FILE, FS_NOT_TEXT (an image where the caller takes none, too), FS_TOO_LARGE,
    FS_DENIED, INVALID_ARGUMENT (an offset past the end, with ``data.total_lines``).
    """
    target = workspace.resolve(arguments["file_path"], context, write=False)
    async with workspace.hold((target.key,)):
        try:
            current = await workspace.current_text(target.key, target.path)
        except CoeditorError as error:
            if error.code is not Code.FS_NOT_TEXT:
                raise
            # Few reads are of images, and a server is to be there soon.
            from lsp_server.tools.pictures import image_at, image_object

            image = await image_at(workspace, target)
            if image is None:
                raise
            return image_object(image, target, is_taken=context.images)
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
    if not arguments["refresh"] and ledger.is_shown(view.caller.scope, target.key, current.token, wanted):
        ledger.record_unchanged(view.caller, target.key, current.token, wanted)
        return {"ok": True, "unchanged": True} | _where(current, offset, last, total)
    moved = moved_since(view, target, current)
    if arguments["changed_only"] and not arguments["refresh"] and wanted:
        found = _changed(view, target, current, index, (offset, last), moved)
        if found is not None:
            return found
    window = show_window(index, offset, limit, view.workspace.settings.read_chars)
    whole = LineRanges.of(window.whole) if window.whole else NONE
    ledger.record_read(view.caller, target.key, current.token, total, whole, text=current.text, moved=moved)
    return _text_object(view, target, current, window.text, (window.first, window.last), total) | {
        "truncated": window.truncated,
        **_changed_lines(moved, total),
    }


def _changed(
    view: View,
    target: Target,
    current: CurrentText,
    index: LineIndex,
    window: tuple[int, int],
    moved: tuple[LineEdit, ...] | None,
) -> dict[str, Any] | None:
    """Only what the scope has not before it since the text changed; None where it knows no text to compare."""
    ledger, caller = view.workspace.ledger, view.caller
    seen = view.observation(target.key)
    if not isinstance(seen, Present) or (seen.token != current.token and moved is None):
        return None
    edits = moved or ()
    total = index.line_count
    # At the version seen, what a refusal or an answer that was cut left out is still to be shown.
    wanted = came(edits, window) if moved is not None else LineRanges.of(window).minus(seen.shown)
    gone = gone_before(edits, window)
    part = show_changed(current.text, index, window, wanted, gone, view.workspace.settings.read_chars)
    ledger.record_read(caller, target.key, current.token, total, part.whole, text=current.text, moved=moved)
    # The rest of the window was said to be as it was shown, which makes it read again.
    ledger.record_unchanged(caller, target.key, current.token, LineRanges.of((window[0], part.last)))
    if ledger.is_shown(caller.scope, target.key, current.token, LineRanges.of(window)) and not (
        wanted or gone
    ):
        return {"ok": True, "unchanged": True} | _where(current, *window, total)
    return _text_object(view, target, current, part.text, (window[0], part.last), total) | {
        "truncated": part.truncated,
        **_changed_lines(moved, total),
    }


def _changed_lines(moved: tuple[LineEdit, ...] | None, total: int) -> dict[str, Any]:
    """Which lines moved since the scope was shown the file, as far as that is known."""
    return {"changed_lines": [list(span) for span in spans_of(moved, total)]} if moved else {}


def _text_object(
    view: View, target: Target, current: CurrentText, text: str, lines: tuple[int, int], total: int
) -> dict[str, Any]:
    """A result that shows text."""
    view.workspace.misses.ended(view.caller.scope, target.key)
    found: dict[str, Any] = {"ok": True, "text": text, "unchanged": False}
    found |= _where(current, *lines, total)
    found |= {"encoding": current.encoding, "eol": eol_of(current.text)}
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


def moved_since(view: View, target: Target, current: CurrentText) -> tuple[LineEdit, ...] | None:
    """How the text that the scope saw before became this one; None when it saw none, or it is not kept."""
    seen = view.observation(target.key)
    if not isinstance(seen, Present) or seen.token == current.token:
        return None
    before = view.workspace.ledger.text_of(seen.token)
    return line_edits(before, current.text) if before is not None else None
