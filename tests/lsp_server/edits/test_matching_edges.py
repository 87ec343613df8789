"""What only a look at single characters tells apart: found by changing the matcher and seeing no test fail."""

from __future__ import annotations

import pytest

from editor_clients.lines import LineIndex, apply_replacements, count_lines_of, has_lone_cr
from ledger.errors import Code, CoeditorError
from lsp_server.edits.blocks import BlockIndex
from lsp_server.edits.folding import cuts_character, fold_line, fold_map, fold_text
from lsp_server.edits.hits import FileText, exact_hits
from lsp_server.edits.levels import Level
from lsp_server.edits.matching import Match, match_edit


def edited(text: str, old: str, new: str, **how: bool) -> str:
    return apply_replacements(text, match_edit(text, old, new, **how).replacements)


def refused(text: str, old: str, new: str = "n", **how: bool) -> CoeditorError:
    with pytest.raises(CoeditorError) as caught:
        match_edit(text, old, new, **how)
    return caught.value


def test_lines_of_very_many_hits_are_those_of_few() -> None:
    found = match_edit("a\nb\nc\n" * 700, "a\nb\n", "x\n", replace_all=True)
    assert found.lines == tuple((3 * at + 1, 3 * at + 2) for at in range(700))
    assert match_edit("a\nb\nc\n" * 700, "a\nb", "x", replace_all=True).lines == found.lines
    one = match_edit("a\nb\nc\n" * 600, "b", "x", replace_all=True)
    assert one.lines == tuple((3 * at + 2, 3 * at + 2) for at in range(600))


@pytest.mark.parametrize("end", ["\x0c", "\x0b", "\x1c", "\x85"])
def test_what_is_no_blank_is_never_forgiven_at_the_end_of_a_line(end: str) -> None:
    assert refused(f"a{end}\nb\n", "a\nb").code is Code.FS_NO_MATCH
    assert refused("a \nb\n", f"a\nb{end}").code is Code.FS_NO_MATCH
    assert fold_line(f"a{end}", Level.TRAILING_SPACE) == f"a{end}"
    assert fold_text(f"a{end}\nb ", Level.TRAILING_SPACE) == f"a{end}\nb"
    assert fold_line(f"{end}a", Level.INDENTATION) != "a" or end == "\x85"


def test_a_form_feed_before_a_block_is_no_indentation() -> None:
    assert BlockIndex(["\x0ca", "b"]).find(["a", "b"], Level.INDENTATION) == []
    assert BlockIndex(["  a", "  b"]).find(["a", "b"], Level.INDENTATION) == [0]


def test_a_folded_edit_keeps_the_line_ends_of_its_own_place() -> None:
    text = "first\r\nx\r\n“one”\nxtwo\r\nlast\n"
    after = edited(text, '"one"\nxtwo\n', '"one"\nX2\nmore\n')
    assert after == "first\r\nx\r\n“one”\nX2\r\nmore\r\nlast\n"
    text = "p\nx\r\n  a\r\n  b\r\nq\n"
    assert edited(text, "a\nb\n", "c\nd\n") == "p\nx\r\n  c\r\n  d\r\nq\n"
    assert edited(text, "a\nb\n", "c\nd\ne\n") == "p\nx\r\n  c\r\n  d\r\n  e\r\nq\n"


def test_a_missing_final_line_end_takes_nothing_of_the_new_text() -> None:
    assert edited("one\ntwo", "two\n", "x y\n") == "one\nx y"
    assert edited("one\nXtwoX", "XtwoX\n", "X  Y\nZ\n") == "one\nX  Y\nZ"


def test_blank_lines_alone_stand_nowhere_but_where_they_are() -> None:
    assert refused("a\n\n\nb\n", "  \n  \n").code is Code.FS_NO_MATCH
    assert edited("a\n  \n  \nb\n", "  \n  \n", "x\n") == "a\nx\nb\n"


def test_a_line_end_before_a_block_stays_where_only_the_old_text_has_it() -> None:
    text = "x\n    a\n    b\nz\n"
    assert edited(text, "\n  a\n  b\n", "\n  c\n") == "x\n    c\nz\n"
    assert refused(text, "\n  a\n  b\n", "  c\n").code is Code.FS_NO_MATCH


def test_the_letter_beside_a_hit_does_not_matter() -> None:
    """X stands where other tests have other letters."""
    assert edited("a ’X’X b\n", "'X'", "'Y'") == "a ’Y’X b\n"
    assert edited("X\tX\nX \nY\n", "X\nY", "Z\nY") == "X\tX\nZ\nY\n"
    assert count_lines_of("X") == count_lines_of("aX") == 1
    assert edited("X\rX\nX", "X\rX", "Z") == "Z\nX"
    assert edited("p\nX\rX\r\nX\nd\n", "X\rX\nX", "x\ny") == "p\nx\r\ny\nd\n"
    assert edited("a  \nbX\n", "a\nb", "a") == "aX\n"
    assert edited("pa \nbX", "a\nbX\n", "c\n") == "pc"


