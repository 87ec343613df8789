"""Spellings that mean the same, and the way back from a folded line."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lsp_server.edits.folding import (
    characters,
    cuts_character,
    fold_characters,
    fold_line,
    fold_map,
    fold_spelling,
    fold_text,
    is_blank,
    must_stand,
    split_indent,
)
from lsp_server.edits.levels import SPELLINGS, Level

odd = st.text(
    alphabet=" \tab-.\"'“”’—–…\u00a0\u3000é\u0301\u0323e\u1100\u1161\u11a8가각\u200d\u212b☃", max_size=25
)
lines = odd | st.text(
    alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=25
)
spellings = st.sampled_from([Level.EXACT, *SPELLINGS])


def test_each_level_forgives_what_those_before_it_forgive() -> None:
    levels = list(Level)
    assert [[one.forgives(other) for other in levels] for one in levels] == [
        [column <= row for column in range(len(levels))] for row in range(len(levels))
    ]


@pytest.mark.parametrize(
    ("line", "level", "folded"),
    [
        (" a “b” \t", Level.EXACT, " a “b” \t"),
        (" a “b” \t", Level.TRAILING_SPACE, " a “b”"),
        (" a “b” \t", Level.TYPOGRAPHIC, ' a "b"'),
        (" \ta “b” \t", Level.INDENTATION, 'a "b"'),
        ("\u00a0a\u00a0", Level.TRAILING_SPACE, "\u00a0a\u00a0"),
        ("\u00a0a\u00a0", Level.TYPOGRAPHIC, " a"),
        ("\u00a0a", Level.ELIDED, "a"),
        ("‘a’ ‚b‛ „c‟", Level.TYPOGRAPHIC, "'a' 'b' \"c\""),
        ("a‐b‑c‒d–e−f", Level.TYPOGRAPHIC, "a-b-c-d-e-f"),
        ("a—b―c", Level.TYPOGRAPHIC, "a—b—c"),
        ("…", Level.TYPOGRAPHIC, "..."),
        ("cafe\u0301", Level.TYPOGRAPHIC, "caf\u00e9"),
        ("Ａ ﬁ ½ ·", Level.TYPOGRAPHIC, "Ａ ﬁ ½ ·"),
        ("\u2028\u0085\x0b", Level.TYPOGRAPHIC, "\u2028\u0085\x0b"),
        ("a\u200b\ufeff", Level.TYPOGRAPHIC, "a\u200b\ufeff"),
    ],
)
def test_a_line_at_a_level(line: str, level: Level, folded: str) -> None:
    assert fold_line(line, level) == folded


@given(lines, spellings)
@example("e\u0301\u0323 ", Level.TYPOGRAPHIC)
@example("\u1100\u1161\u11a8", Level.TYPOGRAPHIC)
@example("\u0301a", Level.TYPOGRAPHIC)
@example(" \u0301", Level.TYPOGRAPHIC)
def test_the_way_back_covers_the_line(line: str, level: Level) -> None:
    found = fold_map(line, level)
    assert found.text == fold_line(line, level)
    assert len(found.edges) == len(found.text) + 1
    edges = [edge for edge in found.edges if edge >= 0]
    assert edges == sorted(set(edges))
    assert edges[0] == 0
    assert found.edges[-1] >= 0
    assert fold_line(line[: edges[-1]], level) == found.text


@given(lines, spellings)
def test_the_way_back_cuts_where_folding_can_be_cut(line: str, level: Level) -> None:
    found = fold_map(line, level)
    for offset, edge in enumerate(found.edges):
        if edge >= 0 and level.forgives(Level.TYPOGRAPHIC):
            assert not cuts_character(line, edge)
            start, rest = fold_spelling(line[:edge], level), fold_spelling(line[edge:], level)
            assert start + rest == fold_spelling(line, level)
            assert len(start) == offset


@given(st.lists(lines, min_size=1, max_size=5), spellings)
def test_a_text_is_folded_line_by_line(rows: list[str], level: Level) -> None:
    assert fold_text("\n".join(rows), level).split("\n") == [fold_line(row, level) for row in rows]


@given(st.lists(odd, min_size=20, max_size=40))
def test_long_texts_are_folded_as_short_ones(rows: list[str]) -> None:
    whole = "\n".join(rows)
    assert fold_characters("\n".join([whole] * 30)) == "\n".join([*map(fold_characters, rows)] * 30)


@given(lines)
def test_characters_are_the_text_cut_where_it_may_be_cut(line: str) -> None:
    found = characters(line)
    assert "".join(found) == line
    offset = 0
    for character in found:
        assert not cuts_character(line, offset)
        assert all(cuts_character(line, offset + inner) for inner in range(1, len(character)))
        offset += len(character)


@pytest.mark.parametrize(
    ("text", "offset", "cuts"),
    [
        ("e\u0301", 1, True),
        ("e\u0301", 0, False),
        ("e\u0301", 2, False),
        ("e\u0301\u0323", 2, True),
        ("\n\u0301", 1, False),
        ("\u0301a", 1, False),
        ("\u1100\u1161", 1, True),
        ("가\u11a8", 1, True),
        ("ab", 1, False),
        ("\u2764\ufe0f", 1, True),
        ("a\u200d", 1, False),
    ],
)
def test_where_a_cut_parts_a_letter_from_its_mark(text: str, offset: int, cuts: bool) -> None:
    assert cuts_character(text, offset) is cuts


@pytest.mark.parametrize(
    ("line", "indent", "rest"),
    [
        ("", "", ""),
        ("   ", "", "   "),
        ("a", "", "a"),
        (" \ta ", " \t", "a "),
        ("\u00a0a", "\u00a0", "a"),
        ("\fa", "", "\fa"),
    ],
)
def test_indentation_of_a_line(line: str, indent: str, rest: str) -> None:
    assert split_indent(line) == (indent, rest)


@pytest.mark.parametrize(
    ("line", "blank"), [("", True), (" \t", True), ("\u00a0", True), ("\f", False), ("a", False)]
)
def test_a_line_without_anything_to_see(line: str, blank: bool) -> None:
    assert is_blank(line) is blank


@given(lines, lines)
def test_what_must_stand_stands_in_every_spelling(before: str, line: str) -> None:
    """A text that folds to the same as what was sent has all its anchors as they are."""
    for spelled in (line, unicodedata.normalize("NFD", line), unicodedata.normalize("NFC", line)):
        assert all(anchor in before + spelled for anchor in must_stand([line]))


@pytest.mark.parametrize(
    ("line", "anchor"),
    [("print('x')", ["print("]), ("Kelvin", ["elvin"]), ('"-"', []), ("", []), ("a;b\u00e9cd", ["cd"])],
)
def test_anchors_have_no_other_spelling(line: str, anchor: list[str]) -> None:
    assert must_stand([line]) == anchor


def test_no_character_with_another_spelling_is_in_an_anchor() -> None:
    points = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000 and point != 0x0A]
    folded = fold_spelling("\n".join(points), SPELLINGS[-1]).split("\n")
    doubles = [pair for pair in zip(points, folded, strict=True) if pair[0] != pair[1]]
    assert ("“", '"') in doubles
    assert [pair for pair in doubles if must_stand(pair)] == []
