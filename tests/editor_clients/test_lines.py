"""Line starts and positions, against slow models that walk character by character."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients import lines
from editor_clients.lines import (
    LineIndex,
    PositionEncoding,
    apply_replacements,
    count_breaks,
    eol_of,
    lines_at,
    split_lines,
)
from editor_clients.port import Replacement
from tests.editor_clients.text_strategies import any_texts, texts

ENCODINGS: tuple[PositionEncoding, ...] = ("utf-8", "utf-16", "utf-32")


def slow_lines(text: str) -> list[str]:
    found, current = [], ""
    for at, character in enumerate(text):
        current += character
        if character == "\n" or (character == "\r" and text[at + 1 : at + 2] != "\n"):
            found.append(current)
            current = ""
    return [*found, current] if current else found


def slow_units(text: str, encoding: PositionEncoding) -> int:
    size = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    return (
        sum(len(c.encode(f"{encoding}-le" if size > 1 else encoding, "surrogatepass")) for c in text) // size
    )


def slow_offset(text: str, line: int, character: int, encoding: PositionEncoding) -> int:
    rows = slow_lines(text)
    if not rows or rows[-1][-1] in "\r\n":
        rows.append("")
    if line >= len(rows):
        return len(text)
    start = sum(map(len, rows[:line]))
    content = rows[line].rstrip("\r\n") if rows[line].endswith("\r\n") else rows[line].removesuffix("\n")
    content = content.removesuffix("\r") if rows[line].endswith("\r") else content
    used = 0
    for count, c in enumerate(content):
        used += slow_units(c, encoding)
        if used > character:
            return start + count
    return start + len(content)


@pytest.fixture(autouse=True, params=[3, 8192], ids=["tiny-blocks", "real-blocks"], scope="module")
def block(request: pytest.FixtureRequest) -> Iterator[None]:
    """The index must not depend on the size of its blocks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK", request.param)
        yield


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a\n"]),
        ("\n", ["\n"]),
        ("a\r\nb\rc\nd", ["a\r\n", "b\r", "c\n", "d"]),
        ("\r\r\n\n", ["\r", "\r\n", "\n"]),
        ("a\fb\vc\x1cd\x85e\u2028f\u2029g", ["a\fb\vc\x1cd\x85e\u2028f\u2029g"]),
    ],
)
def test_split_only_at_the_three_line_ends(text: str, expected: list[str]) -> None:
    assert split_lines(text) == expected


@given(any_texts)
def test_lines_as_the_slow_model(text: str) -> None:
    expected = slow_lines(text)
    index = LineIndex(text)
    assert split_lines(text) == expected
    assert index.line_count == len(expected) == lines.count_lines_of(text)
    start = 0
    for number, row in enumerate(expected, 1):
        assert index.start_of(number) == start
        assert index.span_of_lines(number, number) == (start, start + len(row))
        assert {index.line_of(start + i) for i in range(len(row))} == {number}
        assert index.line_text(number) == row.rstrip("\r\n")
        start += len(row)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 1), ("a", 1), ("a\n", 2), ("a\nb", 2), ("a\r\n", 2), ("\r\r", 3)],
)
def test_the_end_belongs_to_the_line_that_would_follow(text: str, expected: int) -> None:
    assert LineIndex(text).line_of(len(text)) == expected


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [(1, 2, (0, 4)), (2, 3, (2, 5)), (3, 2, (4, 4)), (1, 0, (0, 0)), (4, 4, (5, 5)), (2, 99, (2, 5))],
)
def test_span_of_lines_outside_is_empty_at_the_end(first: int, last: int, expected: tuple[int, int]) -> None:
    assert LineIndex("a\nb\nc").span_of_lines(first, last) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "none"),
        ("a\u2028b", "none"),
        ("a\nb\n", "lf"),
        ("a\r\nb", "crlf"),
        ("a\rb\r", "cr"),
        ("a\r\nb\n", "mixed"),
        ("a\rb\r\n", "mixed"),
        ("a\n\r", "mixed"),
    ],
)
def test_eol(text: str, expected: str) -> None:
    assert eol_of(text) == expected


@given(any_texts, st.data())
def test_lines_of_rising_offsets_are_those_of_the_index(text: str, data: st.DataObject) -> None:
    offsets = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    index = LineIndex(text)
    assert lines_at(text, offsets) == [index.line_of(offset) for offset in offsets]


