"""Observations of one scope: what it last saw of one target, and how calls and changes move that.

::

    Unseen   nothing is known
    Absent   looked for, and not there
    Present  the text at ``token`` was put before the model, in part or whole

``shown`` is everything that is in front of the model: windows of reads, lines of refusals, grep and diffs,
and what it wrote itself. ``read`` is the part that counts for an overwrite, a delete and a move: reads and
own text. A refusal empties ``read`` until the next read. Each call keeps its own ranges, so that a call that
left the model's context takes exactly its own lines along.

Never: I/O, clocks, or text. Whoever calls computes the line edits between two texts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ledger.numbering import Numbers, Unclear, laid_over, numbers_of, place_of, shifted, span_of
from ledger.ranges import NONE, LineRanges, Span, lines_in_diff, lines_written, union_of
from ledger.types import LineEdit, VersionToken

MAX_SHOWINGS = 64
"""Calls told apart in one observation; beyond, the oldest are forgotten as one."""

MAX_CALLS = 256
"""Names of calls that one showing keeps; beyond, it is forgotten with any call whose name is not known."""


@dataclass(frozen=True, slots=True)
class Showing:
    """What one call put before the model, in the numbering of the observation's text."""

    calls: tuple[str, ...]
    """Its call id; none when it had no id, several where old calls were joined."""
    shown: LineRanges
    read: LineRanges = NONE
    """The part of ``shown`` that counts as read."""
    is_read: bool = False
    """A read, or a text that the scope wrote as a whole."""
    is_edit: bool = False
    """Lines that the scope wrote; the model saw them with a diff's numbers at most."""
    around: LineRanges = NONE
    """Of such lines: the numbers that the diff spoke of, as they were then."""
    moved: Numbers | None = None
    """Where the numbers are that the lines were shown with; None where all are as they were."""
    has_unnamed: bool = False
    """It is also of calls whose names were dropped."""

    @property
    def numbers(self) -> Numbers:
        """The lines shown, by the numbers that they were shown with."""
        return numbers_of(self.shown) if self.moved is None else self.moved


@dataclass(frozen=True, slots=True)
class Unseen:
    """No observation."""


@dataclass(frozen=True, slots=True)
class Absent:
    """Looked for and confirmed missing."""


@dataclass(frozen=True)
class Present:
    """Seen at one version. Without slots, since what follows from the showings is kept once it was asked for."""

    token: VersionToken
    total: int
    """Lines of the text at ``token``."""
    showings: tuple[Showing, ...] = ()
    read_needed: bool = True
    """Nothing was read yet, or a refusal came after the last read."""

    @cached_property
    def shown(self) -> LineRanges:
        """Every line that is in front of the model."""
        return union_of([showing.shown for showing in self.showings])

    @cached_property
    def read(self) -> LineRanges:
        """The lines that count for an overwrite."""
        return union_of([showing.read for showing in self.showings])

    def where(self, first: int, last: int) -> Span | Unclear | None:
        """Where the lines are now that the model knows as ``first`` to ``last``.

        The last call that showed both ends with numbers counts. Where the scope has edited near these numbers
        since, so that they may as well be meant as they are now, it is unclear. None: never shown, or rewritten.
        """
        touched = False
        for showing in reversed(self.showings):
            touched = touched or bool(showing.around.intersect(LineRanges.of((first, last))))
            if showing.is_edit:
                continue
            found = span_of(showing.numbers, first, last)
            if found is not None:
                now = (first, last)
                return Unclear(now, found) if touched and found != now else found
        return self._where_by_any(first, last)

    def _where_by_any(self, first: int, last: int) -> Span | Unclear | None:
        """The same by the ends of the span, each from whichever call showed it last."""
        ends = []
        for line in (first, last):
            places = (place_of(showing.numbers, line) for showing in reversed(self.showings))
            ends.append(next((place for place in places if place is not None), None))
        start, end = ends
        if start is None or end is None:
            return None
        if start - first == end - last:
            return start, end
        return Unclear((first, last), (min(start, end), max(start, end)))

    def is_whole_read(self) -> bool:
        """Whether the scope read every line at this version (an empty text by reading it)."""
        return not self.read_needed and self.read.covers(1, self.total)

    def is_shown(self, token: VersionToken, window: LineRanges) -> bool:
        """Whether a read of ``window`` at ``token`` would tell the model nothing new."""
        if self.token != token or not self.showings:
            return False
        return self.shown.includes(window)


Observation = Unseen | Absent | Present

UNSEEN = Unseen()
ABSENT = Absent()


