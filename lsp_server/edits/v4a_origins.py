"""Line numbers of a text that a patch changed more than once, told in lines of the text before all of it.

Never: texts of more than one file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from editor_clients.lines import LineIndex, count_lines_of
from editor_clients.port import Replacement


class _Step:
    """One text and what was replaced in it, whole lines; each counted once, however many lines are asked for."""

    def __init__(self, text: str, replacements: tuple[Replacement, ...]) -> None:
        self._text = text
        self._replacements = replacements

    @cached_property
    def _last(self) -> int:
        """The last line of the text; 1 where it has none."""
        return max(LineIndex(self._text).line_count, 1)

    @cached_property
    def _changes(self) -> list[tuple[int, int, int]]:
        """For each replacement its first line, and how many lines it removed and added."""
        index = LineIndex(self._text)
        return [
            (
                index.line_of(one.start),
                count_lines_of(self._text[one.start : one.end]),
                count_lines_of(one.text),
            )
            for one in self._replacements
        ]

    def back(self, line: int) -> tuple[int, int]:
        """The lines of the text that ``line`` of the result came from."""
        shift = 0
        for first, removed, added in self._changes:
            if line + shift < first:
                break
            if line + shift < first + added:
                low = min(first, self._last)
                return low, max(low, first + removed - 1)
            shift += removed - added
        found = min(line + shift, self._last)
        return found, found


@dataclass(frozen=True, slots=True)
class Origins:
    """The way back through the changes so far."""

    steps: tuple[_Step, ...] = ()
    added: bool = False
    """The patch itself added the whole text, so there is no line to lead back to."""

    def then(self, text: str, replacements: tuple[Replacement, ...]) -> Origins:
        """The way back after one more change, which was made to ``text``."""
        return self if self.added else Origins((*self.steps, _Step(text, replacements)))

    def before(self, lines: tuple[int, int]) -> tuple[int, int] | None:
        """``lines`` (1-based, inclusive) in the first text; what stands in place of lines is taken for them."""
        if self.added:
            return None
        first, last = lines
        for step in reversed(self.steps):
            first, last = step.back(first)[0], step.back(last)[1]
        return first, last
