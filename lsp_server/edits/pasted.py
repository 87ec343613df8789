"""Text that was not copied from a file but from something that showed it: numbered, noted upon, escaped.

Never: a repair. It only says what was pasted, so that the caller can be told.
"""

from __future__ import annotations

import re
from html import unescape

from lsp_server.reading import NOTICE

_NUMBERED = re.compile(r" *([0-9]{1,9})\t(.*)", re.DOTALL)
"""The read tool's own lines (and those of tools that pad the number)."""
_ANY_NUMBER = re.compile(r"[ \t]*([0-9]{1,9})(?:\t|→| ?\| ?|: ?| {2})(.*)", re.DOTALL)
"""Lines as other tools number them."""
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
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    if any(line.startswith(NOTICE) and line.endswith("]") for line in lines):
        return True
    return _in_sequence([_NUMBERED.fullmatch(line) for line in lines])


def without_numbers(text: str) -> str | None:
    """A text with the numbers taken off its lines; None when they are not numbered, in whatever form."""
    lines = text.removesuffix("\n").split("\n")
    lines = [line for line in lines if not (line.startswith(NOTICE) and line.endswith("]"))]
    found = [_ANY_NUMBER.fullmatch(line) for line in lines]
    if not lines or not _in_sequence(found):
        return None
    return "\n".join(one.group(2) for one in found if one is not None)


def unescaped(text: str) -> str | None:
    """A text that was escaped once too often (``\\\\n`` written out, ``\\"``) without that; None when it was not."""
    found = _ESCAPE.sub(lambda one: _ESCAPES[one.group()], text)
    return found if found != text else None


def without_entities(text: str) -> str | None:
    """A text with ``&lt;`` and the like resolved; None when it has none."""
    found = unescape(text) if "&" in text else text
    return found if found != text else None


def _in_sequence(found: list[re.Match[str] | None]) -> bool:
    numbers = [int(one.group(1)) for one in found if one is not None]
    if not numbers or len(numbers) < len(found):
        return False
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))
