"""Which lines of a file the chunks placed so far take up.

Never: chunks; a span is two line numbers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort


class Occupied:
    """Spans of lines, 0-based, end exclusive; an empty one is a place between two lines."""

    def __init__(self) -> None:
        self._blocks: list[tuple[int, int]] = []
        self._gaps: list[int] = []

    def overlap(self, start: int, end: int) -> tuple[int, int] | None:
        """A span that has a line in common with ``start:end``, or lies inside it, or has it inside."""
        gap = bisect_right(self._gaps, start)
        if gap < len(self._gaps) and self._gaps[gap] < end:
            return self._gaps[gap], self._gaps[gap]
        before = bisect_left(self._blocks, (start, start))
        for block in self._blocks[max(0, before - 1) : before + 1]:
            if block[0] < end and start < block[1]:
                return block
        return None

    def add(self, start: int, end: int) -> None:
        """Take up a span that overlaps none."""
        if start < end:
            insort(self._blocks, (start, end))
        else:
            insort(self._gaps, start)
