"""What is still to be looked at. Each letter is a line, each digit an edit; lines of agents are in capitals.

A hunk is written as ``first:lines<base by edits``, with ``!`` where somebody else changed a line right next to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.linediff import changed_ranges
from ledger.types import EditId
from lsp_server.edits.pending import Hunk, Pending, by_agent, by_others, committed_of, keep, undo, untouched

E1, E2, E3 = (EditId(number) for number in "123")


def told(state: Pending) -> str:
    return " ".join(
        f"{hunk.first}:{''.join(state.lines[hunk.first : hunk.end])}<{''.join(hunk.base)} by"
        f" {''.join(hunk.edits)}{'!' * hunk.beside}"
        for hunk in state.hunks
    )


def ids(edits: Iterable[EditId]) -> str:
    return "".join(sorted(edits))


def start(text: str, *steps: str) -> Pending:
    """A file ``text`` after ``steps``: edits of agents as ``1:text``, somebody else's as ``text``."""
    state = untouched(tuple(text), present=True)
    for step in steps:
        by, agents, now = step.rpartition(":")
        state = by_agent(state, tuple(now), [EditId(by)]) if agents else by_others(state, tuple(now))
    return state


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        ((), ""),
        (("1:abXdefgh",), "2:X<c by 1"),
        (("1:abXYdefgh",), "2:XY<c by 1"),
        (("1:abdefgh",), "2:<c by 1"),
        (("1:abXcdefgh",), "2:X< by 1"),
        (("1:abXdefgh", "2:abXdefGh"), "2:X<c by 1 6:G<g by 2"),
        (("1:abXdefgh", "2:aBXdefgh"), "1:BX<bc by 12"),
        (("1:abXdefgh", "2:abXDefgh"), "2:XD<cd by 12"),
        (("1:abXdefgh", "2:abZdefgh"), "2:Z<c by 12"),
        (("1:abXdefgh", "1:abYdefgh"), "2:Y<c by 1"),
        (("1:abXdefgh", "2:abcdefgh"), ""),
        (("1:abXYefgh", "2:abcYefgh"), "3:Y<d by 12"),
        (("1:abXdeYgh", "2:abZgh"), "2:Z<cdef by 12"),
        (("1:abXdefgh", "2:bXdefgh"), "0:<a by 2 1:X<c by 1"),
        (("1:abXdefgh", "2:MNabXdefgh"), "0:MN< by 2 4:X<c by 1"),
        (("1:abXdefgh", "2:abXdefG", "3:MabXdefG"), "0:M< by 3 3:X<c by 1 7:G<gh by 2"),
        (("1:abXdefGh", "2:abXdefGhI"), "2:X<c by 1 6:G<g by 1 8:I< by 2"),
        (("1:AbcdefgH", "2:AbcdEfgH"), "0:A<a by 1 4:E<e by 2 7:H<h by 1"),
        (("1:ABCbcdefgh", "2:ABCbcdefgX"), "0:ABC<a by 1 9:X<h by 2"),
        (("1:",), "0:<abcdefgh by 1"),
        (("1:bcdefgh", "2:Abcdefgh"), "0:A<a by 12"),
        (("1:bcdefgh", "2:bCdefgh"), "0:<a by 1 1:C<c by 2"),
    ],
)
def test_edits_of_agents_join_what_they_touch(steps: tuple[str, ...], wanted: str) -> None:
    state = start("abcdefgh", *steps)
    assert told(state) == wanted
    assert "".join(undo(state.lines, state.hunks)) == "abcdefgh"
    assert "".join(undo(state.lines, reversed(state.hunks))) == "abcdefgh"


