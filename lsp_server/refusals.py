"""Refusals that carry what the retry needs: what moved, who moved it, and the lines around the place meant.

What a refusal shows is recorded as shown, so that a right second try needs no read.

Never: a decision. ``checks`` decided; this file only tells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from editor_clients.diffs import FileDiff, cut_diff, unified_diff
from editor_clients.lines import LineIndex
from editor_clients.port import CurrentText
from editor_clients.replacements import line_edits
from ledger.errors import Code, CoeditorError
from ledger.ranges import NONE, LineRanges, lines_in_diff
from ledger.session import Present
from ledger.types import VersionToken
from lsp_server.conflicts import conflict, kind_of
from lsp_server.movers import by_whom, moved_by
from lsp_server.reading import show_window
from lsp_server.streaks import MANY
from lsp_server.targets import Target
from lsp_server.view import View
from lsp_server.workspace import Workspace

PlaceMeant = Callable[[str], tuple[int, int] | None]
"""From the current text to the lines that the request is about, as far as they can be found."""

AROUND = 5
"""Lines shown before and after the place meant."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Numbered lines, and which of them were shown whole."""

    text: str
    first: int
    last: int
    shown: LineRanges


def excerpt(workspace: Workspace, text: str, meant: PlaceMeant | None) -> Excerpt:
    """The lines around the place meant (else the first lines), within the limits of a refusal."""
    index = LineIndex(text)
    most = workspace.settings.limit("refusal_lines")
    place = meant(text) if meant is not None and text else None
    first, last = place or (1, min(index.line_count, most))
    if place:
        first, last = max(1, first - AROUND), min(index.line_count, last + AROUND)
    if last < first:
        return Excerpt("", 1, 0, NONE)
    count = min(last - first + 1, most)
    window = show_window(index, first, count, workspace.settings.limit("refusal_chars"))
    shown = LineRanges.of(window.whole) if window.whole else NONE
    return Excerpt(window.text, window.first, window.last, shown)


def not_observed(
    view: View, target: Target, current: CurrentText, meant: PlaceMeant | None, why: str
) -> CoeditorError:
    """The refusal for an existing target that this scope has not read; what it shows counts as shown."""
    part = excerpt(view.workspace, current.text, meant)
    total = LineIndex(current.text).line_count
    view.refused(target.key, current, total, part.shown, None)
    data = _excerpt_data(part, current, total)
    if current.unsaved:
        data["unsaved"] = True
    return CoeditorError(Code.FS_NOT_OBSERVED, why, file_path=target.path, data=data)


def moved(
    view: View,
    target: Target,
    current: CurrentText,
    seen: VersionToken,
    meant: PlaceMeant | None,
) -> CoeditorError:
    """The refusal for a text that is not at the version seen; the observation moves to what it shows."""
    base = view.workspace.ledger.text_of(seen)
    part = excerpt(view.workspace, current.text, meant)
    total = LineIndex(current.text).line_count
    mover = moved_by(view, target, current)
    data: dict[str, Any] = {"moved_by": mover, "seen_version": seen, **_excerpt_data(part, current, total)}
    shown = part.shown
    edits = None
    if base is not None:
        edits = line_edits(base, current.text)
        name = view.workspace.name_in_diff(target.path)
        whole = unified_diff([FileDiff(name, name, base, current.text)])
        data["diff"], truncated = cut_diff(whole, view.workspace.settings.limit("refusal_chars"))
        if truncated:
            data["diff_truncated"] = True
        else:
            shown = shown.union(lines_in_diff(edits).clip(total))
    if current.diverged:
        data["diverged"] = True
        data["disk_diff"] = difference_below(view, target, current)
        view.told_divergence(target.key, current)
    data["conflict"] = conflict(view, target.key, kind_of(view, current, mover), base, current.text)
    view.refused(target.key, current, total, shown, edits)
    is_typing = mover == "user-unsaved" and not current.diverged
    code = Code.FS_UNSAVED_CHANGES if is_typing else Code.FS_STALE_VERSION
    sentence = (
        _diverged_sentence(target)
        if current.diverged
        else _moved_sentence(code, target, by_whom(view.workspace, mover))
    )
    return CoeditorError(code, sentence, file_path=target.path, data=data)


def difference_below(view: View, target: Target, current: CurrentText) -> str:
    """From the unsaved text to the one on disk below it, as a diff."""
    name = view.workspace.name_in_diff(target.path)
    whole = unified_diff([FileDiff(name, name, current.text, current.below)])
    return cut_diff(whole, view.workspace.settings.limit("refusal_chars"))[0]


