"""Entries in and out of JSON with comments, over texts as people and programs write them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.setup import jsonc
from lsp_server.setup.jsonc import JsonTextError
from lsp_server.setup.pieces import JsonItem, JsonMember, LeftAloneError

NAMES = st.sampled_from(["a", "b", "hooks", "mcpServers", "über", 'q"uote', "x/*y*/", "//"])
SCALARS = (
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "x", "// no", "/* no */", "é", '"'])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\r\n\t", " // note\n", "/* note, { */", "\n\n  // ]\n  "])


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, Any]:
    """An object as a text with comments and odd blanks, and its value."""
    value = draw(st.dictionaries(NAMES, VALUES, max_size=4))
    return draw(BLANKS) + _spell(draw, value) + draw(BLANKS), value


def _spell(draw: st.DrawFn, value: Any) -> str:
    if isinstance(value, dict):
        parts = [
            f"{json.dumps(name)}{draw(BLANKS)}:{draw(BLANKS)}{_spell(draw, one)}"
            for name, one in value.items()
        ]
        return _joined(draw, "{", parts, "}")
    if isinstance(value, list):
        return _joined(draw, "[", [_spell(draw, one) for one in value], "]")
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


def _joined(draw: st.DrawFn, opening: str, parts: list[str], closing: str) -> str:
    found = opening + draw(BLANKS)
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        comma = "," if not last or draw(st.booleans()) else ""
        found += part + draw(BLANKS) + comma + draw(BLANKS)
    return found + closing


@given(texts())
def test_any_such_text_is_read(written: tuple[str, Any]) -> None:
    text, value = written
    assert jsonc.parse(text).value == value


MEMBER = JsonMember(("mcpServers", "coeditor"), {"command": "/opt/c", "args": ["mcp"]})
ITEM = JsonItem(("hooks", "PreToolUse"), {"matcher": "Edit", "hooks": [{"type": "command"}]})


@pytest.mark.parametrize("entry", [MEMBER, ITEM], ids=["member", "item"])
@given(written=texts())
def test_an_entry_changes_nothing_else_and_comes_out_again(
    entry: JsonMember | JsonItem, written: tuple[str, Any]
) -> None:
    text, value = written
    try:
        found = entry.add(text)
    except LeftAloneError:
        assert not isinstance(value.get(entry.keys[0], {}), dict)
        return
    assert found != text
    (at, new) = _difference(text, found)
    assert found == text[:at] + new + text[at:]  # one piece, put in at one place
    assert entry.add(found) == found
    there = jsonc.parse(found).value
    if isinstance(entry, JsonMember):
        assert there["mcpServers"].pop("coeditor") == entry.value
    else:
        assert there["hooks"]["PreToolUse"].pop(0) == entry.value
    assert _bare(there) == _bare(value)
    gone = jsonc.parse(entry.remove(found)).value
    assert _bare(gone) == _bare(value)


def _difference(before: str, after: str) -> tuple[int, str]:
    size = len(after) - len(before)
    at = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before))
    for start in range(at, -1, -1):
        if before[:start] + after[start : start + size] + before[start:] == after:
            return start, after[start : start + size]
    raise AssertionError("not one insertion")


def _bare(value: dict[str, Any]) -> dict[str, Any]:
    """Without what is empty on our way."""
    hooks = value.get("hooks")
    if isinstance(hooks, dict):
        hooks = {name: one for name, one in hooks.items() if (name, one) != ("PreToolUse", [])}
    found = {**value, "hooks": hooks} if "hooks" in value else dict(value)
    return {
        name: one for name, one in found.items() if name not in ("hooks", "mcpServers") or one not in ({}, [])
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", '{\n  "k": 1\n}\n'),
        ("{}", '{\n  "k": 1\n}'),
        ("{\n}\n", '{\n  "k": 1\n}\n'),
        ('{"a": 2}', '{"k": 1, "a": 2}'),
        ('{\n    "a": 2, // why\n}\n', '{\n    "k": 1,\n    "a": 2, // why\n}\n'),
        ('{\r\n\t"a": 2\r\n}', '{\r\n\t"k": 1,\r\n\t"a": 2\r\n}'),
        ("// only a comment\n", '// only a comment\n{\n  "k": 1\n}\n'),
        ("\ufeff{}", '\ufeff{\n  "k": 1\n}'),
    ],
)
def test_an_entry_is_written_as_its_neighbours_are(text: str, expected: str) -> None:
    assert jsonc.insert_member(text, ["k"], 1).apply(text) == expected


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ('{"k": 1, "a": 2}', '{"a": 2}'),
        ('{"a": 2, "k": 1}', '{"a": 2}'),
        ('{\n  "a": 2,\n  "k": 1,\n  "b": 3\n}', '{\n  "a": 2,\n  "b": 3\n}'),
        ('{\n  "k": 1\n}', "{}"),
        ('{\n  "a": 2, // why\n  "k": 1,\n}', '{\n  "a": 2, // why\n}'),
        ('{"a": 2, // why\n "k": 1}', '{"a": 2 // why\n}'),
        ('{"a": 2, // why,\n "k": 1}', '{"a": 2 // why,\n}'),
        ('{"a": 2, // why,\n "k": 1, "b": 3}', '{"a": 2, // why,\n "b": 3}'),
        ('{ // why {\n "k": 1, "b": 3}', '{ // why {\n "b": 3}'),
    ],
)
def test_a_member_goes_with_its_comma(text: str, gone: str) -> None:
    found = jsonc.remove_member(text, ["k"])
    assert re.sub(r"\s", "", found) == re.sub(r"\s", "", gone)
    assert jsonc.parse(found).value == jsonc.parse(gone).value


@pytest.mark.parametrize(
    "text", ["{", "[1,,2]", "{a: 1}", '{"a" 1}', "{} {}", "nul", '{"a": "\n"}', "[" * 300]
)
def test_what_is_no_json_is_left_alone(text: str) -> None:
    with pytest.raises(JsonTextError):
        jsonc.parse(text)
    with pytest.raises(LeftAloneError):
        MEMBER.add(text)


def test_an_entry_of_somebody_else_is_left_alone() -> None:
    text = '{"mcpServers": {"coeditor": {"command": "mine"}}}'
    with pytest.raises(LeftAloneError, match="another value"):
        MEMBER.add(text)
    with pytest.raises(LeftAloneError, match="changed since"):
        MEMBER.remove(text)
