"""Who holds the texts of a service: what a client is made from, and what it brings along.

Never: an editor. The headless authority is all that this file knows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from editor_clients.headless import Headless
from editor_clients.language_servers import LanguageServers
from editor_clients.port import EditorClient
from editor_clients.walls import Walls
from lsp_server.effects.sources import DiagnosticSource
from lsp_server.reconcile import Look
from lsp_server.settings import Settings
from lsp_server.targets import Targets

if TYPE_CHECKING:
    from lsp_server.asking.asker import Prompt
    from lsp_server.effects.conflicts import Show
    from lsp_server.effects.notices import Notices
    from lsp_server.effects.run import Effect


@dataclass(frozen=True, slots=True)
class Ground:
    """What is there before anybody holds the texts."""

    settings: Settings
    walls: Walls
    targets: Targets
    disk: Headless
    servers: LanguageServers
    notices: Notices


@dataclass(frozen=True, slots=True)
class Authority:
    """Whoever holds the texts."""

    client: EditorClient
    look: Look
    """The current text at once, to settle what a crash left open."""
    diagnostics: DiagnosticSource
    kind: str = "headless"
    refresh: Effect | None = None
    """Tells the editor's screen of an edit."""
    show_conflicts: Show | None = None
    """Shows a person where agents were refused."""
    prompt: Prompt | None = None
    """The way to the person at the editor."""


Connect = Callable[[Ground], Authority]


def headless(ground: Ground) -> Authority:
    """The disk, and language servers of our own."""
    return Authority(ground.disk, ground.disk.look, ground.servers)