def test_blanks_before_a_line_end_that_was_sent_first_stay() -> None:
    assert edited("a  \n“q”\n", '\n"q"', "z") == "a  z\n"
    assert edited("a  \n“q”\n", '\n"q"', "\nz") == "a  \nz\n"
    assert edited("a  \n“q”\n", '  \n"q"', "z") == "az\n"
    assert edited("aX\r\nXb\r\n", "X\nX", "-\n-") == "a-\r\n-b\r\n"


@pytest.mark.parametrize(
    ("text", "old", "starts"),
    [
        ("aaa", "aa", [0, 1]),
        ("a\r\na\r\na\r\n", "a\na", [0, 3]),
        ("x\na\r\na\nb", "a\na", [2]),
        ("a\rb\nb", "a\nb", [0]),
        ("a\rb\r\nb", "a\rb", [0]),
        ("ab\r\nab", "b\r", []),
        ("x\r\na\r\n", "x\na\r", []),
        ("x\na\r\n", "x\na\r", []),
    ],
)
def test_hits_in_a_row(text: str, old: str, starts: list[int]) -> None:
    assert [hit.start for hit in exact_hits(FileText(text), old)] == starts


@pytest.mark.parametrize(
    ("text", "old", "starts"),
    [
        ("aaa", "aa", [0]),
        ("aaaaa", "aa", [0, 2]),
        ("a\r\na\r\na\r\n", "a\na", [0]),
        ("a\u0301a\u0301a", "a\u0301a", [2]),
    ],
)
def test_hits_that_do_not_overlap(text: str, old: str, starts: list[int]) -> None:
    assert [hit.start for hit in exact_hits(FileText(text), old, overlapping=False)] == starts


def test_hits_apart_are_taken_one_after_the_other() -> None:
    assert edited("aaaa", "aa", "b", replace_all=True) == "bb"
    assert edited("a\na\na\na\n", "a\na\n", "b\n", replace_all=True) == "b\nb\n"
    assert edited("a\r\na\r\na\r\na\r\n", "a\na\n", "b\n", replace_all=True) == "b\r\nb\r\n"


def test_long_text_that_is_there_twice_side_by_side_is_replaced_at_both_places() -> None:
    part = "x" * 39 + "y"
    found: Match = match_edit(part * 2, part, "z", replace_repeated=True)
    assert [(one.start, one.end) for one in found.replacements] == [(0, 40), (40, 80)]
    assert "line 1" in found.warnings[0] or "lines 1" in found.warnings[0]
    assert refused("a" * 50, "a" * 45, replace_repeated=True).code is Code.FS_AMBIGUOUS_MATCH


def test_an_ambiguous_hit_names_its_lines_and_what_they_stand_in() -> None:
    text = "def one():\n    same = 1\n    end()\n\ndef two():\n    same = 1\n    end()\n"
    error = refused(text, "    same = 1\n    end()\n")
    assert error.data["lines"] == [2, 6]
    assert [(row["lines"], row["enclosing"]) for row in error.data["hits"]] == [
        ([2, 3], ["def one():"]), ([6, 7], ["def two():"]),
    ]  # fmt: skip
    assert "2 places (lines 2, 6)" in error.message
    many = refused("a\n" * 2_000, "a")
    assert many.data["count"] >= 1_000
    assert "or more" in many.message or str(many.data["count"]) in many.message
    assert many.message.count("...") == 1


@pytest.mark.parametrize(
    ("text", "offset", "cuts"),
    [
        ("e\u0300", 1, True),
        (" \u0300", 1, True),
        ("\n\u0300", 1, False),
        ("\u1100\u1160", 1, True),
        ("\u1100\u11ff", 1, True),
        ("\u1100\ud7b0", 1, True),
        ("\u1100\ud7fb", 1, True),
        ("a\u115f", 1, False),
        ("\x7f\u0300", 1, False),
        ("e\u0301\u0302", 2, True),
        ("ab", 1, False),
    ],
)
def test_marks_and_parts_of_letters_stay_together(text: str, offset: int, cuts: bool) -> None:
    assert cuts_character(text, offset) is cuts


def test_a_folded_line_keeps_what_is_no_blank_at_its_end() -> None:
    assert fold_map("“a”\x0c", Level.TYPOGRAPHIC).text == '"a"\x0c'


@pytest.mark.parametrize(
    ("text", "old", "there"),
    [
        ("a --- b\n", "a — b", False),
        ("a -- b\n", "a — b", True),
        ("a - b\n", "a — b", True),
        ("a — b\n", "a -- b", True),
        ("a — b\n", "a - b", True),
        ("a — b\n", "a --- b", False),
        ("a —- b\n", "a --- b", True),
        ("a —-— b\n", "a ----- b", True),
        ("X---X\n", "X—X", False),
    ],
)
def test_dashes_fit_one_or_two_hyphens(text: str, old: str, there: bool) -> None:
    if there:
        assert match_edit(text, old, "new").level is Level.TYPOGRAPHIC
    else:
        assert refused(text, old).code is Code.FS_NO_MATCH


