"""Which lines are shown where a text is not in a file."""

from __future__ import annotations

import pytest

from editor_clients.lines import LineIndex
from lsp_server.edits.nearest import likeness, nearest_lines

FILLER = "y\n" * 31_000
"""Makes a text too large for each of its lines to be compared."""
LONG = "abc def ghi jkl mno " * 11


@pytest.mark.parametrize(
    ("text", "old", "lines"),
    [
        pytest.param("alpha beta 1\nx\nalpha beta 1\n", "alpha beta 2", (1, 1), id="the first of equals"),
        pytest.param("alphabet = betamax\ny\n", "alphabxt = bxtamax\nz", (1, 2), id="by its longest line"),
        pytest.param("y\nalphabet = betamax\n", "z\nalphabxt = bxtamax", (1, 2), id="which is not the first"),
        pytest.param("alpha bet\n" + FILLER, "alpha beta", (1, 1), id="a word at the very start"),
        pytest.param(
            "alpha zzzz\nalpha bexa\nalpha yyyy\n" + FILLER,
            "alpha beta",
            (2, 2),
            id="not where a word is first",
        ),
        pytest.param(FILLER + "alpha zzzz\n", "alpho zzzx", None, id="no word of a large text"),
        pytest.param("abc\nzzzz\n", "abc\nqqq!", None, id="less than half of it"),
        pytest.param("abc\nzzz\n", "abc\nqqq", (1, 2), id="half of it"),
        pytest.param("y" * 300 + " needle(1)\n", "needle(1)", (1, 1), id="far along a line"),
        pytest.param(
            "z" * 60 + " total = price * cunt " + "z" * 60,
            "total = price * count",
            (1, 1),
            id="within a line",
        ),
        pytest.param(
            "z" * 150 + LONG.replace("abc", "abx", 1), LONG.strip(), (1, 1), id="a long one within a line"
        ),
        pytest.param("b1\nc1\n", "a1\nb1\nc1", (1, 2), id="it starts above the file"),
        pytest.param("a1\nb1\n", "a1\nb1\nc1", (1, 2), id="it goes on below the file"),
        pytest.param("a1\nb1\n", "\n \n", None, id="blank lines"),
    ],
)
def test_the_likest_place(text: str, old: str, lines: tuple[int, int] | None) -> None:
    assert nearest_lines(LineIndex(text), old) == lines


@pytest.mark.parametrize(
    ("there", "sent", "least", "most"),
    [
        ("alpha", " alpha\t", 1.0, 1.0),
        ("“alpha”", '"alpha"', 1.0, 1.0),
        ("alpha", "zzzzz", 0.0, 0.0),
        ("alpha", "alphx", 0.8, 0.8),
        ("ab" * 100, "ab" * 99 + "ba", 0.98, 0.999),
        ("x" + "ab" * 99, "ab" * 110, 0.98, 0.999),
        ("a" * 200 + "b" * 200, "a" * 200 + "c" * 200, 1.0, 1.0),
    ],
)
def test_how_alike_two_lines_are(there: str, sent: str, least: float, most: float) -> None:
    assert least <= likeness(there, sent) <= most
