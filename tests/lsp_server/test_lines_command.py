"""What `coeditor lines` prints."""

from __future__ import annotations

import pytest

from lsp_server.lines_command import lines_of

ROWS = {
    "lines": [
        {"start_line": 1, "end_line": 1, "by": "person"},
        {"start_line": 2, "end_line": 3, "by": "agent", "agent": "ada", "session": "s", "edit_id": "e1"},
    ]
}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_each_line_is_beside_whose_it_is(end: str) -> None:
    text = end.join(["one", "two\v2", "three"])
    assert list(lines_of(ROWS, text)) == [
        "person      1  one",
        "ada e1      2  two\v2",
        "ada e1      3  three",
    ]
