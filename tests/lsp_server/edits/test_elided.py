"""Lines left out: what is a marker, and every way in which a block fits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.edits.blocks import BlockIndex, fits_line
from lsp_server.edits.elided import find_spans, is_marker, segments_of
from lsp_server.edits.fitting import TooManyPlacesError
from lsp_server.edits.folding import is_blank, split_indent
from lsp_server.edits.indentation import indent_map
from lsp_server.edits.levels import Level


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
