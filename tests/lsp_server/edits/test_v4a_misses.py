"""What a patch whose chunk does not fit is told, in the patch's own words."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.errors import Code, CoeditorError
from lsp_server.edits.v4a_apply import apply_chunks
from lsp_server.edits.v4a_parse import parse_patch
from lsp_server.edits.v4a_types import UpdateSection

PY = "class A:\n    def go(self):\n        pass\n\nclass B:\n    def go(self):\n        pass\n"


def failure(text: str, *lines: str) -> CoeditorError:
    patch = "\n".join(("*** Begin Patch", "*** Update File: f", *lines, "*** End Patch"))
    (section,) = parse_patch(patch).sections
    assert isinstance(section, UpdateSection)
    with pytest.raises(CoeditorError) as caught:
        apply_chunks(text, section, tolerant=True)
    return caught.value


def refusal(text: str, *lines: str) -> CoeditorError:
    error = failure(text, *lines)
    assert error.file_path == "f"
    assert error.data["line"] == 3
    assert error.message.startswith("Patch line 3: ")
    assert "_string" not in error.message + str(error.data)
    return error


@pytest.mark.parametrize(
    ("text", "lines", "hits"),
    [
        (
            PY,
            ("@@", "-        pass"),
            [
                {"lines": [3, 3], "enclosing": ["class A:", "def go(self):"]},
                {"lines": [7, 7], "enclosing": ["class B:", "def go(self):"]},
            ],
        ),
        ("a\nb\nx\na\nb\n", ("@@", "-a", " b"), [{"lines": [1, 2]}, {"lines": [4, 5]}]),
        ("s\nx\ns\n", ("@@ s", "+z"), [{"lines": [1, 1]}, {"lines": [3, 3]}]),
    ],
)
def test_places_that_fit_are_shown(text: str, lines: tuple[str, ...], hits: list[dict[str, Any]]) -> None:
    error = refusal(text, *lines)
    assert error.code is Code.FS_AMBIGUOUS_MATCH
    assert error.data["hits"] == hits


@pytest.mark.parametrize(
    ("text", "lines", "place", "nearest"),
    [
        ("\ta\n", ("@@", "     a", "+       b"), "fits line 1 but", [1, 1]),
        ("x\n\ta\n\tc\n", ("@@", "     a", "     c", "+       b"), "fits lines 2-3 but", [2, 3]),
        ("x\n\ta\n", ("@@", " x", "     a", "+       b"), "fits lines 1-2 but", [1, 2]),
    ],
)
def test_an_indentation_that_would_be_a_guess(
    text: str, lines: tuple[str, ...], place: str, nearest: list[int]
) -> None:
    error = refusal(text, *lines)
    assert error.code is Code.FS_NO_MATCH
    assert place in error.message
    assert "(7 blanks)" in error.message
    assert error.data["nearest"]["lines"] == nearest
    assert error.data["nearest"]["differs"]["why"] == "the file has a tab, the chunk has 4 blanks"
    assert error.data.keys() == {"line", "indentation", "nearest"}


@pytest.mark.parametrize(
    ("text", "old", "said", "data"),
    [
        pytest.param(
            "a b\n", "a c", "the chunk's old lines are not in the file. The nearest is line 1", {}, id="near"
        ),
        pytest.param(
            "a\n",
            "a\\n",
            "The chunk is escaped once too often",
            {"hint": "The chunk is escaped once too often: without its backslashes it is in the file."},
            id="escaped",
        ),
        pytest.param(
            "a\n", "    12\ta", "the chunk has the line numbers", {"reason": "own_output"}, id="own-output"
        ),
    ],
)
def test_a_miss_is_told_as_edit_tells_it(text: str, old: str, said: str, data: dict[str, Any]) -> None:
    error = refusal(text, "@@", f"-{old}", "+zz")
    assert error.code is Code.FS_NO_MATCH
    assert said in error.message
    assert error.data["expected"] == [old]
    assert error.data["nearest"]["lines"] == [1, 1]
    assert error.data.items() >= data.items()


def test_a_difference_in_a_second_line_is_told_there() -> None:
    differs = refusal("a\nb x\n", "@@", "-a", "-b y").data["nearest"]["differs"]
    assert (differs["line"], differs["column"]) == (2, 3)


def test_where_nothing_is_near_nothing_is_shown() -> None:
    assert "nearest" not in refusal("", "@@", "-a").data


@pytest.mark.parametrize(
    ("text", "applied"),
    [
        pytest.param("1\nx\n2\n", True, id="once"),
        pytest.param("1\nx\n2\n1\nx\n2\n", False, id="twice"),
        pytest.param("1\nx\n2y\n", False, id="not-as-whole-lines"),
        pytest.param("XXXX\n", False, id="any-other-text"),
    ],
)
def test_what_was_applied_before_is_said(text: str, applied: bool) -> None:
    error = refusal(text, "@@", " 1", "+x", " 2")
    assert (error.data.get("reason") == "already_applied") is applied
    assert ("the new text is there once" in error.message) is applied


@pytest.mark.parametrize(
    ("lines", "kept"),
    [(("@@ nope", "-b"), "'@@ '"), (("@@", "-b", "+B", "@@", "-b", "+C"), "make one chunk of the two")],
)
def test_what_is_no_matter_of_the_text_is_told_as_it_is(lines: tuple[str, ...], kept: str) -> None:
    error = failure("a\nb\n", *lines)
    assert kept in error.message
    assert "nearest" not in error.data
