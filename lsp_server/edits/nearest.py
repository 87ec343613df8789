"""The place in a file that is most like a text that is not there. For showing, never for applying.

The work is bounded by a fixed number of searches, whatever the size of the text.

Never: an edit of what it finds.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher

from editor_clients.lines import LineIndex
from lsp_server.edits.folding import fold_characters

_WORD = re.compile(r"\w{3,}")
_MOST_LINES = 40
"""Lines of the request that are looked for."""
_MOST_WORDS = 16
_MOST_PLACES = 40
"""Places of one line or word that are looked at."""
_MOST_CANDIDATES = 24
_SMALL_TEXT = 60_000
"""Characters of a text in which every line is compared when nothing of the request is found in it."""
_LONG = 200
"""Characters of a line that are compared."""
_ENOUGH = 0.5
"""Likeness below which nothing is worth showing."""


def nearest_lines(index: LineIndex, old: str) -> tuple[int, int] | None:
    """The 1-based lines most like ``old`` (with ``\\n`` ends); None when nothing there is like it."""
    wanted = [(number, line) for number, line in enumerate(old.split("\n")) if line.strip()]
    if not wanted or not index.text:
        return None
    votes = _votes(index, _sample(wanted))
    starts = [start for start, _ in votes.most_common(_MOST_CANDIDATES)]
    likest = max(((_score(index, start, wanted), -start) for start in starts), default=None)
    if likest is None or likest[0] < _ENOUGH:
        return None
    start = -likest[1]
    height = old.removesuffix("\n").count("\n") + 1
    first = max(1, start)
    return first, max(first, min(index.line_count, start + height - 1))


def likeness(there: str, sent: str) -> float:
    """How alike two lines are, blanks at their ends aside, from 0 to 1."""
    there, sent = fold_characters(there[:_LONG]).strip(), fold_characters(sent[:_LONG]).strip()
    if there == sent:
        return 1.0
    matcher = SequenceMatcher(None, there, sent, autojunk=False)
    if matcher.quick_ratio() < 0.3:
        return 0.0
    return matcher.ratio()


def _sample(wanted: list[tuple[int, str]]) -> list[tuple[int, str]]:
    if len(wanted) <= _MOST_LINES:
        return wanted
    return wanted[: _MOST_LINES // 2] + wanted[-_MOST_LINES // 2 :]


def _votes(index: LineIndex, wanted: list[tuple[int, str]]) -> Counter[int]:
    """First lines of places that could be meant, with how much speaks for each."""
    votes: Counter[int] = Counter()
    for number, line in wanted:
        _vote(votes, index, line.strip(), number, 4)
    words = [(word, number) for number, line in wanted for word in dict.fromkeys(_WORD.findall(line))]
    words.sort(key=lambda found: -len(found[0]))
    for word, number in words[:_MOST_WORDS]:
        _vote(votes, index, word, number, 1)
    if not votes and len(index.text) <= _SMALL_TEXT:
        number, line = max(wanted, key=lambda found: len(found[1]))
        for there in range(1, index.line_count + 1):
            alike = likeness(_line(index, there), line)
            if alike >= _ENOUGH:
                votes[there - number] += round(100 * alike)
    return votes


def _vote(votes: Counter[int], index: LineIndex, needle: str, number: int, weight: int) -> None:
    """Let each of the first places of ``needle`` speak for the line at which the request would start."""
    places: list[int] = []
    at = index.text.find(needle)
    while at >= 0 and len(places) < _MOST_PLACES:
        places.append(index.line_of(at) - number)
        at = index.text.find(needle, at + len(needle))
    for start in set(places):
        votes[start] += max(1, weight * min(len(needle), 60) * 100 // len(places))


def _score(index: LineIndex, start: int, wanted: list[tuple[int, str]]) -> float:
    """Mean likeness of the lines from ``start`` on to those sent, longer ones counting more."""
    weight = total = 0.0
    for number, line in _sample(wanted):
        own = min(len(line.strip()), 60)
        weight += own
        if 1 <= start + number <= index.line_count:
            total += own * _alike(_line(index, start + number), line)
    return total / weight


def _alike(there: str, sent: str) -> float:
    """Likeness, also to a part of the line."""
    cut = sent.strip()
    if cut and cut in there:
        return 1.0
    whole = likeness(there, sent)
    if whole >= _ENOUGH:
        return whole
    matcher = SequenceMatcher(None, there[:_LONG], sent[:_LONG], autojunk=False)
    block = matcher.find_longest_match()
    part = there[max(0, block.a - block.b) :][: len(sent)]
    return max(whole, likeness(part, sent))


def _line(index: LineIndex, number: int) -> str:
    start = index.start_of(number)
    return index.text[start : min(index.start_of(number + 1), start + 10 * _LONG)]
