"""What a read of changed lines shows: those alone, numbered, with a notice for what lies between.

Never: I/O, or a line that the notices leave out among those that were sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from editor_clients.lines import LineIndex
from ledger.ranges import NONE, LineRanges, lines_written
from ledger.types import LineEdit
from lsp_server.reading import NOTICE, show_window

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Changed:
    """The changed lines of a window, as they were shown."""

    text: str
    """Numbered lines and notices."""
    last: int
    """The last line of the window that the text tells of."""
    whole: LineRanges
    """Lines that were sent from end to end."""
    truncated: bool
    """There are more changed lines in the window."""


def spans_of(edits: Sequence[LineEdit], total: int) -> list[Span]:
    """Where ``edits`` changed something, in the text after; a line that went is told of where it stood."""
    found: list[Span] = []
    shift = 0
    for edit in edits:
        first = edit.first + shift
        last = max(first, first + edit.added - 1)
        found.append((min(first, max(total, 1)), min(last, max(total, 1))))
        shift += edit.added - edit.removed
    return found


def show_changed(
    text: str, index: LineIndex, window: Span, wanted: LineRanges, gone: Sequence[Span], max_chars: int
) -> Changed:
    """The lines ``wanted`` of ``window``. ``gone``: (line, how many went before it).

    ``window`` is inside the text and not empty.
    """
    shown: list[str] = []
    whole = NONE
    left = max_chars
    told = window[0] - 1
    for first, last, count in _stops(window, wanted, gone):
        if first > told + 1:
            shown.append(_gap(told + 1, first - 1))
        if count:
            shown.append(f"{NOTICE}{_lines(count)} that stood before line {first} {_are(count)} gone]")
            told = first - 1
            left -= len(shown[-1])
            continue
        part = show_window(index, first, last - first + 1, max(left, 400))
        left -= len(part.text) + len(NOTICE) + 40
        shown.append(part.text)
        whole = whole.union(LineRanges.of(part.whole)) if part.whole else whole
        told = part.last
        if part.truncated or (left <= 0 and told < window[1]):
            rest = wanted.intersect(LineRanges.of((told + 1, window[1])))
            if part.truncated or rest:
                shown.append(f"{NOTICE}there are more changed lines; read on with offset {told + 1}]")
                return Changed("\n".join(shown), told, whole, True)
    if told < window[1]:
        shown.append(_gap(told + 1, window[1]))
    return Changed("\n".join(shown), window[1], whole, False)


def gone_before(edits: Sequence[LineEdit], window: Span) -> list[Span]:
    """The places in ``window`` where lines went and none came: (line in the text after, how many)."""
    found: list[Span] = []
    shift = 0
    for edit in edits:
        if edit.added == 0 and window[0] <= edit.first + shift <= window[1] + 1:
            found.append((edit.first + shift, edit.removed))
        shift += edit.added - edit.removed
    return found


def came(edits: Sequence[LineEdit], window: Span) -> LineRanges:
    """The lines of ``window`` that ``edits`` wrote."""
    return lines_written(edits).intersect(LineRanges.of(window))


def _stops(window: Span, wanted: LineRanges, gone: Sequence[Span]) -> Iterator[tuple[int, int, int]]:
    """Spans to show and places where lines went (then with a count), in order."""
    inside = wanted.intersect(LineRanges.of(window))
    stops = [(first, last, 0) for first, last in inside.spans] + [(line, line, count) for line, count in gone]
    # Where both begin at one line, what went stood first.
    yield from sorted(stops, key=lambda stop: (stop[0], not stop[2]))


def _gap(first: int, last: int) -> str:
    if first == last:
        return f"{NOTICE}line {first} did not change]"
    return f"{NOTICE}lines {first}-{last} did not change]"


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
