"""The race as a picture: what every exercise took each contestant, on one logarithmic axis, in SVG.

Never: a library for what is a few rectangles.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from tests.benchmarks.contestants import CONTESTANTS, FLOOR, NAIVE, OURS
from tests.benchmarks.race import COLD, Cell, Results
from tests.benchmarks.tables import names

_LEFT, _RIGHT, _WIDTH, _TOP = 170, 60, 860, 60
_BAR, _GAP, _GROUP = 11, 2, 16
_COLORS = {OURS: "#0b6e4f", "coeditor, fast": "#5fb08f", COLD: "#93cdb4", NAIVE: "#b0b0b0", FLOOR: "#8c8c8c"}
_OTHERS = ("#c8553d", "#e09f3e", "#7a6c9d", "#4a7fb0", "#9e6240")


def picture(results: Results) -> str:
    """The whole file."""
    cells = [cell for cell in results.cells.values() if cell.seconds]
    who = names(results)
    times = [ms for cell in cells for name in who if (ms := cell.median_ms(name))]
    if not times:
        return '<svg xmlns="http://www.w3.org/2000/svg"/>\n'
    low, high = 10 ** math.floor(math.log10(min(times))), 10 ** math.ceil(math.log10(max(times)))
    body, height = [], _TOP
    for cell in cells:
        rows = [name for name in who if cell.median_ms(name)]
        body += list(_group(cell, rows, height, low, high))
        height += len(rows) * (_BAR + _GAP) + _GROUP
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height + 10}" '
            'font-family="sans-serif" font-size="11">',
            '<rect width="100%" height="100%" fill="white"/>',
            *_legend(who),
            *_grid(low, high, height),
            *body,
            "</svg>\n",
        ]
    )


def _group(cell: Cell, rows: list[str], top: int, low: float, high: float) -> Iterator[str]:
    middle = top + len(rows) * (_BAR + _GAP) / 2 + 4
    yield f'<text x="{_LEFT - 10}" y="{middle:.0f}" text-anchor="end">{escape(cell.name)}</text>'
    for number, name in enumerate(rows):
        ms = cell.median_ms(name) or low
        y, width = top + number * (_BAR + _GAP), _place(ms, low, high) - _LEFT
        yield (
            f'<rect x="{_LEFT}" y="{y}" width="{width:.1f}" height="{_BAR}" fill="{_color(name)}">'
            f"<title>{escape(name)}: {ms:.3g} ms</title></rect>"
        )
        text = f"{ms:,.0f}" if ms >= 100 else f"{ms:.3g}"
        yield f'<text x="{_LEFT + width + 4:.1f}" y="{y + 9}" font-size="9" fill="#444">{text}</text>'


def _legend(who: list[str]) -> Iterator[str]:
    x, y = _LEFT, 14
    for name in who:
        if x + 130 > _WIDTH:
            x, y = _LEFT, y + 16
        yield f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{_color(name)}"/>'
        yield f'<text x="{x + 14}" y="{y}">{escape(name)}</text>'
        x += 34 + 6 * len(name)


def _grid(low: float, high: float, height: int) -> Iterator[str]:
    for power in range(round(math.log10(low)), round(math.log10(high)) + 1):
        x = _place(10**power, low, high)
        yield f'<line x1="{x:.1f}" y1="{_TOP - 6}" x2="{x:.1f}" y2="{height}" stroke="#ddd"/>'
        label = f"{10**power:g} ms" if power < 3 else f"{10 ** (power - 3):g} s"
        yield f'<text x="{x:.1f}" y="{_TOP - 10}" text-anchor="middle" fill="#666">{label}</text>'


def _place(ms: float, low: float, high: float) -> float:
    share = (math.log10(ms) - math.log10(low)) / (math.log10(high) - math.log10(low))
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _color(name: str) -> str:
    if name in _COLORS:
        return _COLORS[name]
    others = [each.name for each in CONTESTANTS if each.name not in _COLORS]
    return _OTHERS[others.index(name) % len(_OTHERS)]