@pytest.mark.parametrize(
    ("text", "offsets", "lines"),
    [
        ("\na", [0, 1], [1, 2]),
        ("\r\na", [0, 1, 2], [1, 1, 2]),
        ("\ra", [1], [2]),
        ("a\r\nb\n", [2, 3, 5], [1, 2, 3]),
    ],
)
def test_lines_of_offsets_at_a_break(text: str, offsets: list[int], lines: list[int]) -> None:
    assert lines_at(text, offsets) == lines


@given(any_texts, st.integers(0, 30), st.integers(0, 30))
def test_breaks_of_a_part_are_those_of_its_text(text: str, start: int, size: int) -> None:
    assert count_breaks(text, start, start + size) == len(
        re.findall("\r\n|\r|\n", text[start : start + size])
    )


@given(any_texts, st.sampled_from(ENCODINGS), st.integers(0, 12), st.integers(0, 40))
def test_offset_of_a_position_as_the_slow_model(
    text: str, encoding: PositionEncoding, line: int, character: int
) -> None:
    assert LineIndex(text).offset_at(line, character, encoding) == slow_offset(
        text, line, character, encoding
    )


@given(any_texts, st.sampled_from(ENCODINGS))
def test_position_and_back(text: str, encoding: PositionEncoding) -> None:
    index = LineIndex(text)
    for offset in range(len(text) + 1):
        line, character = index.position_at(offset, encoding)
        between = text[offset - 1 : offset + 1] == "\r\n" and offset > 0
        assert index.offset_at(line, character, encoding) == offset - between


@pytest.mark.parametrize(
    ("encoding", "character", "expected"),
    [
        ("utf-8", 1, 1),
        ("utf-8", 2, 1),
        ("utf-8", 4, 1),
        ("utf-8", 5, 2),
        ("utf-16", 2, 1),
        ("utf-16", 3, 2),
        ("utf-16", 99, 3),
        ("utf-32", 2, 2),
        ("utf-16", -1, 0),
    ],
)
def test_a_position_inside_a_character_is_its_start(
    encoding: PositionEncoding, character: int, expected: int
) -> None:
    assert LineIndex("a😀b\n").offset_at(0, character, encoding) == expected


@pytest.mark.parametrize(("line", "expected"), [(-1, 0), (0, 0), (1, 2), (2, 2), (99, 2)])
def test_lines_outside_are_clamped(line: int, expected: int) -> None:
    assert LineIndex("a\n").offset_at(line, 0) == expected


@pytest.mark.parametrize(("offset", "expected"), [(-5, (0, 0)), (99, (1, 1)), (2, (0, 1)), (3, (1, 0))])
def test_offsets_outside_or_between_cr_and_lf_are_clamped(offset: int, expected: tuple[int, int]) -> None:
    assert LineIndex("a\r\nb").position_at(offset) == expected


def test_halves_of_pairs_from_an_editor_are_counted() -> None:
    index = LineIndex("\ud83dx\n")
    assert index.offset_at(0, 1, "utf-16") == 1
    assert index.offset_at(0, 2, "utf-8") == 0
    assert index.position_at(2, "utf-8") == (0, 4)


@given(texts, st.data())
def test_replacements_are_spliced(text: str, data: st.DataObject) -> None:
    cuts = sorted(
        data.draw(st.lists(st.integers(0, len(text)), max_size=6).filter(lambda c: len(c) % 2 == 0))
    )
    pairs = list(zip(cuts[::2], cuts[1::2], strict=True))
    made = [Replacement(start, end, f"<{number}>") for number, (start, end) in enumerate(pairs)]
    expected = text
    for one in reversed(made):
        expected = expected[: one.start] + one.text + expected[one.end :]
    assert apply_replacements(text, made) == expected


@pytest.mark.parametrize(
    "wrong",
    [
        [Replacement(2, 1, "")],
        [Replacement(0, 9, "")],
        [Replacement(-1, 0, "")],
        [Replacement(0, 2, ""), Replacement(1, 3, "")],
        [Replacement(2, 3, ""), Replacement(0, 1, "")],
    ],
)
def test_replacements_out_of_order_are_our_mistake(wrong: list[Replacement]) -> None:
    with pytest.raises(ValueError, match="replacement"):
        apply_replacements("abc", wrong)
