"""When what a server said about a text counts, and for how long."""

from __future__ import annotations

import pytest

from editor_clients.lsp_documents import Document
from editor_clients.settling import FIRST_QUIET, Pace


def told(*, named: bool, after: float = 0.005) -> Document:
    """A document about whose text a report came so many seconds after it was shown."""
    document = Document("/w/a", "file:///w/a")
    document.show("text\n", 100.0, 1, hasty=False)
    document.take([], 100.0 + after, named=named)
    return document


def test_a_report_that_names_the_version_counts_at_the_moment_it_comes() -> None:
    """A server that answers in 5 ms is waited for 5 ms."""
    assert told(named=True).settles_at(Pace(), calm_since=0.0) == pytest.approx(100.005)


def test_another_report_is_followed_by_as_much_quiet_as_its_source_needs() -> None:
    first = told(named=False).settles_at(Pace(), calm_since=0.0)
    assert first == pytest.approx(100.005 + FIRST_QUIET)
    learned = Pace()
    for _ in range(5):
        learned = learned.learned((0.005,))
    later = told(named=False).settles_at(learned, calm_since=0.0)
    assert first is not None
    assert later is not None
    assert later < first


def test_what_comes_during_work_counts_after_it() -> None:
    document = told(named=True)
    assert document.settles_at(Pace(), calm_since=None) is None
    settled = document.settles_at(Pace(), calm_since=101.0)
    assert settled is not None
    assert settled > 101.0


def test_a_new_text_forgets_what_was_said() -> None:
    document = told(named=True)
    document.show("another\n", 101.0, 2, hasty=False)
    assert document.settles_at(Pace(), calm_since=0.0) is None
    assert document.raw is None
