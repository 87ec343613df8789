"""Lines left out: what is a marker, and every way in which a block fits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.lines import apply_replacements
from ledger.errors import Code, CoeditorError
from lsp_server.edits import elided
from lsp_server.edits.blocks import BlockIndex, fits_line
from lsp_server.edits.elided import find_spans, is_marker, segments_of
from lsp_server.edits.fitting import TooManyPlacesError
from lsp_server.edits.folding import is_blank, split_indent
from lsp_server.edits.indentation import indent_map
from lsp_server.edits.levels import Level
from lsp_server.edits.matching import match_edit


@pytest.mark.parametrize(
    "line",
    [
        "...",
        "  ...  ",
        "…",
        "# ...",
        "#...",
        "## ...",
        "// ...",
        "/// …",
        "-- ...",
        "; ...",
        ";; ...",
        "% ...",
        "' ...",
        "/* ... */",
        "/*...*/",
        "{/* ... */}",
        "<!-- ... -->",
        "(* ... *)",
        "\t// ...",
        "REM ...",
    ],
)
def test_dots_alone_or_in_a_comment_are_a_marker(line: str) -> None:
    assert is_marker(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "..",
        "....",
        "a ...",
        "... a",
        "# ... rest of the code",
        "// ...existing",
        "* ...",
        "[...]",
        "...,",
        "/* ...",
        "#",
    ],
)
def test_anything_else_is_text(line: str) -> None:
    assert not is_marker(line)


def brute(lines: Sequence[str], block: Sequence[str]) -> list[tuple[int, ...]]:
    segments = segments_of(block)
    if len(segments) < 2 or any(all(map(is_blank, segment)) for segment in segments):
        return []
    found = []
    for starts in combinations(range(len(lines)), len(segments)):
        ends = [start + len(segment) for start, segment in zip(starts, segments, strict=True)]
        if ends[-1] > len(lines) or any(end > start for end, start in zip(ends, starts[1:], strict=False)):
            continue
        pairs = [
            (sent, lines[start + number])
            for start, segment in zip(starts, segments, strict=True)
            for number, sent in enumerate(segment)
        ]
        if not all(fits_line(there, sent, Level.ELIDED) for sent, there in pairs):
            continue
        shown = [
            (split_indent(sent)[0], split_indent(there)[0]) for sent, there in pairs if not is_blank(sent)
        ]
        if indent_map(shown) is not None:
            found.append(starts)
    return found


row = st.sampled_from(["a", " a", "  a", "b", " b", "", "c "])


@given(st.lists(row, max_size=9), st.lists(row | st.just("..."), min_size=1, max_size=6))
def test_all_ways_to_fit_are_found(lines: list[str], block: list[str]) -> None:
    assert [span.starts for span in find_spans(BlockIndex(lines), block)] == brute(lines, block)


def test_too_many_places_are_given_up_in_bounded_time() -> None:
    with pytest.raises(TooManyPlacesError):
        list(find_spans(BlockIndex(["{", "}"] * 20_000), ["{", "...", "}"]))
    deeper = [" " * n + "a" for n in range(1, 400)] + ["b"]
    with pytest.raises(TooManyPlacesError):
        list(find_spans(BlockIndex(deeper), ["a", "...", "a", "...", "a", "...", " b"]))


@pytest.mark.parametrize(
    ("lines", "block", "starts"),
    [
        (["b", "x", "a"], ["a", "...", "b"], []),
        (["a", "b"], ["a", "b", "...", "b"], []),
        (["a", "b", "b"], ["a", "b", "...", "b"], [(0, 2)]),
        (["b", "b", "a", "b"], ["b", "b", "...", "b"], [(0, 3)]),
        (["a", "  b", "c"], ["a", "  b", "...", "c"], [(0, 2)]),
        (["a", "b"], ["a", "...", "b"], [(0, 1)]),
    ],
)
def test_parts_stand_in_order_and_apart(
    lines: list[str], block: list[str], starts: list[tuple[int, ...]]
) -> None:
    assert [span.starts for span in find_spans(BlockIndex(lines), block)] == starts


def test_as_many_places_as_are_looked_at_are_not_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elided, "MOST_FOUND", 2)
    assert len(list(find_spans(BlockIndex(["a", "a", "b"]), ["a", "...", "b"]))) == 2
    with pytest.raises(TooManyPlacesError):
        list(find_spans(BlockIndex(["a", "a", "a", "b"]), ["a", "...", "b"]))


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        # An indentation that only the other part has.
        (
            "def f():\n\ta = 1\n\tb = 2\n\tif b:\n\t\tc = 3\n",
            "def f():\n    a = 1\n...\n        c = 3\n",
            "def f():\n    a = 1\n...\n    d = 4\n        c = 3\n",
            "def f():\n\ta = 1\n\tb = 2\n\tif b:\n\td = 4\n\t\tc = 3\n",
        ),
        # Parts of several sizes.
        ("a\nm\nb\nc\nd\n", "a\n...\nb\nc\n", "A\n...\nB\nc\n", "A\nm\nB\nc\nd\n"),
        ("a\nb\nm\nc\nd\n", "a\nb\n...\nc\n", "A\nb\n...\nC\n", "A\nb\nm\nC\nd\n"),
        # Two markers that differ, both kept; one of them kept.
        ("a\n1\nb\n2\nc\n", "a\n# ...\nb\n...\nc\n", "A\n# ...\nB\n...\nC\n", "A\n1\nB\n2\nC\n"),
        ("a\n1\nb\n2\nc\n", "a\n# ...\nb\n...\nc\n", "A\n...\nC\n", "A\n2\nC\n"),
        # None of them kept.
        ("a\n1\nb\n", "a\n...\nb\n", "c\n", "c\n"),
        # The line end behind the last line is a part of what is shared.
        ("x\n1\na\n\nb  \n", "x\n...\na\n\nb\n", "x\n...\nb\n", "x\n1\nb  \n"),
    ],
)
def test_lines_left_out_stay(text: str, old: str, new: str, after: str) -> None:
    match = match_edit(text, old, new)
    assert match.level is Level.ELIDED
    assert apply_replacements(text, match.replacements) == after


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("a\n...\nb\n", "a\n# ...\nb\n", "stands only in new_string"),
        ("a\n...\nb\n", "a\n...\nb\n...\n", "stands only in new_string"),
        ("a\n...\nb\n...\nc\n", "a\n...\nc\n", "could stand for more than one part"),
    ],
)
def test_a_marker_that_is_not_clear_is_refused_and_named(old: str, new: str, why: str) -> None:
    with pytest.raises(CoeditorError) as error:
        match_edit("a\n1\nb\n2\nc\n", old, new)
    assert error.value.code is Code.FS_NO_MATCH
    assert error.value.data["elided"] == why
    assert why in error.value.message
