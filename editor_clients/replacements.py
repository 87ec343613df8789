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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO

from editor_clients.linediff import changed_ranges
from editor_clients.lines import count_breaks, has_lone_cr, split_lines
from editor_clients.port import Replacement
from ledger.types import LineEdit

Gap = tuple[int, int, int, int]
"""``(start, end, after_start, after_end)`` in characters, at line starts."""

_PIECE = 1 << 16
_BIG = 1 << 20
"""Characters above which a gap is worth cutting before its lines are split."""
_WINDOWS = (1 << 11, 1 << 15)
"""Characters in which texts are expected to be in step again; the smaller ones are tried first."""
_MOST_GAPS = 200
_PAIRED = 1000
"""Lines of a hunk up to which as many old and new lines are compared one by one."""
_MOST_LINES = 1_000_000
"""Lines on both sides of a gap above which it is taken as rewritten, instead of a gigabyte for its lines."""
_IN_STEP = 8
"""Equal lines after a change that show that two windows are in step again."""


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
    hunks: list[Hunk] = []
    line, shift, counted = 1, 0, 0
    for gap in _gaps(before, after, lf_only):
        line += _breaks(before, counted, gap[0], lf_only)
        counted = gap[0]
        for hunk in _hunks_of_gap(before, after, gap, (line, line + shift), lf_only):
            if hunks and hunks[-1].end == hunk.start:
                hunk = _joined(hunks.pop(), hunk)
            hunks.append(hunk)
        if hunks:
            last = hunks[-1]
            shift = last.after_first + last.added - last.first - last.removed
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
        if hunk.removed != hunk.added or not 1 < hunk.removed <= _PAIRED:
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


def hunks_of(before: str, after: str, replacements: Sequence[Replacement]) -> tuple[Hunk, ...]:
    """The hunks of a change whose ``replacements`` are known, at the cost of the changed lines alone.

    ``replacements`` are in order, do not overlap, and make ``after`` of ``before``.
    """
    if has_lone_cr(before) or has_lone_cr(after):
        return hunks_between(before, after)  # a line feed put behind a lone CR would move the lines before it
    found: list[Hunk] = []
    shift = line_shift = 0
    line, counted = 1, 0
    for start, end, grown in _whole_lines(before, replacements):
        after_start, after_end = start + shift, end + shift + grown
        line += before.count("\n", counted, start)
        counted = start
        old, new = before[start:end], after[after_start:after_end]
        for one in _line_by_line(old, new) or hunks_between(old, new):
            moved = replace(
                one,
                start=one.start + start,
                end=one.end + start,
                after_start=one.after_start + after_start,
                after_end=one.after_end + after_start,
                first=one.first + line - 1,
                after_first=one.after_first + line - 1 + line_shift,
            )
            _append_merged(found, moved)
        line_shift += new.count("\n") - old.count("\n")
        shift += grown
    return tuple(found)


def _whole_lines(before: str, replacements: Sequence[Replacement]) -> Iterator[tuple[int, int, int]]:
    """Stretches of whole lines that hold the replacements: start, end, and how much longer the text gets there."""
    start = end = grown = -1
    for one in replacements:
        line = before.rfind("\n", 0, one.start) + 1
        # The break after the last line touched goes along: what is inserted may need it, or end in one.
        is_whole = one.start == line < one.end and before[one.end - 1] == "\n" and one.text.endswith("\n")
        after = one.end if is_whole else before.find("\n", one.end) + 1 or len(before)
        longer = len(one.text) - (one.end - one.start)
        if end > line:
            end, grown = max(end, after), grown + longer
            continue
        if end >= 0:
            yield start, end, grown
        start, end, grown = line, after, longer
    if end >= 0:
        yield start, end, grown


def _line_by_line(old: str, new: str) -> tuple[Hunk, ...] | None:
    """The hunk of one line that became one line; None for everything else."""
    if old == new or not old or not new or old.find("\n") not in (-1, len(old) - 1):
        return None
    if new.find("\n") not in (-1, len(new) - 1):
        return None
    return (Hunk(0, len(old), 0, len(new), 1, 1, 1, 1),)


def _append_merged(found: list[Hunk], one: Hunk) -> None:
    """Add ``one``; hunks with no equal line between them are one hunk."""
    last = found[-1] if found else None
    if last is None or last.end < one.start:
        found.append(one)
        return
    found[-1] = replace(
        last,
        end=one.end,
        after_end=one.after_end,
        removed=last.removed + one.removed,
        added=last.added + one.added,
    )


def common_prefix(a: str, b: str, at_a: int = 0, at_b: int = 0) -> int:
    """How many characters are equal from ``at_a`` in one text and ``at_b`` in the other on."""
    limit = min(len(a) - at_a, len(b) - at_b)
    low = 0
    while low < limit and a.startswith(b[at_b + low : at_b + low + _PIECE], at_a + low):
        low += _PIECE
    if low >= limit:
        return limit
    high = min(low + _PIECE, limit)
    while low < high:
        middle = (low + high + 1) // 2
        if a.startswith(b[at_b + low : at_b + middle], at_a + low):
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(a: str, b: str, limit: int) -> int:
    """How many characters both texts end with, ``limit`` at most."""
    low, n, m = 0, len(a), len(b)
    while low < limit:
        piece = min(_PIECE, limit - low)
        if not a.endswith(b[m - low - piece : m - low], 0, n - low):
            break
        low += piece
    high = min(low + _PIECE, limit)
    while low < high:
        middle = (low + high + 1) // 2
        if a.endswith(b[m - middle : m - low], 0, n - low):
            low = middle
        else:
            high = middle - 1
    return low


