"""What a read shows: numbered lines of a window, cut so that nothing cut looks like content.

Never: I/O, or any knowledge of who reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from editor_clients.lines import LineIndex, split_lines

NOTICE = "[coeditor: "
"""Opens every line of ours between numbered lines; a content line always opens with its number."""

_HEADS = 256
"""Numbers that are made, and kept, together."""
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
        rows = _rows(first, lines)
        if len(rows) >= left:
            fitting = _fitting(rows, left)
            if fitting:
                shown.append(_rows(first, lines[:fitting]))
            last_whole = first + fitting - 1
            break
        shown.append(rows)
        last_whole = first + len(lines) - 1
        left -= len(rows) + 1
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
    return "\n".join(_rows(start, lines) for start, lines in blocks)


def _rows(first: int, lines: Sequence[str]) -> str:
    """``lines``, of which there is one at least, numbered from ``first``."""
    parts = [""] * (2 * len(lines))
    parts[::2] = _heads(first, first + len(lines) - 1)
    parts[1::2] = lines
    return "".join(parts)[1:]


def _heads(first: int, last: int) -> list[str]:
    """What stands before the lines ``first`` to ``last``; a line break before each."""
    found: list[str] = []
    for block in range(first // _HEADS, last // _HEADS + 1):
        start = block * _HEADS
        found += _heads_from(start)[max(first - start, 0) : last + 1 - start]
    return found


@lru_cache(maxsize=128)
def _heads_from(start: int) -> list[str]:
    """Making them is most of what numbering costs."""
    return [f"\n{number}\t" for number in range(start, start + _HEADS)]


def _fitting(rows: str, left: int) -> int:
    """How many of ``rows``, with a line break each, are shorter than ``left`` characters together."""
    if left <= 0:
        return 0
    # The break behind the last row that fits is character ``left - 1`` at most.
    return rows.count("\n", 0, left)


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