@pytest.mark.parametrize(
    ("steps", "wanted", "kept", "base"),
    [
        pytest.param(("1:abXdefgh", "abXdefgx"), "2:X<c by 1", "", "abcdefgx", id="elsewhere"),
        pytest.param(("1:abXdefgh", "xyabXdefgh"), "4:X<c by 1", "", "xyabcdefgh", id="lines more above"),
        pytest.param(("1:abXdefgh", "bXdefgh"), "1:X<c by 1", "", "bcdefgh", id="a line less above"),
        pytest.param(("1:abXdefgh", "ayXdefgh"), "2:X<c by 1!", "", "aycdefgh", id="the line above"),
        pytest.param(("1:abXdefgh", "abXyefgh"), "2:X<c by 1!", "", "abcyefgh", id="the line below"),
        pytest.param(("1:abXdefgh", "abyXdefgh"), "3:X<c by 1!", "", "abycdefgh", id="a line put above"),
        pytest.param(("1:abXcdefgh", "aXcdefgh"), "1:X< by 1!", "", "acdefgh", id="the line above goes"),
        pytest.param(("1:abXcdefgh", "abXdefgh"), "2:X< by 1!", "", "abdefgh", id="the line below goes"),
        pytest.param(("1:abcddefgh", "abcdefgh"), "", "", "abcdefgh", id="not to be told from its neighbour"),
        pytest.param(("1:abXdefgh", "abXydefgh"), "2:X<c by 1!", "", "abcydefgh", id="a line put below"),
        pytest.param(("1:abXdefgh", "yabXdefgh"), "3:X<c by 1", "", "yabcdefgh", id="two lines above"),
        pytest.param(("1:abXdefgh", "abXdyefgh"), "2:X<c by 1", "", "abcdyefgh", id="a line apart"),
        pytest.param(("1:abXdefgh", "abydefgh"), "", "1", "abydefgh", id="rewritten by hand"),
        pytest.param(("1:abXdefgh", "abcdefgh"), "", "", "abcdefgh", id="put back by hand"),
        pytest.param(("1:abXdefgh", "abdefgh"), "", "1", "abdefgh", id="taken out by hand"),
        pytest.param(("1:abXYefgh", "abXzYefgh"), "", "1", "abXzYefgh", id="in its middle"),
        pytest.param(("1:abdefgh", "abcdefgh"), "", "", "abcdefgh", id="what went is put back by hand"),
        pytest.param(("1:abefgh", "abcefgh"), "3:<cd by 1!", "", "abccdefgh", id="only half of it is"),
        pytest.param(("1:abefGh", "zabcdefGh"), "7:G<g by 1", "", "zabcdefgh", id="put back, with a line above"),
        pytest.param(("1:abdefgh", "azefgh"), "", "1", "azefgh", id="both around where a line went"),
        pytest.param(("1:abdefgh", "abzefgh"), "2:<c by 1!", "", "abczefgh", id="below where a line went"),
        pytest.param(("1:abdefgh", "azdefgh"), "2:<c by 1!", "", "azcdefgh", id="above where a line went"),
        pytest.param(("1:aXcdefYh", "axcdefYh"), "6:Y<g by 1", "1", "axcdefgh", id="one of two"),
        pytest.param(("1:aXcdefYh", "2:aXcdEfYh", "abcdefYh"), "6:Y<g by 1", "", "abcdefgh", id="two put back at once"),
        pytest.param(("1:abXdefgh", "ybcdefgh"), "", "", "ybcdefgh", id="put back, and the line above"),
        pytest.param(("1:abXdefgh", "2:abXdefGh", "abcdefGzz"), "6:G<g by 2!", "", "abcdefgzz", id="back, below"),
        pytest.param(("1:aXcdefgh", "2:aXcdefGh", "zaXcdefgh"), "2:X<b by 1", "", "zabcdefgh", id="back, moved"),
        pytest.param(("1:aXcdefgh", "ayXcdefgh", "ayXcdefgz"), "2:X<b by 1!", "", "aybcdefgz", id="stays beside"),
        pytest.param(("1:abXdefgh", "abXyefgh", "2:abXyefGh"), "2:X<c by 1! 6:G<g by 2", "", "abcyefgh", id="on"),
        pytest.param(("1:abXdefgh", "abXyefgh", "2:abXYefgh"), "2:XY<cy by 12!", "", "abcyefgh", id="joined"),
        pytest.param(("1:abXdefgh", "2:abXdefGh", "abYdefGh"), "6:G<g by 2", "1", "abYdefgh", id="only whose it was"),
    ],
)  # fmt: skip
def test_what_somebody_else_changes(steps: tuple[str, ...], wanted: str, kept: str, base: str) -> None:
    state = start("abcdefgh", *steps)
    assert (told(state), "".join(sorted(state.kept))) == (wanted, kept)
    assert "".join(undo(state.lines, state.hunks)) == base


