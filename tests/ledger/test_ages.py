"""How old things are when the clock does as it likes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.ages import Ages
from ledger.limits import DAY
from ledger.store import Database

YEAR = 365 * DAY
NOTHING = float("-inf")


class Clock:
    now = 1_000_000_000.0

    def __call__(self) -> float:
        return self.now


def looked(clock: Clock, *steps: float) -> Ages:
    """Looked at now, and after each of ``steps``."""
    ages = Ages(Database(None), clock)
    ages.look()
    for step in steps:
        clock.now += step
        ages.look()
    return ages


def test_at_work_every_hour_an_age_is_exact() -> None:
    clock = Clock()
    ages = looked(clock, *[3_600.0] * 72)
    for age in (DAY, 2 * DAY, 1.3 * DAY):
        assert ages.older_than(age) == pytest.approx(clock.now - age)
    assert ages.older_than(3.1 * DAY) == NOTHING


@pytest.mark.parametrize(
    "steps",
    [
        (10 * YEAR,),
        (-10 * YEAR,),
        (10 * YEAR, -10 * YEAR),
        (-10 * YEAR, 10 * YEAR),
        (10 * YEAR, 60.0, -10 * YEAR, 60.0),
    ],
)
def test_a_clock_that_jumps_makes_nothing_old(steps: tuple[float, ...]) -> None:
    assert looked(Clock(), *steps).older_than(1.5 * DAY) == NOTHING


def test_after_a_jump_back_what_came_since_is_not_old() -> None:
    clock = Clock()
    ages = looked(clock, DAY / 2, -YEAR, *[3_600.0] * 12)
    assert ages.older_than(0.9 * DAY) <= clock.now - 0.5 * DAY


@given(st.lists(st.floats(-20 * DAY, 20 * DAY), min_size=1, max_size=30), st.floats(1.0, 20 * DAY))
def test_nothing_is_told_old_that_was_made_within_that_time(steps: list[float], age: float) -> None:
    """By what went by in truth: here at most half a day goes by from one look to the next, whatever the clock says."""
    clock = Clock()
    ages = looked(clock)
    made = [(0.0, clock.now)]
    true = 0.0
    for step in steps:
        true += min(abs(step), DAY / 2)
        clock.now += step
        ages.look()
        made.append((true, clock.now))
    old = ages.older_than(age)
    assert all(wall >= old for moment, wall in made if true - moment < age)
