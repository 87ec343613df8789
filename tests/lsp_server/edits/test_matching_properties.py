"""The matcher against slow models that say in a few lines what each level means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import category, normalize

from hypothesis import assume, example, given
from hypothesis import strategies as st

from editor_clients.lines import apply_replacements, split_lines
from ledger.errors import Code, CoeditorError
from lsp_server.edits.hits import FileText, Hit, exact_hits, folded_hits
from lsp_server.edits.levels import Level
from lsp_server.edits.matching import Match, match_edit

PLAIN = {"“": '"', "”": '"', "’": "'", "–": "-", "\u00a0": " ", "\u3000": " ", "…": "..."}
BREAKS = ("\r\n", "\n", "\r")

small_texts = st.text(alphabet="ab \t\n\r", max_size=14)
typographic_texts = st.text(alphabet='ae \u00a0\n“"-–—.…\u0301é', max_size=10)
lf_texts = st.text(alphabet="ab \n", max_size=30)
any_texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40)


def outcome(text: str, old: str, new: str) -> Match | Code:
    try:
        return match_edit(text, old, new)
    except CoeditorError as error:
        return error.code


def split(text: str) -> list[str]:
    return re.split("\r\n|\n|\r", text)


def joined(text: str, offset: int) -> bool:
    """Whether a cut at ``offset`` would part a line ending or a letter from its mark."""
    if not 0 < offset < len(text):
        return False
    before, point = text[offset - 1], text[offset]
    if before + point == "\r\n":
        return True
    return category(point)[0] == "M" and category(before)[0] != "C"


def same_spelling(there: str, sent: str, level: Level) -> bool:
    if level is not Level.TYPOGRAPHIC:
        return there == sent
    return bends(plain(there), plain(sent))


def plain(text: str) -> str:
    return "".join(PLAIN.get(point, point) for point in normalize("NFC", text))


def bends(there: str, sent: str) -> bool:
    """Equal, with an em dash of the file for one or two hyphens, and one of the request for the file's."""
    if not there or not sent:
        return there == sent
    if there[0] == sent[0] and bends(there[1:], sent[1:]):
        return True
    if there[0] == "—":
        return (sent[0] == "-" and bends(there[1:], sent[1:])) or (
            sent.startswith("--") and bends(there[1:], sent[2:])
        )
    return False


def blanks(level: Level) -> str:
    return " \t\u00a0\u3000" if level is Level.TYPOGRAPHIC else " \t"


def model_fits(text: str, start: int, end: int, old: str, level: Level) -> bool:
    """Whether ``text[start:end]`` is a hit of ``old`` by the words of the contract."""
    if joined(text, start) or joined(text, end):
        return False
    forgiven = blanks(level)
    there, sent = split(text[start:end]), old.split("\n")
    if len(sent) > 1 and not sent[-1] and end == len(text) and text[-1:] not in ("\n", "\r"):
        ended = [*there, ""]
        if len(ended) == len(sent) and fit_lines(ended, sent, level, last_whole=True):
            return True
    at_line_end = end == len(text) or text[end] in "\r\n" or not text[end:].strip(forgiven)
    at_line_end = at_line_end or text[end:].lstrip(forgiven)[:1] in ("\r", "\n")
    return len(there) == len(sent) and fit_lines(there, sent, level, last_whole=at_line_end)


def fit_lines(there: list[str], sent: list[str], level: Level, *, last_whole: bool) -> bool:
    forgiven = blanks(level)
    for number, (mine, theirs) in enumerate(zip(sent, there, strict=True)):
        whole = number < len(sent) - 1 or last_whole
        if same_spelling(theirs, mine, level):
            continue
        if not whole or not same_spelling(theirs.rstrip(forgiven), mine.rstrip(forgiven), level):
            return False
    return True


def normal(text: str, start: int, end: int, level: Level) -> tuple[int, int]:
    """A span without the blanks at a line's end that may count as in it or not."""
    forgiven = blanks(level)
    rest = text[end:].lstrip(forgiven)
    if not rest or rest[0] in "\r\n":
        end = start + len(text[start:end].rstrip(forgiven))
    inner = text[start:end].lstrip(forgiven)
    if inner and inner[0] in "\r\n":
        start = end - len(inner)
    return start, end


def model_hits(text: str, old: str, level: Level) -> set[tuple[int, int]]:
    return {
        normal(text, start, end, level)
        for start in range(len(text) + 1)
        for end in range(start + 1, len(text) + 1)
        if model_fits(text, start, end, old, level)
    }


def found(hits: Iterator[Hit], text: str, level: Level) -> set[tuple[int, int]]:
    return {normal(text, hit.start, hit.end, level) for hit in hits}


@given(small_texts, st.text(alphabet="ab \t\n", min_size=1, max_size=5))
@example("a \nb\r\n", "a\nb\n")
@example("a\n  b", "\n")
def test_hits_at_line_ends_are_those_of_the_model(text: str, old: str) -> None:
    assume(old.strip(" \t\n"))
    hits = list(folded_hits(FileText(text), old, Level.TRAILING_SPACE))
    assert found(iter(hits), text, Level.TRAILING_SPACE) == model_hits(text, old, Level.TRAILING_SPACE)
    assert len(hits) == len(found(iter(hits), text, Level.TRAILING_SPACE))


@given(typographic_texts, st.text(alphabet='ae \u00a0\n“"-–.…\u0301é', min_size=1, max_size=4))
@example("a—b", "a--b")
@example("—-", "--")
@example("e\u0301", "é")
@example("……", ".")
def test_typographic_hits_are_those_of_the_model(text: str, old: str) -> None:
    assume(old.strip(" \u00a0\n"))
    hits = list(folded_hits(FileText(text), old, Level.TYPOGRAPHIC))
    assert found(iter(hits), text, Level.TYPOGRAPHIC) == model_hits(text, old, Level.TYPOGRAPHIC)


