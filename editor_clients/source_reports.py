"""What sources of diagnostics say: one about one text, all together, and about a change.

Never: asking one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from editor_clients.diagnostic import Diagnostic

Status = Literal["fresh", "provisional", "silent"]
State = Literal["fresh", "partial", "none"]


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What one source says about one text."""

    source: str
    status: Status
    """``provisional``: about this text, but the source is still at work."""
    items: tuple[Diagnostic, ...] = ()
    reason: str | None = None
    """Why it is not fresh, as a sentence."""


@dataclass(frozen=True, slots=True)
class Report:
    """What all sources together say about one text."""

    items: tuple[Diagnostic, ...]
    state: State
    """``fresh``: all sources, about this very text; ``partial``: some are silent or still at work."""
    sources: tuple[str, ...]
    """Those whose findings are in ``items``."""
    silent: tuple[str, ...] = ()
    """Those that should have said something and did not, or not all."""
    notes: tuple[str, ...] = ()
    """Why, in sentences; that a server cannot run is said only once."""


@dataclass(frozen=True, slots=True)
class TextChange:
    """One file of a change."""

    path: str
    before: str | None
    """None where the file is new."""
    after: str | None
    """None where the file is gone."""
    from_path: str | None = None
    """Where the file was before, when it is moved; ``before`` is its text there."""

    @property
    def old_path(self) -> str:
        """Where the text before is from."""
        return self.from_path or self.path


@dataclass(frozen=True, slots=True)
class Comparison:
    """What one source said before and after a change, by the path after it.

    Files that it said nothing about are missing. Beside the changed files there are others that it was shown
    earlier.
    """

    source: str
    before: Mapping[str, SourceReport]
    after: Mapping[str, SourceReport]
