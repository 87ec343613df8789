"""The names of what a line stands in: functions, classes, sections, told by indentation.

Never: a parser. It is a hint for people and models, and may be empty.
"""

from __future__ import annotations

import re

from editor_clients.lines import LineIndex

_OPENER = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|pub(?:\([^)]*\))?|"
    r"unsafe|const|override|virtual|inline|extern|declare|open|sealed|data)\s+)*"
    r"(?:def|class|function\*?|func|fn|fun|struct|enum|trait|impl|interface|module|mod|namespace|type|sub|proc|"
    r"procedure|package|object|record|protocol|extension|union|describe|it|test)\b"
)
_CALLABLE = re.compile(r"\s*[^\s=;{}][^=;{}]*\)[^=;{}]*\{\s*")
_NOT_A_NAME = re.compile(
    r"\s*\}?\s*(?:if|for|while|switch|catch|else|do|try|with|return|match|foreach|using|lock)\b"
)
_SECTION = re.compile(r"#{1,6}\s+\S|\[[^\]]+\]\s*$")
_MOST_LINES = 2_000
"""How far up it looks."""
_MOST_NAME = 80


def enclosing_names(index: LineIndex, line: int) -> list[str]:
    """The first lines of what the 1-based ``line`` stands in, outermost first, at most four."""
    found: list[str] = []
    limit = max(1, line - _MOST_LINES)
    depth = _depth(index, line)
    for number in range(line - 1, limit - 1, -1):
        text = _cut(index, number)
        if not text.strip():
            continue
        indent = _indent(text)
        if depth is None or indent < depth:
            if _names(text):
                found.insert(0, text.strip()[:_MOST_NAME])
            depth = indent
        elif indent == 0 and not found and _SECTION.match(text):
            return [text.strip()[:_MOST_NAME]]
        if len(found) == 4:
            break
        if depth == 0 and found:
            break
    return found


def _depth(index: LineIndex, line: int) -> int | None:
    text = _cut(index, line)
    return _indent(text) if text.strip() else None


def _names(text: str) -> bool:
    if _OPENER.match(text) or _SECTION.match(text):
        return True
    return bool(_CALLABLE.fullmatch(text)) and not _NOT_A_NAME.match(text)


def _indent(text: str) -> int:
    return len(text.expandtabs(4)) - len(text.expandtabs(4).lstrip())


def _cut(index: LineIndex, number: int) -> str:
    """A line, of which only the start counts."""
    start = index.start_of(number)
    return index.text[start : min(index.start_of(number + 1), start + 200)]