texts = st.text("abcX", max_size=8)


@given(texts, st.lists(texts, max_size=4))
def test_with_every_hunk_put_back_there_is_the_base(base: str, edits: list[str]) -> None:
    state = start(base, *(f"{number}:{text}" for number, text in enumerate(edits, start=1)))
    assert "".join(undo(state.lines, state.hunks)) == base
    assert state.alive <= set("1234")
    for one, next_ in pairwise(state.hunks):
        assert one.end < next_.first


@given(texts, st.lists(st.tuples(st.booleans(), texts), max_size=5))
def test_hunks_stay_apart_whoever_changes_the_text(base: str, steps: list[tuple[bool, str]]) -> None:
    state = start(base)
    for is_agent, now in steps:
        state = by_agent(state, tuple(now), [E1]) if is_agent else by_others(state, tuple(now))
        assert state.lines == tuple(now)
        places = [(hunk.first, hunk.end) for hunk in state.hunks]
        assert places == sorted(places)
        assert all(first <= end <= len(now) for first, end in places)
        assert all(one[1] <= two[0] for one, two in pairwise(places))


def made() -> Pending:
    """A file that edit 1 made."""
    return by_agent(untouched((), present=False), ("A",), [E1])


@pytest.mark.parametrize("present", [True, False])
def test_nothing_is_pending_of_what_nobody_changed(present: bool) -> None:
    state = untouched((), present=present)
    assert (state.present, state.came_or_went, ids(state.alive)) == (present, False, "")


def test_who_made_a_file_is_pending_until_it_is_gone_again() -> None:
    there = made()
    assert (ids(there.makers), there.came_or_went, ids(there.alive), told(there)) == (
        "1",
        True,
        "1",
        "0:A< by 1",
    )
    edited = by_agent(there, ("A", "B"), [E2])
    assert (ids(edited.makers), ids(edited.alive)) == ("1", "12")
    gone = by_agent(edited, (), [E3], present=False)
    assert (ids(gone.makers), gone.came_or_went, gone.hunks) == ("", False, ())


def test_who_moved_a_file_is_pending_until_it_has_its_name_again() -> None:
    away = by_agent(start("ab"), ("a", "b"), [E1], away=True)
    assert (ids(away.makers), away.away, away.came_or_went, away.hunks) == ("1", True, False, ())
    edited = by_agent(away, ("a", "B"), [E2], away=True)
    assert (ids(edited.makers), edited.away) == ("1", True)
    home = by_agent(edited, ("a", "B"), [E3])
    assert (ids(home.makers), home.away, told(home)) == ("", False, "1:B<b by 2")


@pytest.mark.parametrize(
    ("back", "makers", "edits"), [(False, "12", "12"), (True, "1", "1")], ids=["an edit", "a rewind"]
)
def test_what_takes_back_is_no_maker_of_what_is_pending(back: bool, makers: str, edits: str) -> None:
    moved = by_agent(by_agent(start("abcd"), tuple("aBCd"), [E1], away=True), tuple("abCd"), [E2], back=back)
    assert told(moved) == f"2:C<c by {edits}"
    there = by_agent(made(), ("A",), [E2], present=True, away=True, back=back)
    assert ids(there.makers) == makers


def test_what_takes_back_makes_hunks_where_nothing_was_pending() -> None:
    state = by_agent(start("abcd"), tuple("aBcd"), [E1], away=True, back=True)
    assert (told(state), ids(state.makers)) == ("1:B<b by 1", "1")


