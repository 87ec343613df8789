"""How exactly a text that was sent must be like the file's text, from strict to forgiving.

Never: a level of similarity. Each level forgives one kind of difference that has no meaning, and all that the
levels before it forgive.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Level(StrEnum):
    """The matching levels in order; the first one with a hit decides."""

    EXACT = "exact"
    TRAILING_SPACE = "trailing-space"
    """Blanks at line ends, and a final newline that the file's last line lacks."""
    TYPOGRAPHIC = "typographic"
    """Quotes, dashes, ellipsis, odd blanks, composed and decomposed letters."""
    INDENTATION = "indentation"
    """A block of whole lines, shifted, with tabs for blanks, or scaled."""
    ELIDED = "elided"
    """A line that is only ``...`` stands for lines in between."""

    @property
    def rank(self) -> int:
        """Position in the order; the bigger, the more is forgiven."""
        return _ORDER.index(self)

    def forgives(self, other: Level) -> bool:
        """Whether this level forgives what ``other`` forgives."""
        return self.rank >= other.rank


_ORDER = list(Level)

SPELLINGS: Final = (Level.TRAILING_SPACE, Level.TYPOGRAPHIC)
"""The levels that look at characters, wherever in a line; those after them look at whole lines."""
