"""Which lines two sequences share: trimmed ends, patience anchors, then a bounded shortest script.

The answer is always right (what is not named as changed is equal on both sides, in order); it is the smallest
one where that costs little. The work is bounded: never quadratic in the number of lines.

Never: text, offsets or line endings; equal items are equal lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

Range = tuple[int, int, int, int]
"""``(a_start, a_end, b_start, b_end)``: items of a that became items of b; 0-based, ends exclusive."""

_BUDGET = 150_000
"""Steps of the shortest-script search for one comparison; beyond it a gap is taken as rewritten."""
_CHUNK = 256


def changed_ranges(a: Sequence[str], b: Sequence[str]) -> list[Range]:
    """What changed from ``a`` to ``b``, in order; ranges never touch each other."""
    return _Comparison(a, b).run()


class _Comparison:
    """State of one comparison: the two sequences, what was found so far, the work left."""

    def __init__(self, a: Sequence[str], b: Sequence[str]) -> None:
        self.a = a
        self.b = b
        self.found: list[Range] = []
        self.budget = _BUDGET

    def run(self) -> list[Range]:
        gaps: list[Range] = [(0, len(self.a), 0, len(self.b))]
        while gaps:
            gap = self._trimmed(gaps.pop())
            a1, a2, b1, b2 = gap
            if a1 == a2 or b1 == b2:
                self._note(gap)
                continue
            pairs = self._anchors(gap) or self._shortest(gap)
            if not pairs:
                self._note(gap)
                continue
            # Pairs cut the gap into smaller ones; taken from a stack they come back in order.
            edges_a, edges_b = a1, b1
            smaller: list[Range] = []
            for i, j in pairs:
                if i > edges_a or j > edges_b:
                    smaller.append((edges_a, i, edges_b, j))
                edges_a, edges_b = i + 1, j + 1
            if edges_a < a2 or edges_b < b2:
                smaller.append((edges_a, a2, edges_b, b2))
            gaps.extend(reversed(smaller))
        return self.found

    def _note(self, gap: Range) -> None:
        a1, a2, b1, b2 = gap
        if a1 == a2 and b1 == b2:
            return
        if self.found and self.found[-1][1] == a1 and self.found[-1][3] == b1:
            last = self.found.pop()
            a1, b1 = last[0], last[2]
        self.found.append((a1, a2, b1, b2))

    def _trimmed(self, gap: Range) -> Range:
        """The gap without its common ends."""
        a, b = self.a, self.b
        a1, a2, b1, b2 = gap
        while a1 + _CHUNK < a2 and b1 + _CHUNK < b2 and a[a1 : a1 + _CHUNK] == b[b1 : b1 + _CHUNK]:
            a1 += _CHUNK
            b1 += _CHUNK
        while a1 < a2 and b1 < b2 and a[a1] == b[b1]:
            a1 += 1
            b1 += 1
        while a1 + _CHUNK < a2 and b1 + _CHUNK < b2 and a[a2 - _CHUNK : a2] == b[b2 - _CHUNK : b2]:
            a2 -= _CHUNK
            b2 -= _CHUNK
        while a1 < a2 and b1 < b2 and a[a2 - 1] == b[b2 - 1]:
            a2 -= 1
            b2 -= 1
        return a1, a2, b1, b2

    def _anchors(self, gap: Range) -> list[tuple[int, int]]:
        """Pairs of lines that stand once on both sides, else equally often; the longest rising run."""
        a1, a2, b1, b2 = gap
        if (a2 - a1) * (b2 - b1) <= 64 and self.budget > 0:
            return []
        a, b = self.a[a1:a2], self.b[b1:b2]
        in_a, in_b = Counter(a), Counter(b)
        place = dict(zip(b, range(b1, b2), strict=True))
        pairs = [(i, place[line]) for i, line in enumerate(a, a1) if in_a[line] == 1 and in_b.get(line) == 1]
        if not pairs:
            pairs = _equally_often(gap, a, b, in_a, in_b)
        return _longest_rising(pairs)

    def _shortest(self, gap: Range) -> list[tuple[int, int]]:
        """Pairs of equal lines on a shortest edit script (Myers); none when the budget does not allow it."""
        a, b = self.a, self.b
        a1, a2, b1, b2 = gap
        n, m = a2 - a1, b2 - b1
        reach = {1: 0}
        history: list[dict[int, int]] = []
        for d in range(n + m + 1):
            history.append(reach.copy())
            self.budget -= 2 * d + 1
            if self.budget < 0:
                return []
            for k in range(-d, d + 1, 2):
                if k == -d or (k != d and reach[k - 1] < reach[k + 1]):
                    x = reach[k + 1]
                else:
                    x = reach[k - 1] + 1
                y = x - k
                begun = x
                while x < n and y < m and a[a1 + x] == b[b1 + y]:
                    x += 1
                    y += 1
                self.budget -= x - begun
                reach[k] = x
                if x >= n and y >= m:
                    return [(a1 + i, b1 + j) for i, j in _walk_back(history, n, m)]
        return []


def _walk_back(history: list[dict[int, int]], n: int, m: int) -> list[tuple[int, int]]:
    """The diagonal steps of the script that reached ``(n, m)``."""
    pairs: list[tuple[int, int]] = []
    x, y = n, m
    for d in range(len(history) - 1, -1, -1):
        reach = history[d]
        k = x - y
        down = k == -d or (k != d and reach[k - 1] < reach[k + 1])
        before = k + 1 if down else k - 1
        start_x = reach[before] if d else 0
        start_y = start_x - before if d else 0
        after_x = start_x if down or not d else start_x + 1
        while x > after_x and y > (after_x - k):
            x -= 1
            y -= 1
            pairs.append((x, y))
        x, y = start_x, start_y
    pairs.reverse()
    return pairs


def _equally_often(
    gap: Range, a: Sequence[str], b: Sequence[str], in_a: Counter[str], in_b: Counter[str]
) -> list[tuple[int, int]]:
    """The n-th occurrence on one side with the n-th on the other, of lines that occur equally often."""
    a1, _, b1, _ = gap
    often = {line for line, count in in_a.items() if count == in_b.get(line)}
    if not often:
        return []
    places: dict[str, list[int]] = {}
    for j, line in enumerate(b, b1):
        if line in often:
            places.setdefault(line, []).append(j)
    queues = {line: iter(found) for line, found in places.items()}
    return [(i, next(queues[line])) for i, line in enumerate(a, a1) if line in often]


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of ``pairs`` (rising in their first members) that rises in the second as well."""
    targets = [j for _, j in pairs]
    if all(x < y for x, y in pairwise(targets)):
        return pairs
    tails: list[int] = []
    tail_at: list[int] = []
    back: list[int] = []
    for index, j in enumerate(targets):
        if not tails or j > tails[-1]:
            spot = len(tails)
            tails.append(j)
            tail_at.append(index)
        else:
            spot = bisect_left(tails, j)
            tails[spot] = j
            tail_at[spot] = index
        back.append(tail_at[spot - 1] if spot else -1)
    chosen: list[tuple[int, int]] = []
    at = tail_at[-1] if tail_at else -1
    while at >= 0:
        chosen.append(pairs[at])
        at = back[at]
    chosen.reverse()
    return chosen
