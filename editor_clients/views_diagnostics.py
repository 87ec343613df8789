"""Diagnostics where several editors look at one folder: of each file from the editor that has it open.

Never: what one editor said of a text that another one holds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

from editor_clients.diagnostic import Diagnostic, worst_first
from editor_clients.editor_diagnostics import EditorDiagnostics
from editor_clients.language_servers import LanguageServers
from editor_clients.source_reports import Comparison, Report, SourceReport, TextChange


class ViewsDiagnostics:
    """A source of diagnostics over the editors that joined, and ``servers`` for what none has open."""

    def __init__(self, servers: LanguageServers) -> None:
        self._servers = servers
        self._views: list[EditorDiagnostics] = []

    def add(self, view: EditorDiagnostics) -> None:
        """From now on this editor is heard."""
        self._views.append(view)

    def drop(self, view: EditorDiagnostics) -> None:
        """It is gone."""
        self._views.remove(view)

    async def diagnostics(self, path: str, text: str, *, deadline: float) -> Report:
        """See ``DiagnosticSource``."""
        return await (self._for(path, text) or self._servers).diagnostics(path, text, deadline=deadline)

    async def compare(
        self, changes: Sequence[TextChange], *, deadline: float, keep: bool = True
    ) -> list[Comparison]:
        """See ``DiagnosticSource``."""
        parts: list[tuple[EditorDiagnostics | LanguageServers, list[TextChange]]] = []
        for change in changes:
            source = self._for(change.path, change.after) or self._servers
            part = next((part for one, part in parts if one is source), None)
            if part is None:
                parts.append((source, [change]))
            else:
                part.append(change)
        found = await asyncio.gather(
            *(source.compare(part, deadline=deadline, keep=keep) for source, part in parts)
        )
        return [one for each in found for one in each]

    def elsewhere(self, *, beside: Iterable[str] = ()) -> list[Diagnostic]:
        """See ``DiagnosticSource``."""
        without = set(beside)
        found: list[Diagnostic] = []
        for view in self._views:
            told = view.told_elsewhere(without)
            found += told
            without |= {item.file_path for item in told}
        return [*worst_first(found), *self._servers.elsewhere(beside=without)]

    async def overheard(self, path: str, text: str, source: str, *, deadline: float) -> SourceReport | None:
        """See ``DiagnosticSource``."""
        asked = self._for(path, text) or self._servers
        return await asked.overheard(path, text, source, deadline=deadline)

    async def fixes(
        self, path: str, text: str, items: Sequence[Diagnostic], *, deadline: float
    ) -> dict[Diagnostic, str]:
        """See ``DiagnosticSource``."""
        return await (self._for(path, text) or self._servers).fixes(path, text, items, deadline=deadline)

    def describe(self) -> list[dict[str, object]]:
        """See ``DiagnosticSource``."""
        return self._servers.describe()

    def notes(self, reports: Iterable[SourceReport]) -> tuple[str, ...]:
        """See ``DiagnosticSource``."""
        return self._servers.notes(reports)

    def warm(self, path: str, text: str, *, patience: float = 30.0) -> None:
        """See ``DiagnosticSource``."""
        (self._for(path, text) or self._servers).warm(path, text, patience=patience)

    async def close(self) -> None:
        """See ``DiagnosticSource``."""
        await self._servers.close()

    def _for(self, path: str, text: str | None) -> EditorDiagnostics | None:
        """The editor that has ``path`` open; of several the one that holds ``text``."""
        having = [(view, buffer) for view in self._views if (buffer := view.open_document(path)) is not None]
        same = [view for view, buffer in having if buffer.text == text]
        return next(iter(same or [view for view, _ in having]), None)
