"""How observations move: one test for each thing that can happen to a context or a text."""

from __future__ import annotations

import pytest

from ledger.observation_rows import decoded, encoded
from ledger.ranges import NONE, LineRanges
from ledger.session import (
    ABSENT,
    MAX_CALLS,
    MAX_SHOWINGS,
    UNSEEN,
    Observation,
    Present,
    after_eviction,
    after_own_edit,
    after_read,
    after_refusal,
    after_shown,
    after_unchanged,
)
from ledger.types import LineEdit, VersionToken

V1, V2, V3 = VersionToken("v1"), VersionToken("v2"), VersionToken("v3")


def lines(*spans: tuple[int, int]) -> LineRanges:
    return LineRanges.of(*spans)


def read(*spans: tuple[int, int], total: int = 20, call: str = "r") -> Present:
    return after_read(UNSEEN, V1, total, lines(*spans), call_id=call)


def test_lines_that_an_edit_of_as_many_lines_does_not_touch_are_the_same_showing() -> None:
    seen = after_read(read((1, 5)), V1, 20, lines((10, 15)), call_id="other")
    after = after_own_edit(seen, V2, 20, [LineEdit(3, 2, 2)], call_id="edit")
    untouched, touched = after.showings[1], after.showings[0]
    assert untouched is seen.showings[1]
    assert touched.shown == lines((1, 2), (5, 5))
    grown = after_own_edit(seen, V2, 21, [LineEdit(3, 2, 3)], call_id="edit")
    assert grown.showings[1].shown == lines((11, 16))


def test_what_many_calls_showed_is_still_all_of_them_after_many_edits() -> None:
    seen = after_read(read((1, 40), (60, 90), total=100), V1, 100, lines((35, 50)), call_id="other")
    shown = after_refusal(seen, V1, 100, lines((95, 100)), call_id="shown, and not read")
    assert isinstance(shown, Present)
    seen = shown
    for number in range(3 * MAX_SHOWINGS):
        first, removed, added = 1 + number * 37 % seen.total, number % 3, (number + 1) % 4
        removed = min(removed, seen.total - first + 1)
        edits = [LineEdit(first, removed, added)]
        total = seen.total + added - removed
        seen = after_own_edit(
            seen, VersionToken(f"v{number}"), total, edits, call_id=f"e{number}", in_diff=number % 2 == 0
        )
        assert seen.shown == LineRanges.merged(span for each in seen.showings for span in each.shown)
        assert seen.read == LineRanges.merged(span for each in seen.showings for span in each.read)


def test_own_edits_chain_without_another_read_also_after_a_partial_read() -> None:
    seen = read((5, 10))
    seen = after_own_edit(seen, V2, 22, [LineEdit(7, 1, 3)], call_id="e1")
    assert (seen.token, seen.total) == (V2, 22)
    assert seen.shown == seen.read == lines((5, 12))
    seen = after_own_edit(seen, V3, 21, [LineEdit(1, 1, 0), LineEdit(20, 1, 1)], call_id="e2")
    assert seen.shown == seen.read == lines((4, 11), (19, 19))
    assert not seen.read_needed
    assert seen.read.missing(seen.total) == lines((1, 3), (12, 18), (20, 21))


def test_own_whole_write_is_known_as_a_whole() -> None:
    seen = after_own_edit(UNSEEN, V1, 4, (), call_id="w", whole=True)
    assert seen.is_whole_read()
    assert after_own_edit(seen, V2, 5, [LineEdit(1, 0, 1)], call_id="e").is_whole_read()


def test_lines_of_an_own_edit_that_were_not_shown_after_all_do_not_count() -> None:
    seen = after_own_edit(read((1, 20)), V2, 20, [LineEdit(3, 2, 2)], call_id="e", hidden=lines((4, 4)))
    assert seen.shown == lines((1, 3), (5, 20))
    assert not seen.is_whole_read()


