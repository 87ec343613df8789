"""Line numbers of a text that a patch changed more than once, told in lines of the text before all of it.

Never: texts of more than one file.
"""

from __future__ import annotations

from dataclasses import dataclass

from editor_clients.lines import LineIndex, count_lines_of
from editor_clients.port import Replacement

_Step = tuple[str, tuple[Replacement, ...]]


@dataclass(frozen=True, slots=True)
class Origins:
    """The way back through the changes so far."""

    steps: tuple[_Step, ...] = ()
    """Each text and what was replaced in it, whole lines."""
    added: bool = False
    """The patch itself added the whole text, so there is no line to lead back to."""

    def then(self, text: str, replacements: tuple[Replacement, ...]) -> Origins:
        """The way back after one more change, which was made to ``text``."""
        return self if self.added else Origins((*self.steps, (text, replacements)))

    def before(self, lines: tuple[int, int]) -> tuple[int, int] | None:
        """``lines`` (1-based, inclusive) in the first text; what stands in place of lines is taken for them."""
        if self.added:
            return None
        first, last = lines
        for text, replacements in reversed(self.steps):
            first, last = _back(first, text, replacements)[0], _back(last, text, replacements)[1]
        return first, last


def _back(line: int, text: str, replacements: tuple[Replacement, ...]) -> tuple[int, int]:
    """The lines of ``text`` that ``line`` of the result came from."""
    index = LineIndex(text)
    shift = 0
    for one in replacements:
        first = index.line_of(one.start)
        removed = count_lines_of(text[one.start : one.end])
        added = count_lines_of(one.text)
        if line + shift < first:
            break
        if line + shift < first + added:
            low = min(first, max(index.line_count, 1))
            return low, max(low, first + removed - 1)
        shift += removed - added
    found = min(line + shift, max(index.line_count, 1))
    return found, found
