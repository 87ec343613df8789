"""Edits over what changed since: moved where the two keep apart, no result where they touch or adjoin."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.lines import apply_replacements
from lsp_server.edits.matching import match_edit
from lsp_server.edits.rebase import put_back, rebase, take_back

TEN = "".join(f"{number}\n" for number in range(1, 11))
"""Ten lines."""


@pytest.mark.parametrize(
    ("old", "new", "current", "after", "lines", "note"),
    [
        ("5\n", "V\n", TEN.replace("2\n", "II\n"), None, (5, 5), "line 2"),
        ("5\n", "V\nv\n", TEN.replace("8\n", "VIII\nviii\n"), None, (5, 5), "lines 8-9"),
        ("5\n", "V\n", "top\n" + TEN, None, (6, 6), "line 1"),
        ("5\n", "V\n", TEN.removeprefix("1\n2\n"), None, (3, 3), "lines removed before line 1"),
        ("5\n6\n", "V\n", TEN.replace("3\n", ""), None, (4, 5), "lines removed before line 3"),
        ("5\n", "V\n", "top\n" + TEN.replace("8\n", ""), None, (6, 6), "line 1, lines removed before line 9"),
        ("5\n", "V\n", TEN.replace("4\n", "IV\n"), "refused", (0, 0), ""),
        ("5\n", "V\n", TEN.replace("6\n", "VI\n"), "refused", (0, 0), ""),
        ("5\n", "V\n", TEN.replace("5\n", "five\n"), "refused", (0, 0), ""),
        ("5\n", "V\n", TEN.replace("5\n", "new\n5\n"), "refused", (0, 0), ""),
        ("5\n", "V\n", TEN.replace("6\n", "new\n6\n"), "refused", (0, 0), ""),
        ("5\n", "V\n", TEN.replace("4\n", "new\n4\n"), None, (6, 6), "line 4"),
        ("5\n", "V\n", TEN.replace("7\n", "new\n7\n"), None, (5, 5), "line 7"),
        ("5\n", "V\n", TEN.replace("3\n", "III\n"), None, (5, 5), "line 3"),
        ("5\n", "V\n", TEN.replace("7\n", "VII\n"), None, (5, 5), "line 7"),
        ("4\n5\n6\n", "V\n", TEN.replace("5\n", "five\n"), "refused", (0, 0), ""),
        ("4\n5\n6\n", "V\n", TEN.replace("4\n", "four\n"), "refused", (0, 0), ""),
        (
            *("5\n", "V\n", TEN.replace("2\n", "II\nii\n").replace("8\n", "VIII\n"), None),
            *((6, 6), "lines 2-3, line 9"),
        ),
    ],
)
def test_an_edit_over_another_change(
    old: str, new: str, current: str, after: str | None, lines: tuple[int, int], note: str
) -> None:
    moved = rebase(match_edit(TEN, old, new), TEN, current)
    if after == "refused":
        assert moved is None
        return
    assert moved is not None
    assert apply_replacements(current, moved.replacements) == current.replace(old, new)
    assert moved.lines == (lines,)
    assert moved.warnings == (f"What changed since you read the file was kept: {note}.",)


def test_of_many_changed_places_only_the_first_are_named() -> None:
    now = "".join(f"{number}!\n" if number % 3 == 0 and number else f"{number}\n" for number in range(100))
    moved = rebase(match_edit(now, "0\n1\n", "x\n"), now, now.replace("!", "?"))
    assert moved is not None
    named = ", ".join(f"line {number + 1}" for number in range(3, 63, 3))
    assert moved.warnings == (f"What changed since you read the file was kept: {named} and 13 more places.",)


def test_warnings_of_the_match_stay_in_front() -> None:
    match = match_edit("a  \nb\nc\nd\n", "a\nb\n", "a\nB\n")
    moved = rebase(match, "a  \nb\nc\nd\n", "a  \nb\nc\nd\ne\n")
    assert moved is not None
    assert moved.warnings == (*match.warnings, "What changed since you read the file was kept: line 5.")


rows = st.lists(st.sampled_from("abc"), min_size=1, max_size=9)


@given(rows, st.data())
def test_of_two_changes_apart_either_may_come_first(letters: list[str], data: st.DataObject) -> None:
    """The other change in one line, the edit in another one with at least a line between them."""
    texts = [f"{letter}{number}\n" for number, letter in enumerate(letters)]
    mine, theirs = (data.draw(st.integers(0, len(texts) - 1)) for _ in range(2))
    change = data.draw(st.sampled_from(["", "x\n", "x\ny\n", "x\n" + texts[theirs], texts[theirs] + "x\n"]))
    base = "".join(texts)
    current = "".join([*texts[:theirs], change, *texts[theirs + 1 :]])
    moved = rebase(match_edit(base, texts[mine], "mine\n"), base, current)
    if abs(mine - theirs) >= 2:
        assert moved is not None
        assert apply_replacements(current, moved.replacements) == current.replace(texts[mine], "mine\n")
        [(first, last)] = moved.lines
        assert "".join(current.splitlines(keepends=True)[first - 1 : last]) == texts[mine]
    elif mine == theirs and not change.startswith(texts[mine]):
        assert moved is None


@pytest.mark.parametrize(
    ("after", "before", "now", "wanted"),
    [
        (TEN.replace("5", "V"), TEN, TEN.replace("5", "V"), TEN),
        (TEN.replace("5", "V"), TEN, TEN.replace("5", "V").replace("2", "II"), TEN.replace("2", "II")),
        (TEN.replace("5", "V"), TEN, "top\n" + TEN.replace("5", "V"), "top\n" + TEN),
        (TEN.replace("5", "V"), TEN, TEN.replace("5", "V").replace("9\n", ""), TEN.replace("9\n", "")),
        (TEN.replace("5", "V"), TEN, TEN.replace("5", "V").replace("6", "VI"), ((6, 6),)),
        (TEN.replace("5", "V"), TEN, TEN.replace("5", "V").replace("4", "IV\niv"), ((4, 5),)),
        (TEN.replace("5", "V"), TEN, TEN.replace("5", "five"), ((5, 5),)),
        (TEN.replace("5", "V"), TEN, TEN.replace("5\n", ""), ((5, 5),)),
        (TEN.replace("5", "V"), TEN, TEN, TEN),
        (TEN.replace("5", "V"), TEN, TEN.replace("9", "IX"), TEN.replace("9", "IX")),
        (TEN.replace("5", "V").replace("8", "VIII"), TEN, TEN.replace("5", "V"), TEN),
    ],
)
def test_an_edit_is_taken_back_around_what_came_after(
    after: str, before: str, now: str, wanted: str | tuple[tuple[int, int], ...]
) -> None:
    assert take_back(after, before, now) == wanted


@pytest.mark.parametrize(
    ("only", "wanted"),
    [
        (0, TEN.replace("5", "V").replace("8\n", "VIII\nviii\n")),
        (1, TEN.replace("2", "II").replace("8\n", "VIII\nviii\n")),
        (2, TEN.replace("2", "II").replace("5", "V")),
        (3, TEN.replace("2", "II").replace("5", "V").replace("8\n", "VIII\nviii\n")),
        (None, TEN),
    ],
)
def test_one_hunk_of_several_is_taken_back(only: int | None, wanted: str) -> None:
    after = TEN.replace("2", "II").replace("5", "V").replace("8\n", "VIII\nviii\n")
    assert take_back(after, TEN, after, only=only) == wanted


@pytest.mark.parametrize(
    ("now", "back"),
    [
        (TEN.replace("2", "II").replace("5", "V"), []),
        (TEN.replace("2", "II"), [2]),
        (TEN.replace("5", "V"), [1]),
        (TEN, [1, 2]),
        (TEN.replace("2", "two").replace("5", "V"), []),
        ("top\n" + TEN.replace("2", "II"), [2]),
        (TEN.replace("2", "II").replace("5", "V\n5"), []),
    ],
)
def test_what_somebody_put_back_is_known(now: str, back: list[int]) -> None:
    assert put_back(TEN.replace("2", "II").replace("5", "V"), TEN, now) == back
