"""Reports that come after the edit was answered: kept for the agent's next call, and for whoever listens.

    edit answered while a source was silent -> its report settles, about that very text
    -> what is new and resolved since before the edit -> with the scope's next answer, once

A later change of the file ends the wait, unless the report came with that change.

Never: holding up an edit or a question, or a report about a text that is not there any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from editor_clients.source_reports import Comparison, SourceReport
from ledger.types import EditId, ScopeKey, VersionToken, token_of
from lsp_server.effects.diagnostics import Bounds, EditDiagnostics, FileEdit, sorted_out
from lsp_server.effects.sources import DiagnosticSource

_PATIENCE = 120.0
"""Seconds after an edit in which a report about it is still told."""
_MOST_WAITS = 64
_MOST_READY = 20
"""Reports that are kept for one scope; the oldest go."""
_MOST_SCOPES = 200
_AT_ONCE = 5
"""Reports told with one answer; the rest comes with the next."""


@dataclass(frozen=True, slots=True)
class LateReport:
    """What one source said of an edit when it had been answered already."""

    scope: ScopeKey
    edit_id: EditId
    file_path: str
    """As the edit spelled it."""
    source: str
    found: EditDiagnostics

    def to_notice(self) -> dict[str, Any]:
        """The row of ``notices`` (README, "Tools")."""
        message = f"{self.source} has now reported on edit {self.edit_id}."
        return {
            "file_path": self.file_path,
            "message": message,
            "edit_id": self.edit_id,
            "diagnostics": self.found.to_object(),
        }


@dataclass(frozen=True, slots=True)
class Answered:
    """An edit that was answered, as far as its reports go."""

    scope: ScopeKey
    edit_id: EditId
    edits: Sequence[FileEdit]
    spelled: dict[str, str]
    """From each path to how the edit spelled it."""
    bounds: Bounds


@dataclass(slots=True, eq=False)
class _Wait:
    """One source that owes a report about one file."""

    answered: Answered
    edit: FileEdit
    source: str
    before: SourceReport | None
    token: VersionToken
    task: asyncio.Task[None] | None = None


class LateReports:
    """The reports that are waited for, and those that nobody was told of yet."""

    def __init__(self, source: DiagnosticSource) -> None:
        self._source = source
        self._waits: list[_Wait] = []
        self._ready: dict[ScopeKey, list[LateReport]] = {}
        self._listeners: list[Callable[[LateReport], None]] = []

    def listen(self, listener: Callable[[LateReport], None]) -> None:
        """``listener`` is called with each late report as it comes; it must not raise."""
        self._listeners.append(listener)

    def changed(self, compared: Iterable[Comparison], edits: Iterable[FileEdit]) -> None:
        """Files were changed by ``edits``: what was said of the texts before settles earlier edits, or never comes."""
        reports = {
            (path, one.source): report
            for one in compared
            for path, report in one.before.items()
            if report.status == "fresh"
        }
        for edit in edits:
            path = edit.from_path or edit.path
            for wait in [one for one in self._waits if one.edit.path == path]:
                report = reports.get((edit.path, wait.source))
                if report is not None and edit.before is not None and token_of(edit.before) == wait.token:
                    self._settled(wait, report)
                self._forget(wait)

    def expect(self, answered: Answered, compared: Iterable[Comparison]) -> None:
        """Wait for the sources that had not settled when ``answered`` was answered."""
        edited = {edit.path: edit for edit in answered.edits if edit.after is not None}
        for one in compared:
            for path, after in one.after.items():
                edit = edited.get(path)
                if edit is None or after.status == "fresh" or len(self._waits) >= _MOST_WAITS:
                    continue
                wait = _Wait(answered, edit, one.source, one.before.get(path), token_of(edit.after or ""))
                wait.task = asyncio.create_task(self._overhear(wait))
                self._waits.append(wait)

    def take(self, scope: ScopeKey) -> list[LateReport]:
        """The reports that came since the scope was last told; it is told of them now."""
        ready = self._ready.get(scope, [])
        taken, left = ready[:_AT_ONCE], ready[_AT_ONCE:]
        if left:
            self._ready[scope] = left
        else:
            self._ready.pop(scope, None)
        return taken

    async def close(self) -> None:
        """Wait for nothing any more."""
        tasks = [wait.task for wait in self._waits if wait.task is not None]
        for wait in list(self._waits):
            self._forget(wait)
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _overhear(self, wait: _Wait) -> None:
        deadline = asyncio.get_running_loop().time() + _PATIENCE
        text = wait.edit.after or ""
        report = await self._source.overheard(wait.edit.path, text, wait.source, deadline=deadline)
        if report is not None:
            self._settled(wait, report)
        self._forget(wait)

    def _settled(self, wait: _Wait, report: SourceReport) -> None:
        """Work out what the report means for the edit, once."""
        if wait not in self._waits:
            return
        path, answered = wait.edit.path, wait.answered
        before = {path: wait.before} if wait.before is not None else {}
        found = sorted_out(
            [wait.edit], [Comparison(wait.source, before, {path: report})], lambda _: (), answered.bounds
        )
        late = LateReport(
            answered.scope, answered.edit_id, answered.spelled.get(path, path), wait.source, found
        )
        ready = self._ready.setdefault(answered.scope, [])
        ready.append(late)
        del ready[:-_MOST_READY]
        while len(self._ready) > _MOST_SCOPES:
            del self._ready[next(iter(self._ready))]
        for listener in self._listeners:
            listener(late)

    def _forget(self, wait: _Wait) -> None:
        if wait in self._waits:
            self._waits.remove(wait)
            if wait.task is not None and wait.task is not asyncio.current_task():
                wait.task.cancel()
