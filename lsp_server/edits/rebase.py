"""An edit moved over what changed since it was made: only when neither touches nor adjoins the other.

Never: a guess. Where the two meet, there is no result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editor_clients.lines import apply_replacements
from editor_clients.port import Replacement
from editor_clients.replacements import (
    Hunk,
    hunks_between,
    line_edits,
    replacements_between,
    replacements_of,
)
from ledger.types import LineEdit
from lsp_server.edits.matching import Match


def rebase(match: Match, base: str, current: str) -> Match | None:
    """``match``, found on ``base``, as it applies to ``current``; None where its lines touch or adjoin a change."""
    changed = line_edits(base, current)
    if any(_meets(span, edit.first, edit.removed) for span in match.lines for edit in changed):
        return None
    moved = replacements_between(base, current)
    shifted = tuple(_shift(part, moved) for part in match.replacements)
    lines = tuple(_shift_lines(span, changed) for span in match.lines)
    note = "What changed since you read the file was kept: " + ", ".join(
        _named(edit, changed) for edit in changed
    )
    return replace(match, replacements=shifted, lines=lines, warnings=(*match.warnings, note + "."))


def take_back(
    after: str, before: str, now: str, *, only: int | None = None
) -> str | tuple[tuple[int, int], ...]:
    """``now`` without the edit that made ``after`` of ``before``; what else happened to ``after`` since stays.

    Where something else touches or adjoins the edit's lines: those lines of ``now`` (1-based, inclusive), instead.
    Lines that are back already are left alone. ``only``: the hunk with that number (0-based) instead of all.
    """
    if now == after and only is None:
        return before
    undo = hunks_between(after, before)
    if only is not None:
        undo = undo[only : only + 1]
    others = hunks_between(after, now)
    undo = tuple(hunk for hunk in undo if not _is_back(hunk, before, others, now))
    met = [
        (other.after_first, max(other.after_first, other.after_first + other.added - 1))
        for other in others
        if any(
            _meets((hunk.first, hunk.first + hunk.removed - 1), other.first, other.removed) for hunk in undo
        )
    ]
    if met:
        return tuple(met)
    moved = replacements_of(after, now, others)
    return apply_replacements(now, (_shift(part, moved) for part in replacements_of(after, before, undo)))


def put_back(after: str, before: str, now: str) -> list[int]:
    """Which hunks (counted from 1) of the edit that made ``after`` of ``before`` are undone in ``now``."""
    others = hunks_between(after, now)
    hunks = hunks_between(after, before)
    return [number for number, hunk in enumerate(hunks, start=1) if _is_back(hunk, before, others, now)]


def _is_back(hunk: Hunk, before: str, others: Sequence[Hunk], now: str) -> bool:
    """Whether one of the ``others`` put back what ``hunk`` would."""
    wanted = before[hunk.after_start : hunk.after_end]
    return any(
        (hunk.start, hunk.end) == (other.start, other.end)
        and wanted == now[other.after_start : other.after_end]
        for other in others
    )


def _meets(span: tuple[int, int], first: int, removed: int) -> bool:
    """Whether the span and the lines removed there share one, or no line is left between them."""
    return span[0] <= first + removed and span[1] >= first - 1


def _shift(part: Replacement, moved: Sequence[Replacement]) -> Replacement:
    delta = sum(len(other.text) - (other.end - other.start) for other in moved if other.end <= part.start)
    return Replacement(part.start + delta, part.end + delta, part.text)


def _shift_lines(span: tuple[int, int], changed: Sequence[LineEdit]) -> tuple[int, int]:
    delta = sum(edit.added - edit.removed for edit in changed if edit.first <= span[0])
    return span[0] + delta, span[1] + delta


def _named(edit: LineEdit, changed: Sequence[LineEdit]) -> str:
    """The lines of one change, in the text as it is now."""
    first = edit.first + sum(other.added - other.removed for other in changed if other.first < edit.first)
    if edit.added == 0:
        return f"lines removed before line {first}"
    last = first + edit.added - 1
    return f"line {first}" if last == first else f"lines {first}-{last}"
