"""Three texts side by side: every change is in one region, and what is outside is the same in all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.lines import split_lines
from lsp_server.edits.three_way import regions_of, shown
from lsp_server.wire.conflict_texts import as_text

BASE = "a\nb\nc\nd\ne\nf\n"


@pytest.mark.parametrize(
    ("theirs", "yours", "wanted"),
    [
        pytest.param(
            BASE.replace("b", "B"),
            BASE.replace("e", "E"),
            [((2, 2), (2, 2), (2, 2), "theirs"), ((5, 5), (5, 5), (5, 5), "yours")],
            id="far apart",
        ),
        pytest.param(
            BASE.replace("b\n", "b\nx\n"),
            BASE.replace("f", "F"),
            [((3, 2), (3, 3), (3, 2), "theirs"), ((6, 6), (7, 7), (6, 6), "yours")],
            id="an insertion moves what follows",
        ),
        pytest.param(
            BASE.replace("b", "B"),
            BASE.replace("b", "2"),
            [((2, 2), (2, 2), (2, 2), "both")],
            id="the same line",
        ),
        pytest.param(
            BASE.replace("b", "B"),
            BASE.replace("c", "C"),
            [((2, 3), (2, 3), (2, 3), "both")],
            id="adjoining lines",
        ),
        pytest.param(
            BASE.replace("b\nc\n", ""),
            BASE.replace("c", "C1\nC2"),
            [((2, 3), (2, 1), (2, 4), "both")],
            id="removed below an edit",
        ),
        pytest.param(BASE, BASE.replace("a", "A"), [((1, 1), (1, 1), (1, 1), "yours")], id="one side only"),
    ],
)
def test_regions(theirs: str, yours: str, wanted: list[Any]) -> None:
    found = [
        (one.base, one.theirs, one.yours, "both" if one.overlaps else next(iter(one.by)))
        for one in regions_of(BASE, theirs, yours)
    ]
    assert found == wanted


lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=12).map("".join)


@given(lines, lines, lines)
def test_outside_of_the_regions_all_three_are_the_same(base: str, theirs: str, yours: str) -> None:
    outside: dict[str, list[str]] = {}
    for name, text in (("base", base), ("theirs", theirs), ("yours", yours)):
        inside = set()
        for region in regions_of(base, theirs, yours):
            first, last = getattr(region, name)
            inside |= set(range(first, last + 1))
        outside[name] = [line for number, line in enumerate(split_lines(text), 1) if number not in inside]
    assert outside["base"] == outside["theirs"] == outside["yours"]


def test_what_is_shown_is_bounded_and_what_meets_comes_first() -> None:
    base = "".join(f"{n}\n" for n in range(100))
    theirs = base.replace("\n", "x" * 1_000 + "\n")
    yours = base.replace("90\n", "9o\n")
    every_other = "".join(f"{n}{'x' if n % 4 == 0 else ''}\n" for n in range(100))
    for other in (theirs, every_other):
        found = shown(regions_of(base, other, yours), base, other, yours, chars=2_000)
        assert len(str(found)) < 6_000
    assert found["more_regions"] == 18
    assert found["overlap"] is False
    meets = shown(regions_of(base, theirs, yours), base, theirs, yours, chars=2_000)
    assert meets["overlap"] is True
    assert meets["regions"][0]["theirs"]["cut"] is True


@pytest.mark.parametrize(("width", "cut"), [(79, {}), (80, {"cut": True})])
def test_of_each_text_the_first_characters_are_shown(width: int, cut: dict[str, bool]) -> None:
    """80 of each, where less than that would be left to it; the line's end counts."""
    long = "x" * width
    theirs = BASE.replace("f", long)
    found = shown(regions_of(BASE, theirs, BASE), BASE, theirs, None, chars=1)
    now = {"lines": [6, 6], "text": f"{long}\n"[:80], **cut}
    assert found == {"regions": [{"base": {"lines": [6, 6], "text": "f\n"}, "theirs": now}]}


@pytest.mark.parametrize(("chars", "wanted"), [(600, 100), (1_200, 200), (599, 99), (480, 80), (10, 80)])
def test_what_may_be_shown_is_shared_by_regions_and_texts(chars: int, wanted: int) -> None:
    theirs, yours = BASE.replace("b", "x" * 500), BASE.replace("e", "y" * 500)
    found = shown(regions_of(BASE, theirs, yours), BASE, theirs, yours, chars=chars)
    assert [len(found["regions"][n][side]["text"]) for n, side in ((0, "theirs"), (1, "yours"))] == [
        wanted
    ] * 2


def test_where_lines_are_gone_there_is_no_text() -> None:
    found = shown(regions_of(BASE, BASE.replace("b\n", ""), BASE), BASE, "", None, chars=100)
    assert found["regions"] == [
        {"base": {"lines": [2, 2], "text": "b\n"}, "theirs": {"lines": [2, 1], "text": ""}}
    ]


def test_regions_of_both_come_first_and_all_of_eight_are_told() -> None:
    base = "".join(f"{n}\n" for n in range(20))
    theirs = base.replace("1\n", "one\n", 1).replace("18\n", "xviii\n")
    found = shown(regions_of(base, theirs, base.replace("18\n", "!\n")), base, theirs, "", chars=900)
    assert [row["base"]["lines"] for row in found["regions"]] == [[19, 19], [2, 2]]
    assert found["overlap"] is True
    assert "more_regions" not in found


def test_it_reads_as_version_control_has_it() -> None:
    theirs, yours = BASE.replace("b\n", ""), BASE.replace("b", "B")
    found = shown(regions_of(BASE, theirs, yours), BASE, theirs, yours, chars=1_000)
    assert as_text(found["regions"]) == (
        "<<<<<<< yours (line 2)\nB\n||||||| as you saw it (line 2)\nb\n======= now (nothing, before line 2)\n>>>>>>>"
    )
