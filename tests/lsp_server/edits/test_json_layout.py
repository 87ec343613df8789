"""Where the parts of a JSON text stand, and what is said of a text that has none."""

from __future__ import annotations

import json

import pytest

from lsp_server.edits.json_layout import (
    Blanks,
    Piece,
    blanks_of,
    container_at,
    pieces_of,
    rendered,
    skip_blanks,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", None),
        ("[ \n]", None),
        ("[ 1 ]", Blanks(" ", "+", " ")),
        ("[1,  2 , 3\t]", Blanks("", "  ", "\t")),
        ("[\n 1\n]", Blanks("\n ", "\n ", "\n")),
        ("[\r 1\r]", Blanks("\r ", "\r ", "\r")),
        ("[\r\n 1]", Blanks("\r\n ", "\r\n ", "")),
    ],
)
def test_blanks_of_a_container(text: str, expected: Blanks | None) -> None:
    assert blanks_of(text, container_at(text, 0, "[]"), "+") == expected


@pytest.mark.parametrize("text", ["[]", "[1]", "[ 1 , 2\n]", '{"a" : 1 ,\n "b":[2, {}] }', '{"a":1,"a":2}'])
def test_the_parts_put_together_again_are_the_text(text: str) -> None:
    container = container_at(text, 0, text[0] + text[-1])
    assert container.end == len(text)
    blanks = blanks_of(text, container, "+") or Blanks("-", "+", "-")
    assert rendered(text[0] + text[-1], pieces_of(text, container), blanks) == text


def test_a_part_knows_the_blanks_around_it() -> None:
    text = "[ 1\t,\n2 ]"
    assert pieces_of(text, container_at(text, 0, "[]")) == [Piece(" ", "1", "\t"), Piece("\n", "2", "")]


def test_what_comes_first_or_last_takes_the_blanks_of_its_place() -> None:
    blanks = Blanks("<", "+", ">")
    assert rendered("[]", [], blanks) == "[]"
    assert (
        rendered("[]", [Piece(" ", "1", "."), Piece(None, "2", "!"), Piece(" ", "3", "?")], blanks)
        == "[<1.,+2!, 3>]"
    )


def test_of_members_with_one_name_the_last_counts() -> None:
    container = container_at('{"a":1,"a":22}', 0, "{}")
    found = container.find("a")
    assert found is not None
    assert (found.lead, found.start, found.key_end, found.value, found.end) == (7, 7, 10, 11, 13)
    assert container.find("b") is None
    (item,) = container_at("[ 1 ]", 0, "[]").parts
    assert (item.lead, item.start, item.key_end, item.value, item.end) == (1, 2, 2, 2, 3)


def test_blanks_are_those_of_json() -> None:
    assert skip_blanks("x \t\r\n\u00a0y", 1) == 5
    assert skip_blanks("x", 1) == 1


@pytest.mark.parametrize(
    "text", ['{"a" 1}', '{"a": 1 "b": 2}', '{"a": 1', "{1: 2}", "[1 2]", "[1", "[,]", "[1, x]"]
)
def test_what_is_wrong_is_said_as_json_says_it(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as theirs:
        json.loads(text)
    with pytest.raises(json.JSONDecodeError) as ours:
        container_at(text, 0, "{}" if text[0] == "{" else "[]")
    assert (ours.value.pos, ours.value.doc) == (theirs.value.pos, text)
    if text != "{1: 2}":
        assert ours.value.msg == theirs.value.msg


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("{}", "Expecting '['", 0),
        ("[ " + "[" * 100_000, "Nested too deep", 2),
        ("[ 1" + "0" * 5_000 + "]", "A number with too many digits", 2),
    ],
)
def test_what_only_we_say(text: str, message: str, at: int) -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        container_at(text, 0, "[]")
    assert (caught.value.msg, caught.value.doc, caught.value.pos) == (message, text, at)