def after_read(
    before: Observation,
    token: VersionToken,
    total: int,
    window: LineRanges,
    *,
    call_id: str | None = None,
    moved: Sequence[LineEdit] | None = None,
) -> Present:
    """The scope read ``window`` (whole lines only) of the text at ``token``.

    Lines shown of an older text stay shown where ``moved`` (older text to this one) did not touch them; only
    what was read of *this* text counts as read. Without ``moved`` an older text is forgotten.
    """
    kept = _carried(before, token, moved, total)
    window = window.clip(total)
    return _with(
        kept, token, total, Showing(_calls(call_id), window, window, is_read=True), read_needed=False
    )


def after_unchanged(before: Observation, token: VersionToken, window: LineRanges) -> Observation:
    """A read of ``window`` was answered with "unchanged": what was shown of it counts as read again."""
    if not isinstance(before, Present) or before.token != token:
        return before
    showings = tuple(
        replace(showing, read=showing.read.union(showing.shown.intersect(window)))
        for showing in before.showings
    )
    if not any(showing.is_read for showing in showings):
        # Shown by refusals or grep alone; this read confirmed it, and goes when what it stands on goes.
        showings = tuple(replace(showing, is_read=True) for showing in showings)
    return replace(before, showings=showings, read_needed=False)


def after_shown(
    before: Observation, token: VersionToken, total: int, shown: LineRanges, *, call_id: str | None = None
) -> Observation:
    """Lines of the text at ``token`` were put before the model by something that is not a read.

    An observation of another text stays where it is: only a refusal or a read tells the scope what moved.
    """
    shown = shown.clip(total)
    if not shown or (isinstance(before, Present) and before.token != token):
        return before
    needed = before.read_needed if isinstance(before, Present) else True
    kept = _carried(before, token, (), total)
    return _with(kept, token, total, Showing(_calls(call_id), shown), read_needed=needed)


def after_refusal(
    before: Observation,
    token: VersionToken,
    total: int,
    shown: LineRanges,
    *,
    call_id: str | None = None,
    moved: Sequence[LineEdit] | None = None,
) -> Observation:
    """A refusal told the scope that the text is now at ``token`` and showed it ``shown``.

    A refusal at the version that the scope had (a miss) only shows lines. Any other moves the observation:
    lines that ``moved`` did not touch stay shown, and nothing counts as read until the next read.
    """
    if isinstance(before, Present) and before.token == token:
        return after_shown(before, token, total, shown, call_id=call_id)
    kept = _carried(before, token, moved, total)
    return _with(kept, token, total, Showing(_calls(call_id), shown.clip(total)), read_needed=True)


def after_own_edit(
    before: Observation,
    token: VersionToken,
    total: int,
    edits: Sequence[LineEdit],
    *,
    call_id: str | None = None,
    base: VersionToken | None = None,
    moved: Sequence[LineEdit] | None = None,
    whole: bool = False,
    hidden: LineRanges = NONE,
    in_diff: bool = False,
) -> Present:
    """The scope's own edit made the text at ``token`` by ``edits``; the lines it wrote are shown and read.

    ``in_diff``: the answer had the diff of all ``edits``, so that the lines around them are shown as well.

    ``whole``: the scope sent the whole text (a write, a create), so all of it is. ``base`` is the text that
    was edited where it is not the one observed (a merge, a change that was not looked at): then ``moved``
    leads from the observed one to it, and what was read before no longer counts. ``hidden``: lines of the
    result that the scope does not know after all (a formatter's, in a diff that was cut).
    """
    written = (LineRanges.whole(total) if whole else lines_written(edits).clip(total)).minus(hidden)
    kept: tuple[Showing, ...] = ()
    needed = True
    known: tuple[LineRanges, LineRanges] | None = None
    if isinstance(before, Present):
        other = base is not None and base != before.token
        kept = _carried(before, base or before.token, moved if other else (), None)
        kept = _shifted(kept, edits, total)
        needed = before.read_needed or other
        if not other:
            # What many calls showed moves as each of them does.
            known = before.shown.shift(edits).clip(total), before.read.shift(edits).clip(total)
    around = NONE if whole else lines_in_diff(edits)
    shown = written.union(around.clip(total)) if in_diff else written
    showing = Showing(_calls(call_id), shown, written, whole, not whole, around)
    return _with(kept, token, total, showing, read_needed=needed and not whole, known=known)


def after_eviction(before: Observation, call_ids: Collection[str]) -> Observation:
    """The calls ``call_ids`` left the model's context; unseen when nothing is left."""
    if not isinstance(before, Present):
        return before
    named = {call for showing in before.showings for call in showing.calls}
    strange = any(call not in named for call in call_ids)
    left = tuple(
        showing
        for showing in before.showings
        if not (strange and showing.has_unnamed) and not any(call in call_ids for call in showing.calls)
    )
    if len(left) == len(before.showings):
        return before
    after = replace(
        before,
        showings=left,
        read_needed=before.read_needed or not any(showing.is_read for showing in left),
    )
    if not left or (after.total > 0 and not after.shown):
        return UNSEEN
    return after


