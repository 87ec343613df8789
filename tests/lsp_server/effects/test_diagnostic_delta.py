"""The delta says exactly what an edit did to the diagnostics, wherever it shifted them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.diagnostic import Diagnostic
from editor_clients.lines import LineIndex, apply_replacements
from editor_clients.port import Replacement
from lsp_server.effects.diagnostic_delta import Delta, TextMap, Unmoved, delta


def found(
    line: int, column: int, *, end: tuple[int, int] | None = None, message: str = "wrong"
) -> Diagnostic:
    end_line, end_column = end or (line, column)
    return Diagnostic("/w/a", line, column, end_line, end_column, "error", "E", "tool", message)


def counts(result: Delta) -> tuple[int, int, int]:
    return len(result.new), len(result.resolved), len(result.remaining)


def text_delta(
    text: str, replacements: list[Replacement], before: list[Diagnostic], after: list[Diagnostic]
) -> Delta:
    return delta(before, after, TextMap(text, apply_replacements(text, replacements), replacements))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([], [], (0, 0, 0)),
        ([found(1, 1)], [], (0, 1, 0)),
        ([], [found(1, 1)], (1, 0, 0)),
        ([found(1, 1)], [found(1, 1)], (0, 0, 1)),
        ([found(1, 1)], [found(1, 2)], (1, 1, 0)),
        ([found(1, 1)], [found(1, 1), found(1, 1)], (1, 0, 1)),
        ([found(1, 1), found(1, 1), found(1, 1)], [found(1, 1)], (0, 2, 1)),
        ([found(1, 1, message="one")], [found(1, 1, message="two")], (1, 1, 0)),
        ([found(1, 1, message="seen in line 3")], [found(1, 1, message="seen in line 7")], (0, 0, 1)),
        ([found(1, 1)], [replace(found(1, 1), source="other")], (1, 1, 0)),
        ([found(1, 1)], [replace(found(1, 1), code=None)], (1, 1, 0)),
        ([found(1, 1)], [replace(found(1, 1), severity="warning")], (1, 1, 0)),
        ([found(1, 1)], [replace(found(1, 1), file_path="/w/b")], (1, 1, 0)),
        ([found(1, 1, end=(1, 5))], [found(1, 1, end=(1, 6))], (1, 1, 0)),
    ],
)
def test_identity(before: list[Diagnostic], after: list[Diagnostic], expected: tuple[int, int, int]) -> None:
    assert counts(delta(before, after, Unmoved())) == expected


@pytest.mark.parametrize(
    ("text", "replacements", "before", "after", "expected"),
    [
        pytest.param(
            "a\nb\n", [Replacement(0, 0, "x\n")], [found(2, 1)], [found(3, 1)], (0, 0, 1), id="line above"
        ),
        pytest.param(
            "a\nb\n", [Replacement(2, 2, "x\n")], [found(1, 1)], [found(1, 1)], (0, 0, 1), id="line below"
        ),
        pytest.param(
            "ab", [Replacement(0, 0, "xyz")], [found(1, 2)], [found(1, 5)], (0, 0, 1), id="before in the line"
        ),
        pytest.param(
            "abc", [Replacement(1, 1, "x")], [found(1, 2)], [found(1, 3)], (0, 0, 1), id="right before"
        ),
        pytest.param(
            "abc", [Replacement(2, 2, "x")], [found(1, 2)], [found(1, 2)], (0, 0, 1), id="right behind"
        ),
        pytest.param(
            "f(a, b)",
            [Replacement(3, 3, "cc")],
            [found(1, 1, end=(1, 7))],
            [found(1, 1, end=(1, 9))],
            (0, 0, 1),
            id="inside its range",
        ),
        pytest.param(
            "bad\n", [Replacement(0, 4, "")], [found(1, 1)], [], (0, 1, 0), id="removed with its line"
        ),
        pytest.param(
            "bad\n",
            [Replacement(0, 3, "worse")],
            [found(1, 1)],
            [found(1, 4)],
            (0, 0, 1),
            id="rewritten, kept",
        ),
        pytest.param(
            "bad\n",
            [Replacement(0, 3, "fine")],
            [found(1, 1)],
            [found(2, 1)],
            (1, 1, 0),
            id="rewritten, another elsewhere",
        ),
        pytest.param(
            "call(old)\n",
            [Replacement(5, 9, "newer)")],
            [found(1, 1, end=(1, 9))],
            [found(1, 1, end=(1, 11))],
            (0, 0, 1),
            id="its end rewritten",
        ),
        pytest.param(
            "a", [Replacement(1, 1, "\nb")], [found(1, 2)], [found(2, 2)], (0, 0, 1), id="end of text"
        ),
        pytest.param(
            "a\r\nb\r\n",
            [Replacement(0, 0, "x\r\n"), Replacement(3, 3, "yy")],
            [found(1, 2), found(2, 1)],
            [found(2, 2), found(3, 3)],
            (0, 0, 2),
            id="carriage returns",
        ),
    ],
)
def test_ranges_are_carried_through_the_edit(
    text: str,
    replacements: list[Replacement],
    before: list[Diagnostic],
    after: list[Diagnostic],
    expected: tuple[int, int, int],
) -> None:
    assert counts(text_delta(text, replacements, before, after)) == expected


def test_a_flood_of_equal_diagnostics_is_counted_not_compared_pairwise() -> None:
    text = "bad\n" * 5_000
    before = [found(1, 1)] * 5_000
    after = [found(1, 1)] * 5_001
    assert counts(text_delta(text, [Replacement(0, 1, "B")], before, after)) == (1, 0, 5_000)


@dataclass(frozen=True)
class Case:
    """A text, an edit of whole lines, and diagnostics that stand somewhere in it."""

    before: str
    after: str
    replacements: list[Replacement]
    old: list[Diagnostic]
    kept: list[Diagnostic]
    gone: list[Diagnostic]


WORDS = st.text("ab é😀\t", max_size=6)


@st.composite
def shifted_lines(draw: st.DrawFn) -> Case:
    """Lines are removed, inserted, and stay, at random; every diagnostic says which line it was made for."""
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    pieces: list[tuple[str, str, str]] = []
    """What happens, the line before, the line after."""
    for what in draw(st.lists(st.sampled_from(["stay", "stay", "stay", "remove", "insert"]), max_size=25)):
        line = draw(WORDS) + end
        pieces.append((what, "" if what == "insert" else line, "" if what == "remove" else line))
    old: list[Diagnostic] = []
    kept: list[Diagnostic] = []
    gone: list[Diagnostic] = []
    replacements: list[Replacement] = []
    offset, at, now = 0, 1, 1
    for what, line, new in pieces:
        if what != "insert":
            for _ in range(draw(st.integers(0, 2))):
                first = draw(st.integers(1, max(len(line) - len(end), 0) + 1))
                last = draw(st.integers(first, max(len(line) - len(end), 0) + 1))
                message = draw(st.sampled_from(["odd", "wrong"]))
                item = found(at, first, end=(at, last), message=message)
                old.append(item)
                if what == "stay":
                    kept.append(replace(item, line=now, end_line=now))
                else:
                    gone.append(item)
        if what != "stay":
            replacements.append(Replacement(offset, offset + len(line), new))
        offset += len(line)
        at += what != "insert"
        now += what != "remove"
    before = "".join(line for _, line, _ in pieces)
    return Case(before, apply_replacements(before, replacements), replacements, old, kept, gone)


@given(shifted_lines(), st.data())
def test_shifted_lines_are_no_news(case: Case, data: st.DataObject) -> None:
    fresh = [
        found(data.draw(st.integers(1, 30)), data.draw(st.integers(1, 6)), message="new of its kind")
        for _ in range(data.draw(st.integers(0, 3)))
    ]
    after = data.draw(st.permutations(case.kept + fresh))
    result = delta(case.old, after, TextMap(case.before, case.after, case.replacements))
    assert sorted(map(repr, result.new)) == sorted(map(repr, fresh))
    assert sorted(map(repr, result.resolved)) == sorted(map(repr, case.gone))
    assert sorted(map(repr, result.remaining)) == sorted(map(repr, case.kept))


@st.composite
def edited_texts(draw: st.DrawFn) -> tuple[str, list[Replacement]]:
    text = draw(st.text("ab\n\ré😀", max_size=40))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    return text, [Replacement(start, end, draw(st.text("xy\n", max_size=4))) for start, end in pairs]


@given(edited_texts(), st.data())
def test_a_range_whose_ends_survive_is_found_again(
    edited: tuple[str, list[Replacement]], data: st.DataObject
) -> None:
    """Against a plain oracle: each character carries its old offset through the edit."""
    text, replacements = edited
    pieces: list[int] = []
    done = 0
    for one in replacements:
        pieces += [*range(done, one.start), *[-1] * len(one.text)]
        done = one.end
    pieces += range(done, len(text))
    after_text = apply_replacements(text, replacements)
    survivors = [offset for offset in pieces if offset >= 0]
    if not survivors:
        return
    first, last = sorted((data.draw(st.sampled_from(survivors)), data.draw(st.sampled_from(survivors))))
    old = spanning(text, first, last)
    new = spanning(after_text, pieces.index(first), pieces.index(last))
    if old is not None and new is not None:
        assert counts(text_delta(text, replacements, [old], [new])) == (0, 0, 1)


def spanning(text: str, first: int, last: int) -> Diagnostic | None:
    """A diagnostic over characters; None where one is the second half of a line break: it has no place."""
    index = LineIndex(text)
    places: list[tuple[int, int]] = []
    for offset in (first, last):
        if text[offset - 1 : offset + 1] == "\r\n":
            return None
        line = index.line_of(offset)
        places.append((line, offset - index.start_of(line) + 1))
    return found(*places[0], end=places[1])


@given(st.lists(st.integers(1, 4)), st.lists(st.integers(1, 4)))
def test_everything_is_accounted_for(before: list[int], after: list[int]) -> None:
    olds, news = [found(line, 1) for line in before], [found(line, 1) for line in after]
    result = delta(olds, news, Unmoved())
    assert len(result.new) + len(result.remaining) == len(news)
    assert len(result.resolved) + len(result.remaining) == len(olds)


@given(st.text("ab\n\r", max_size=30), st.data())
def test_a_flood_is_placed_as_a_few_are(text: str, data: st.DataObject) -> None:
    """Many questions are answered from a list of all lines, with the same answers."""
    few, many = TextMap(text, text, []), TextMap(text, text, [])
    for _ in range(500):
        many.moved((1, 1))
    index = LineIndex(text)
    line = data.draw(st.integers(1, index.line_count + 2))
    place = line, data.draw(st.integers(1, 4))
    assert many.moved(place) == few.moved(place)
