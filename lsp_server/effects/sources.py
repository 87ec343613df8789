"""Where diagnostics come from: language servers of our own, an editor's, or both.

Never: behaviour; this is what the effect and the tool ask.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from editor_clients.diagnostic import Diagnostic
from editor_clients.language_server import SourceReport
from editor_clients.language_servers import Comparison, Report, TextChange


class DiagnosticSource(Protocol):
    """Deadlines are moments on the running loop's clock. Nothing is raised because of a language server."""

    async def diagnostics(self, path: str, text: str, *, deadline: float) -> Report:
        """What holds for ``text``."""
        ...

    async def compare(
        self, changes: Sequence[TextChange], *, deadline: float, keep: bool = True
    ) -> list[Comparison]:
        """What each source said before and says after ``changes``; ``keep``: they have happened."""
        ...

    def elsewhere(self, *, beside: Iterable[str] = ()) -> list[Diagnostic]:
        """What is known of other files."""
        ...

    def notes(self, reports: Iterable[SourceReport]) -> tuple[str, ...]:
        """Why sources are not fresh, in sentences."""
        ...

    def warm(self, path: str, text: str, *, patience: float = 30.0) -> None:
        """A text may be edited soon; returns at once."""
        ...

    async def close(self) -> None:
        """End what runs."""
        ...