@given(small_texts, st.text(alphabet="ab \n", min_size=1, max_size=4))
def test_exact_hits_are_those_of_the_model(text: str, old: str) -> None:
    expected = {
        (start, end)
        for start in range(len(text))
        for end in range(start + 1, len(text) + 1)
        if not joined(text, start) and not joined(text, end) and split(text[start:end]) == old.split("\n")
    }
    assert {(hit.start, hit.end) for hit in exact_hits(FileText(text), old)} == expected


@given(lf_texts, st.text(alphabet="ab \n", min_size=1, max_size=3), st.text(alphabet="ab \n$\\", max_size=5))
def test_exact_edits_of_lf_text_are_those_of_str_replace(text: str, old: str, new: str) -> None:
    assume(old != new and old in text)
    match = match_edit(text, old, new, replace_all=True)
    assert match.level is Level.EXACT
    assert apply_replacements(text, match.replacements) == text.replace(old, new)
    assert len(match.lines) == text.count(old)


@given(any_texts, st.data(), any_texts)
def test_what_is_outside_a_hit_stays_and_what_is_inside_is_what_was_sent(
    text: str, data: st.DataObject, new: str
) -> None:
    assume(text)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    old = text[start:end]
    assume(not old.startswith("\ufeff") and not new.startswith("\ufeff"))
    match = outcome(text, old, new)
    if isinstance(match, Code):
        assert match in (Code.FS_AMBIGUOUS_MATCH, Code.FS_NO_CHANGE, Code.FS_NO_MATCH)
        return
    for replacement in match.replacements:
        assert not joined(text, replacement.start)
        assert not joined(text, replacement.end)
    if match.level is Level.EXACT:
        (replacement,) = match.replacements
        assert split(replacement.text.replace("\r\n", "\n")) == split(new.replace("\r\n", "\n"))


line_bodies = st.text(alphabet="abc(){}=\u00e9", min_size=1, max_size=6)
indents = st.lists(st.integers(0, 3), min_size=1, max_size=6)


@st.composite
def blocks(draw: st.DrawFn) -> list[tuple[int, str]]:
    bodies = draw(st.lists(line_bodies, min_size=1, max_size=6, unique=True))
    depths = draw(st.lists(st.integers(0, 3), min_size=len(bodies), max_size=len(bodies)))
    return [
        (depth, f"{number}{body}") for number, (depth, body) in enumerate(zip(depths, bodies, strict=True))
    ]


@given(
    blocks(),
    blocks(),
    st.sampled_from(["  ", "    ", "\t"]),
    st.sampled_from(["  ", "    ", "\t"]),
    st.integers(0, 2),
)
def test_reindentation_goes_there_and_back(
    block: list[tuple[int, str]], other: list[tuple[int, str]], mine: str, theirs: str, shift: int
) -> None:
    """Sent with other steps, a block becomes what it would have become with the file's own."""
    depths = {depth for depth, _ in block}
    new = [(depth, f"{body};") for depth, body in other if depth in depths] or [(block[0][0], "new;")]
    assume(new != block)
    sent_old = "\n".join(mine * depth + body for depth, body in block)
    sent_new = "\n".join(mine * depth + body for depth, body in new)
    own_old = "\n".join(theirs * (depth + shift) + body for depth, body in block)
    own_new = "\n".join(theirs * (depth + shift) + body for depth, body in new)
    text = f"first line\n{own_old}\nlast line\n"
    match = match_edit(text, sent_old, sent_new)
    if match.level is Level.INDENTATION:
        assert apply_replacements(text, match.replacements) == f"first line\n{own_new}\nlast line\n"
    else:
        assert match.level is Level.EXACT  # a part of a line, or the same steps


@given(st.lists(line_bodies, min_size=3, max_size=8, unique=True), st.data(), st.sampled_from(BREAKS))
def test_lines_left_out_stay_as_they_are(lines: list[str], data: st.DataObject, line_end: str) -> None:
    first = data.draw(st.integers(0, len(lines) - 3))
    last = data.draw(st.integers(first + 2, len(lines) - 1))
    text = line_end.join(lines) + line_end
    old = f"{lines[first]}\n...\n{lines[last]}"
    match = match_edit(text, old, f"{lines[first]}!\n...\n!{lines[last]}")
    changed = [*lines]
    changed[first] += "!"
    changed[last] = f"!{changed[last]}"
    assert apply_replacements(text, match.replacements) == line_end.join(changed) + line_end


@given(
    st.lists(st.tuples(st.text(alphabet="ab \t", max_size=3), st.sampled_from(BREAKS)), max_size=6), st.data()
)
def test_line_ends_of_lines_that_stay_in_place_stay(
    lines: list[tuple[str, str]], data: st.DataObject
) -> None:
    """One line for one line: whatever the endings, none changes."""
    assume(lines)
    text = "".join(body + end for body, end in lines)
    rows = split_lines(text)
    assume(len(rows) > 1)
    number = data.draw(st.integers(0, len(rows) - 2))
    old = "\n".join(row.rstrip("\r\n") for row in rows[number : number + 2])
    new = "\n".join(row.rstrip("\r\n") + "X" for row in rows[number : number + 2])
    assume(old.strip("\n"))
    match = outcome(text, old, new)
    if isinstance(match, Code):
        assert match is Code.FS_AMBIGUOUS_MATCH
        return
    changed = split_lines(apply_replacements(text, match.replacements))
    assert [row[len(row.rstrip("\r\n")) :] for row in changed] == [
        row[len(row.rstrip("\r\n")) :] for row in rows
    ]
