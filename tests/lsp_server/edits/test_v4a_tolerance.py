"""What was forgiven is told once for each kind, with the first lines of it."""

from __future__ import annotations

import pytest

from lsp_server.edits.v4a_tolerance import Tolerance, Tolerated


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([3], "Patch line 3: "),
        ([3, 3], "Patch line 3: "),
        ([3, 4], "Patch lines 3, 4: "),
        ([1, 2, 3, 4, 5], "Patch lines 1, 2, 3, 4, 5: "),
        ([1, 2, 3, 4, 5, 6], "Patch lines 1, 2, 3, 4, 5 and 1 more: "),
        ([1, 2, 3, 4, 5, 6, 7], "Patch lines 1, 2, 3, 4, 5 and 2 more: "),
    ],
)
def test_lines_are_named(lines: list[int], told: str) -> None:
    tolerated = Tolerated()
    for line in lines:
        tolerated.add(Tolerance.CRLF, line)
    assert tolerated.sentences() == (f"{told}{Tolerance.CRLF}.",)


def test_kinds_are_told_apart_and_what_was_taken_back_is_not_told() -> None:
    tolerated = Tolerated()
    for what, line in ((Tolerance.SPACING, 2), (Tolerance.PADDING, 2), (Tolerance.SPACING, 4)):
        tolerated.add(what, line)
    tolerated.cut(2)
    assert len(tolerated) == 2
    assert [one.split(": ")[0] for one in tolerated.sentences()] == ["Patch line 2", "Patch line 2"]