def test_lines_around_an_own_edit_that_its_diff_shows_are_shown_and_not_read() -> None:
    seen = after_read(UNSEEN, V1, 30, lines((10, 10)), call_id="r")
    after = after_own_edit(seen, V2, 31, [LineEdit(10, 1, 2)], call_id="e", in_diff=True)
    assert (after.shown, after.read) == (lines((7, 14)), lines((10, 11)))
    assert after_own_edit(seen, V2, 31, [LineEdit(10, 1, 2)], call_id="e").shown == lines((10, 11))


def test_own_edit_on_top_of_an_unseen_change_needs_a_read_before_an_overwrite() -> None:
    seen = after_own_edit(
        read((1, 20)), V3, 21, [LineEdit(9, 1, 1)], call_id="e", base=V2, moved=[LineEdit(1, 1, 2)]
    )
    assert seen.token == V3
    assert seen.shown == lines((3, 21))
    assert seen.read == lines((9, 9))
    assert seen.read_needed


def test_own_edit_on_top_of_an_unseen_change_that_nobody_can_tell_forgets_the_rest() -> None:
    seen = after_own_edit(read((1, 20)), V3, 21, [LineEdit(9, 1, 1)], call_id="e", base=V2)
    assert seen.shown == lines((9, 9))


def test_own_edit_of_an_unseen_file_knows_what_it_wrote() -> None:
    seen = after_own_edit(UNSEEN, V1, 9, [LineEdit(4, 1, 2)], call_id="e")
    assert seen.shown == seen.read == lines((4, 5))
    assert seen.read_needed


def test_stale_refusal_moves_the_observation_and_empties_what_was_read() -> None:
    seen = after_refusal(read((1, 20)), V2, 21, lines((5, 7)), call_id="x", moved=[LineEdit(6, 1, 2)])
    assert isinstance(seen, Present)
    assert seen.token == V2
    assert seen.shown == lines((1, 21))
    assert seen.read == NONE
    assert seen.read_needed


def test_stale_refusal_without_known_edits_keeps_only_what_it_shows() -> None:
    seen = after_refusal(read((1, 20)), V2, 21, lines((5, 7)), call_id="x")
    assert isinstance(seen, Present)
    assert seen.shown == lines((5, 7))


def test_read_after_a_refusal_counts_again_also_when_it_is_answered_unchanged() -> None:
    refused = after_refusal(read((1, 20)), V2, 20, lines((6, 6)), call_id="x", moved=[LineEdit(6, 1, 1)])
    assert isinstance(refused, Present)
    assert refused.is_shown(V2, LineRanges.whole(20))
    seen = after_unchanged(refused, V2, LineRanges.whole(20))
    assert isinstance(seen, Present)
    assert seen.is_whole_read()
    part = after_unchanged(refused, V2, lines((1, 5)))
    assert isinstance(part, Present)
    assert part.read == lines((1, 5))
    assert not part.read_needed


def test_own_edit_after_a_refusal_does_not_stand_for_a_read() -> None:
    refused = after_refusal(read((1, 2), total=2), V2, 2, lines((1, 2)), call_id="x")
    seen = after_own_edit(refused, V3, 2, [LineEdit(1, 2, 2)], call_id="e")
    assert seen.read == lines((1, 2))
    assert not seen.is_whole_read()


def test_miss_at_the_same_version_only_adds_lines() -> None:
    seen = after_refusal(read((1, 5)), V1, 20, lines((9, 11)), call_id="x")
    assert isinstance(seen, Present)
    assert seen.shown == lines((1, 5), (9, 11))
    assert seen.read == lines((1, 5))
    assert not seen.read_needed


def test_unseen_refusal_shows_and_does_not_read() -> None:
    seen = after_refusal(UNSEEN, V1, 60, lines((1, 40)), call_id="x")
    assert isinstance(seen, Present)
    assert (seen.shown, seen.read, seen.read_needed) == (lines((1, 40)), NONE, True)


