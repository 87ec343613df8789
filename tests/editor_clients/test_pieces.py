"""A text in pieces is, after any change, what the same change makes of one string."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from editor_clients import pieces
from editor_clients.lines import LineIndex, PositionEncoding, has_halves
from editor_clients.pieces import Pieces, Position

ENCODINGS = st.sampled_from(("utf-8", "utf-16", "utf-32"))
SHORT = st.sampled_from(["\r", "\n", "\r\n", "a", "bc", "é", "€", "😀", "\ud83d", "\ude00", "\u2028"])
TEXTS = st.lists(SHORT, max_size=14).map("".join)
Place = Position | int
PLACES: st.SearchStrategy[Place] = st.one_of(
    st.integers(0, 20), st.tuples(st.integers(-1, 9), st.integers(-1, 9))
)
"""Mostly offsets in the text; else a position that may lie outside of it."""


@pytest.fixture(params=[1, 4], autouse=True, scope="module")
def size(request: pytest.FixtureRequest) -> Iterator[int]:
    """Pieces so short that every text has many, and borders everywhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "_PIECE", request.param)
        patch.setattr(pieces, "_SMALL", (request.param + 1) // 2)
        yield request.param


def whole(text: str) -> str:
    """The text as an editor holds it: in UTF-16, where halves side by side are a character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def in_one_string(
    text: str, start: Position, end: Position, new: str, encoding: PositionEncoding
) -> str | None:
    index = LineIndex(text)
    first, last = index.offset_at(*start, encoding), index.offset_at(*end, encoding)
    return whole(text[:first] + new + text[last:]) if first <= last else None


@given(
    text=TEXTS,
    changes=st.lists(st.tuples(PLACES, PLACES, TEXTS, st.booleans()), max_size=8),
    encoding=ENCODINGS,
)
@example("abc\ud83d|\ude00efg", [(4, 5, "", True)], "utf-16")
@example("abcd", [(4, 4, "\ud83d", True), (5, 5, "\ude00", True)], "utf-16")
@example("abc\r|\nefg\nhij", [(4, 5, "", True)], "utf-8")
def test_any_change_makes_of_pieces_what_it_makes_of_one_string(
    text: str, changes: list[tuple[Place, Place, str, bool]], encoding: PositionEncoding
) -> None:
    held, text = Pieces(text, encoding), whole(text)
    for first, last, new, looks in changes:
        start, end = (
            LineIndex(text).position_at(one, encoding) if isinstance(one, int) else one
            for one in (first, last)
        )
        wanted = in_one_string(text, start, end, new, encoding)
        changed = held.spliced(start, end, new)
        assert (changed is None) == (wanted is None)
        if changed is None or wanted is None:
            continue
        assert changed.has_halves == has_halves(wanted)
        if looks:
            assert changed.text == wanted
            assert held.text == text, "the text before is what it was"
        held, text = changed, wanted
    for line in range(LineIndex(text).break_count + 2):
        marked = held.spliced((line, 1), (line, 1), "|")
        assert marked is not None
        assert marked.text == in_one_string(text, (line, 1), (line, 1), "|", encoding)
    assert held == Pieces(text, encoding)


def test_pieces_do_not_become_many_by_growing_and_shrinking(size: int) -> None:
    held = Pieces("a" * 20 * size)
    for _ in range(30):
        grown = held.spliced((0, size), (0, size), "b" * 9 * size)
        assert grown is not None
        shrunk = grown.spliced((0, size), (0, 10 * size), "")
        assert shrunk is not None
        held = shrunk
    assert held.text == "a" * 20 * size
    assert len(held._pieces or ()) <= 45
