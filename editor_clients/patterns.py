"""Gitignore patterns of the settings, and which of them decides about a path.

A pattern fits a path when it fits the path itself or a folder above it; the last one that fits decides, and one
with ``!`` in front makes an exception, also within a folder that an earlier one named.

Never: I/O.
"""

from __future__ import annotations

from collections.abc import Sequence

from editor_clients.search_ignore import Rules

_REMEMBERED = 4_000


class Patterns:
    """Patterns relative to some folder, compiled when first needed."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = tuple(lines)
        self._rules: Rules | None = None
        self._known: dict[str, str | None] = {}
        """What was found before; one edit asks about its path many times."""

    def match(self, inside: str) -> str | None:
        """The pattern by which ``inside``, relative and with slashes, is meant; None where it is not.

        With a slash at its end it is a folder, of which what is below is not looked at.
        """
        if not self._lines:
            return None
        try:
            return self._known[inside]
        except KeyError:
            found = self._match(inside)
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[inside] = found
        return found

    def _match(self, inside: str) -> str | None:
        if self._rules is None:
            self._rules = Rules.of_lines(self._lines)
        decides: tuple[int, bool] | None = None
        is_folder = inside.endswith("/")
        parts = inside.rstrip("/").split("/")
        for depth, name in enumerate(parts, start=1):
            above = is_folder or depth < len(parts)
            found = self._rules.deciding("/".join(parts[:depth]), name, is_folder=above)
            if found is not None and (decides is None or found[0] > decides[0]):
                decides = found
        return None if decides is None or decides[1] else self._lines[decides[0]]


def is_pattern(line: str) -> bool:
    """Whether the line means something: not empty, no comment, nothing that fits nothing."""
    return "\n" not in line and "\0" not in line and bool(Rules.of_lines([line]))