@pytest.mark.parametrize("asked", range(6))
def test_a_block_is_found_however_often_was_asked(asked: int) -> None:
    index = BlockIndex(["a", "", "b", "a", "", "c", "a"])
    for _ in range(asked):
        index.find(["zzz"], Level.TRAILING_SPACE)
    assert index.find(["a", ""], Level.TRAILING_SPACE) == [0, 3]
    assert index.find(["", "c"], Level.TRAILING_SPACE) == [4]
    assert index.find(["a"], Level.TRAILING_SPACE, 1) == [3, 6]


@pytest.mark.parametrize("asked", range(6))
def test_a_block_that_only_begins_at_one_place_is_found_at_the_next(asked: int) -> None:
    index = BlockIndex(["a", "", "b", "a", "", "c", "a"])
    for _ in range(asked):
        index.find(["zzz"], Level.TRAILING_SPACE)
    assert index.find(["a", "", "c"], Level.TRAILING_SPACE) == [3]
    assert index.find(["", "c", "a"], Level.TRAILING_SPACE, 2) == [4]


def test_positions_count_utf_16_when_nobody_says_otherwise() -> None:
    index = LineIndex("a😀b\r\n")
    assert index.position_at(2) == (0, 3)
    assert index.offset_at(0, 3) == 2
    assert LineIndex("\r\n").position_at(1) == LineIndex("\r\n").position_at(0) == (0, 0)


@pytest.mark.parametrize(
    ("indent", "named"),
    [
        ("\t\t  ", "2 tabs and 2 blanks"),
        ("\t ", "1 tab and 1 blank"),
        ("\t", "1 tab"),
        (" ", "1 blank"),
        ("   ", "3 blanks"),
        ("\t\t\t", "3 tabs"),
        ("", "none"),
    ],
)
def test_indentation_that_is_not_known_is_named(indent: str, named: str) -> None:
    error = refused("\tif a:\n\t\tb\n", "    if a:\n        b\n", f"    if a:\n        b\n{indent}c\n")
    assert error.data["indentation"] == named
    assert f"({named})" in error.message


@pytest.mark.parametrize(
    ("text", "lone"),
    [("", False), ("a\n", False), ("a\r\nb", False), ("a\rb", True), ("X\r\nX\r", True), ("\n\r", True)],
)
def test_a_cr_alone_is_noticed(text: str, lone: bool) -> None:
    assert has_lone_cr(text) is lone


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("if a:\n    b\n", "if a:\n    b\n\t\t  c\n", [2, 3]),
        ("if a:\n    b", "if a:\n    b\n\t\t  c", [2, 3]),
        ("\nif a:\n    b", "\nif a:\n    b\n\t\t  c", [2, 3]),
        ("if a:\n    ...\n    d\n", "if a:\n    ...\n    d\n\t\t  c\n", [2, 5]),
        ("if a:\n    ...\n    d", "if a:\n    ...\n    ...\n    d", [2, 5]),
    ],
)
def test_new_text_that_cannot_be_written_is_refused_with_its_place(
    old: str, new: str, lines: list[int]
) -> None:
    error = refused("x\n\tif a:\n\t\tb\n\t\tc\n\t\td\ny\nz\n", old, new)
    assert error.code is Code.FS_NO_MATCH
    assert error.data["nearest"]["lines"] == lines
    assert error.data["nearest"]["differs"]["line"] == 3


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("x\n  a\nb\n", "    a\n", "    c\n", "x\n  c\nb\n"),
        ("x\n  a\nb\n", "    a\n", "    c", "x\n  cb\n"),
        ("x\n  a\n", "    a\n", "    c\nd\n", None),
        ("x\n  a", "    a\n", "    c\n", "x\n  c"),
        ("x\n  a\nb\n", "    a\n", "", "x\nb\n"),
        ("x\n  a\n  m\n  b\nc\n", "    a\n    ...\n    b\n", "    ...\n", "x\n  m\nc\n"),
        ("x\n  a\n  m\n  b\nc\n", "    a\n    ...\n    b\n", "    ...\n    d", "x\n  m\n  dc\n"),
        ("x\n  a\n  m\n  b", "    a\n    ...\n    b\n", "    n\n    ...\n    d\n", "x\n  n\n  m\n  d"),
        ("x\n  a\n  m\n  b", "    a\n    ...\n    b", "    n\n    ...\n    b\n", "x\n  n\n  m\n  b\n"),
    ],
)
def test_a_block_of_one_line_and_one_with_lines_left_out_end_as_they_were_sent(
    text: str, old: str, new: str, after: str | None
) -> None:
    if after is None:
        assert refused(text, old, new).code is Code.FS_NO_MATCH
    else:
        assert edited(text, old, new) == after
