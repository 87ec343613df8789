"""Blocks of whole lines: where they stand in a file, and how a rewritten one is spelled there.

Shared by ``edit`` and by patches. Lines have no endings here.

Never: a choice between two places; callers get all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from lsp_server.edits.levels import Level


class BlockIndex:
    """The lines of one file, folded once a level, to look blocks up in."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines

    def find(self, block: Sequence[str], level: Level, first: int = 0) -> list[int]:
        """Indices from ``first`` on at which ``block`` stands at ``level``, ascending; ``[]`` for an empty block."""
        raise NotImplementedError


def find_block(file_lines: Sequence[str], block: Sequence[str], level: Level) -> list[int]:
    """All indices at which ``block`` stands in ``file_lines``; use a BlockIndex for more than one question."""
    return BlockIndex(file_lines).find(block, level)


def rewrite_block(
    file_lines: Sequence[str], old_lines: Sequence[str], new_lines: Sequence[str], level: Level
) -> tuple[list[str], tuple[str, ...]]:
    """``new_lines`` as they go into the file in place of ``file_lines``, which ``old_lines`` fit at ``level``.

    Returns the lines and warnings. Lines that old and new share are the file's, byte for byte.
    Errors: FS_NO_MATCH when the new text's indentation cannot be carried over without a guess.
    """
    raise NotImplementedError
