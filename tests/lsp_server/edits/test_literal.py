"""Line ends of requests and of what they write."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.edits.literal import breaks_of, fold_file, fold_request, with_endings_of


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
    assert fold_file(sent) == file_view


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
    assert fold_file(written) == new
    replaced, kinds = breaks_of(text, start, end), re.findall("\r\n|\n|\r", written)
    if "\r" not in text.replace("\r\n", ""):  # a lone CR must not become a part of a CRLF
        assert kinds[: len(replaced)] == replaced[: len(kinds)]
        assert len(set(kinds[max(len(replaced) - 1, 0) :])) <= 1
    before_and_after = fold_file(text[:start]), fold_file(text[end:])
    assert fold_file(text[:start] + written + text[end:]) == new.join(before_and_after) or not new
    if "\n" not in text and "\r" not in text:
        assert written == new
