"""Whose each line is, through edits and rewinds. Each letter is a line, each digit who wrote it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.edits.blame import Blamed, changed, runs, untouched


@pytest.mark.parametrize(
    ("lines", "writers", "now", "wanted"),
    [
        ("abc", "000", "abc", "000"),
        ("abc", "012", "aXc", "092"),
        ("abc", "012", "aXYc", "0992"),
        ("abc", "012", "Xabc", "9012"),
        ("abc", "012", "abcX", "0129"),
        ("abcd", "0123", "ad", "03"),
        ("abcdef", "012345", "aXcdYf", "092395"),
        ("abc", "012", "", ""),
        ("", "", "ab", "99"),
    ],
)
def test_changed_lines_are_the_writers_and_the_others_stay(
    lines: str, writers: str, now: str, wanted: str
) -> None:
    after = changed(Blamed(lines, writers), now, "9")
    assert ("".join(after.lines), "".join(after.writers)) == (now, wanted)


@pytest.mark.parametrize(
    ("lines", "writers", "now", "like", "like_writers", "wanted"),
    [
        pytest.param("aXc", "092", "abc", "abc", "012", "012", id="back as it was"),
        pytest.param("aXYc", "0992", "abc", "abc", "012", "012", id="one line for two"),
        pytest.param("aXc", "092", "abNc", "abc", "012", "0182", id="back, with a line more"),
        pytest.param("aXc", "092", "aNbc", "abc", "012", "0812", id="back behind a line more"),
        pytest.param("aXc", "092", "aNc", "abc", "012", "082", id="something else"),
        pytest.param("ac", "02", "abxc", "abxc", "0142", "0142", id="two lines back"),
        pytest.param("ac", "02", "abxc", "pqabxc", "350142", "0142", id="it has more before"),
        pytest.param("Xc", "92", "ac", "abc", "012", "02", id="one of its first lines back"),
        pytest.param("Xb", "92", "abcd", "pabcd", "30123", "0223", id="and what follows"),
        pytest.param("ac", "92", "abc", "abcd", "0123", "912", id="who wrote a line since is kept"),
    ],
)
def test_what_is_back_is_again_whose_it_was(
    lines: str, writers: str, now: str, like: str, like_writers: str, wanted: str
) -> None:
    after = changed(Blamed(lines, writers), now, "8", Blamed(like, like_writers))
    assert "".join(after.writers) == wanted


@pytest.mark.parametrize(
    ("writers", "wanted"),
    [
        ("", []),
        ("0", [(1, 1, "0")]),
        ("001", [(1, 2, "0"), (3, 3, "1")]),
        ("01110", [(1, 1, "0"), (2, 4, "1"), (5, 5, "0")]),
    ],
)
def test_lines_of_one_writer_in_a_row(writers: str, wanted: list[tuple[int, int, str]]) -> None:
    assert runs(Blamed("x" * len(writers), writers)) == wanted


texts = st.text("abc", max_size=9)


@given(texts, texts, texts)
def test_every_line_has_a_writer_and_going_back_makes_none(first: str, second: str, third: str) -> None:
    one = changed(untouched(first, "0"), second, "1")
    two = changed(one, third, "2", one)
    back = changed(two, second, "3", one)
    for state in (one, two, back):
        assert len(state.writers) == len(state.lines)
    assert "3" not in back.writers
