"""Invisible and look-alike characters made visible, for reports on what differs.

Never: text that goes into a file.
"""

from __future__ import annotations

from unicodedata import category, name

from lsp_server.edits.folding import LOOK_ALIKES

_NAMED = {"\t": "\\t", "\r": "\\r", "\n": "\\n", "\f": "\\f", "\v": "\\v"}


def visible(text: str) -> str:
    """``text`` with blanks at its end, tabs, odd blanks, marks, controls and look-alikes written out."""
    body = text.rstrip(" ")
    return "".join(map(_visible_point, body)) + "·" * (len(text) - len(body))


def described(points: str) -> str:
    """What stands at the start of ``points``, in words."""
    if not points:
        return "the end of the line"
    point = points[0]
    if point in " \t":
        count = len(points) - len(points.lstrip(point))
        word = "tab" if point == "\t" else "blank"
        return f"{count} {word}s" if count > 1 else f"a {word}"
    if point.isascii() and point.isprintable():
        return repr(point)
    return f"{name(point, 'a character')} (U+{ord(point):04X})"


def _visible_point(point: str) -> str:
    if point in _NAMED:
        return _NAMED[point]
    if point.isascii() and point.isprintable():
        return point
    if point in LOOK_ALIKES and not category(point).startswith("Z"):
        return f"{point}<U+{ord(point):04X}>"
    if category(point)[0] in "ZCM":
        return f"<U+{ord(point):04X}>"
    return point
