"""The workspace edits that are sent, position for position: columns, line ends and the ends of texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.contract.benches import Bench, attached
from tests.fakes.editor import Encoding, ScriptedEditor

Span = tuple[tuple[int, int], tuple[int, int]]


def sent(bench: Bench) -> list[tuple[Span, str]]:
    """The text edits of the only workspace edit."""
    assert bench.editor is not None
    (asked,) = [params for method, params in bench.editor.asked if method == "workspace/applyEdit"]
    (change,) = asked["edit"]["documentChanges"]
    return [(span_of(edit["range"]), edit["newText"]) for edit in change["edits"]]


def span_of(found: dict[str, Any]) -> Span:
    start, end = found["start"], found["end"]
    return (start["line"], start["character"]), (end["line"], end["character"])


async def edited(bench: Bench, before: str, after: str) -> list[tuple[Span, str]]:
    target = bench.file("a.txt", before)
    await bench.client.apply([await bench.update(target, after)])
    assert bench.document(target).text == after
    assert await bench.now(target) == after
    return sent(bench)


@pytest.mark.parametrize(("encoding", "column"), [("utf-16", 11), ("utf-8", 13), ("utf-32", 10)])
async def test_columns_after_an_emoji_are_the_editors(
    tmp_path: Path, encoding: Encoding, column: int
) -> None:
    bench = attached(tmp_path, ScriptedEditor(encoding=encoding))
    ((span, new),) = await edited(bench, 'x = "\U0001fad6" + old', 'x = "\U0001fad6" + new')
    assert (span, new) == (((0, column), (0, column + 3)), "new")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-32"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param('let t = "\U0001fad6";', 'let u = "\U0001f375";', id="an emoji and no final newline"),
        pytest.param("\U0001fad6", "\U0001f375\U0001f375", id="nothing but an emoji"),
        pytest.param("a\U0001fad6", "", id="all is taken away"),
        pytest.param("", "\U0001fad6\n", id="an empty text"),
        pytest.param("one\n", "one\n\U0001fad6\n", id="after the final newline"),
        pytest.param("one\r\n\U0001fad6", "one\r\n\U0001fad6\r\n", id="a final newline"),
    ],
)
async def test_edits_at_the_very_end_lose_and_double_nothing(
    tmp_path: Path, encoding: Encoding, before: str, after: str
) -> None:
    await edited(attached(tmp_path, ScriptedEditor(encoding=encoding)), before, after)


@pytest.mark.parametrize(
    ("before", "after", "end"), [("", "x", (0, 0)), ("a\nb\n", "a\nb\nx\n", (2, 0)), ("ab", "abx", (0, 2))]
)
async def test_the_end_of_a_text_is_where_lsp_has_it(
    tmp_path: Path, before: str, after: str, end: tuple[int, int]
) -> None:
    found = await edited(attached(tmp_path, ScriptedEditor()), before, after)
    assert found == [((end, end), after[len(before) :])]


async def test_new_lines_of_a_crlf_document_are_crlf_and_its_breaks_count_once(tmp_path: Path) -> None:
    ((span, new),) = await edited(attached(tmp_path, ScriptedEditor()), "a\r\nb\r\n", "a\r\nb\r\nc\r\n")
    assert span[0][0] in (1, 2)
    assert new.count("\r\n") == 1
    assert new.replace("\r\n", "").isalpha()
