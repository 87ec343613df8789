"""What is said of a patch that does not parse: the whole list of what could have stood there, and the file."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ledger.errors import Code, CoeditorError
from lsp_server.edits import v4a_refusals as refusals
from lsp_server.edits.v4a_lines import BEGIN, CHUNK_LINES, END, HEADERS, MOVE_TO

ADD, DELETE, UPDATE, MOVE = HEADERS
AFTER = (*HEADERS, END)


@pytest.mark.parametrize(
    ("refused", "expected", "path"),
    [
        (lambda: refusals.no_begin(7, at_end=False), (BEGIN,), None),
        (lambda: refusals.no_begin(7, at_end=True), (BEGIN,), None),
        (lambda: refusals.no_end(7, "f"), (END,), "f"),
        (lambda: refusals.no_sections(7), HEADERS, None),
        (lambda: refusals.two_envelopes(7), AFTER, None),
        (lambda: refusals.no_path(7, ADD), (ADD,), None),
        (lambda: refusals.no_arrow(7), (MOVE,), None),
        (lambda: refusals.two_arrows(7), (UPDATE, MOVE_TO), None),
        (lambda: refusals.second_move_to(7, "f"), ("@@", *AFTER), "f"),
        (lambda: refusals.empty_update(7, "f"), ("@@", MOVE_TO), "f"),
        (lambda: refusals.empty_chunk(7, "f"), CHUNK_LINES, "f"),
        (lambda: refusals.bad_add_line(7, "f"), ("+<line>", *AFTER), "f"),
    ],
)
def test_what_could_have_stood_there(
    refused: Callable[[], CoeditorError], expected: tuple[str, ...], path: str | None
) -> None:
    error = refused()
    assert error.code is Code.FS_INVALID_PATCH
    assert error.message.startswith("Patch line 7: ")
    assert error.data == {"line": 7, "expected": list(expected)}
    assert error.file_path == path


@pytest.mark.parametrize(
    ("raw", "in_update", "after_end", "said", "expected"),
    [
        ("*** Move to: g", True, False, "right below '*** Update File:'", ("@@", *CHUNK_LINES, *AFTER)),
        (" x", False, True, "another chunk starts with '@@'", ("@@", *AFTER)),
        ("-x", False, True, "another chunk starts with '@@'", ("@@", *AFTER)),
        ("+x", False, True, "another chunk starts with '@@'", ("@@", *AFTER)),
        ("X", False, True, "where a section has to start", ("@@", *AFTER)),
        ("-x", False, False, "where a section has to start", AFTER),
        ("@@x", True, False, "an anchor stands after '@@'", ("@@", *CHUNK_LINES, *AFTER)),
        ("@@x", False, False, "where a section has to start", AFTER),
        ("x", True, False, "a line of a chunk starts with", ("@@", *CHUNK_LINES, *AFTER)),
        ("*** Nope", True, False, "not a header that exists", ("@@", *CHUNK_LINES, *AFTER)),
    ],
)
def test_a_line_out_of_place(
    raw: str, in_update: bool, after_end: bool, said: str, expected: tuple[str, ...]
) -> None:
    error = refusals.out_of_place(7, raw, "f", in_update=in_update, after_end=after_end)
    assert said in error.message
    assert error.data == {"line": 7, "expected": list(expected)}
    assert error.file_path == "f"


@pytest.mark.parametrize(("line", "at_end", "told"), [(1, True, True), (2, True, False), (1, False, False)])
def test_a_patch_in_one_line_is_told_of_line_breaks(line: int, at_end: bool, told: bool) -> None:
    message = refusals.no_begin(line, at_end=at_end).message
    assert ("real line breaks" in message) is told
    assert ("was found." in message) is at_end


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("patch_bytes", "bytes"),
        ("patch_files", "files"),
        ("patch_chunks", "chunks"),
        ("patch_lines", "lines"),
    ],
)
def test_limits_are_named(name: str, what: str) -> None:
    error = refusals.too_large(7, name, 1_000)
    assert (error.code, error.data) == (Code.FS_TOO_LARGE, {"limit": 1_000, "limit_name": name, "line": 7})
    assert error.message.startswith(f"More than 1,000 {what} ")


def test_headers_by_their_names() -> None:
    names = ("Add", "Delete", "Update", "Move")
    assert tuple(refusals.header_form(name) for name in names) == HEADERS  # type: ignore[arg-type]