def test_a_file_that_somebody_else_works_in_is_there() -> None:
    touched = by_others(made(), ("a",))
    assert (ids(touched.makers), touched.came_or_went, ids(touched.kept)) == ("", False, "1")
    beside = by_others(made(), ("A", "z"))
    assert (ids(beside.makers), beside.came_or_went, ids(beside.kept)) == ("1", True, "")
    removed = by_others(made(), (), present=False)
    assert (ids(removed.makers), removed.came_or_went, removed.present) == ("", False, False)
    same = by_others(made(), ("A",))
    assert (ids(same.makers), ids(same.kept)) == ("1", "")


def test_who_made_a_file_is_kept_with_whose_lines_were_touched() -> None:
    empty = by_agent(untouched((), present=False), (), [E1])
    touched = by_others(by_agent(empty, ("A",), [E2]), ("a",))
    assert (ids(touched.makers), ids(touched.kept)) == ("", "12")


def test_who_removed_a_file_has_nothing_pending_where_somebody_makes_it_anew() -> None:
    gone = by_agent(start("ab"), (), [E1], present=False)
    assert (ids(gone.makers), told(gone)) == ("1", "0:<ab by 1")
    anew = by_others(gone, ("x",), present=True)
    assert (anew.present, anew.was_present, ids(anew.makers), ids(anew.kept)) == (True, True, "", "")


def test_a_move_stays_pending_when_somebody_else_removes_the_file() -> None:
    away = by_agent(start("ab"), ("a", "b"), [E1], away=True)
    gone = by_others(away, (), present=False)
    assert (ids(gone.makers), gone.away, gone.was_present) == ("1", True, False)


def test_what_is_kept_is_pending_no_more() -> None:
    state = start("abcdefgh", "1:aBcdefgh", "2:aBcdefGh")
    left = keep(state, state.hunks[:1])
    assert (told(left), ids(left.kept), left.lines) == ("6:G<g by 2", "1", state.lines)
    all_of_it = keep(left, left.hunks)
    assert (told(all_of_it), ids(all_of_it.kept), ids(all_of_it.alive)) == ("", "12", "")


def test_keeping_the_whole_settles_that_it_is_there() -> None:
    away = by_agent(made(), ("A",), [E2], away=True)
    part = keep(away, away.hunks)
    assert (ids(part.makers), part.away, part.was_present, ids(part.kept)) == ("12", True, False, "1")
    whole = keep(away, away.hunks, whole=True)
    assert (ids(whole.makers), whole.away, whole.was_present) == ("", False, True)
    assert (ids(whole.kept), whole.hunks) == ("12", ())


@pytest.mark.parametrize(
    ("steps", "committed", "wanted"),
    [
        (("1:abXdef",), "abXdef", True),
        (("1:abXdef",), "abcdef", False),
        (("1:abXdef",), "abXdeZ", True),
        (("1:abXdef",), "abXZef", True),
        (("1:abXdef",), "aZXdef", True),
        (("1:abXdef",), "abXef", True),
        (("1:abXdef",), "aXdef", True),
        (("1:abXYef",), "abXef", False),
        (("1:abXYef",), "abXZYef", False),
        (("1:abXYef",), "abXYZef", True),
        (("1:abXYef",), "abZXYef", True),
        (("1:abdef",), "abdef", True),
        (("1:abdef",), "abcdef", False),
        (("1:abdef",), "aZdef", False),
        (("1:abdef",), "abZef", False),
        (("1:abdef",), "Zbdef", True),
        (("1:abdef",), "abdZf", True),
    ],
)
def test_what_a_commit_has(steps: tuple[str, ...], committed: str, wanted: bool) -> None:
    state = start("abcdef", *steps)
    assert len(state.hunks) == 1
    found = list(committed_of(state.hunks, changed_ranges(committed, state.lines)))
    assert found == (list(state.hunks) if wanted else [])


def test_places_without_lines_are_put_back_in_order() -> None:
    hunks = [Hunk(1, 0, ("b",), (E1,)), Hunk(1, 1, ("c",), (E1,))]
    assert "".join(undo("aXd", reversed(hunks))) == "abcd"
