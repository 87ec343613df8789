"""One finding of a language server, in our own coordinates.

Never: LSP's 0-based, end-exclusive, UTF-16 positions; those stay in ``lsp_diagnostics``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

Severity = Literal["error", "warning", "information", "hint"]
"""From the worst to the mildest."""

SEVERITIES: tuple[Severity, ...] = get_args(Severity)

_RANK: dict[str, int] = {severity: rank for rank, severity in enumerate(SEVERITIES)}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding in one text; lines and columns are 1-based, ends inclusive, columns count code points."""

    file_path: str
    line: int
    column: int
    """May be one past the line's last character: the line break, or the end of the text."""
    end_line: int
    end_column: int
    """The last character of the range; an empty range ends where it starts."""
    severity: Severity
    code: str | None
    source: str
    """Who says so, for example ``ruff``."""
    message: str
    symbol: str | None = None
    """What it stands in, for people and models; filled in for those that are shown."""
    fix: str | None = None
    """What its server offers to do about it first; likewise."""

    def to_object(self) -> dict[str, str | int | None]:
        """The JSON object of README, "Shapes"."""
        found: dict[str, str | int | None] = {
            "file_path": self.file_path,
            "line": self.line,
            "column": self.column,
            "end_line": self.end_line,
            "end_column": self.end_column,
            "severity": self.severity,
            "code": self.code,
            "source": self.source,
            "message": self.message,
        }
        details = {"symbol": self.symbol, "fix": self.fix}
        found.update({name: value for name, value in details.items() if value is not None})
        return found


def rank(severity: Severity) -> int:
    """0 for an error, 3 for a hint."""
    return _RANK[severity]


def worst_first(items: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Errors first, then by file and place; equal items keep their order."""
    return sorted(items, key=lambda item: (_RANK[item.severity], item.file_path, item.line, item.column))


def at_least(items: Iterable[Diagnostic], minimum: Severity | None) -> list[Diagnostic]:
    """The items that are as bad as ``minimum`` or worse; all of them for None."""
    limit = _RANK[minimum] if minimum is not None else len(SEVERITIES)
    return [item for item in items if _RANK[item.severity] <= limit]


def count_by_severity(items: Iterable[Diagnostic]) -> dict[str, int]:
    """How many there are of each severity; every severity is named, in order."""
    counts = Counter(item.severity for item in items)
    return {severity: counts[severity] for severity in SEVERITIES}
