"""JSON with comments and trailing commas as a text in which single entries are put in and taken out.

Everything else stays as it is, byte for byte: comments, order, blanks, line ends.

Never: a text written anew from its values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_SPACE = re.compile(r"(?:[ \t\r\n\f\v\ufeff]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_DEPTH = 200


class JsonTextError(ValueError):
    """The text is not what it is taken for."""


@dataclass(slots=True)
class Node:
    """One value and where it stands."""

    value: Any
    start: int
    end: int
    members: list[tuple[str, int, Node]] = field(default_factory=list)
    """Of an object: name, where the name starts, value."""
    items: list[Node] = field(default_factory=list)


def parse(text: str) -> Node:
    """The value of ``text``. Errors: JsonTextError."""
    node, at = _value(text, _skip(text, 0), 0)
    if _skip(text, at) != len(text):
        raise JsonTextError(f"there is more after the value, at character {at}")
    return node


def is_blank(text: str) -> bool:
    """Nothing but blanks and comments."""
    return _skip(text, 0) == len(text)


def find(node: Node, keys: Sequence[str]) -> Node | None:
    """The value at ``keys``; of a name that stands twice the last, as readers take it."""
    for key in keys:
        found = [value for name, _, value in node.members if name == key]
        if not found:
            return None
        node = found[-1]
    return node


@dataclass(frozen=True, slots=True)
class Insertion:
    """One piece of text that goes in at one place."""

    at: int
    text: str

    def apply(self, text: str) -> str:
        """``text`` with the piece in it."""
        return text[: self.at] + self.text + text[self.at :]


def insert_member(text: str, keys: Sequence[str], value: Any) -> Insertion:
    """Puts ``value`` at ``keys``, with the objects on the way there that are missing.

    Errors: JsonTextError when something that is no object is on the way, or a value is there.
    """
    if is_blank(text):
        for key in reversed(keys):
            value = {key: value}
        body = _spelled(value, "", "  ", "\n") + "\n"
        return Insertion(
            len(text), body if not text or text.endswith(("\n", "\r", "\ufeff")) else "\n" + body
        )
    node, depth = parse(text), 0
    while (inner := find(node, keys[depth : depth + 1])) is not None:
        node, depth = inner, depth + 1
        if depth == len(keys):
            raise JsonTextError(f"{'.'.join(keys)} is there already")
    if not isinstance(node.value, dict):
        raise JsonTextError(f"{'.'.join(keys[:depth]) or 'the whole'} is no object")
    for key in reversed(keys[depth + 1 :]):
        value = {key: value}
    starts = [start for _, start, _ in node.members]
    return _insert(text, node, starts, f"{json.dumps(keys[depth])}: ", value)


def insert_item(text: str, keys: Sequence[str], value: Any) -> Insertion:
    """Puts ``value`` into the list at ``keys``, which is made where it is missing. Errors: JsonTextError."""
    node = None if is_blank(text) else find(parse(text), keys)
    if node is None:
        return insert_member(text, keys, [value])
    if not isinstance(node.value, list):
        raise JsonTextError(f"{'.'.join(keys)} is no list")
    return _insert(text, node, [item.start for item in node.items], "", value)


def remove_member(text: str, keys: Sequence[str]) -> str:
    """Without the member at ``keys``. Errors: JsonTextError when it is not there."""
    parent = find(parse(text), keys[:-1])
    places = (
        [(start, value.end) for name, start, value in parent.members if name == keys[-1]] if parent else []
    )
    if parent is None or not places:
        raise JsonTextError(f"{'.'.join(keys)} is not there")
    return _without(text, parent, places[-1])


def remove_item(text: str, keys: Sequence[str], value: Any) -> str:
    """Without the item of the list at ``keys`` that equals ``value``. Errors: JsonTextError."""
    parent = find(parse(text), keys)
    places = [(item.start, item.end) for item in parent.items if item.value == value] if parent else []
    if parent is None or not places:
        raise JsonTextError(f"{'.'.join(keys)} has no such item")
    return _without(text, parent, places[0])


def _insert(text: str, node: Node, starts: list[int], head: str, value: Any) -> Insertion:
    """At the start of an object or a list: there no comma or comment of the neighbours has to be looked at."""
    ending = "\r\n" if "\r\n" in text else "\n"
    own = _indent_of(text, node.start)
    first = starts[0] if starts else None
    at = node.start + 1
    is_spread = "\n" in text[at : first if first is not None else node.end] or not starts
    if not is_spread:
        return Insertion(at, f"{head}{json.dumps(value, ensure_ascii=False)}, ")
    inner = _indent_of(text, first) if first is not None else own + _unit_of(text)
    body = f"{ending}{inner}{head}{_spelled(value, inner, _unit_of(text), ending)}"
    if starts:
        return Insertion(at, body + ",")
    rest = text[at : node.end - 1]
    return Insertion(at, body if "\n" in rest else f"{body}{ending}{own}")


def _spelled(value: Any, indent: str, unit: str, ending: str) -> str:
    lines = json.dumps(value, indent=unit or "  ", ensure_ascii=False).split("\n")
    return (ending + indent).join(lines)


def _indent_of(text: str, at: int) -> str:
    start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    line = text[start:at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit_of(text: str) -> str:
    """One step of indentation, as the text has it."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    if found is None:
        return "  "
    return "\t" if found[1].startswith("\t") else found[1]


