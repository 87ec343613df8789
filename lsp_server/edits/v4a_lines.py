"""What one line of a V4A patch is, taken by itself.

Never: where in a patch the line stands; a context line that looks like a marker is told apart by the parser.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

BEGIN = "*** Begin Patch"
END = "*** End Patch"
END_OF_FILE = "*** End of File"
HEADERS = (
    "*** Add File: <path>",
    "*** Delete File: <path>",
    "*** Update File: <path>",
    "*** Move File: <path> -> <path>",
)
MOVE_TO = "*** Move to: <path>"
CHUNK_LINES = (" <unchanged line>", "-<removed line>", "+<added line>")

_PADDING = " \t\r"
"""What may stand around a marker. A carriage return is one at the very end of a patch without a last LF."""
_SECTION = re.compile(r"\*\*\* (Add|Delete|Update|Move) File:(?: (.*))?", re.DOTALL)
_MOVE_TO = re.compile(r"\*\*\* Move to:(?: (.*))?", re.DOTALL)
_ENVIRONMENT = re.compile(r"\*\*\* Environment ID:")
_NUMBERS = re.compile(r"-\d+(?:,\d+)? \+\d+(?:,\d+)?(?: @@(.*))?", re.DOTALL)
_HEADER_LIKE = re.compile(r"\*+ ?(add|delete|update|move) ?file ?:? ?(.*)", re.IGNORECASE | re.DOTALL)

SectionName = Literal["Add", "Delete", "Update", "Move"]
_SECTIONS: dict[str, SectionName] = {"Add": "Add", "Delete": "Delete", "Update": "Update", "Move": "Move"}


@dataclass(frozen=True, slots=True)
class Header:
    """``*** Add File: P`` and its sisters."""

    name: SectionName
    path: str
    """Empty where none was given; for Move, both paths with the arrow between."""


@dataclass(frozen=True, slots=True)
class MoveTo:
    """``*** Move to: P``."""

    path: str


@dataclass(frozen=True, slots=True)
class At:
    """``@@``, with an anchor or without."""

    anchor: str
    """Empty where there is none."""
    numbered: bool = False
    """It carried the line numbers of a unified diff."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A marker that is always the same: begin, end, end of file, environment, no newline."""

    name: Literal["begin", "end", "end of file", "environment", "no newline"]


Marker = Header | MoveTo | At | Plain
_PLAIN: dict[str, Plain] = {BEGIN: Plain("begin"), END: Plain("end"), END_OF_FILE: Plain("end of file")}


def trimmed(line: str) -> str:
    """``line`` without the blanks that a marker may have around it."""
    return line.strip(_PADDING)


def marker_of(line: str) -> Marker | None:
    """The marker that ``line`` is, blanks around it forgiven; None for anything else."""
    text = trimmed(line)
    if text[:1] not in ("*", "@", "\\"):
        return None
    if text in _PLAIN:
        return _PLAIN[text]
    if section := _SECTION.fullmatch(text):
        return Header(_SECTIONS[section[1]], (section[2] or "").strip(_PADDING))
    if move := _MOVE_TO.fullmatch(text):
        return MoveTo((move[1] or "").strip(_PADDING))
    if _ENVIRONMENT.match(text):
        return Plain("environment")
    if text.startswith("\\ No newline"):
        return Plain("no newline")
    return _at(text)


def _at(text: str) -> At | None:
    if text == "@@":
        return At("")
    if not text.startswith(("@@ ", "@@\t")):
        return None
    rest = text[3:]
    if numbers := _NUMBERS.fullmatch(rest):
        return At((numbers[1] or "").strip(_PADDING), numbered=True)
    if rest.strip(_PADDING) == "@@":
        return At("")
    return At(rest.removesuffix(" @@").rstrip(_PADDING))


def unknown_line(line: str) -> tuple[str, tuple[str, ...]]:
    """What is wrong with a line where only a header can stand, and what could have stood there."""
    text = trimmed(line)
    if like := _HEADER_LIKE.match(text):
        right = f"*** {like[1].capitalize()} File: {like[2] or '<path>'}"
        return f"{_shown(text)} is not a header; write {right!r}.", (right,)
    if text.startswith(("diff --git", "--- ", "+++ ", "Index: ")):
        return (
            f"{_shown(text)} belongs to a unified diff; start a section with '*** Update File: <path>'.",
            HEADERS,
        )
    if text.startswith("***"):
        return f"{_shown(text)} is not a header that exists.", (*HEADERS, END)
    return f"{_shown(text)} stands where a section has to start.", (*HEADERS, END)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:79] + "…")
