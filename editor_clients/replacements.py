"""From two texts to what changed between them: hunks of lines, line edits, smallest replacements.

::

    hunks_between(before, after)   which lines became which, with their offsets: computed once, used by all
      line_edits_of(hunks)         for the ledger, which keeps line numbers
      replacements_of(...)         for editors and files, which take characters
      diffs.unified_diff(...)      for people and models

Applying what is found to ``before`` always gives ``after``. Common ends are compared in big pieces, so that
one change in ten megabytes costs about a comparison.

Never: I/O, positions of a protocol, or an end of a replacement between CR and LF.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO

from editor_clients.linediff import changed_ranges
from editor_clients.lines import count_lines_of, split_lines
from editor_clients.port import Replacement
from ledger.types import LineEdit

_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Hunk:
    """One run of whole lines that changed; everything between two hunks is equal."""

    start: int
    """Offset in the text before."""
    end: int
    """Offset in the text before, exclusive."""
    after_start: int
    after_end: int
    first: int
    """1-based number of the first line in the text before."""
    removed: int
    """Lines."""
    after_first: int
    added: int
    """Lines."""


def hunks_between(before: str, after: str, *, lf_only: bool = False) -> tuple[Hunk, ...]:
    """The changed lines between two texts, in order, with at least one equal line between them.

    ``lf_only``: only LF ends a line, as git sees it; a lone CR is content then.
    """
    if before == after:
        return ()
    start, end, after_end = _line_aligned(before, after, lf_only)
    split = _split_lf if lf_only else split_lines
    a, b = split(before[start:end]), split(after[start:after_end])
    head = before[:start]
    line = (head.count("\n") if lf_only else count_lines_of(head)) + 1
    hunks: list[Hunk] = []
    at_a = 0
    offset_a = offset_b = start
    for a1, a2, b1, b2 in changed_ranges(a, b):
        equal = sum(map(len, a[at_a:a1]))
        offset_a, offset_b = offset_a + equal, offset_b + equal
        end_a = offset_a + sum(map(len, a[a1:a2]))
        end_b = offset_b + sum(map(len, b[b1:b2]))
        hunks.append(Hunk(offset_a, end_a, offset_b, end_b, line + a1, a2 - a1, line + b1, b2 - b1))
        at_a, offset_a, offset_b = a2, end_a, end_b
    return tuple(hunks)


def line_edits_of(hunks: Sequence[Hunk]) -> tuple[LineEdit, ...]:
    """The hunks as the ledger wants them; line numbers are those of the text before."""
    return tuple(LineEdit(hunk.first, hunk.removed, hunk.added) for hunk in hunks)


def line_edits(before: str, after: str) -> tuple[LineEdit, ...]:
    """Which lines of ``before`` became how many lines, in order, each in numbers of ``before``."""
    return line_edits_of(hunks_between(before, after))


def replacements_of(before: str, after: str, hunks: Sequence[Hunk]) -> tuple[Replacement, ...]:
    """The hunks cut down to the characters that differ; where as many lines came as went, line by line."""
    found: list[Replacement] = []
    for hunk in hunks:
        old, new = before[hunk.start : hunk.end], after[hunk.after_start : hunk.after_end]
        if hunk.removed != hunk.added or hunk.removed == 1:
            found.append(_trimmed(before, hunk.start, old, new))
            continue
        offset = hunk.start
        for old_line, new_line in zip(split_lines(old), split_lines(new), strict=True):
            if old_line != new_line:
                found.append(_trimmed(before, offset, old_line, new_line))
            offset += len(old_line)
    return tuple(found)


def replacements_between(before: str, after: str) -> tuple[Replacement, ...]:
    """The smallest replacements, line by line, that turn ``before`` into ``after``; none for equal texts."""
    return replacements_of(before, after, hunks_between(before, after))


def common_prefix(a: str, b: str) -> int:
    """How many characters both texts start with."""
    limit = min(len(a), len(b))
    low = 0
    while low < limit and a.startswith(b[low : low + _PIECE], low):
        low += _PIECE
    if low >= limit:
        return limit
    high = min(low + _PIECE, limit)
    # Equal up to low, different before high: halve.
    while high - low > 1:
        middle = (low + high) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle
    return low + (low < limit and a[low] == b[low])


def common_suffix(a: str, b: str, limit: int) -> int:
    """How many characters both texts end with, ``limit`` at most."""
    low, n, m = 0, len(a), len(b)
    while low < limit:
        piece = min(_PIECE, limit - low)
        if a[n - low - piece : n - low] != b[m - low - piece : m - low]:
            break
        low += piece
    high = min(low + _PIECE, limit)
    while low < high:
        middle = (low + high + 1) // 2
        if a[n - middle : n - low] == b[m - middle : m - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _line_aligned(before: str, after: str, lf_only: bool) -> tuple[int, int, int]:
    """``(start, end, after_end)``: the middles that differ, grown to whole lines on both sides."""
    start = common_prefix(before, after)
    suffix = common_suffix(before, after, min(len(before), len(after)) - start)
    if lf_only:
        start = before.rfind("\n", 0, start) + 1
        cut_a, cut_b = len(before) - suffix, len(after) - suffix
        if _ends_lf(before, cut_a) and _ends_lf(after, cut_b):
            return start, cut_a, cut_b
        found = before.find("\n", cut_a)
        end = len(before) if found < 0 else found + 1
        return start, end, len(after) - (len(before) - end)
    if start and before[start - 1] == "\r":
        start -= 1  # the other text may go on with LF here
    start = max(before.rfind("\n", 0, start), before.rfind("\r", 0, start)) + 1
    cut_a, cut_b = len(before) - suffix, len(after) - suffix
    if _starts_line(before, cut_a) and _starts_line(after, cut_b):
        return start, cut_a, cut_b
    end = _after_next_break(before, cut_a)
    return start, end, len(after) - (len(before) - end)


def _starts_line(text: str, offset: int) -> bool:
    if offset == 0 or text[offset - 1] == "\n":
        return True
    return text[offset - 1] == "\r" and text[offset : offset + 1] != "\n"


def _ends_lf(text: str, offset: int) -> bool:
    return offset == 0 or text[offset - 1] == "\n"


def _after_next_break(text: str, offset: int) -> int:
    lf = text.find("\n", offset)
    cr = text.find("\r", offset, lf if lf >= 0 else len(text))
    if cr < 0:
        return lf + 1 if lf >= 0 else len(text)
    return cr + 2 if text[cr + 1 : cr + 2] == "\n" else cr + 1


def _split_lf(text: str) -> list[str]:
    return StringIO(text, newline="\n").readlines()


def _trimmed(before: str, offset: int, old: str, new: str) -> Replacement:
    """``old`` at ``offset`` of ``before`` becoming ``new``, without the characters both ends share."""
    start = common_prefix(old, new)
    suffix = common_suffix(old, new, min(len(old), len(new)) - start)
    if _cuts_crlf(before, offset + start):
        start -= 1
    if suffix and _cuts_crlf(before, offset + len(old) - suffix):
        suffix -= 1
    return Replacement(offset + start, offset + len(old) - suffix, new[start : len(new) - suffix])


def _cuts_crlf(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and text[offset - 1] == "\r" and text[offset] == "\n"
