"""What a read shows: numbered lines of a window, cut so that nothing cut looks like content.

Never: I/O, or any knowledge of who reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editor_clients.lines import LineIndex, split_lines

NOTICE = "[coeditor: "
"""Opens every line of ours between numbered lines; a content line always opens with its number."""

_AT_ONCE = 500
"""Lines at first; a window is often cut long before the lines that were asked for."""


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a text as it was shown."""

    text: str
    """``number, tab, line`` each, joined by newlines."""
    first: int
    last: int
    """1-based, inclusive; ``last`` is the last line sent, ``first - 1`` when none was."""
    whole: tuple[int, int] | None
    """The lines that were sent from end to end; None when there are none."""
    truncated: bool
    """Something asked for was left out."""


def show_window(index: LineIndex, offset: int, limit: int, max_chars: int) -> Window:
    """Lines ``offset`` to ``offset + limit - 1``, as many as fit into ``max_chars`` characters.

    A line that alone is longer is cut, with a notice on a line of its own, and does not count as sent whole.
    ``offset`` must be at most ``index.line_count`` (1 for an empty text).
    """
    total = index.line_count
    wanted = min(total, offset + limit - 1)
    shown: list[str] = []
    left = max_chars
    last_whole = offset - 1
    for first, lines in _blocks(index, offset, wanted):
        rows = [f"{number}\t{line}" for number, line in enumerate(lines, first)]
        fitting = _fitting(rows, left)
        if fitting == len(rows):
            shown.append("\n".join(rows))
        elif fitting:
            shown.append("\n".join(rows[:fitting]))
        last_whole = first + fitting - 1
        if fitting < len(rows):
            break
        left -= len(shown[-1]) + 1
    truncated = last_whole < wanted
    last = last_whole
    if truncated and not shown:
        line = index.line_text(offset)
        kept = max_chars - 200
        shown.append(f"{offset}\t{line[:kept]}")
        shown.append(f"{NOTICE}line {offset} is cut here: {kept} of its {len(line)} characters are shown]")
        last = offset
    whole = (offset, last_whole) if last_whole >= offset else None
    return Window("\n".join(shown), offset, last, whole, truncated)


def numbered(index: LineIndex, first: int, last: int) -> str:
    """Lines ``first`` to ``last`` numbered; both must exist."""
    blocks = _blocks(index, first, last)
    return "\n".join(f"{n}\t{line}" for start, lines in blocks for n, line in enumerate(lines, start))


def _fitting(rows: Sequence[str], left: int) -> int:
    """How many of ``rows``, with a line break each, are shorter than ``left`` characters together."""
    if sum(map(len, rows)) + len(rows) - 1 < left:
        return len(rows)
    for count, row in enumerate(rows):
        if len(row) >= left:
            return count
        left -= len(row) + 1
    return len(rows)


def _blocks(index: LineIndex, first: int, last: int) -> Iterator[tuple[int, list[str]]]:
    """The lines without their endings, with the number of the first, taken many at once, and more each time:
    looking for each by its number costs ten times as much.
    """
    start, many = first, _AT_ONCE
    while start <= last:
        begin, end = index.span_of_lines(start, min(last, start + many - 1))
        block = index.text[begin:end]
        if "\r" in block:
            yield start, [line.rstrip("\r\n") for line in split_lines(block)]
        else:
            yield start, block.removesuffix("\n").split("\n")
        start += many
        many *= 2
