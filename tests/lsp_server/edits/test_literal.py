"""Line ends of requests and of what they write."""

from __future__ import annotations

import re
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.lines import folded
from lsp_server.edits.literal import breaks_of, fold_request, with_endings_of


@pytest.mark.parametrize(
    ("sent", "request_view", "file_view"),
    [
        ("", "", ""),
        ("a\nb", "a\nb", "a\nb"),
        ("a\r\nb\r", "a\nb\r", "a\nb\n"),
        ("\r\r\n\n\r", "\r\n\n\r", "\n\n\n\n"),
        ("a\u2028b\x85", "a\u2028b\x85", "a\u2028b\x85"),
    ],
)
def test_a_lone_cr_ends_a_line_of_a_file_and_not_of_a_request(
    sent: str, request_view: str, file_view: str
) -> None:
    assert fold_request(sent) == request_view
    assert folded(sent) == file_view


@pytest.mark.parametrize(
    ("new", "text", "span", "written"),
    [
        ("x", "a\r\nb", (0, 1), "x"),
        ("x\ny\nz", "a\r\nb\nc", (0, 6), "x\r\ny\nz"),
        ("x\ny\nz", "a\r\nb\nc", (0, 4), "x\r\ny\r\nz"),
        ("x\ny", "a\r\nb\nc", (5, 6), "x\ny"),
        ("x\ny", "a\r\nb\nc", (3, 4), "x\r\ny"),
        ("x\ny", "a\rb", (2, 3), "x\ry"),
        ("x\ny", "a\r\n", (0, 1), "x\r\ny"),
        ("x\ny", "a\nb\r\n", (2, 3), "x\ny"),
        ("x\r\ny", "a\nb\r\n", (2, 3), "x\ny"),
        ("x\r\ny\n", "a", (0, 1), "x\r\ny\n"),
        ("x\ry\n", "a\r\n", (0, 3), "x\ry\r\n"),
    ],
)
def test_the_ith_break_takes_the_kind_of_the_ith(
    new: str, text: str, span: tuple[int, int], written: str
) -> None:
    assert with_endings_of(new, text, *span) == written


@given(st.text(alphabet="a\r\n", max_size=12), st.text(alphabet="b\n", max_size=8), st.data())
def test_only_line_ends_change(text: str, new: str, data: st.DataObject) -> None:
    cuts = [at for at in range(len(text) + 1) if text[max(at - 1, 0) : at + 1] != "\r\n" or at == 0]
    start = data.draw(st.sampled_from(cuts))
    end = data.draw(st.sampled_from([at for at in cuts if at >= start]))
    written = with_endings_of(new, text, start, end)
    assert folded(written) == new
    replaced, kinds = breaks_of(text, start, end), re.findall("\r\n|\n|\r", written)
    if "\r" not in text.replace("\r\n", ""):  # a lone CR must not become a part of a CRLF
        assert kinds[: len(replaced)] == replaced[: len(kinds)]
        assert len(set(kinds[max(len(replaced) - 1, 0) :])) <= 1
    before_and_after = folded(text[:start]), folded(text[end:])
    assert folded(text[:start] + written + text[end:]) == new.join(before_and_after) or not new
    if "\n" not in text and "\r" not in text:
        assert written == new


def _cuts(text: str) -> list[int]:
    return [at for at in range(len(text) + 1) if at == 0 or text[at - 1 : at + 1] != "\r\n"]


def test_without_breaks_to_go_by_the_next_one_behind_the_span_counts() -> None:
    assert with_endings_of("x\ny", "a\r\nb\nc", 0, 4, breaks=[]) == "x\ny"
    assert with_endings_of("x\ny", "a\nb\r\nc", 0, 3, breaks=[]) == "x\r\ny"


@pytest.mark.parametrize("length", range(6))
def test_line_ends_never_join_or_part_in_any_short_text(length: int) -> None:
    news = ["".join(new) for size in range(4) for new in product("b\n", repeat=size) if "\n" in new]
    for letters in product("a\r\n", repeat=length):
        text = "".join(letters)
        if "\r" not in text:
            continue
        for start, end in combinations_with_replacement(_cuts(text), 2):
            before, after = folded(text[:start]), folded(text[end:])
            for new in news:
                written = with_endings_of(new, text, start, end)
                assert folded(text[:start] + written + text[end:]) == before + new + after
                assert folded(written) == new


@pytest.mark.parametrize(
    ("new", "text", "span", "written"),
    [
        ("x\n\ny", "a\rb\nc", (0, 4), "x\r\ry"),
        ("\n", "a\r\nb", (0, 1), "\r\n"),
        ("x\n", "a\rb\n\nc", (0, 3), "x\n"),
        ("\n", "a\r\rb\n\n", (2, 4), "\r\n"),
        ("\n\n", "p\rb\nc", (2, 2), "\r\r"),
        ("x\n\n", "a\r\r\n", (0, 1), "x\r\r"),
        ("x\n", "p\rq\n", (2, 3), "x\n"),
        ("\n", "p\rq\n", (2, 3), "\r\n"),
        ("x\n\n", "p\rq\n", (2, 3), "x\r\r\n"),
        ("\n\n", "p\rq\n", (2, 3), "\r\r\n"),
        ("x\ny\n", "p\rq\n", (2, 3), "x\ry\n"),
        ("\nx\n", "p\rq\n", (2, 3), "\rx\n"),
        ("x\n", "\ra", (1, 2), "x\r"),
        ("x\n", "\na\r", (1, 2), "x\n"),
        ("x\ny", "\nab\r\n", (2, 3), "x\ny"),
        ("x\ny", "\r\nab\n", (3, 4), "x\r\ny"),
        ("x\ny", "a\n\rab\n", (4, 5), "x\ry"),
        ("x\ny", "a\r\nb\rcd\re\n", (6, 7), "x\ry"),
        ("x\ny", "p\r\nabc", (4, 5), "x\r\ny"),
        ("x\ny", "abc\r\nd\n", (1, 2), "x\r\ny"),
        ("x\ny", "\nb", (2, 2), "x\ny"),
        ("x\ny", "\r\nb\n", (3, 3), "x\r\ny"),
        ("x\ny", "\rb\n", (2, 2), "x\ry"),
        ("x\ny", "a\nb\r", (0, 1), "x\ny"),
        ("x\ny", "\n\rb\n", (3, 3), "x\ry"),
        ("\nx", "a\rb\nc", (1, 1), "\rx"),
        ("\nx", "a\rb\nc", (2, 2), "\rx"),
        ("\nx\n", "a\rb\nc\n", (2, 5), "\rx\n"),
        ("x\ny", "a\n\nb\rc", (5, 5), "x\ry"),
        ("x\ny", "ab\r\nc\n", (1, 1), "x\r\ny"),
        ("x\ny", "ab\nc\r\n", (3, 4), "x\ny"),
    ],
)
def test_a_line_end_stays_apart_from_those_beside_it(
    new: str, text: str, span: tuple[int, int], written: str
) -> None:
    assert with_endings_of(new, text, *span) == written
