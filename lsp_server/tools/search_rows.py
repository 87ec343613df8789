"""What ``grep`` answers: hits with the lines around them, each line once, cut where it is too long.

Never: I/O, or a line that was cut among those that were shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from editor_clients.lines import LineIndex
from ledger.ranges import LineRanges

LINE_CHARS = 1_000
"""Characters of one line that are shown."""
_LEAD = 200
"""Characters shown before the hit in a line that is cut."""
_ROW_COST = 16
"""Characters that a row takes besides its text."""

Hit = tuple[int, int]
"""Line, and column in UTF-8 bytes, 1-based."""


@dataclass(slots=True)
class Rows:
    """The rows so far, and how many more there may be."""

    limit: int
    left: int
    """Characters."""
    context: int
    joined: bool
    """Hits in adjoining lines are one row (a search over line ends)."""
    found: list[dict[str, Any]] = field(default_factory=list)
    truncated: bool = False

    @property
    def most(self) -> int:
        """Lines with hits in one file that are worth knowing: one more than can be shown."""
        if self.joined:
            return max(self.left, 0) + 1
        return min(self.limit - len(self.found), max(self.left, 0) // _ROW_COST) + 1

    def add(self, file_path: str, text: str, hits: Sequence[Hit]) -> LineRanges:
        """Add the hits in ``text``, whose lines end with LF; the lines that were shown whole."""
        index = LineIndex(text)
        runs = list(_runs(hits, joined=self.joined))
        starts = [run[0][0] for run in runs[1:]] + [index.line_count + 1]
        shown: list[tuple[int, int]] = []
        last = 0
        for run, next_start in zip(runs, starts, strict=True):
            if len(self.found) >= self.limit:
                self.truncated = True
                break
            first_line = max(last + 1, run[0][0] - self.context)
            last_line = min(next_start - 1, run[-1][0] + self.context, index.line_count)
            one = _Row(index, run, first_line, last_line)
            one = one if self.found else one.within(self.left - len(file_path) - _ROW_COST)
            cost = one.cost + len(file_path) + _ROW_COST
            if self.found and cost > self.left:
                self.truncated = True
                break
            self.truncated = self.truncated or one.shortened
            self.left -= cost
            self.found.append({"file_path": file_path} | one.to_object())
            shown += one.whole()
            last = one.last
            if one.shortened:
                break
        return LineRanges.merged(shown)


@dataclass(slots=True)
class _Row:
    """One hit (or run of hits) with the lines around it."""

    index: LineIndex
    run: Sequence[Hit]
    first: int
    last: int
    shortened: bool = False

    @property
    def cost(self) -> int:
        return sum(len(text) + 1 for text, _ in self._lines())

    def within(self, left: int) -> _Row:
        """The same, without context and cut at a line's end where it is longer than ``left``."""
        if self.cost <= left:
            return self
        run = list(self.run)
        short = _Row(self.index, run, run[0][0], run[-1][0])
        while len(run) > 1 and short.cost > left:
            del run[(len(run) + 1) // 2 :]
            short = _Row(self.index, run, run[0][0], run[-1][0], shortened=True)
        return short

    def whole(self) -> list[tuple[int, int]]:
        """Lines that were not cut."""
        return [(number, number) for number, (_, cut) in enumerate(self._lines(), self.first) if not cut]

    def to_object(self) -> dict[str, Any]:
        lines = self._lines()
        start, end = self.run[0][0], self.run[-1][0]
        texts = [text for text, _ in lines]
        row: dict[str, Any] = {"line": start}
        if end > start:
            row["end_line"] = end
        row["text"] = "\n".join(texts[start - self.first : end - self.first + 1])
        if before := texts[: start - self.first]:
            row["before"] = before
        if after := texts[end - self.first + 1 :]:
            row["after"] = after
        if cut := [number for number, (_, is_cut) in enumerate(lines, self.first) if is_cut]:
            row["cut_lines"] = cut
        return row

    def _lines(self) -> list[tuple[str, bool]]:
        """Each line's text as it is shown, and whether that is a part of it."""
        columns = dict(self.run)
        return [
            _cut(self.index.line_text(number), columns.get(number, 1))
            for number in range(self.first, self.last + 1)
        ]


def _runs(hits: Sequence[Hit], *, joined: bool) -> Iterator[list[Hit]]:
    run: list[Hit] = []
    for hit in hits:
        if run and not (joined and hit[0] == run[-1][0] + 1):
            yield run
            run = []
        run.append(hit)
    if run:
        yield run


def _cut(line: str, column: int) -> tuple[str, bool]:
    if len(line) <= LINE_CHARS:
        return line, False
    before = len(line.encode("utf-8")[: column - 1].decode("utf-8", "ignore"))
    start = max(0, min(before - _LEAD, len(line) - LINE_CHARS))
    return line[start : start + LINE_CHARS], True
