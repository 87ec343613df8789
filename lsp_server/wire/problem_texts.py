"""Problems as lines of text: what a model or a person reads of diagnostics.

Never: more than a bounded number of them, or silence where it is not known whether there are any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Object = Mapping[str, Any]

DIAGNOSTICS_SHOWN: Final = 50
"""Rows of one list of diagnostics; the rest is counted."""


def diagnostic_text(row: Object, *, mark: str = "") -> str:
    """One problem on one line: place, severity, who says so, what, where it stands, what may help."""
    by = " ".join(str(row[name]) for name in ("source", "code") if row.get(name) is not None)
    message = " ".join(str(row.get("message", "")).split())
    place = f"{row.get('line', '?')}:{row.get('column', '?')}"
    within = f" (in {row['symbol']})" if row.get("symbol") else ""
    fix = f" (fix: {row['fix']})" if row.get("fix") else ""
    return f"  {place} {mark}{row.get('severity', 'error')}{f' [{by}]' if by else ''} {message}{within}{fix}"


def delta_text(delta: object) -> str:
    """What an edit brought and solved; nothing where no language server had a word."""
    if not isinstance(delta, Mapping):
        return ""
    new, resolved = delta.get("new") or [], delta.get("resolved") or []
    left = {name: count for name, count in (delta.get("remaining") or {}).items() if count}
    state = delta.get("state")
    if state == "none" and not new and not resolved:
        # A kind of file that nobody looks at has no notes; of any other it is said that nothing is known.
        notes = list(map(str, delta.get("notes") or []))
        return "\n".join(["Problems: not known", *notes]) if notes else ""
    counts = f"{len(new)} new, {len(resolved)} resolved"
    if left:
        counts += ", remaining " + ", ".join(counted(count, name) for name, count in left.items())
    stale = "" if state == "fresh" else " (not every language server has answered yet)"
    lines = [f"Problems: {counts}{stale}", *map(str, delta.get("notes") or [])]
    return "\n".join([*lines, *problem_rows(new, mark="new "), *problem_rows(resolved, mark="resolved ")])


def problem_rows(items: Sequence[Object], *, mark: str = "") -> list[str]:
    """Problems grouped by file, the files in the order in which they come first."""
    by_file: dict[str, list[str]] = {}
    for row in items[:DIAGNOSTICS_SHOWN]:
        by_file.setdefault(str(row.get("file_path", "")), []).append(diagnostic_text(row, mark=mark))
    rows = [line for path, lines in by_file.items() for line in (path, *lines)]
    if len(items) > DIAGNOSTICS_SHOWN:
        rows.append(f"and {len(items) - DIAGNOSTICS_SHOWN} more")
    return rows


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural where there is one."""
    plural = noun if number == 1 or noun == "information" else noun + "s"
    return f"{number} {plural}"
