"""Text that was not copied from a file but from something that showed it: numbered, noted upon, escaped.

Never: a repair. It only says what was pasted, so that the caller can be told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape

from lsp_server.edits.literal import fold_request
from lsp_server.reading import NOTICE

_NUMBERED = re.compile(r" *([0-9]{1,9})\t(.*)", re.DOTALL)
"""The read tool's own lines (and those of tools that pad the number)."""
_ANY_NUMBER = re.compile(r"[ \t]*([0-9]{1,9})(?:\t|→| ?\| ?|: ?| {2})(.*)", re.DOTALL)
"""Lines as other tools number them."""
_A_NOTICE = re.compile(rf"^{re.escape(NOTICE)}.*\]$", re.MULTILINE)
"""A line of ours among those of a file."""
_ESCAPES = {
    "\\n": "\n",
    "\\t": "\t",
    "\\r": "\r",
    '\\"': '"',
    "\\'": "'",
    "\\\\": "\\",
    "\\/": "/",
    "\\`": "`",
}
_ESCAPE = re.compile(r"\\[ntr\"'\\/`]")


def is_own_output(text: str) -> bool:
    """Whether ``text`` is what the read tool shows: every line numbered in sequence, or a notice among them."""
    text = fold_request(text)
    if NOTICE in text and _A_NOTICE.search(text):
        return True
    return _in_sequence(map(_NUMBERED.fullmatch, _lines_of(text)))


def without_numbers(text: str) -> str | None:
    """A text with the numbers taken off its lines; None when they are not numbered, in whatever form."""
    lines = [line for line in _lines_of(text) if not _A_NOTICE.fullmatch(line)]
    if not _in_sequence(map(_ANY_NUMBER.fullmatch, lines)):
        return None
    return "\n".join(found.group(2) for found in map(_ANY_NUMBER.fullmatch, lines) if found is not None)


def unescaped(text: str) -> str | None:
    """A text that was escaped once too often (``\\\\n`` written out, ``\\"``) without that; None when it was not."""
    found = _ESCAPE.sub(lambda one: _ESCAPES[one.group()], text)
    return found if found != text else None


def without_entities(text: str) -> str | None:
    """A text with ``&lt;`` and the like resolved; None when it has none."""
    found = unescape(text)
    return found if found != text else None


def _lines_of(text: str) -> Iterator[str]:
    """One after the other: nearly every text is told from numbered ones by its first line."""
    at = 0
    while (end := text.find("\n", at)) >= 0:
        yield text[at:end]
        at = end + 1
    if at < len(text) or not text:
        yield text[at:]


def _in_sequence(found: Iterable[re.Match[str] | None]) -> bool:
    """Whether there is a number on each line, and each is the next."""
    wanted = None
    for one in found:
        if one is None or int(one.group(1)) != (wanted or int(one.group(1))):
            return False
        wanted = int(one.group(1)) + 1
    return wanted is not None
