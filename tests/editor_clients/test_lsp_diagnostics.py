"""Diagnostics, places and URIs come over from LSP whole, whatever a server sends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.lines import LineIndex, PositionEncoding
from editor_clients.lsp_diagnostics import (
    MAX_ITEMS,
    MAX_MESSAGE,
    Columns,
    diagnostics_from,
    path_to_uri,
    position_encoding,
    uri_to_path,
)

ENCODINGS: tuple[PositionEncoding, ...] = ("utf-8", "utf-16", "utf-32")


def raw(start: tuple[int, int], end: tuple[int, int], **fields: object) -> dict[str, object]:
    places = [{"line": line, "character": character} for line, character in (start, end)]
    return {"range": {"start": places[0], "end": places[1]}, "message": "m", **fields}


def one(text: str, item: object, encoding: PositionEncoding = "utf-16") -> tuple[int, int, int, int]:
    (found,) = diagnostics_from([item], path="/w/a", text=text, encoding=encoding, server="tool")
    return found.line, found.column, found.end_line, found.end_column


@pytest.mark.parametrize(
    ("text", "start", "end", "expected"),
    [
        ("abc\n", (0, 0), (0, 3), (1, 1, 1, 3)),
        ("abc\n", (0, 1), (0, 1), (1, 2, 1, 2)),
        ("abc\n", (0, 0), (1, 0), (1, 1, 1, 4)),
        ("abc\r\ndef\r\n", (0, 1), (1, 2), (1, 2, 2, 2)),
        ("abc\r\ndef\r\n", (0, 1), (1, 0), (1, 2, 1, 4)),
        ("a\rb\r", (1, 0), (1, 1), (2, 1, 2, 1)),
        ("😀é x\n", (0, 4), (0, 5), (1, 4, 1, 4)),
        ("a\n", (1, 0), (1, 0), (2, 1, 2, 1)),
        ("a", (0, 1), (0, 1), (1, 2, 1, 2)),
        ("a", (7, 3), (9, 9), (1, 2, 1, 2)),
        ("", (0, 0), (0, 0), (1, 1, 1, 1)),
        ("ab\n", (0, 99), (0, 99), (1, 3, 1, 3)),
        ("ab\n", (0, 2), (0, 1), (1, 3, 1, 3)),
        ("ab\n", (-1, -1), (0, -4), (1, 1, 1, 1)),
        ("a\x0cb\u2028c\n", (0, 4), (0, 5), (1, 5, 1, 5)),
    ],
)
def test_ranges_become_inclusive_and_one_based(
    text: str, start: tuple[int, int], end: tuple[int, int], expected: tuple[int, int, int, int]
) -> None:
    assert one(text, raw(start, end)) == expected


@given(st.text("ab é😀\n\r", max_size=30), st.integers(0, 30), st.sampled_from(ENCODINGS))
def test_places_agree_with_the_line_index(text: str, offset: int, encoding: PositionEncoding) -> None:
    index = LineIndex(text)
    offset = min(offset, len(text))
    position = index.position_at(offset, encoding)
    line, column = Columns(text, encoding).place(*position)
    assert index.start_of(line) + column - 1 == index.offset_at(*position, encoding)


@pytest.mark.parametrize(
    ("fields", "severity", "code", "source"),
    [
        ({}, "error", None, "tool"),
        ({"severity": 2, "code": "E1", "source": "Tool"}, "warning", "E1", "tool"),
        ({"severity": 3, "code": 2322, "source": "ts"}, "information", "2322", "ts"),
        ({"severity": 4, "code": {"value": "x", "target": "y"}}, "hint", "x", "tool"),
        ({"severity": 9, "code": True, "source": 5}, "error", None, "tool"),
        ({"severity": "bad", "code": ""}, "error", None, "tool"),
    ],
)
def test_fields(fields: dict[str, object], severity: str, code: str | None, source: str) -> None:
    item = raw((0, 0), (0, 1), **fields)
    (found,) = diagnostics_from([item], path="/w/a", text="a", encoding="utf-16", server="tool")
    assert (found.severity, found.code, found.source) == (severity, code, source)


@pytest.mark.parametrize("item", [None, 3, "x", {}, {"range": None}, {"range": {"start": []}}, []])
def test_malformed_diagnostics_do_no_harm(item: object) -> None:
    assert one("a\n", item) == (1, 1, 1, 1)


@pytest.mark.parametrize("report", [None, {}, "x", 7])
def test_malformed_reports_are_empty(report: object) -> None:
    assert diagnostics_from(report, path="/w/a", text="a", encoding="utf-16", server="tool") == ()


def test_messages_and_lists_are_bounded_and_clean() -> None:
    item = raw((0, 0), (0, 1), message="\ud800" + "x" * 5_000)
    found = diagnostics_from([item] * (MAX_ITEMS + 5), path="/w/a", text="a", encoding="utf-16", server="t")
    assert (len(found), len(found[0].message)) == (MAX_ITEMS, MAX_MESSAGE)
    assert found[0].message.encode().startswith("\ufffdx".encode())


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///w/a.py", "/w/a.py"),
        ("file:///w/a%20b%3A.py", "/w/a b:.py"),
        ("file:///w/%C3%A9.py", "/w/é.py"),
        ("file://localhost/w/a.py", "/w/a.py"),
        ("untitled:Untitled-1", None),
        ("file://[w/a.py", None),
        ("", None),
    ],
)
def test_uris_in_any_spelling(uri: str, path: str | None) -> None:
    assert uri_to_path(uri) == path


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1))
def test_paths_survive_as_uris(name: str) -> None:
    assert uri_to_path(path_to_uri(f"/w/{name}")) == f"/w/{name}"


@pytest.mark.parametrize(("named", "expected"), [("utf-8", "utf-8"), (None, "utf-16"), ("utf-7", "utf-16")])
def test_position_encodings(named: object, expected: str) -> None:
    assert position_encoding(named) == expected
