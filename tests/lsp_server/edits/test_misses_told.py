"""What a miss says, word by word: the sentence, the place, and where the texts part."""

from __future__ import annotations

from typing import Any

import pytest

from editor_clients.lines import LineIndex
from lsp_server.edits.misses import first_difference, place_of, shown_place
from tests.lsp_server.edits.test_misses import missed

A, B = "a" * 40, "b" * 40


def parts(line: int, column: int, sent: str, file: str, why: str) -> dict[str, Any]:
    return {"line": line, "column": column, "sent": sent, "file": file, "why": why}


@pytest.mark.parametrize(
    ("text", "old", "wanted"),
    [
        ("one\ntwo", "one\ntwo\nthree", parts(3, 1, "three", "", "the file ends before it")),
        ("one\ntwo\n", "one\ntwo\n", None),
        ("one\n", "one\n\n\n", parts(2, 1, "", "", "the file ends before it")),
        ("one\ntwo\n", "one\ntw", None),
        ("one\ntwo\nx\n", "ne\ntwo\nx", None),
        ("abX\n", "abY", parts(1, 3, "abY", "abX", "the file has 'X', old_string has 'Y'")),
        ("one\ntwo\n", "w", parts(1, 1, "w", "one", "the file has 'o', old_string has 'w'")),
    ],
)
def test_where_a_request_and_the_file_part(text: str, old: str, wanted: dict[str, Any] | None) -> None:
    assert first_difference(LineIndex(text), 1, old) == wanted


@pytest.mark.parametrize(
    ("text", "old", "line", "column"),
    [
        pytest.param("one\ntwo\nx\n", "one\ntw\nx", 2, 3, id="a line in the middle is whole"),
        pytest.param("abcd\nx\n", "bc\nx", 1, 4, id="the first of several ends where the file's does"),
        pytest.param("xxab____", "abcdefghi", 1, 1, id="too little alike to start there"),
        pytest.param("xxabc___", "abcdefghi", 1, 1, id="a third is too little"),
        pytest.param("xxabcd__", "abcdefghi", 1, 7, id="more than a third"),
        pytest.param("one\n  two x\nthree\n", "one\ntwo y\nthree", 2, 1, id="a line in the middle starts"),
        pytest.param("axabcdeg\nx\n", "abcdef\nx", 1, 2, id="the first starts like the file's"),
        pytest.param("za ab1\ny\n", "abx\ny", 1, 3, id="the first place of its first half"),
        pytest.param("za abX\ny\n", "abcd\ny", 1, 6, id="of all of its first half"),
        pytest.param("zzz\ny\n", "abx\ny", 1, 1, id="nowhere in the line"),
        pytest.param("a" * 6_000, "a" * 5_000 + "b", 1, 5_001, id="far along"),
        pytest.param("aX\n", "aY", 1, 2, id="the last character"),
        pytest.param("a \tb", "a b", 1, 2, id="a tab within blanks of the file"),
        pytest.param("a b", "a \tb", 1, 2, id="a tab within blanks of the request"),
        pytest.param("a\tb", "a\t b", 1, 2, id="a blank behind a tab of the request"),
    ],
)
def test_the_column_where_they_part(text: str, old: str, line: int, column: int) -> None:
    found = first_difference(LineIndex(text), 1, old)
    assert found is not None
    assert (found["line"], found["column"]) == (line, column)


@pytest.mark.parametrize("before", ["", "zz"])
def test_as_much_is_shown_on_both_sides(before: str) -> None:
    found = first_difference(LineIndex(f"{before}{A}X{B}"), 1, f"{A}Y{B}")
    why = "the file has 'X', old_string has 'Y'"
    assert found == parts(1, len(before) + 41, f"{A[:24]}Y{B[:23]}", f"{A[:24]}X{B[:23]}", why)


@pytest.mark.parametrize(
    ("width", "asked", "shown"),
    [
        (100, (1, 50), [1, 40]),
        (101, (1, 50), [1, 39]),
        (101, (3, 50), [3, 41]),
        (100, (3, 50), [3, 42]),
        (2_001, (5, 6), [5, 5]),
        (2_000, (5, 6), [5, 6]),
        (4_000, (2, 3), [2, 2]),
    ],
)
def test_lines_are_shown_whole_up_to_4000_characters(
    width: int, asked: tuple[int, int], shown: list[int]
) -> None:
    """Their ends count."""
    index = LineIndex(("x" * (width - 1) + "\n") * 60)
    nearest = shown_place(index, *asked, "x")["nearest"]
    assert nearest["lines"] == shown
    assert nearest["text"].count("\n") == shown[1] - shown[0]
    assert "too_long" not in nearest


