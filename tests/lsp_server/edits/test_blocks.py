"""Blocks of whole lines: found at a level, written in the file's spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import Code, CoeditorError
from lsp_server.edits.blocks import MOST_FOUND, BlockIndex, find_block, fits_line, map_between, rewrite_block
from lsp_server.edits.levels import Level

EXACT, TRAILING, TYPOGRAPHIC = Level.EXACT, Level.TRAILING_SPACE, Level.TYPOGRAPHIC
INDENTATION = Level.INDENTATION


@pytest.mark.parametrize(
    ("lines", "block", "level", "starts"),
    [
        (["a", "b", "a"], ["a"], EXACT, [0, 2]),
        (["a", "a", "a"], ["a", "a"], EXACT, [0, 1]),
        (["a "], ["a"], EXACT, []),
        (["a ", "b"], ["a", "b\t"], TRAILING, [0]),
        (["", "  "], [""], TRAILING, [0, 1]),
        (["“a”"], ['"a"'], TRAILING, []),
        (["“a” "], ['"a"'], TYPOGRAPHIC, [0]),
        (["a — b", "a - b", "a -- b"], ["a -- b"], TYPOGRAPHIC, [0, 2]),
        (["a — b", "a - b", "a -- b"], ["a - b"], TYPOGRAPHIC, [0, 1]),
        (["a — b", "a - b", "a -- b"], ["a — b"], TYPOGRAPHIC, [0, 1, 2]),
        (["  a"], ["a"], TYPOGRAPHIC, []),
        (["  a", "\ta", "a"], ["  a"], INDENTATION, [0, 1, 2]),
        (["  a", "    b"], ["a", "b"], INDENTATION, []),
        (["  a", "", "  b"], ["a", "   ", "b"], INDENTATION, [0]),
        (["x"], [], EXACT, []),
        ([], ["x"], INDENTATION, []),
        (["x"], ["x", "y"], EXACT, []),
        (["Line"], ["line"], INDENTATION, []),
        (["—x"], ["-x"], TRAILING, []),
    ],
)
def test_a_block_is_found_where_all_its_lines_fit(
    lines: list[str], block: list[str], level: Level, starts: list[int]
) -> None:
    assert find_block(lines, block, level) == starts
    index = BlockIndex(lines)
    for _ in range(6):  # the first questions and the later ones are answered in two ways
        assert index.find(block, level) == starts


def test_a_search_can_start_further_down() -> None:
    index = BlockIndex(["a", "b", "a", "b"])
    assert index.find(["a", "b"], EXACT, first=1) == [2]
    assert index.find(["a", "b"], EXACT, first=3) == []


def test_no_more_places_are_listed_than_anybody_needs() -> None:
    assert len(find_block(["a"] * (MOST_FOUND + 5), ["a"], EXACT)) == MOST_FOUND


row = st.text(alphabet=' \tab“"-—é', max_size=4)


@given(st.lists(row, max_size=12), st.lists(row, min_size=1, max_size=3), st.sampled_from(list(Level)[:4]))
def test_places_are_those_of_a_slow_search(lines: list[str], block: list[str], level: Level) -> None:
    expected = [
        start
        for start in range(len(lines) - len(block) + 1)
        if all(fits_line(lines[start + n], sent, level) for n, sent in enumerate(block))
        and (level is not INDENTATION or map_between(lines[start : start + len(block)], block) is not None)
    ]
    assert find_block(lines, block, level) == expected


@pytest.mark.parametrize(
    ("there", "old", "new", "level", "written"),
    [
        (["a  "], ["a"], ["b"], TRAILING, ["b"]),
        (["a  ", "b "], ["a", "b"], ["a", "c", "b"], TRAILING, ["a  ", "c", "b "]),
        (["a  ", "b "], ["a", "b"], ["b"], TRAILING, ["b "]),
        (["“a”"], ['"a"'], ['"b"'], TYPOGRAPHIC, ["“b”"]),
        (["“a”", "“b”"], ['"a"', '"b"'], ['"b"'], TYPOGRAPHIC, ["“b”"]),
        (["  “a”"], ['"a"'], ['"c"'], INDENTATION, ["  “c”"]),
        (["  a", "    b"], ["a", "  b"], ["  b", "", "a"], INDENTATION, ["    b", "", "  a"]),
        (["  a"], ["a"], ["a", "   "], INDENTATION, ["  a", "   "]),
        (["a"], ["a"], [], INDENTATION, []),
        (["  "], [""], ["x"], INDENTATION, ["x"]),
        (["a "], ["a "], ["a"], EXACT, ["a"]),
    ],
)
def test_a_block_is_written_in_the_files_spelling(
    there: list[str], old: list[str], new: list[str], level: Level, written: list[str]
) -> None:
    assert rewrite_block(there, old, new, level) == (written, ())


def test_a_line_that_goes_on_brings_no_blanks_of_a_line_end() -> None:
    assert rewrite_block(["a  ", "b"], ["a", "b"], ["a"], TRAILING) == (["a  "], ())
    assert rewrite_block(["a  ", "b"], ["a", "b"], ["a"], TRAILING, open_end=True) == (["a"], ())


def test_an_indentation_without_counterpart_is_refused() -> None:
    with pytest.raises(CoeditorError) as caught:
        rewrite_block(["\ta"], ["  a"], ["    b"], INDENTATION)
    assert caught.value.code is Code.FS_NO_MATCH
    assert "4 blanks" in caught.value.message


@given(st.lists(row, min_size=1, max_size=5), st.lists(row, max_size=5), st.sampled_from(list(Level)[:4]))
def test_what_was_sent_as_the_file_has_it_is_written_as_sent(
    old: list[str], new: list[str], level: Level
) -> None:
    written, warnings = rewrite_block(old, old, new, level)
    assert written == new
    assert warnings == ()


@given(st.lists(row, min_size=1, max_size=5), st.sampled_from(["", " ", "\t "]), st.sampled_from(["", "  "]))
def test_a_block_sent_unchanged_stays_byte_for_byte(sent: list[str], tail: str, shift: str) -> None:
    there = [shift + line.replace('"', "”").replace("-", "–") + tail for line in sent]
    assert find_block(there, sent, INDENTATION) == [0]
    assert rewrite_block(there, sent, sent, INDENTATION) == (there, ())


@pytest.mark.parametrize(
    ("there", "old", "new", "open_end", "written"),
    [
        (["a", "say “hi” x"], ["a", 'say "hi" x'], ["n", "a", 'say "hi" y'], False, ["n", "a", "say “hi” y"]),
        (["x – y", "b"], ["x - y", "b"], ["x - y", "b", "x - y z"], False, ["x – y", "b", "x - y z"]),
        (["b", "x — y", '"e"'], ["b", "x - y", '"e"'], ["b", "x - y", '"e" f'], False, ["b", "x — y", '"e" f']),
        (["b", "x — y", "“c”", "“d”"], ["b", "x - y", '"c"', '"d"'], ["b", "x - y", '"c" "d"'], False,
         ["b", "x — y", "“c” “d”"]),
        (["a  ", "b"], ["a", "b"], ["n", "m", "a"], True, ["n", "m", "a"]),
        (["a  ", "b"], ["a", "b"], ["n", "m", "a"], False, ["n", "m", "a  "]),
        (["a ", "b "], ["a", "b "], ["c", "b "], True, ["c", "b "]),
        (["a\x0c  ", "b"], ["a\x0c", "b"], ["a\x0c"], True, ["a\x0c"]),
    ],
)  # fmt: skip
def test_each_changed_line_is_spelled_as_the_lines_in_whose_place_it_stands(
    there: list[str], old: list[str], new: list[str], open_end: bool, written: list[str]
) -> None:
    assert rewrite_block(there, old, new, Level.TYPOGRAPHIC, open_end=open_end)[0] == written


def test_a_block_that_does_not_fit_is_a_mistake_of_ours() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        rewrite_block(["a", "  b"], ["a", "b"], ["c"], Level.INDENTATION)


@pytest.mark.parametrize(
    ("level", "fit"), [(Level.TRAILING_SPACE, False), (Level.TYPOGRAPHIC, True), (Level.INDENTATION, True)]
)
def test_dashes_fit_from_the_typographic_level_on(level: Level, fit: bool) -> None:
    assert fits_line("a -- b ", "a — b", level) is fit
    assert fits_line("a — b ", "a — b", level)
