"""Windows of numbered lines: what is sent, what counts as sent, and how a cut is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.lines import LineIndex, split_lines
from lsp_server.reading import NOTICE, Window, numbered, show_window


def shown(text: str, offset: int = 1, limit: int = 2000, chars: int = 40_000) -> Window:
    return show_window(LineIndex(text), offset, limit, chars)


@pytest.mark.parametrize(
    ("text", "offset", "limit", "expected", "first", "last", "truncated"),
    [
        ("", 1, 10, "", 1, 0, False),
        ("a\n", 1, 10, "1\ta", 1, 1, False),
        ("a", 1, 10, "1\ta", 1, 1, False),
        ("a\r\nb\rc\n", 1, 10, "1\ta\n2\tb\n3\tc", 1, 3, False),
        ("a\nb\nc\n", 2, 1, "2\tb", 2, 2, False),
        ("a\nb\nc\n", 2, 99, "2\tb\n3\tc", 2, 3, False),
        ("\n\n", 1, 10, "1\t\n2\t", 1, 2, False),
        ("a\u2028b\n\fc\n", 1, 10, "1\ta\u2028b\n2\t\fc", 1, 2, False),
    ],
)
def test_window(
    text: str, offset: int, limit: int, expected: str, first: int, last: int, truncated: bool
) -> None:
    found = shown(text, offset, limit)
    assert (found.text, found.first, found.last, found.truncated) == (expected, first, last, truncated)
    assert found.whole == ((first, last) if last >= first else None)


def test_a_window_ends_before_the_line_that_does_not_fit() -> None:
    found = shown("x" * 600 + "\n" + "y" * 600 + "\n", chars=1_000)
    assert (found.last, found.whole, found.truncated) == (1, (1, 1), True)


def test_a_line_that_is_too_long_is_cut_and_not_whole() -> None:
    found = shown("z" * 50_000 + "\nend\n")
    assert len(found.text) < 40_000
    assert found.whole is None
    assert found.truncated
    assert found.text.split("\n")[-1].startswith(NOTICE)


@given(
    st.text(st.sampled_from("ab\t\n\r\f\u2028é😀"), max_size=200),
    st.integers(1, 30),
    st.integers(1, 30),
)
def test_what_counts_as_sent_was_sent_whole(text: str, offset: int, limit: int) -> None:
    lines = [line.rstrip("\r\n") for line in split_lines(text)]
    if offset > max(1, len(lines)):
        return
    found = shown(text, offset, limit, 1_000)
    sent = dict(row.split("\t", 1) for row in found.text.split("\n") if row and not row.startswith(NOTICE))
    if found.whole is not None:
        for number in range(found.whole[0], found.whole[1] + 1):
            assert sent[str(number)] == lines[number - 1]


def test_numbered_lines() -> None:
    text = "a\nb\nc"
    assert numbered(LineIndex(text), 2, 3) == "2\tb\n3\tc"


@given(st.integers(1, 1_300), st.integers(1, 1_300), st.integers(1, 12_000), st.sampled_from(["\n", "\r\n"]))
def test_a_window_is_as_many_rows_as_fit(first: int, count: int, chars: int, end: str) -> None:
    lines = ["x" * (number % 9) for number in range(1_300)]
    rows: list[str] = []
    left = chars
    for number in range(first, min(1_300, first + count - 1) + 1):
        row = f"{number}\t{lines[number - 1]}"
        if len(row) >= left:
            break
        rows.append(row)
        left -= len(row) + 1
    found = shown(end.join(lines) + end, first, count, chars)
    if rows:
        assert found.text == "\n".join(rows)
    assert found.whole == ((first, first + len(rows) - 1) if rows else None)
    assert found.truncated == (len(rows) < min(count, 1_301 - first))
