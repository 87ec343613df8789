"""Finish or undo what a dead process left half done on disk.

Never: touching text that somebody changed since.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editor_clients.walls import Walls


@dataclass(frozen=True, slots=True)
class NotRestored:
    """A file that somebody changed since, and where its former text was kept."""

    path: str
    snapshot: str | None
    """None when there was nothing to keep."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """One transaction that a dead process had left behind."""

    name: str
    outcome: Literal["undone", "finished", "blocked"]
    """``blocked``: the journal cannot be trusted; its targets stay as they are until it is set aside."""
    paths: tuple[str, ...]
    """Canonical paths that the journal names."""
    not_restored: tuple[NotRestored, ...] = ()
    problem: str | None = None
    """Why it is blocked and what to do, in a sentence."""


def recover(journal_dir: str, walls: Walls) -> list[Recovered]:
    """Undo what was not finished and finish what was, of every transaction whose process is gone."""
    return []
