"""When the last report of a source without versions counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.settling import FIRST_QUIET, LEAST_QUIET, MOST_QUIET, MOST_WORK, Pace, Work


def test_an_unknown_source_is_given_time() -> None:
    assert Pace().settles(0.1) == pytest.approx(0.1 + FIRST_QUIET)


def test_a_quick_source_with_one_report_is_hardly_waited_for() -> None:
    pace = Pace()
    for _ in range(3):
        pace = pace.learned((0.005,))
    assert pace.settles(0.005) == pytest.approx(0.005 + LEAST_QUIET)


def test_a_source_that_reports_twice_is_waited_for_until_its_second_report() -> None:
    pace = Pace().learned((0.1, 0.4))
    assert pace.settles(0.3) > 0.3 + 0.3


def test_a_report_much_earlier_than_usual_waits_for_the_usual_moment() -> None:
    pace = Pace().learned((0.4,))
    assert pace.settles(0.05) > 0.4
    assert pace.settles(0.39) < 0.39 + FIRST_QUIET


def test_a_report_that_may_be_about_the_text_before_is_not_believed_at_once() -> None:
    assert Pace().settles(0.1, doubtful=True) == pytest.approx(0.1 + MOST_QUIET)
    pace = Pace().learned((0.4,))
    assert pace.settles(0.3, doubtful=True) > 0.4
    assert pace.settles(0.3, doubtful=True) > pace.settles(0.3)


@given(
    st.lists(st.lists(st.floats(0, 60), min_size=1, max_size=5).map(sorted), max_size=10), st.floats(0, 60)
)
def test_a_report_counts_after_it_came_and_within_bounds(history: list[list[float]], arrival: float) -> None:
    pace = Pace()
    for arrivals in history:
        pace = pace.learned(tuple(arrivals))
    assert LEAST_QUIET <= pace.quiet() <= MOST_QUIET
    for doubtful in (False, True):
        settled = pace.settles(arrival, doubtful=doubtful)
        assert arrival < settled <= max(arrival, 1.5 * (pace.usual or 0.0)) + MOST_QUIET


def test_work_goes_on_until_its_last_piece_ends() -> None:
    work = Work()
    assert work.calm_since(1.0) == 0.0
    work.begin("a", 1.0)
    work.begin("b", 2.0)
    assert work.calm_since(3.0) is None
    assert not work.end("a", 3.0)
    assert not work.end("unknown", 3.0)
    assert work.calm_since(3.5) is None
    assert work.end("b", 4.0)
    assert work.calm_since(5.0) == 4.0


def test_work_that_never_ends_is_not_believed_for_ever() -> None:
    work = Work()
    work.begin("a", 1.0)
    assert work.calm_since(1.0 + MOST_WORK) == 0.0
    work.begin("b", 1.0)
    work.forget()
    assert work.calm_since(1.0) == 0.0
