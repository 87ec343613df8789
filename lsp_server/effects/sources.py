"""Where diagnostics come from: language servers of our own, an editor's, or both.

Never: behaviour; this is what the effect and the tool ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from editor_clients.diagnostic import Diagnostic
from editor_clients.language_servers import LanguageServers
from editor_clients.language_specs import find_program, find_trusted_program, with_overrides
from editor_clients.server_process import Limits
from editor_clients.source_reports import Comparison, Report, SourceReport, TextChange

if TYPE_CHECKING:
    from lsp_server.settings import Settings


def own_servers(
    settings: Settings, roots: Sequence[str], read_text: Callable[[str], str | None], *, trusted: bool
) -> tuple[LanguageServers, tuple[str, ...]]:
    """The language servers of our own, and what was wrong with their settings.

    A project that is not ``trusted`` brings no programs of its own into play.
    """
    specs, problems = with_overrides(settings.language_servers)
    limits = Limits(
        idle=settings.limit("language_server_idle_seconds"),
        memory=settings.limit("language_server_mib") << 20,
    )
    finder = find_program if trusted else find_trusted_program
    return LanguageServers(roots, specs, finder=finder, limits=limits, read_text=read_text), problems


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

    async def overheard(self, path: str, text: str, source: str, *, deadline: float) -> SourceReport | None:
        """The report of one source about ``text``, once it has settled by itself; None when none comes."""
        ...

    async def fixes(
        self, path: str, text: str, items: Sequence[Diagnostic], *, deadline: float
    ) -> dict[Diagnostic, str]:
        """Titles of the first quick fixes offered for ``items`` of ``text``, as far as known by the deadline."""
        ...

    def describe(self) -> list[dict[str, object]]:
        """The language servers of our own that were started, for people."""
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
