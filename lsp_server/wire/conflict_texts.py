"""Conflicting changes as people know them from version control.

Never: a text that the error object does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def as_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Regions of a conflict (README, "Errors"), one after the other."""
    parts = []
    for row in rows:
        sides = [("<<<<<<< yours", "yours"), ("||||||| as you saw it", "base"), ("======= now", "theirs")]
        for title, name in sides:
            side = row.get(name)
            if isinstance(side, Mapping):
                parts.append(f"{title}{_where(side.get('lines'))}")
                text = str(side.get("text", "")).rstrip("\r\n")
                parts += [text] if text else []
                parts += ["[coeditor: cut]"] if side.get("cut") else []
        parts.append(">>>>>>>")
    return "\n".join(parts)


def _where(lines: object) -> str:
    if not isinstance(lines, list) or len(lines) != 2:
        return ""
    first, last = lines
    if last < first:
        return f" (nothing, before line {first})"
    return f" (line {first})" if first == last else f" (lines {first}-{last})"
