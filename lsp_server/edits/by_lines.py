"""Replacing whole lines by their numbers.

Never: a question whether the caller may; the lines must be there.
"""

from __future__ import annotations

from editor_clients.lines import LineIndex
from editor_clients.port import Replacement
from lsp_server.edits.levels import Level
from lsp_server.edits.literal import with_endings_of
from lsp_server.edits.matching import Match


def replace_lines(text: str, index: LineIndex, first: int, last: int, new: str) -> Match:
    """Lines ``first`` to ``last`` (1-based, inclusive) become ``new``; an empty ``new`` removes them.

    The last of the new lines ends as the last of the old ones did, whether ``new`` says a final newline or not.
    """
    start, end = index.span_of_lines(first, last)
    if not new:
        return Match(Level.EXACT, (Replacement(start, end, ""),), ((first, last),))
    end = index.start_of(last) + len(index.line_text(last))
    body = new.removesuffix("\r\n") if new.endswith("\r\n") else new.removesuffix("\n")
    replacement = Replacement(start, end, with_endings_of(body, text, start, end))
    return Match(Level.EXACT, (replacement,), ((first, last),))
