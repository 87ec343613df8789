"""Dashes that fit in more than one spelling."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.edits.fitting import TooManyPlacesError, fits, hits, loose_key, path

dashes = st.text(alphabet="a-—", max_size=8)


@pytest.mark.parametrize(
    ("there", "sent", "fit"),
    [
        ("a", "a", True),
        ("—", "-", True),
        ("—", "--", True),
        ("—", "---", False),
        ("——", "---", True),
        ("——", "----", True),
        ("——", "-----", False),
        ("-", "—", True),
        ("--", "—", True),
        ("---", "—", False),
        ("----", "——", False),
        ("-", "--", False),
        ("--", "-", False),
        ("a—b", "a--b", True),
        ("a—b", "a--c", False),
        ("", "", True),
        ("—", "", False),
    ],
)
def test_what_an_em_dash_stands_for(there: str, sent: str, fit: bool) -> None:
    assert fits(there, sent) is fit


@given(dashes, dashes)
def test_a_path_leads_through_both_texts(there: str, sent: str) -> None:
    way = path(there, sent)
    assert (way is not None) is fits(there, sent)
    if way is None:
        return
    assert loose_key(there) == loose_key(sent)
    assert (way[0], way[-1]) == ((0, 0), (len(there), len(sent)))
    for (a, b), (c, d) in pairwise(way):
        assert 1 <= c - a <= 2
        assert 1 <= d - b <= 2
        assert there[a:c] == sent[b:d] or {there[a:c], sent[b:d]} <= {"-", "--", "—"}


@given(dashes, st.text(alphabet="a-—", min_size=1, max_size=4))
def test_hits_are_the_spans_that_fit(there: str, sent: str) -> None:
    found = list(hits(there, sent, dashes=True))
    assert len(set(found)) == len(found)
    assert all(fits(there[start:end], sent) for start, end in found)
    starts = [start for start, _ in found]
    assert starts == sorted(starts)
    expected = {
        (start, end)
        for start in range(len(there))
        for end in range(start + 1, len(there) + 1)
        if fits(there[start:end], sent)
    }
    # What is missing can only be a piece cut off from a longer run of hyphens.
    assert all(
        "-" in there[max(0, start - 1) : end + 1] and "—" in sent for start, end in expected - set(found)
    )


@pytest.mark.parametrize(
    ("there", "sent", "found"),
    [
        ("a-", "a—", [(0, 2)]),
        ("a--", "a—", [(0, 3)]),
        ("a---", "a—", []),
        ("a----", "a—", []),
        ("-a", "—a", [(0, 2)]),
        ("--a", "—a", [(0, 3)]),
        ("---a", "—a", []),
        ("a---a-", "a—", [(4, 6)]),
        ("X-X", "—", [(1, 2)]),
    ],
)
def test_a_run_of_hyphens_is_never_cut_for_a_dash(
    there: str, sent: str, found: list[tuple[int, int]]
) -> None:
    assert list(hits(there, sent, dashes=True)) == found


def test_without_dashes_only_equal_text_is_a_hit() -> None:
    assert list(hits("a—b a--b", "a--b", dashes=False)) == [(4, 8)]


def test_a_text_of_dashes_is_given_up_in_bounded_time() -> None:
    with pytest.raises(TooManyPlacesError):
        list(hits("-" * 100_000 + "—", "—-", dashes=True))
