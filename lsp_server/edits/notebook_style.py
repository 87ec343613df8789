"""How one notebook file is written: its blanks, its order of keys, its spelling of characters.

Never: a value; only what stands around values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lsp_server.edits.json_layout import Blanks, Container, blanks_of, container_at

_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\u(?!00[0-7])[0-9a-fA-F]{4}")
"""A character beyond ASCII as an escape; a backslash before a ``u`` may itself be escaped."""
_ORDER = ("cell_type", "execution_count", "id", "metadata", "outputs", "source")


@dataclass(frozen=True, slots=True)
class CellStyle:
    """How a cell is written at one place of a notebook."""

    array: Blanks
    """Of the list of cells."""
    members: Blanks
    """Of the cell."""
    lines: Blanks
    """Of the list of its lines."""
    colon: str
    in_one_string: bool
    """The source is one string and not a list of lines."""
    ascii_only: bool
    """Other characters are written as escapes."""
    order: tuple[str, ...]
    """Of keys."""

    def rank(self, key: str) -> int:
        """Where a key stands among others; those that nobody knows come last."""
        return self.order.index(key) if key in self.order else len(self.order)


def style_at(
    text: str, top: Container, array: Container, cells: Sequence[tuple[Container, str]], place: int, kind: str
) -> CellStyle:
    """The style for a cell of ``kind`` behind the first ``place`` cells: the nearest one's, of its kind if possible.

    ``top`` is the object of the whole notebook, ``array`` its list of cells, ``cells`` their members and kinds.
    """
    near = [
        cells[number]
        for number in sorted(range(len(cells)), key=lambda number: abs(2 * number - 2 * place + 1))
    ]
    model = next((members for members, its in near if its == kind), near[0][0] if near else None)
    colon = _colon(text, model if model is not None and model.parts else top)
    gap = colon[1:].strip("\r\n")
    outside = blanks_of(text, top, gap) or Blanks("", gap, "")
    around = blanks_of(text, array, gap) or _deeper(outside, _indent(outside.first), gap)
    members = blanks_of(text, model, gap) if model is not None else None
    members = members or _deeper(around, _indent(outside.first), gap)
    unit = _indent(members.first).removeprefix(_indent(around.first)) or _indent(outside.first)
    sources = [members for members, _ in near] if model is None else [model, *(each for each, _ in near)]
    return CellStyle(
        array=around,
        members=members,
        lines=_line_blanks(text, sources, gap) or _deeper(members, unit, gap),
        colon=colon,
        in_one_string=model is not None and _is_string(text, model),
        ascii_only=text.isascii() and _ESCAPE.search(text) is not None,
        order=_order_of(model),
    )


def _colon(text: str, container: Container) -> str:
    if not container.parts:
        return ": "
    return text[container.parts[0].key_end : container.parts[0].value]


def _indent(lead: str) -> str:
    """What follows the last line end of a container's blanks; empty where they have none."""
    return lead[max(lead.rfind("\n"), lead.rfind("\r")) + 1 :] if "\n" in lead or "\r" in lead else ""


def _deeper(outer: Blanks, unit: str, gap: str) -> Blanks:
    """The blanks of a container that stands in one with blanks ``outer``."""
    if "\n" not in outer.first and "\r" not in outer.first:
        return Blanks("", gap, "")
    return Blanks(outer.first + unit, outer.first + unit, outer.first)


def _line_blanks(text: str, cells: Iterable[Container], gap: str) -> Blanks | None:
    """The blanks of the first list of lines that has any."""
    for members in cells:
        part = members.find("source")
        if part is not None and text[part.value] == "[":
            found = blanks_of(text, container_at(text, part.value, "[]"), gap)
            if found is not None:
                return found
    return None


def _is_string(text: str, members: Container) -> bool:
    part = members.find("source")
    return part is not None and text[part.value] == '"'


def _order_of(model: Container | None) -> tuple[str, ...]:
    """The order of keys in ``model``, else the usual one; keys that it lacks come where they usually do."""
    keys = [part.key for part in model.parts if part.key in _ORDER] if model is not None else []
    if keys == sorted(keys, key=_ORDER.index):
        return _ORDER
    return tuple(dict.fromkeys((*keys, *_ORDER)))
