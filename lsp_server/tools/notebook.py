"""The ``edit_notebook`` tool: how the plan for one cell of a notebook is made.

Never: applying anything; ``pipeline.mutate`` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from editor_clients.lines import apply_replacements
from editor_clients.port import FileChange
from ledger.errors import CoeditorError
from ledger.session import Present
from ledger.types import Operation, TargetKey
from lsp_server import refusals
from lsp_server.checks import check
from lsp_server.edits.levels import Level
from lsp_server.edits.matching import Match
from lsp_server.edits.notebook import edit_cell, lines_of_cell
from lsp_server.edits.rebase import rebase
from lsp_server.merging import merged_from
from lsp_server.outcomes import MatchInfo, Plan, Planned
from lsp_server.pipeline import mutate
from lsp_server.service import CallContext
from lsp_server.targets import Target
from lsp_server.view import View
from lsp_server.workspace import Workspace


async def edit_notebook(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """Replace, insert or delete one cell; the outcome of README, "Edit outcome"."""
    target = workspace.resolve(arguments["file_path"], context, write=True)
    workspace.notices.watch(target.key)
    return await mutate(workspace, NotebookRequest(target, arguments), context)


@dataclass(frozen=True, slots=True)
class NotebookRequest:
    """An edit of one cell."""

    target: Target
    sent: Mapping[str, Any]
    tool: str = "edit_notebook"

    def targets(self) -> Mapping[TargetKey, str]:
        """See ``Request.targets``."""
        return {self.target.key: self.target.path}

    def arguments(self) -> Mapping[str, Any]:
        """See ``Request.arguments``."""
        return self.sent

    def plan(self, view: View) -> Plan:
        """Errors: INVALID_ARGUMENT (no notebook, no such cell), FS_NO_CHANGE, and those of ``check``."""
        target = self.target
        current = view.current[target.key]
        view.wanted[target.key] = self._wanted
        checked = check(view, Operation.EDIT, target, self._meant, by_cells=True)
        if current is None:
            raise refusals.not_found(view, target)
        seen = view.observation(target.key)
        base = current.text if checked.merge_base is None else checked.merge_base
        match = None if checked.exact_only else self._match(base)
        if match is not None and checked.merge_base is not None:
            match = rebase(match, base, current.text)
        if match is None:
            token = seen.token if isinstance(seen, Present) else current.token
            raise refusals.moved(view, target, current, token, self._meant)
        after = apply_replacements(current.text, match.replacements)
        change = FileChange(target.key, "update", checked.precondition, current, after, match.replacements)
        return Plan(
            (Planned(change, target.path, merged=merged_from(view, target, checked.merge_base)),),
            match=MatchInfo(match.level, 1, match.lines),
            version_check=checked.version_check,
            warnings=(*match.warnings, *refusals.outside_shown(view, target, current, match.lines)),
        )

    def _match(self, text: str) -> Match:
        sent = self.sent
        try:
            found = edit_cell(
                text, sent["mode"], sent.get("cell_id"), sent.get("new_source"), sent.get("cell_type")
            )
        except CoeditorError as error:
            error.file_path = self.target.path
            raise
        return Match(Level.EXACT, found.replacements, (found.lines,), found.warnings)

    def _wanted(self, seen: str) -> str | None:
        """What the edit would make of the text that the caller saw."""
        try:
            return apply_replacements(seen, self._match(seen).replacements)
        except CoeditorError:
            return None

    def _meant(self, text: str) -> tuple[int, int] | None:
        """The lines of the cell."""
        return lines_of_cell(text, self.sent.get("cell_id"))