def vanished(view: View, target: Target) -> CoeditorError:
    """The refusal for a file that is gone since it was seen; it counts as absent from now on."""
    mover = moved_by(view, target, None)
    who = by_whom(view.workspace, mover)
    view.absent(target.key)
    return CoeditorError(
        Code.FS_STALE_VERSION,
        f"{target.path} was deleted since you read it, {who}. If it should exist again, create it with "
        "write.",
        file_path=target.path,
        data={"vanished": True, "moved_by": mover},
    )


def not_found(view: View, target: Target) -> CoeditorError:
    """The refusal for a file that is not there; it counts as absent from now on."""
    view.absent(target.key)
    return CoeditorError(
        Code.FS_NOT_FOUND,
        f"There is no file {target.path}. Check the path, or create it with write.",
        file_path=target.path,
    )


def finish_miss(view: View, target: Target, current: CurrentText, error: CoeditorError) -> CoeditorError:
    """Say what only the ledger knows: was the nearest place ever shown? What the error shows counts as shown."""
    error.file_path = target.path
    if error.code is not Code.FS_NO_MATCH:
        return error
    seen = view.observation(target.key)
    total = LineIndex(current.text).line_count
    nearest = error.data.get("nearest")
    first, last = nearest["lines"] if nearest else (1, total)
    if "reason" not in error.data:
        known = isinstance(seen, Present) and seen.shown.covers(first, last)
        error.data["reason"] = "miscopied" if known else "not_read"
    if nearest and not nearest.get("too_long"):
        view.shown(target.key, current, total, LineRanges.of((first, last)))
    error.data.setdefault("version", current.token)
    misses = view.missed(target.key)
    if misses >= MANY:
        _show_more(view, target, current, error, misses, (first, last) if nearest else None)
    return error


def _show_more(
    view: View,
    target: Target,
    current: CurrentText,
    error: CoeditorError,
    misses: int,
    place: tuple[int, int] | None,
) -> None:
    """Trying on from memory leads nowhere: show as much around the place as a refusal may, and say so."""
    around = None
    if place is not None:
        spare = view.workspace.settings.limit("refusal_lines") - (place[1] - place[0] + 1)
        wider = max(0, spare // 2 - AROUND)
        around = (max(1, place[0] - wider), place[1] + wider)
    part = excerpt(view.workspace, current.text, lambda _: around)
    total = LineIndex(current.text).line_count
    view.shown(target.key, current, total, part.shown)
    error.data |= {"misses": misses, **_excerpt_data(part, current, total)}
    error.message += (
        f" This is miss number {misses} in a row on this file, of which more lines are shown here: read it again with "
        "refresh before the next try."
    )


def outside_shown(
    view: View, target: Target, current: CurrentText, lines: Sequence[tuple[int, int]]
) -> list[str]:
    """A warning that names the lines of an edit that the scope was never shown."""
    seen = view.observation(target.key)
    if not isinstance(seen, Present) or seen.token != current.token:
        return []
    outside = LineRanges.merged(lines).minus(seen.shown)
    outside = outside.clip(LineIndex(current.text).line_count) if outside else outside
    if not outside:
        return []
    return [f"The edit is at lines that were not shown to you ({outside}); read them to be sure."]


def _excerpt_data(part: Excerpt, current: CurrentText, total: int) -> dict[str, Any]:
    return {
        "version": current.token,
        "total_lines": total,
        "lines": part.text,
        "start_line": part.first,
        "end_line": part.last,
    }


def _diverged_sentence(target: Target) -> str:
    return (
        f"{target.path} has unsaved text in the editor, and the file on disk changed below it; disk_diff shows the "
        "difference. Only the person can settle that; an edit sent again goes to the unsaved text."
    )


def _moved_sentence(code: Code, target: Target, who: str) -> str:
    if code is Code.FS_UNSAVED_CHANGES:
        return (
            f"{target.path} has unsaved changes in the editor that you have not seen. The diff shows them; "
            "take them into account and send the edit again."
        )
    return (
        f"{target.path} changed since you read it, {who}. The diff shows what moved; adapt the edit to "
        "it and send it again. A whole-file write, a delete or a move needs a read first."
    )


def open_notebook(target: Target) -> CoeditorError:
    """The text of a notebook's file is not what the editor that has it open would take."""
    return CoeditorError(
        Code.INVALID_ARGUMENT,
        f"{target.path} is open in the editor as a notebook, which holds its cells and not the text of its file; it "
        "would write over a change of that text. Change its cells with edit_notebook.",
        file_path=target.path,
        data={"reason": "open_notebook"},
    )
