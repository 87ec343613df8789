"""Very many notices, as one for each who moved the files.

Never: a file left out that only a few others share their mover with.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

MANY = 10
"""Notices of one mover; more are summed up."""
_NAMED = 5
"""Files that a summary names."""

Row = dict[str, Any]


def summed_up(rows: Sequence[Row], details: Mapping[str, str]) -> list[Row]:
    """``rows``, those of a mover who moved very many of them as one. ``details``: more on a mover, for people."""
    if len(rows) <= MANY:
        return list(rows)
    by_mover: dict[str, list[Row]] = {}
    for row in rows:
        by_mover.setdefault(row.get("moved_by", "unknown"), []).append(row)
    found: list[Row] = []
    for mover, group in by_mover.items():
        if len(group) > MANY:
            found.append(_one(group, mover, details.get(mover, "")))
        else:
            found += group
    return found


def _one(rows: Sequence[Row], mover: str, detail: str) -> Row:
    paths = sorted(row["file_path"] for row in rows)
    folder = os.path.commonpath([os.path.dirname(path) for path in paths])
    named = ", ".join(os.path.relpath(path, folder) for path in paths[:_NAMED])
    who = f"git {mover.removeprefix('git:')}" if mover.startswith("git:") else ""
    if who and detail:
        who += f" {detail}"
    changed = f"{who} changed {len(paths)} files below it that you know" if who else ""
    changed = changed or f"{len(paths)} files below it that you know changed"
    message = (
        f"{changed[0].upper()}{changed[1:]}: {named} and {len(paths) - _NAMED} more. Read one again before you "
        "rely on it; edits of them are checked as ever."
    )
    return {"file_path": folder, "moved_by": mover, "message": message}