@pytest.mark.parametrize("before", [UNSEEN, ABSENT])
def test_grep_makes_an_unknown_file_present(before: Observation) -> None:
    seen = after_shown(before, V1, 20, lines((3, 3)), call_id="g")
    assert isinstance(seen, Present)
    assert seen.shown == lines((3, 3))
    assert seen.read == NONE
    assert after_shown(before, V1, 20, lines((30, 31)), call_id="g") == before


def test_grep_of_a_newer_text_leaves_the_scope_stale() -> None:
    before = read((1, 5))
    assert after_shown(before, V2, 20, lines((3, 3)), call_id="g") is before


def test_read_of_a_newer_text_keeps_untouched_lines_as_shown_and_only_the_window_as_read() -> None:
    seen = after_read(read((1, 10)), V2, 21, lines((15, 21)), call_id="r2", moved=[LineEdit(3, 1, 2)])
    assert seen.shown == lines((1, 2), (5, 11), (15, 21))
    assert seen.read == lines((15, 21))


def test_windows_of_one_version_add_up() -> None:
    seen = after_read(read((1, 10)), V1, 20, lines((11, 99)), call_id="r2")
    assert seen.is_whole_read()
    assert seen.shown == LineRanges.whole(20)


def test_unchanged_needs_the_version_and_every_line() -> None:
    seen = read((1, 10))
    assert seen.is_shown(V1, lines((2, 9)))
    assert not seen.is_shown(V1, lines((2, 11)))
    assert not seen.is_shown(V2, lines((2, 9)))
    assert after_unchanged(seen, V2, lines((1, 2))) is seen
    assert after_unchanged(UNSEEN, V2, lines((1, 2))) is UNSEEN


def test_an_empty_file_counts_as_read_only_when_it_was_read() -> None:
    seen = after_read(UNSEEN, V1, 0, NONE, call_id="r")
    assert seen.is_whole_read()
    assert seen.is_shown(V1, NONE)
    refused = after_refusal(seen, V2, 0, NONE, call_id="x", moved=())
    assert isinstance(refused, Present)
    assert not refused.is_whole_read()
    unseen = after_refusal(UNSEEN, V1, 0, NONE, call_id="x")
    assert isinstance(unseen, Present)
    assert not unseen.is_whole_read()
    again = after_unchanged(unseen, V1, NONE)
    assert isinstance(again, Present)
    assert again.is_whole_read()
    emptied = after_own_edit(read((1, 20)), V2, 0, [LineEdit(1, 20, 0)], call_id="e")
    assert emptied.is_whole_read()


def test_a_read_that_sent_no_whole_line_is_present_and_shows_nothing() -> None:
    seen = after_read(UNSEEN, V1, 1, NONE, call_id="r")
    assert (seen.shown, seen.read_needed, seen.is_whole_read()) == (NONE, False, False)


def test_eviction_drops_exactly_the_lines_of_the_call() -> None:
    seen: Observation = after_read(read((1, 10), call="a"), V1, 20, lines((8, 15)), call_id="b")
    seen = after_shown(seen, V1, 20, lines((18, 18)), call_id="g")
    assert after_eviction(seen, ["other"]) is seen
    left = after_eviction(seen, ["a"])
    assert isinstance(left, Present)
    assert (left.shown, left.read) == (lines((8, 15), (18, 18)), lines((8, 15)))
    assert not left.read_needed
    grepped = after_eviction(seen, ["a", "b"])
    assert isinstance(grepped, Present)
    assert (grepped.shown, grepped.read_needed) == (lines((18, 18)), True)
    assert after_eviction(seen, ["a", "b", "g"]) is UNSEEN
    assert after_eviction(ABSENT, ["a"]) is ABSENT


