"""Whose each line of a text is, kept through later edits.

A line is whose edit put it there as it is; what a rewind brings back is again whose it was. Where a text is there
again that was there before, so are its lines.

Never: I/O, or a line's history beyond its last writer.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from editor_clients.linediff import changed_ranges

Who = TypeVar("Who", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Blamed(Generic[Who]):
    """A text with the writer of each of its lines."""

    lines: Sequence[str]
    writers: Sequence[Who]


def untouched(lines: Sequence[str], writer: Who) -> Blamed[Who]:
    """All of it is ``writer``'s."""
    return Blamed(lines, [writer] * len(lines))


def changed(
    text: Blamed[Who], lines: Sequence[str], writer: Who, like: Blamed[Who] | None = None
) -> Blamed[Who]:
    """``writer`` made ``lines`` of it; lines that are back as they stand in ``like`` are whose they were there."""
    writers: list[Who] = []
    at = 0
    old = _writers_like(lines, like) if like is not None else {}
    for a1, a2, b1, b2 in changed_ranges(text.lines, lines):
        writers += text.writers[at:a1]
        writers += (old.get(number, writer) for number in range(b1, b2))
        at = a2
    return Blamed(lines, [*writers, *text.writers[at:]])


def _writers_like(lines: Sequence[str], like: Blamed[Who]) -> dict[int, Who]:
    """The writers of those of ``lines`` that stand in ``like`` too, by their numbers."""
    found: dict[int, Who] = {}
    at = b_at = 0
    for a1, a2, b1, b2 in changed_ranges(like.lines, lines):
        found.update(zip(range(b_at, b1), like.writers[at:a1], strict=True))
        at, b_at = a2, b2
    found.update(zip(range(b_at, len(lines)), like.writers[at:], strict=True))
    return found


def runs(text: Blamed[Who]) -> list[tuple[int, int, Who]]:
    """Lines of one writer in a row: first and last (1-based), and who."""
    found: list[tuple[int, int, Who]] = []
    for number, who in enumerate(text.writers, start=1):
        if found and found[-1][2] == who:
            found[-1] = (found[-1][0], number, who)
        else:
            found.append((number, number, who))
    return found