def _calls(call_id: str | None) -> tuple[str, ...]:
    return () if call_id is None else (call_id,)


def _carried(
    before: Observation, token: VersionToken, moved: Sequence[LineEdit] | None, total: int | None
) -> tuple[Showing, ...]:
    """What was shown before, as it stands at ``token``; read counts only where the text is the same."""
    if not isinstance(before, Present):
        return ()
    if before.token == token:
        return before.showings
    if moved is None:
        return ()
    unread = tuple(replace(showing, read=NONE) for showing in before.showings)
    return _shifted(unread, moved, total)


def _shifted(
    showings: tuple[Showing, ...], edits: Sequence[LineEdit], total: int | None
) -> tuple[Showing, ...]:
    """All ranges after ``edits``; calls of which nothing is left go, unless the text is empty."""
    found: list[Showing] = []
    if all(edit.added == edit.removed for edit in edits):
        apart = _apart(showings, [(edit.first, edit.first + edit.removed - 1) for edit in edits])
    else:
        above = min(edit.first for edit in edits)
        apart = frozenset(
            at for at, showing in enumerate(showings) if showing.shown and showing.shown.spans[-1][1] < above
        )
    for at, showing in enumerate(showings):
        if at in apart:
            found.append(showing)  # most of the many calls that an observation remembers
            continue
        shown = showing.shown.shift(edits)
        read = shown if showing.read is showing.shown else showing.read.shift(edits)
        if total is not None:
            shown, read = shown.clip(total), read.clip(total)
        if shown or showing.around or total == 0:
            found.append(
                Showing(  # not replace: an edit makes many of these
                    showing.calls,
                    shown,
                    read,
                    showing.is_read,
                    showing.is_edit,
                    showing.around,
                    _moved(showing, edits, shown),
                    showing.has_unnamed,
                )
            )
    return tuple(found)


def _apart(showings: Sequence[Showing], spans: Sequence[Span]) -> frozenset[int]:
    """Which of ``showings`` show something, and nothing of ``spans``. Written out, since an edit asks it of many."""
    if len(spans) != 1:
        return frozenset(
            at
            for at, showing in enumerate(showings)
            if showing.shown and not any(showing.shown.touches(*span) for span in spans)
        )
    [(first, last)] = spans
    found = []
    for at, showing in enumerate(showings):
        shown = showing.shown.spans
        if not shown or (
            shown[0][0] <= last and shown[-1][1] >= first and showing.shown.touches(first, last)
        ):
            continue
        found.append(at)
    return frozenset(found)


def _moved(showing: Showing, edits: Sequence[LineEdit], shown: LineRanges) -> Numbers | None:
    """The numbers of ``showing``, of which ``shown`` is left, after ``edits``."""
    if showing.moved is None and (
        shown is showing.shown or all(edit.added == edit.removed for edit in edits)
    ):
        return None  # nothing moved; what was rewritten is not among those shown any more
    found = shifted(showing.numbers, edits)
    return None if all(each.moved == 0 for each in found) else found


def _with(
    kept: tuple[Showing, ...],
    token: VersionToken,
    total: int,
    new: Showing,
    *,
    read_needed: bool,
    known: tuple[LineRanges, LineRanges] | None = None,
) -> Present:
    """``kept`` and ``new`` as one observation; showings of one call are joined.

    ``known``: what all of ``kept`` show, and what of it counts as read, where that was worked out already.
    """
    added = new
    # Calls without a name may be many; what they showed is told apart by when it was.
    same = next((showing for showing in kept if showing.calls == new.calls), None) if new.calls else None
    if same is not None:
        new = _joined(same, new)
        kept = tuple(showing for showing in kept if showing is not same)
    showings = (*kept, new)
    while len(showings) > MAX_SHOWINGS:
        # Joined calls go together: less is claimed as seen then, never more.
        oldest, second, *rest = showings
        showings = (_joined(oldest, second), *rest)
    found = Present(token, total, showings, read_needed)
    if known is not None:
        found.__dict__.update(shown=known[0].union(added.shown), read=known[1].union(added.read))
    found.shown, found.read  # noqa: B018 (worked out now, so that a decision need not)
    return found


def _joined(one: Showing, other: Showing) -> Showing:
    """Two showings as one; where they have one number for two lines, that of ``other`` counts."""
    still = one.moved is None and other.moved is None
    calls = tuple(dict.fromkeys(one.calls + other.calls))
    return Showing(
        calls[-MAX_CALLS:],
        one.shown.union(other.shown),
        one.read.union(other.read),
        one.is_read or other.is_read,
        one.is_edit and other.is_edit,
        one.around.union(other.around),
        None if still else laid_over(other.numbers, one.numbers),
        one.has_unnamed or other.has_unnamed or len(calls) > MAX_CALLS,
    )