def _gaps(before: str, after: str, lf_only: bool) -> list[Gap]:
    """The stretches of whole lines that may differ; of big texts several, so that few lines are split."""
    start, end, after_end = _line_aligned(before, after, lf_only)
    gaps: list[Gap] = []
    at, after_at = start, start
    while min(end - at, after_end - after_at) > _BIG and len(gaps) < _MOST_GAPS:
        for size in _WINDOWS:
            window, after_window = min(at + size, end), min(after_at + size, after_end)
            found = _resync(before[at:window], after[after_at:after_window], lf_only)
            if found is not None:
                break
        else:
            break
        to, after_to = at + found[0], after_at + found[1]
        gaps.append((at, to, after_at, after_to))
        equal = _line_start(before, to + common_prefix(before, after, to, after_to), lf_only) - to
        equal = min(equal, end - to, after_end - after_to)
        at, after_at = to + equal, after_to + equal
    gaps.append((at, end, after_at, after_end))
    return gaps


def _resync(before: str, after: str, lf_only: bool) -> tuple[int, int] | None:
    """Where two windows are in step again after a change, for at least some lines."""
    split = _split_lf if lf_only else split_lines
    a, b = split(before)[:-1], split(after)[:-1]
    ranges = changed_ranges(a, b)
    next_changes = [*(changed[0] for changed in ranges[1:]), len(a)]
    for (_, a2, _, b2), next_change in zip(ranges, next_changes, strict=False):
        if next_change - a2 >= _IN_STEP:
            return sum(map(len, a[:a2])), sum(map(len, b[:b2]))
    return None


def _hunks_of_gap(
    before: str, after: str, gap: Gap, first_lines: tuple[int, int], lf_only: bool
) -> Iterator[Hunk]:
    start, end, after_start, after_end = gap
    line, after_line = first_lines
    counts = _line_count(before, start, end, lf_only), _line_count(after, after_start, after_end, lf_only)
    if not any(counts):
        return
    if not all(counts) or min(counts) > _MOST_LINES:
        yield Hunk(start, end, after_start, after_end, line, counts[0], after_line, counts[1])
        return
    split = _split_lf if lf_only else split_lines
    a, b = split(before[start:end]), split(after[after_start:after_end])
    at = 0
    for a1, a2, b1, b2 in changed_ranges(a, b):
        equal = sum(map(len, a[at:a1]))
        start, after_start = start + equal, after_start + equal
        end, after_end = start + sum(map(len, a[a1:a2])), after_start + sum(map(len, b[b1:b2]))
        yield Hunk(start, end, after_start, after_end, line + a1, a2 - a1, after_line + b1, b2 - b1)
        at, start, after_start = a2, end, after_end


def _line_count(text: str, start: int, end: int, lf_only: bool) -> int:
    """Lines of ``text[start:end]``, at whose ends lines start or the text ends."""
    if start == end:
        return 0
    ended = text[end - 1] == "\n" or (not lf_only and text[end - 1] == "\r")
    return _breaks(text, start, end, lf_only) + (not ended)


def _joined(one: Hunk, other: Hunk) -> Hunk:
    """Two hunks that touch, as one."""
    return Hunk(
        one.start,
        other.end,
        one.after_start,
        other.after_end,
        one.first,
        one.removed + other.removed,
        one.after_first,
        one.added + other.added,
    )


def _breaks(text: str, start: int, end: int, lf_only: bool) -> int:
    return text.count("\n", start, end) if lf_only else count_breaks(text, start, end)


def _line_aligned(before: str, after: str, lf_only: bool) -> tuple[int, int, int]:
    """``(start, end, after_end)``: the middles that differ, grown to whole lines on both sides."""
    start = common_prefix(before, after)
    suffix = common_suffix(before, after, min(len(before), len(after)) - start)
    cut, after_cut = len(before) - suffix, len(after) - suffix
    if _starts_line(before, cut, lf_only) and _starts_line(after, after_cut, lf_only):
        end = cut
    else:
        end = _after_next_break(before, cut, lf_only)
    return _line_start(before, start, lf_only), end, after_cut + end - cut


def _line_start(text: str, offset: int, lf_only: bool) -> int:
    """Start of a line at or before ``offset``, whatever the other text has at ``offset``."""
    if lf_only:
        return text.rfind("\n", 0, offset) + 1
    if offset and text[offset - 1] == "\r":
        offset -= 1  # the other text may go on with LF here
    lf = text.rfind("\n", 0, offset)
    return max(lf, text.rfind("\r", lf + 1, offset)) + 1


def _starts_line(text: str, offset: int, lf_only: bool) -> bool:
    if offset == 0 or text[offset - 1] == "\n":
        return True
    return not lf_only and text[offset - 1] == "\r" and text[offset : offset + 1] != "\n"


def _after_next_break(text: str, offset: int, lf_only: bool) -> int:
    lf = text.find("\n", offset)
    end = len(text) if lf < 0 else lf + 1
    cr = -1 if lf_only else text.find("\r", offset, end)
    if cr < 0 or text[cr + 1 : cr + 2] == "\n":
        return end
    return cr + 1


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