def _without(text: str, parent: Node, place: tuple[int, int]) -> str:
    """Without one member or item, its comma and the blanks before it; comments stay."""
    start, end = place
    after = _skip(text, end)
    ends = [
        one.end for one in (*(value for _, _, value in parent.members), *parent.items) if one.end <= start
    ]
    mark = _skip(text, ends[-1]) if ends else parent.start  # the comma or bracket before it
    between = text[mark + 1 : start]
    between = between if between.strip() else ""
    if text[after] == ",":
        return text[: mark + 1] + between + text[after + 1 :]
    if ends:
        return text[:mark] + between + text[end:]
    if between or text[end : parent.end - 1].strip():
        return text[:start] + text[end:]
    return text[: parent.start + 1] + text[parent.end - 1 :]


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found is not None else at


def _value(text: str, at: int, depth: int) -> tuple[Node, int]:
    if depth > _DEPTH:
        raise JsonTextError("it is nested too deeply")
    if text.startswith("{", at):
        return _object(text, at, depth)
    if text.startswith("[", at):
        return _list(text, at, depth)
    found = _STRING.match(text, at) or _SCALAR.match(text, at)
    if found is None:
        raise JsonTextError(f"no value at character {at}")
    try:
        value = json.loads(found[0])
    except ValueError as error:
        raise JsonTextError(str(error)) from None
    return Node(value, at, found.end()), found.end()


def _object(text: str, start: int, depth: int) -> tuple[Node, int]:
    node = Node({}, start, start)
    at = _skip(text, start + 1)
    while not text.startswith("}", at):
        found = _STRING.match(text, at)
        if found is None:
            raise JsonTextError(f"no name at character {at}")
        name = json.loads(found[0])
        colon = _skip(text, found.end())
        if not text.startswith(":", colon):
            raise JsonTextError(f"no colon at character {colon}")
        inner, after = _value(text, _skip(text, colon + 1), depth + 1)
        node.members.append((name, at, inner))
        node.value[name] = inner.value
        at = _next(text, after, "}")
    node.end = at + 1
    return node, node.end


def _list(text: str, start: int, depth: int) -> tuple[Node, int]:
    node = Node([], start, start)
    at = _skip(text, start + 1)
    while not text.startswith("]", at):
        inner, after = _value(text, at, depth + 1)
        node.items.append(inner)
        node.value.append(inner.value)
        at = _next(text, after, "]")
    node.end = at + 1
    return node, node.end


def _next(text: str, at: int, close: str) -> int:
    """Where the next member, or the closing bracket, starts."""
    at = _skip(text, at)
    if text.startswith(",", at):
        return _skip(text, at + 1)
    if text.startswith(close, at):
        return at
    raise JsonTextError(f"no comma at character {at}")
