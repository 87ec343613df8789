"""Histograms of the steps of edits."""

from __future__ import annotations

import pytest

from lsp_server.timings import STEPS, Timings


def test_a_row_for_each_step_in_the_walks_order() -> None:
    timings = Timings()
    for step in reversed(STEPS):
        timings.add(step, 0.001)
    assert [row["step"] for row in timings.rows()] == list(STEPS)


def test_percentiles_are_close_and_never_above_the_most() -> None:
    timings = Timings()
    for number in range(1, 1001):
        timings.add("plan", number / 1e5)
    (row,) = timings.rows()
    assert row["count"] == 1000
    assert row["mean"] == pytest.approx(5.005, abs=0.001)
    assert 5.0 <= row["p50"] <= 5.0 * 1.2
    assert 9.5 <= row["p95"] <= row["max"] == 10.0


def test_a_step_that_fails_is_counted_too() -> None:
    timings = Timings()
    with pytest.raises(ValueError, match="no"), timings.step("apply"):
        raise ValueError("no")
    assert timings.rows()[0]["count"] == 1
