"""The lines that a request names by their numbers: where they are now, or why that cannot be told.

What a refusal shows is numbered as the text stands now, and counts as shown, so that a right second try needs
no read.

Never: an edit of lines that may not be those meant.
"""

from __future__ import annotations

from dataclasses import replace

from editor_clients.lines import LineIndex
from editor_clients.port import CurrentText
from ledger.errors import Code, CoeditorError
from ledger.numbering import Unclear
from ledger.ranges import LineRanges, Span
from ledger.session import Present
from lsp_server import refusals
from lsp_server.edits.matching import Match
from lsp_server.targets import Target
from lsp_server.view import View


def find(view: View, target: Target, current: CurrentText, seen: Present, numbers: Span) -> Span:
    """Where the lines are, in the text that was seen last, that the scope knows as ``numbers``.

    Errors: INVALID_ARGUMENT (past the end, and never shown), FS_NO_MATCH (not shown, or rewritten since),
    FS_AMBIGUOUS_MATCH (the scope's own edits came between, near there).
    """
    found = seen.where(*numbers)
    if isinstance(found, Unclear):
        raise _unclear(view, target, current, found)
    if found is None or not seen.shown.covers(*found):
        if found is None and numbers[1] > seen.total:
            raise CoeditorError(
                Code.INVALID_ARGUMENT,
                f"{target.path} has {seen.total} lines; line {numbers[1]} is past its end.",
                file_path=target.path,
                data={"total_lines": seen.total},
            )
        raise not_shown(view, target, current, found or numbers)
    return found


def named(match: Match, numbers: Span, place: Span) -> Match:
    """``match`` with a warning where the lines have other numbers by now."""
    if numbers == place:
        return match
    note = (
        f"Lines {_span(numbers)}, as you were shown them, are lines {_span(place)} now; these were replaced."
    )
    return replace(match, warnings=(*match.warnings, note))


def not_shown(view: View, target: Target, current: CurrentText, lines: Span) -> CoeditorError:
    """The refusal of numbers that mean nothing to the scope; the lines that have them are shown now."""
    part = refusals.excerpt(view.workspace, current.text, lambda text: _inside(text, lines))
    total = LineIndex(current.text).line_count
    view.shown(target.key, current, total, part.shown)
    return CoeditorError(
        Code.FS_NO_MATCH,
        f"Lines {_span(lines)} are not lines that you were shown as they are now, so their numbers mean nothing "
        "yet. They are shown now; send the edit again if it means them.",
        file_path=target.path,
        data={
            "reason": "not_read",
            "version": current.token,
            "total_lines": total,
            "lines": part.text,
            "start_line": part.first,
            "end_line": part.last,
        },
    )


def _unclear(view: View, target: Target, current: CurrentText, found: Unclear) -> CoeditorError:
    """Two places may be meant: both are shown with the numbers that they have now."""
    index = LineIndex(current.text)
    places = [
        _inside(current.text, place) for place in (found.one, found.other) if place[0] <= index.line_count
    ]
    shown = LineRanges.merged(places)
    parts = [
        refusals.excerpt(view.workspace, current.text, lambda _, place=place: place)  # type: ignore[misc]
        for place in shown.spans
    ]
    for part in parts:
        view.shown(target.key, current, index.line_count, part.shown)
    return CoeditorError(
        Code.FS_AMBIGUOUS_MATCH,
        f"Your own edits moved lines near {_span(found.one)} since you were shown them, so it is not clear which "
        f"ones you mean: those that have these numbers now, or those that had them then, now lines "
        f"{_span(found.other)}. They are shown as they are numbered now; send the edit again with these numbers.",
        file_path=target.path,
        data={
            "lines": [list(place) for place in places],
            "version": current.token,
            "text": "\n".join(part.text for part in parts),
        },
    )


def _inside(text: str, lines: Span) -> Span:
    total = max(LineIndex(text).line_count, 1)
    return min(lines[0], total), min(lines[1], total)


def _span(lines: Span) -> str:
    return str(lines[0]) if lines[0] == lines[1] else f"{lines[0]} to {lines[1]}"
