"""A change moved over what somebody else changed since it was thought of, where the two keep apart.

Never: a merge of lines that touch or adjoin; those are a refusal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from editor_clients.lines import apply_replacements
from editor_clients.port import CurrentText
from editor_clients.replacements import line_edits
from ledger.ranges import lines_written
from lsp_server.edits.levels import Level
from lsp_server.edits.matching import Match
from lsp_server.edits.rebase import rebase
from lsp_server.edits.v4a_rows import PlannedFile
from lsp_server.movers import moved_by
from lsp_server.outcomes import Merged
from lsp_server.targets import Target
from lsp_server.view import View


def merged_from(view: View, target: Target, seen: str | None) -> Merged | None:
    """What of the current text is not in the text that the caller saw; None when the edit was not moved."""
    current = view.current[target.key]
    if seen is None or current is None:
        return None
    return Merged(moved_by(view, target, current), lines_written(line_edits(seen, current.text)))


def rebased(row: PlannedFile, seen: str, current: CurrentText) -> tuple[PlannedFile, Sequence[str]] | None:
    """An update that was planned on the text seen, on the current one; None where the two meet."""
    lines = tuple(one.lines for one in row.matches)
    moved = rebase(Match(Level.EXACT, row.replacements, lines), seen, current.text)
    if moved is None:
        return None
    matches = tuple(replace(one, lines=where) for one, where in zip(row.matches, moved.lines, strict=True))
    after = apply_replacements(current.text, moved.replacements)
    found = replace(row, before=current.text, after=after, replacements=moved.replacements, matches=matches)
    return found, moved.warnings
