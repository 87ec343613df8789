"""What the parser forgives, collected so that each kind is told once, with the lines where it happened.

Never: a decision about what is forgiven.
"""

from __future__ import annotations

from enum import StrEnum

_NAMED = 5
"""Lines named for one kind; the rest are counted."""


class Tolerance(StrEnum):
    """Each thing that is forgiven, as the sentence that tells of it."""

    BYTE_ORDER_MARK = "a byte order mark before the patch was ignored"
    CRLF = "the patch came with CRLF line endings and was read with LF"
    AROUND = "text around the patch (prose, a code fence, a heredoc) was ignored"
    ENVIRONMENT = "'*** Environment ID:' was ignored"
    PADDING = "blanks around a marker were ignored"
    SPACING = "blank lines between parts of the patch were ignored"
    NO_FIRST_AT = "a chunk began without '@@'"
    REPEATED_AT = "a bare '@@' was repeated"
    NUMBERS = "the line numbers after '@@' were ignored"
    EMPTY_CONTEXT = "an empty line was read as an empty context line, which is a single blank"
    NO_NEWLINE = (
        "'\\ No newline at end of file' is no part of the format; it holds after a file's last line only"
    )


class Tolerated:
    """An append-only record of tolerances and their lines; can be cut back to an earlier length."""

    def __init__(self) -> None:
        self._found: list[tuple[Tolerance, int]] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, what: Tolerance, line_no: int) -> None:
        """Note ``what`` at a 1-based line of the patch."""
        self._found.append((what, line_no))

    def cut(self, length: int) -> None:
        """Forget everything after the first ``length`` notes."""
        del self._found[length:]

    def sentences(self) -> tuple[str, ...]:
        """One warning for each kind, in order of first appearance."""
        places: dict[Tolerance, list[int]] = {}
        for what, line_no in self._found:
            lines = places.setdefault(what, [])
            if not lines or lines[-1] != line_no:
                lines.append(line_no)
        return tuple(f"Patch {_lines(lines)}: {what}." for what, lines in places.items())


def _lines(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    named = ", ".join(map(str, numbers[:_NAMED]))
    more = len(numbers) - _NAMED
    return f"lines {named}" + (f" and {more} more" if more > 0 else "")