def test_a_line_that_is_too_long_is_named_alone() -> None:
    text = "def a():\n  " + "x" * 3_998 + "\n"
    assert shown_place(LineIndex(text), 2, 2, "x") == {
        "nearest": {"lines": [2, 2], "too_long": True, "enclosing": ["def a():"]}
    }


@pytest.mark.parametrize(
    ("text", "old", "sentence"),
    [
        (
            "a = 1\nbeta = 2\n",
            "beta = 3",
            "The nearest is line 2, which differs at line 2, column 8: the file has '2', old_string has '3'.",
        ),
        (
            "start()\nalpha\nstop()\n",
            "start()\nalpho\nstop()",
            "The nearest is lines 1-3, which differ at line 2, column 5: the file has 'a', old_string has 'o'.",
        ),
        ("alpha\n", "zebra", "and nothing there is like it."),
    ],
)
def test_the_sentence_names_place_and_difference(text: str, old: str, sentence: str) -> None:
    assert sentence in missed(text, old)["message"]


@pytest.mark.parametrize(
    ("text", "new", "lines"),
    [("a\r\nb\r\nc\r\n", "a\nb\n", [1, 2]), ("ab\ncd\n", "b\nc", [1, 2]), ("a\nb\nc\n", "b", [2, 2])],
)
def test_where_a_change_was_made_already(text: str, new: str, lines: list[int]) -> None:
    found = missed(text, "zebra\nyak", new)
    assert (found["reason"], found["nearest"]["lines"]) == ("already_applied", lines)
    assert "seems to be made already" in found["message"]


def test_numbers_of_other_tools_that_are_not_the_files_are_an_ordinary_miss() -> None:
    assert "reason" not in missed("alpha\nbeta\n", "7: gamma\n8: delta")


@pytest.mark.parametrize("old", ["\ufeff\n", "\n"])
def test_the_place_of_a_line_end(old: str) -> None:
    assert place_of("a\nb\n", old) == (1, 1)


def test_the_part_before_a_marker_that_says_too_much_is_looked_for_as_it_was_sent() -> None:
    found = missed("\talpha = 1\nbeta\n", "    alpha = 1\n# ... rest of code ...\nb")
    assert "`# ... rest of code ...`" in found["hint"]
    assert found["nearest"]["differs"]["why"] == "the file has a tab, old_string has 4 blanks"


@pytest.mark.parametrize(
    ("text", "old", "message"),
    [
        pytest.param(
            "e\u0301 x\n", "e", "The nearest is line 1. Copy the text exactly", id="no difference to show"
        ),
        pytest.param(
            "class Kiln:\n",
            "class KilX\n# ... rest ...",
            "column 10: the file has 'n', old_string has 'X'.",
            id="the lines above a marker of words, and no more of them gone",
        ),
    ],
)
def test_the_sentence_of_a_miss(text: str, old: str, message: str) -> None:
    assert message in missed(text, old)["message"]


@pytest.mark.parametrize("old", ['say(\\"1\\")', "say(&lt;1)"])
def test_what_is_not_there_unescaped_either_has_no_hint(old: str) -> None:
    assert "hint" not in missed("say(1)\n", old)


@pytest.mark.parametrize(
    ("text", "old"),
    [("cafe\u0301 x\n", "cafe"), ("a\r\ncafe\u0301\n", "a\ncafe"), ("e\u0301 x\n", "\u0301 x")],
)
def test_half_a_character_is_told(text: str, old: str) -> None:
    assert "cut a character in half" in missed(text, old)["hint"]


@pytest.mark.parametrize(
    ("width", "differs", "shown"),
    [
        (1, 3, (1, 40)),
        (1, 40, (1, 40)),
        (1, 41, (21, 60)),
        (1, 60, (40, 60)),
        (150, 50, (30, 55)),
        (3_000, 50, (50, 50)),
    ],
)
def test_the_place_where_they_part_is_among_the_lines_that_are_shown(
    width: int, differs: int, shown: tuple[int, int]
) -> None:
    lines = [f"{number}{'x' * width}" for number in range(1, 61)]
    other = [*lines[: differs - 1], "other", *lines[differs:]]
    nearest = shown_place(LineIndex("\n".join(lines)), 1, 60, "\n".join(other))["nearest"]
    assert nearest["differs"]["line"] == differs
    assert tuple(nearest["lines"]) == shown
