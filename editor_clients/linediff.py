"""Which lines two sequences share: trimmed ends, patience anchors, then a bounded shortest script.

The answer is always right (what is not named as changed is equal on both sides, in order); it is the smallest
one where that costs little. The work is bounded: never quadratic in the number of lines.

Never: text, offsets or line endings; equal items are equal lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import compress, islice
from operator import add, lt, sub

Range = tuple[int, int, int, int]
"""``(a_start, a_end, b_start, b_end)``: items of a that became items of b; 0-based, ends exclusive."""

Common = tuple[list[int], list[int]]
"""Equal items: their places in a and, one for one, in b; both rise."""

_SMALL = 64
"""Product of two lengths up to which the shortest script is looked for at once."""
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
            common_a, common_b = self._anchors(gap) or self._shortest(gap)
            if not common_a:
                self._note(gap)
                continue
            # Equal lines cut the gap into smaller ones; taken from a stack they come back in order.
            gaps.extend(reversed(_between(gap, common_a, common_b)))
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

    def _anchors(self, gap: Range) -> Common | None:
        """Lines that stand once on both sides, else equally often: the longest rising run of them."""
        a1, a2, b1, b2 = gap
        if (a2 - a1) * (b2 - b1) <= _SMALL and self.budget > 0:
            return None
        a, b = self.a[a1:a2], self.b[b1:b2]
        place = dict(zip(b, range(b1, b2), strict=True))
        repeated = set(_repeated(a)) | set(_repeated(b) if len(place) < len(b) else ())
        for line in repeated:
            place.pop(line, None)
        common_a = list(compress(range(a1, a2), map(place.__contains__, a)))
        common_b = [j for j in map(place.get, a) if j is not None]
        if not common_a:
            common_a, common_b = _equally_often(gap, a, b)
        return _longest_rising(common_a, common_b) if common_a else None

    def _shortest(self, gap: Range) -> Common:
        """Pairs of equal lines on a shortest edit script (Myers); none when the budget does not allow it."""
        a1, a2, b1, b2 = gap
        n, m = a2 - a1, b2 - b1
        reach = {1: 0}
        history: list[dict[int, int]] = []
        for d in range(n + m + 1):
            history.append(reach.copy())
            self.budget -= 2 * d + 1
            if self.budget < 0:
                return [], []
            for k in range(-d, d + 1, 2):
                if k == -d or (k != d and reach[k - 1] < reach[k + 1]):
                    x = reach[k + 1]
                else:
                    x = reach[k - 1] + 1
                x += self._equal_run(a1 + x, a2, b1 + x - k, b2)
                reach[k] = x
                if x >= n and x - k >= m:
                    pairs = _walk_back(history, n, m)
                    return [a1 + i for i, _ in pairs], [b1 + j for _, j in pairs]
        return [], []

    def _equal_run(self, at_a: int, end_a: int, at_b: int, end_b: int) -> int:
        """How many items are equal from here on; what that costs is taken from the budget."""
        a, b = self.a, self.b
        start = at_a
        while at_a < end_a and at_b < end_b and a[at_a] == b[at_b]:
            at_a += 1
            at_b += 1
            if at_a - start == _CHUNK:
                while a[at_a : at_a + _CHUNK] == b[at_b : at_b + _CHUNK] and at_a + _CHUNK <= end_a:
                    if at_b + _CHUNK > end_b:
                        break
                    at_a += _CHUNK
                    at_b += _CHUNK
                    self.budget -= _CHUNK // 16
        self.budget -= min(at_a - start, 2 * _CHUNK)
        return at_a - start


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


def _between(gap: Range, common_a: list[int], common_b: list[int]) -> list[Range]:
    """What the gap leaves between its common lines."""
    a1, a2, b1, b2 = gap
    sums = list(map(add, common_a, common_b))
    # Both rise, so a step of two in the sum is a step of one in both.
    steps = map(sub, islice(sums, 1, None), sums)
    found = [(a1, common_a[0], b1, common_b[0])]
    found += [
        (common_a[at] + 1, common_a[at + 1], common_b[at] + 1, common_b[at + 1])
        for at, step in enumerate(steps)
        if step != 2
    ]
    found.append((common_a[-1] + 1, a2, common_b[-1] + 1, b2))
    return found


def _repeated(lines: Sequence[str]) -> list[str]:
    counts = Counter(lines)
    if len(counts) == len(lines):
        return []
    return [line for line, count in counts.items() if count > 1]


def _equally_often(gap: Range, a: Sequence[str], b: Sequence[str]) -> Common:
    """The n-th occurrence on one side with the n-th on the other, of lines that occur equally often."""
    a1, _, b1, _ = gap
    in_b = Counter(b)
    often = {line for line, count in Counter(a).items() if count == in_b.get(line)}
    if not often:
        return [], []
    places: dict[str, list[int]] = {}
    for j, line in enumerate(b, b1):
        if line in often:
            places.setdefault(line, []).append(j)
    queues = {line: iter(found) for line, found in places.items()}
    common_a = [i for i, line in enumerate(a, a1) if line in often]
    return common_a, [next(queues[line]) for line in a if line in often]


def _longest_rising(common_a: list[int], common_b: list[int]) -> Common:
    """The longest part of the pairs (rising in a) that rises in b as well."""
    if all(map(lt, common_b, islice(common_b, 1, None))):
        return common_a, common_b
    tails: list[int] = []
    tail_at: list[int] = []
    back: list[int] = []
    for index, j in enumerate(common_b):
        if not tails or j > tails[-1]:
            spot = len(tails)
            tails.append(j)
            tail_at.append(index)
        else:
            spot = bisect_left(tails, j)
            tails[spot] = j
            tail_at[spot] = index
        back.append(tail_at[spot - 1] if spot else -1)
    chosen: list[int] = []
    at = tail_at[-1]
    while at >= 0:
        chosen.append(at)
        at = back[at]
    chosen.reverse()
    return [common_a[at] for at in chosen], [common_b[at] for at in chosen]
