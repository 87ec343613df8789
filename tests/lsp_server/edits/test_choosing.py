"""Which hits are replaced, and what is told of those that are not."""

from __future__ import annotations

import pytest

from ledger.errors import Code, CoeditorError
from lsp_server.edits.matching import match_edit


def ambiguous(text: str, old: str) -> CoeditorError:
    with pytest.raises(CoeditorError) as caught:
        match_edit(text, old, "new")
    assert caught.value.code is Code.FS_AMBIGUOUS_MATCH
    return caught.value


def test_repeated_text_names_the_first_lines_of_its_places() -> None:
    part = "y" * 20 + "\n" + "z" * 20 + "\n"
    found = match_edit(part + "-\n" + part, part, "x\n", replace_repeated=True)
    assert found.warnings == ("old_string stands at 2 places, and all were replaced: lines 1, 4.",)


@pytest.mark.parametrize(
    ("text", "told", "count"),
    [
        ("a a\n", "old_string fits at 2 places (line 1).", 2),
        ("a\na\n", "old_string fits at 2 places (lines 1, 2).", 2),
        ("a\n" * 20, "20 places (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20).", 20),
        ("a\n" * 21, "14, 15, 16, 17, 18, 19, 20, ...).", 21),
        ("a\n" * 9_999, " at 9999 places (", 9_999),
        ("a\n" * 10_000, " at 10000 places or more (", 10_000),
        ("a\n" * 10_001, " at 10000 places or more (", 10_000),
    ],
)  # fmt: skip
def test_places_are_counted_and_the_first_ones_named(text: str, told: str, count: int) -> None:
    error = ambiguous(text, "a")
    assert told in error.message
    assert "set replace_all" in error.message
    assert error.data["count"] == count
    assert len(error.data["hits"]) <= 20


def test_a_place_is_named_by_what_its_first_line_stands_in() -> None:
    text = "def one():\n    same\ndef two():\n    same\ndef three():\n    same\ndef two():\n"
    rows = ambiguous(text, "    same\ndef t").data["hits"]
    assert [(row["lines"], row["enclosing"]) for row in rows] == [
        ([2, 3], ["def one():"]), ([4, 5], ["def two():"]), ([6, 7], ["def three():"]),
    ]  # fmt: skip


def test_a_place_goes_up_to_the_line_of_its_last_character() -> None:
    assert [row["lines"] for row in ambiguous("a\nb\na\nb\n", "a\nb").data["hits"]] == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("times", "count", "told"), [(6, 36, "at 36 places ("), (101, 10_000, "at 10000 places or more (")]
)
def test_ways_to_leave_lines_out_are_counted(times: int, count: int, told: str) -> None:
    error = ambiguous("a\n" * times + "b\n" * times, "a\n...\nb")
    assert error.data["count"] == count
    assert told in error.message
    assert len(error.data["hits"]) == 20
