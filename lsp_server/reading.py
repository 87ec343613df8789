"""What a read shows: numbered lines of a window, cut so that nothing cut looks like content.

Never: I/O, or any knowledge of who reads.
"""

from __future__ import annotations

from dataclasses import dataclass

from editor_clients.lines import LineIndex

NOTICE = "[coeditor: "
"""Opens every line of ours between numbered lines; a content line always opens with its number."""


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
    number = offset
    while number <= wanted:
        line = index.line_text(number)
        cost = len(line) + len(str(number)) + 2
        if cost > left:
            break
        shown.append(f"{number}\t{line}")
        left -= cost
        number += 1
    last_whole = number - 1
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
    return "\n".join(f"{n}\t{index.line_text(n)}" for n in range(first, last + 1))
