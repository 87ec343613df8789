"""Which part of one folded text stands for which part of another: equal, but for dashes.

An em dash fits ``-`` and ``--``; two hyphens that stand for one are never parted. So fitting is no equality,
and a place can fit in more than one way.

Never: raw text; everything here is folded already (``folding``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lsp_server.edits.folding import EM_DASH

_MOST_TRIED = 20_000
_DASHES = re.compile(f"[-{EM_DASH}]+")


class TooManyPlacesError(Exception):
    """There are so many places with dashes that whether one of them alone fits cannot be told in time."""


def may_bend(there: str, sent: str) -> bool:
    """Whether ``sent`` could fit ``there`` without being equal to a part of it."""
    return EM_DASH in sent or ("-" in sent and EM_DASH in there)


def fits(there: str, sent: str) -> bool:
    """Whether the whole of ``sent`` stands for the whole of ``there``."""
    if there == sent:
        return True
    return may_bend(there, sent) and path(there, sent) is not None


def loose_key(folded: str) -> str:
    """A key that is equal for texts that fit each other (and for some that do not)."""
    return _DASHES.sub("-", folded) if "-" in folded or EM_DASH in folded else folded


def path(there: str, sent: str) -> list[tuple[int, int]] | None:
    """How the whole of ``sent`` stands for the whole of ``there``: pairs of offsets, ``(0, 0)`` first.

    None when it does not. Between two pairs stands one character, or one dash and its spelling.
    """
    if there == sent:
        return [(offset, offset) for offset in range(len(sent) + 1)]
    stack = [((0, 0), iter(_steps(there, 0, sent, 0)))]
    seen = {(0, 0)}
    while stack:
        here, steps = stack[-1]
        if here == (len(there), len(sent)):
            return [pair for pair, _ in stack]
        for pair in steps:
            if pair not in seen:
                seen.add(pair)
                stack.append((pair, iter(_steps(there, pair[0], sent, pair[1]))))
                break
        else:
            stack.pop()
    return None


def hits(there: str, sent: str, *, dashes: bool) -> Iterator[tuple[int, int]]:
    """All places in ``there`` that ``sent`` fits, by start, overlapping ones too; ``sent`` is not empty.

    Without ``dashes`` an em dash is a character like any other.
    """
    if not dashes or not may_bend(there, sent):
        start = there.find(sent)
        while start >= 0:
            yield start, start + len(sent)
            start = there.find(sent, start + 1)
        return
    pattern = _loose_pattern(sent)
    found = pattern.search(there)
    tried = 0
    while found is not None:
        start = found.start()
        for end in sorted(_ends(there, start, sent)):
            yield start, end
        tried += 1
        if tried > _MOST_TRIED:
            raise TooManyPlacesError
        found = pattern.search(there, start + 1)


def _ends(there: str, start: int, sent: str) -> set[int]:
    ends: set[int] = set()
    waiting = [(start, 0)]
    seen = {(start, 0)}
    while waiting:
        at, done = waiting.pop()
        if done == len(sent):
            ends.add(at)
            continue
        for pair in _steps(there, at, sent, done):
            if pair not in seen:
                seen.add(pair)
                waiting.append(pair)
    return ends


def _steps(there: str, at: int, sent: str, done: int) -> list[tuple[int, int]]:
    """Where fitting can go on after ``there[:at]`` and ``sent[:done]``; the longest spelling first."""
    if at >= len(there) or done >= len(sent):
        return []
    mine, theirs = sent[done], there[at]
    found: list[tuple[int, int]] = []
    if theirs == EM_DASH and sent.startswith("--", done):
        found.append((at + 1, done + 2))
    if mine == EM_DASH and theirs == "-":
        run = _hyphens_around(there, at)
        if run is not None:
            found.append((at + run, done + 1))
    elif mine == theirs or (mine == "-" and theirs == EM_DASH):
        found.append((at + 1, done + 1))
    return found


def _hyphens_around(there: str, at: int) -> int | None:
    """Length of the run of hyphens that starts at ``at``, when it is one or two and nothing is cut off."""
    if there[at - 1 : at] == "-":
        return None
    if not there.startswith("-", at + 1):
        return 1
    return None if there.startswith("-", at + 2) else 2


def _loose_pattern(sent: str) -> re.Pattern[str]:
    """Finds every place that can fit: runs of dashes may have any spelling."""
    parts: list[str] = []
    done = 0
    for run in _DASHES.finditer(sent):
        parts += (re.escape(sent[done : run.start()]), _loose_run(run.group()))
        done = run.end()
    parts.append(re.escape(sent[done:]))
    return re.compile("".join(parts))


def _loose_run(run: str) -> str:
    dashes = run.count(EM_DASH)
    hyphens = len(run) - dashes
    fewest, most = dashes + (hyphens + 1) // 2, hyphens + 2 * dashes
    return f"[-{EM_DASH}]{{{fewest},{most}}}"
