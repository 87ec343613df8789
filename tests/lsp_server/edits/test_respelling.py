"""New text takes the file's spelling where old and new text share characters, and nowhere else."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.edits import respelling
from lsp_server.edits.fitting import fits
from lsp_server.edits.folding import fold_characters
from lsp_server.edits.respelling import Respeller, shared, slid

CURLED = {'"': "“", "'": "’", "-": "–", " ": "\u00a0", "é": "e\u0301"}
spelled = st.text(alphabet="ab\"'-. é", max_size=8)


@pytest.mark.parametrize(
    ("old", "new", "runs"),
    [
        ("abc", "abc", [(0, 0, 3)]),
        ("abc", "xbc", [(1, 1, 2)]),
        ("abc", "", []),
        ("ab", "cd", []),
        ('f("a")', 'f("b", "a")', [(0, 0, 2), (2, 7, 4)]),
    ],
)
def test_what_two_texts_share(old: str, new: str, runs: list[tuple[int, int, int]]) -> None:
    assert shared(old, new) == runs


def test_of_long_texts_only_the_ends_are_shared() -> None:
    old, new = "a" + "b" * 4_000 + "c", "a" + "d" * 4_000 + "c"
    assert shared(old, new) == [(0, 0, 1), (4_001, 4_001, 1)]
    assert shared("x" * 4_000, "x" * 4_001) == [(0, 0, 4_000)]
    assert shared("x" * 4_000, "y" * 4_000) == []


def test_characters_that_are_many_are_shared_too() -> None:
    assert shared("x" + "ab" * 150, "ab" * 150) == [(1, 0, 300)]


def test_ends_of_long_texts_are_compared_from_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(respelling, "_MOST_COMPARED", 0)
    assert shared("abcxyz", "abc--xyz") == [(0, 0, 3), (3, 5, 3)]


@given(st.lists(spelled, min_size=1, max_size=3), st.lists(spelled, min_size=1, max_size=3))
def test_the_text_says_what_was_sent(old: list[str], new: list[str]) -> None:
    there = ["".join(CURLED.get(point, point) for point in line).replace("...", "…") for line in old]
    respeller = Respeller(there, old)
    written = respeller.respell(0, len(old), new)
    assert len(written) == len(new)
    for line, sent in zip(written, new, strict=True):
        assert fits(fold_characters(line), fold_characters(sent))
    assert Respeller(there, old).respell(0, len(old), old) == there


@given(st.text(alphabet="ab-—", max_size=6), st.text(alphabet="ab-", max_size=6))
def test_dashes_are_kept_whole_or_written_as_sent(there: str, new: str) -> None:
    old = there.replace("—", "--")
    (written,) = Respeller([there], [old]).respell(0, 1, [new])
    assert fits(written, new)


@pytest.mark.parametrize(
    ("there", "new", "written"),
    [
        ("“a” and “b”", '"a", "c" and "b"', '“a”, "c" and “b”'),
        ("[“a”, “b”]", '["a", "b", "c"]', '[“a”, “b”, "c"]'),
        ("[“a”, “b”]", '["x", "a", "b"]', '["x", “a”, “b”]'),
        ("f(“a”)", 'f("a", "b")', 'f(“a”, "b")'),
        ("f(“a”)", 'f("b", "a")', 'f("b", “a”)'),
        ("“a” “b”", '"a" "new" "b"', '“a” "new" “b”'),
        ("“a”", '""a"', '"“a”'),
        ("“a” b", '"a b', "“a b"),
    ],
)
def test_what_is_put_in_goes_between_words(there: str, new: str, written: str) -> None:
    old = there.replace("“", '"').replace("”", '"')
    assert Respeller([there], [old]).respell(0, 1, [new]) == [written]


def _weight(text: str, at: int) -> int:
    around = text[at - 1 : at + 1]
    return 3 if " " in around else sum(character == '"' for character in around)


def test_what_is_put_in_goes_to_the_best_of_all_places() -> None:
    """Every text of up to four characters, with every run of up to three put into it at every place inside."""
    texts = ["".join(one) for size in range(1, 5) for one in product('a" ', repeat=size)]
    for old, added in product(texts, (one for one in texts if len(one) < 4)):
        for at in range(1, len(old)):
            new = old[:at] + added + old[at:]
            size = len(added)
            places = [end for end in range(1, len(old)) if new[:end] + new[end + size :] == old]
            best = max(places, key=lambda end: (_weight(new, end) + _weight(new, end + size), -end))
            runs = slid([(0, 0, at), (at, at + size, len(old) - at)], new)
            assert runs == [(0, 0, best), (best, best + size, len(old) - best)], (old, added, at)


def test_runs_with_something_gone_between_them_stay() -> None:
    runs = [(0, 0, 2), (3, 4, 2)]
    assert slid(runs, "abxxab") == runs
    assert slid([], "ab") == []


@given(st.text(alphabet='ab", ', min_size=1, max_size=8), st.text(alphabet='ab", ', max_size=12))
def test_moving_what_was_put_in_changes_no_text(old: str, new: str) -> None:
    runs = slid(shared(old, new), new)
    assert [old[a : a + n] for a, _, n in runs] == [new[b : b + n] for _, b, n in runs]
    assert all(n > 0 for _, _, n in runs)
    assert sum(n for _, _, n in runs) == sum(n for _, _, n in shared(old, new))
    ends = [(a + n, b + n) for a, b, n in runs]
    assert all(a <= c and b <= d for (a, b), (c, d, _) in zip(ends, runs[1:], strict=False))


@pytest.mark.parametrize(
    ("there", "old", "new", "warned"),
    [
        ("“a”", '"a"', '"a" "', True),
        ("“a”", '"a"', '"b"', False),
        ("“a”", '"a"', '"a" “', False),
        ("a…", "a...", "a... ..", False),
        ("a…", "a...", "a... ...", True),
        ("a—", "a--", "a-", False),
        ("a—", "a--", "a-- --", True),
        ("e\u0301", "é", "éé", True),
        ("a\u00a0b", "a b", "a b", False),
    ],
)
def test_a_spelling_that_new_text_does_not_follow_is_warned_of(
    there: str, old: str, new: str, warned: bool
) -> None:
    respeller = Respeller([there], [old])
    respeller.respell(0, 1, [new])
    assert bool(respeller.warnings()) is warned


@pytest.mark.parametrize(
    ("there", "sent", "new", "written", "told"),
    [
        ("x–y z-w", "x-y z-w", "x-y z-w!", "x–y z-w!", None),
        ("a—b–c", "a--b-c", "a-b-c", "a-b–c", "spells - as –"),
        ("a\u00a0b", "a b", "a b c", "a\u00a0b c", "spells a blank as a no-break space"),
        ("a\u2009b", "a b", "a b c", "a\u2009b c", "spells a blank as U+2009"),
        ("“a” b", '"a" b', '"a" b "c"', '“a” b "c"', 'spells " as “'),
    ],
)
def test_what_is_written_as_sent_is_told_where_the_file_spells_it_otherwise(
    there: str, sent: str, new: str, written: str, told: str | None
) -> None:
    respeller = Respeller([there], [sent])
    assert respeller.respell(0, 1, [new]) == [written]
    found = " ".join(respeller.warnings())
    assert told in found if told is not None else not found


def test_what_was_put_in_earlier_is_told_as_well() -> None:
    respeller = Respeller(["“a”"], ['"a"'])
    assert respeller.respell(0, 0, ['"b"']) == ['"b"']
    assert respeller.respell(1, 1, ["c"]) == ["c"]
    assert len(respeller.warnings()) == 1


def test_a_line_that_is_spelled_as_it_was_sent_is_nothing_to_tell() -> None:
    respeller = Respeller(["x–y", "z-w"], ["x-y", "z-w"])
    assert respeller.respell(0, 2, ["x-y", "z-w!"]) == ["x–y", "z-w!"]
    assert respeller.warnings() == ()