def test_eviction_follows_lines_through_edits() -> None:
    seen = after_own_edit(read((1, 10), call="a"), V2, 22, [LineEdit(2, 0, 2)], call_id="e")
    left = after_eviction(seen, ["a"])
    assert isinstance(left, Present)
    assert left.shown == lines((2, 3))


def test_eviction_leaves_unseen_where_only_an_edit_that_wrote_nothing_is_left() -> None:
    seen = after_own_edit(read((1, 3), call="a"), V2, 19, [LineEdit(2, 1, 0)], call_id="e")
    assert seen.shown == lines((1, 2))
    assert after_eviction(seen, ["a"]) is UNSEEN


def test_eviction_of_the_read_of_an_empty_file_leaves_unseen() -> None:
    assert after_eviction(after_read(UNSEEN, V1, 0, NONE, call_id="r"), ["r"]) is UNSEEN


def test_calls_without_an_id_are_never_evicted_by_one() -> None:
    seen = after_read(UNSEEN, V1, 20, lines((1, 5)))
    seen = after_read(seen, V1, 20, lines((7, 9)))
    assert after_eviction(seen, ["r"]) is seen


def test_very_many_calls_are_joined_and_then_leave_together() -> None:
    seen: Observation = UNSEEN
    for number in range(MAX_SHOWINGS + 10):
        line = lines((number + 1, number + 1))
        seen = after_read(seen, V1, 1000, line, call_id=f"c{number}")
    assert isinstance(seen, Present)
    assert len(seen.showings) == MAX_SHOWINGS
    assert seen.read == lines((1, MAX_SHOWINGS + 10))
    left = after_eviction(seen, ["c0"])
    assert isinstance(left, Present)
    assert left.read == lines((12, MAX_SHOWINGS + 10))


def many(count: int) -> Present:
    """So many reads of a line each, of which the oldest are one by now."""
    seen: Observation = UNSEEN
    for number in range(count):
        seen = after_read(seen, V1, 1000, lines((number + 1, number + 1)), call_id=f"c{number}")
    assert isinstance(seen, Present)
    return seen


@pytest.mark.parametrize(
    ("evicted", "left"),
    [
        pytest.param("c0", False, id="its name was dropped"),
        pytest.param("c20", False, id="its name is kept"),
        pytest.param("never heard of", False, id="it may be one of those whose names were dropped"),
        pytest.param(f"c{MAX_CALLS + MAX_SHOWINGS + 9}", True, id="it is another's"),
    ],
)
def test_calls_whose_names_were_dropped_are_evicted_rather_than_kept(evicted: str, left: bool) -> None:
    seen = many(MAX_CALLS + MAX_SHOWINGS + 10)
    assert len(seen.showings[0].calls) == MAX_CALLS
    after = after_eviction(seen, [evicted])
    assert isinstance(after, Present)
    assert after.shown.covers(1, 5) is left
    assert after.shown.covers(MAX_CALLS + 20, MAX_CALLS + 30)


@pytest.mark.parametrize(
    "seen",
    [
        many(MAX_CALLS + MAX_SHOWINGS + 1),
        ABSENT,
        read((1, 10), (12, 14)),
        after_refusal(read((1, 20)), V2, 21, lines((5, 7)), call_id="x", moved=[LineEdit(6, 1, 2)]),
        after_own_edit(read((5, 10)), V2, 22, [LineEdit(7, 1, 3)], call_id="e1"),
        after_read(UNSEEN, V1, 0, NONE),
    ],
)
def test_the_stored_form_is_the_observation(seen: Observation) -> None:
    form = encoded(seen)
    assert form is not None
    assert decoded(form) == seen
    assert encoded(UNSEEN) is None


@pytest.mark.parametrize("form", ["", "[]", "nonsense", '["v",1,0,[[[],[1],null,0]]]', '["v",1,0,7]', "{}"])
def test_a_stored_form_that_makes_no_sense_is_left_out(form: str) -> None:
    assert decoded(form) is None
