"""Where the parts of a JSON text stand, so that one of them can change while all else keeps its bytes.

Only the containers that are asked for are taken apart; every other value is skipped by the standard decoder.

Never: a part formatted anew that nobody asked to change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

_DECODER = json.JSONDecoder()
_BLANKS = re.compile(r"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Part:
    """One item of an array or one member of an object; all offsets into the text."""

    lead: int
    """Where the blanks before it start: behind the bracket or the comma."""
    start: int
    """Of the item, or of the member's key."""
    key_end: int
    """For an item the same as ``start``."""
    value: int
    end: int
    key: str = ""


@dataclass(frozen=True, slots=True)
class Container:
    """An array or an object with its parts in order."""

    start: int
    end: int
    """Behind the closing bracket."""
    parts: tuple[Part, ...]

    def find(self, key: str) -> Part | None:
        """The member of that name that counts: the last one."""
        return next((part for part in reversed(self.parts) if part.key == key), None)


@dataclass(frozen=True, slots=True)
class Blanks:
    """The white space of a container, for parts that are added to it."""

    first: str
    """Before the first part."""
    next: str
    """Before each further one."""
    close: str
    """Before the closing bracket."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part on its way into a container that is put together anew."""

    lead: str | None
    """The blanks before it; None for those that its place asks for."""
    body: str
    trail: str = ""
    """Blanks between it and the comma."""


def skip_blanks(text: str, at: int) -> int:
    """The next offset that is no JSON white space."""
    found = _BLANKS.match(text, at)
    assert found is not None  # it matches the empty string
    return found.end()


def decoded(text: str, part: Part) -> object:
    """The value of a part."""
    value, _ = _DECODER.raw_decode(text, part.value)
    found: object = value
    return found


def container_at(text: str, at: int, brackets: str) -> Container:
    """The container that opens at ``at``; ``brackets`` is ``[]`` or ``{}``.

    Errors: JSONDecodeError, also where values are nested too deep.
    """
    if text[at : at + 1] != brackets[0]:
        raise json.JSONDecodeError(f"Expecting '{brackets[0]}'", text, at)
    parts: list[Part] = []
    lead = at + 1
    next_at = skip_blanks(text, lead)
    if text[next_at : next_at + 1] == brackets[1]:
        return Container(at, next_at + 1, ())
    while True:
        part = _part(text, lead, next_at, keyed=brackets == "{}")
        parts.append(part)
        next_at = skip_blanks(text, part.end)
        sign = text[next_at : next_at + 1]
        if sign == brackets[1]:
            return Container(at, next_at + 1, tuple(parts))
        if sign != ",":
            raise json.JSONDecodeError("Expecting ',' delimiter", text, next_at)
        lead = next_at + 1
        next_at = skip_blanks(text, lead)


def _part(text: str, lead: int, start: int, *, keyed: bool) -> Part:
    if not keyed:
        return Part(lead, start, start, start, _decode(text, start)[1])
    key, key_end = _decode(text, start)
    if not isinstance(key, str):
        raise json.JSONDecodeError("Expecting property name enclosed in double quotes", text, start)
    colon = skip_blanks(text, key_end)
    if text[colon : colon + 1] != ":":
        raise json.JSONDecodeError("Expecting ':' delimiter", text, colon)
    value = skip_blanks(text, colon + 1)
    _, end = _decode(text, value)
    return Part(lead, start, key_end, value, end, key)


def _decode(text: str, at: int) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise json.JSONDecodeError("Nested too deep", text, at) from None
    except ValueError:  # Python reads no numbers of more than some thousand digits
        raise json.JSONDecodeError("A number with too many digits", text, at) from None


def blanks_of(text: str, container: Container, default_next: str) -> Blanks | None:
    """The blanks of a container that has parts; of one with a single part ``default_next`` may have to help."""
    if not container.parts:
        return None
    parts = container.parts
    first = text[parts[0].lead : parts[0].start]
    if len(parts) > 1:
        following = text[parts[1].lead : parts[1].start]
    else:
        following = first if "\n" in first or "\r" in first else default_next
    return Blanks(first, following, text[parts[-1].end : container.end - 1])


def pieces_of(text: str, container: Container) -> list[Piece]:
    """The parts as they are; put together again they give the same text."""
    found = []
    # An empty container has no part, and none after it: the two are not of one length then.
    for part, after in zip(container.parts, (*container.parts[1:], None), strict=False):
        trail = text[part.end : after.lead - 1] if after is not None else ""
        found.append(Piece(text[part.lead : part.start], text[part.start : part.end], trail))
    return found


def rendered(brackets: str, pieces: Sequence[Piece], blanks: Blanks) -> str:
    """A container of ``pieces``; what comes first or no longer does takes the blanks of its new place."""
    if not pieces:
        return brackets
    out = []
    for number, piece in enumerate(pieces):
        lead = blanks.first if number == 0 else piece.lead
        trail = piece.trail if number + 1 < len(pieces) else ""
        out.append((blanks.next if lead is None else lead) + piece.body + trail)
    return brackets[0] + ",".join(out) + blanks.close + brackets[1]
