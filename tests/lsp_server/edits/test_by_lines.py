"""Lines by their numbers, and what the last of them ends with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.lines import LineIndex, apply_replacements, split_lines
from lsp_server.edits.by_lines import replace_lines
from lsp_server.edits.levels import Level


@pytest.mark.parametrize(
    ("text", "lines", "new", "after"),
    [
        ("1\n2\n3\n", (2, 2), "x", "1\nx\n3\n"),
        ("1\n2\n3\n", (2, 2), "x\n", "1\nx\n3\n"),
        ("1\n2\n3\n", (2, 2), "x\n\n", "1\nx\n\n3\n"),
        ("1\n2\n3\n", (1, 2), "x", "x\n3\n"),
        ("1\n2\n3\n", (2, 3), "", "1\n"),
        ("1\n2\n3\n", (1, 3), "", ""),
        ("1\n2\n3\n", (2, 2), "\n", "1\n\n3\n"),
        ("1\r\n2\r\n", (1, 1), "x\ny\n", "x\r\ny\r\n2\r\n"),
        ("1\r\n2\r\n", (1, 1), "x\r\n", "x\r\n2\r\n"),
        ("1\r\n2", (2, 2), "x\n", "1\r\nx"),
        ("1\r2\r", (2, 2), "x\ny", "1\rx\ry\r"),
        ("1\n2", (2, 2), "x\ny\n", "1\nx\ny"),
        ("1\n2", (2, 2), "", "1\n"),
        ("\r\n", (1, 1), "x", "x\r\n"),
        ("1\n2\n", (1, 1), "x\r", "x\r\n2\n"),
        ("1\n2\n", (1, 1), "x\r\r\n", "x\r\n2\n"),
    ],
)
def test_lines_become_others_and_end_as_they_did(
    text: str, lines: tuple[int, int], new: str, after: str
) -> None:
    match = replace_lines(text, LineIndex(text), *lines, new)
    assert apply_replacements(text, match.replacements) == after
    assert (match.level, match.lines, match.warnings) == (Level.EXACT, (lines,), ())


@given(st.text(alphabet="ab\r\n", min_size=1, max_size=12), st.data())
def test_all_other_lines_stay(text: str, data: st.DataObject) -> None:
    rows = split_lines(text)
    first = data.draw(st.integers(1, len(rows)))
    last = data.draw(st.integers(first, len(rows)))
    match = replace_lines(text, LineIndex(text), first, last, "x")
    after = split_lines(apply_replacements(text, match.replacements))
    assert after[: first - 1] == rows[: first - 1]
    assert after[first:] == rows[last:]
    assert after[first - 1] == "x" + rows[last - 1][len(rows[last - 1].rstrip("\r\n")) :]
