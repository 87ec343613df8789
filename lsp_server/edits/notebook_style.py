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
"""Sorted, as Jupyter writes them."""
_NOTHING = Container(0, 0, ())


@dataclass(frozen=True, slots=True)
class CellStyle:
    """How a cell is written at one place of a notebook."""

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

    def before(self, key: str) -> tuple[str, ...]:
        """The keys that come before this one."""
        return self.order[: self.order.index(key)]


def blanks_of_cells(text: str, top: Container, array: Container) -> Blanks:
    """The blanks of the list of cells ``array`` of the notebook whose object is ``top``."""
    gap, lead = _gap(_colon(text, top)), _lead(text, top)
    return blanks_of(text, array, gap) or _deeper(lead, _indent(lead), gap)


def style_at(
    text: str, top: Container, array: Container, cells: Sequence[tuple[Container, str]], place: int, kind: str
) -> CellStyle:
    """The style for a cell of ``kind`` behind the first ``place`` cells: the nearest one's, of its kind if possible.

    ``top`` is the object of the whole notebook, ``array`` its list of cells, ``cells`` their members and kinds.
    """
    ways = [(its != kind, abs(2 * number - 2 * place + 1)) for number, (_, its) in enumerate(cells)]
    near = [cells[number][0] for number in sorted(range(len(cells)), key=ways.__getitem__)]
    model = near[0] if near else _NOTHING
    colon = _colon(text, model if model.parts else top)
    gap, outside = _gap(colon), _indent(_lead(text, top))
    around = blanks_of_cells(text, top, array).first
    members = blanks_of(text, model, gap) or _deeper(around, outside, gap)
    unit = _indent(members.first).removeprefix(_indent(around)) or outside
    sources = [part.value for cell in near if (part := cell.find("source")) is not None]
    return CellStyle(
        members=members,
        lines=_line_blanks(text, sources, gap) or _deeper(members.first, unit, gap),
        colon=colon,
        in_one_string=[text[at] for at in sources[:1]] == ['"'],
        ascii_only=text.isascii() and _ESCAPE.search(text) is not None,
        order=_order_of(model),
    )


def _colon(text: str, container: Container) -> str:
    """What stands between a key and its value."""
    return text[container.parts[0].key_end : container.parts[0].value]


def _gap(colon: str) -> str:
    """What follows a comma on a line, where a blank follows a colon."""
    return " " if colon.endswith(" ") else ""


def _lead(text: str, container: Container) -> str:
    """The blanks before the first part."""
    return text[container.parts[0].lead : container.parts[0].start]


def _indent(lead: str) -> str:
    """What follows the last line end of blanks; empty where they have none."""
    _, ends, indent = lead.replace("\r", "\n").rpartition("\n")
    return indent if ends else ""


def _deeper(outer: str, unit: str, gap: str) -> Blanks:
    """The blanks of a container that stands in one with the blanks ``outer`` before its first part."""
    if "\n" in outer or "\r" in outer:
        return Blanks(outer + unit, outer + unit, outer)
    return Blanks("", gap, "")


def _line_blanks(text: str, sources: Iterable[int], gap: str) -> Blanks | None:
    """The blanks of the first list of lines that has any."""
    lists = (container_at(text, at, "[]") for at in sources if text[at] == "[")
    return next((found for each in lists if (found := blanks_of(text, each, gap)) is not None), None)


def _order_of(model: Container) -> tuple[str, ...]:
    """The order of keys in ``model``, and behind them those that it lacks; the usual one where that fits."""
    keys = [part.key for part in model.parts if part.key in _ORDER]
    return _ORDER if keys == sorted(keys) else tuple(dict.fromkeys((*keys, *_ORDER)))
