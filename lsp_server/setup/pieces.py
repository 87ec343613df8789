"""The kinds of entries that are put into configuration files, each with how it goes in and comes out.

Never: I/O.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import Any

from lsp_server.setup import jsonc
from lsp_server.setup.jsonc import JsonTextError

BEGIN = "coeditor setup: begin"
END = "coeditor setup: end"


class LeftAloneError(Exception):
    """The file has something in this place that is not ours, or is not what its name says."""


@dataclass(frozen=True, slots=True)
class JsonMember:
    """One member of an object."""

    keys: tuple[str, ...]
    value: Any

    def add(self, text: str) -> str:
        """With the entry; the same text where it is there. Errors: LeftAloneError."""
        there = _found(text, self.keys)
        if there is not None:
            if there.value == self.value:
                return text
            raise LeftAloneError(f"{'.'.join(self.keys)} is there with another value")
        return _inserted(text, lambda: jsonc.insert_member(text, self.keys, self.value))

    def remove(self, text: str) -> str:
        """Without the entry, where it is there as we wrote it. Errors: LeftAloneError."""
        there = _found(text, self.keys)
        if there is None:
            return text
        if there.value != self.value:
            raise LeftAloneError(f"{'.'.join(self.keys)} was changed since")
        return _pruned(jsonc.remove_member(text, self.keys), self.keys[:-1])

    def is_there(self, text: str) -> bool:
        """Whether the place holds something that may be ours, in whatever form; also where that cannot be read."""
        try:
            return "coeditor" in self.keys and _found(text, self.keys) is not None
        except LeftAloneError:
            return True

    def shown(self) -> str:
        """For people who put it in themselves."""
        return jsonc.insert_member("", self.keys, self.value).text


@dataclass(frozen=True, slots=True)
class JsonItem:
    """One item of a list."""

    keys: tuple[str, ...]
    value: Any
    other: Any = None
    """Another form of it, which is as good where it is there already."""
    former: Any = None
    """The form that it has under another setting, in whose place it comes."""

    def add(self, text: str) -> str:
        """As ``JsonMember.add``."""
        if self._in(text, self.value, self.other) is not None:
            return text
        if self._in(text, self.former) is not None:
            text = jsonc.remove_item(text, self.keys, self.former)
        return _inserted(text, lambda: jsonc.insert_item(text, self.keys, self.value))

    def remove(self, text: str) -> str:
        """As ``JsonMember.remove``."""
        there = self._in(text, self.value, self.other, self.former)
        return text if there is None else _pruned(jsonc.remove_item(text, self.keys, there), self.keys)

    def is_there(self, text: str) -> bool:
        """Whether the place holds something that may be ours, in whatever form; also where that cannot be read."""
        try:
            there = _found(text, self.keys)
        except LeftAloneError:
            return True
        return there is not None and "coeditor" in json.dumps(there.value)

    def shown(self) -> str:
        """For people who put it in themselves."""
        return jsonc.insert_item("", self.keys, self.value).text

    def _in(self, text: str, *forms: Any) -> Any:
        """The first of ``forms`` that is there; None where there is none."""
        there = _found(text, self.keys)
        rows = there.value if there is not None and isinstance(there.value, list) else []
        return next((one for one in forms if one is not None and one in rows), None)


@dataclass(frozen=True, slots=True)
class TomlBlock:
    """Lines at the end of a TOML file, between two comments."""

    table: tuple[str, ...]
    """The table that it defines; nothing may stand there."""
    lines: tuple[str, ...]

    def add(self, text: str) -> str:
        """As ``JsonMember.add``."""
        block = self._block(_ending(text))
        if block in text:
            return text
        before = _toml(text)
        if _at(before, self.table) is not None:
            raise LeftAloneError(f"[{'.'.join(self.table)}] is there already")
        gap = "" if not text or text.endswith("\n") else _ending(text)
        found = f"{text}{gap}{block}"
        _toml(found)
        return found

    def remove(self, text: str) -> str:
        """As ``JsonMember.remove``; also where the lines between the comments were changed."""
        return _without_block(text)

    def is_there(self, text: str) -> bool:
        """Whether the place holds something that may be ours, in whatever form; also where that cannot be read."""
        try:
            return BEGIN in text or _at(_toml(text), self.table) is not None
        except LeftAloneError:
            return True

    def shown(self) -> str:
        """For people who put it in themselves."""
        return "\n".join(self.lines) + "\n"

    def _block(self, ending: str) -> str:
        return "".join(line + ending for line in (f"# {BEGIN}", *self.lines, f"# {END}"))


@dataclass(frozen=True, slots=True)
class YamlEntry:
    """One entry of a mapping at the top of a YAML file, between two comments."""

    under: str
    name: str
    lines: tuple[str, ...]
    """Below the name, indented by two more."""

    def add(self, text: str) -> str:
        """As ``JsonMember.add``."""
        ending = _ending(text)
        heads = list(re.finditer(rf"^{re.escape(self.under)}:(.*)$", text, re.MULTILINE))
        if len(re.findall(r"^---", text, re.MULTILINE)) > 1 or len(heads) > 1:
            raise LeftAloneError("it holds several documents")
        if not heads:
            gap = "" if not text or text.endswith("\n") else ending
            block = self._block("  ", ending)
            return text if block in text else f"{text}{gap}{self.under}:{ending}{block}"
        rest = heads[0][1].split("#")[0].strip()
        if rest:
            raise LeftAloneError(f"{self.under} is written on one line")
        line_end = text.find("\n", heads[0].start())
        at = len(text) if line_end < 0 else line_end + 1
        indent = _child_indent(text[at:]) or "  "
        block = self._block(indent, ending)
        if block in text:
            return text
        if re.search(rf"^{indent}(['\"]?){re.escape(self.name)}\1[ \t]*:", text[at:], re.MULTILINE):
            raise LeftAloneError(f"{self.under}.{self.name} is there already")
        return f"{text[:at]}{'' if line_end >= 0 else ending}{block}{text[at:]}"

    def remove(self, text: str) -> str:
        """As ``TomlBlock.remove``."""
        found = _without_block(text)
        lone = f"{self.under}:{_ending(text)}"
        return found[: -len(lone)] if found != text and found.endswith(lone) and self._made(text) else found

    def is_there(self, text: str) -> bool:
        """Whether the place holds something that may be ours, in whatever form; also where that cannot be read."""
        return re.search(rf"^\s*(['\"]?){re.escape(self.name)}\1[ \t]*:", text, re.MULTILINE) is not None

    def shown(self) -> str:
        """For people who put it in themselves."""
        body = "".join(f"    {line}\n" for line in self.lines)
        return f"{self.under}:\n  {self.name}:\n{body}"

    def _made(self, text: str) -> bool:
        """Whether the mapping holds nothing but our entry, and so is ours as well."""
        return re.search(rf"^{re.escape(self.under)}:\r?\n  # {BEGIN}", text, re.MULTILINE) is not None

    def _block(self, indent: str, ending: str) -> str:
        inner = (f"{indent}{self.name}:", *(f"{indent}  {line}" for line in self.lines))
        return "".join(line + ending for line in (f"{indent}# {BEGIN}", *inner, f"{indent}# {END}"))


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that is ours as a whole."""

    text: str
    executable: bool = False
    former: str = ""
    """The text that it has under another setting."""

    def add(self, text: str) -> str:
        """As ``JsonMember.add``; a file with another text is somebody else's."""
        if text and text not in (self.text, self.former):
            raise LeftAloneError("there is another file of that name")
        return self.text

    def remove(self, text: str) -> str:
        """As ``JsonMember.remove``."""
        if text and text not in (self.text, self.former):
            raise LeftAloneError("it was changed since")
        return ""

    def is_there(self, text: str) -> bool:
        """Whether the place holds something that may be ours, in whatever form; also where that cannot be read."""
        return bool(text)

    def shown(self) -> str:
        """For people who put it in themselves."""
        return self.text


Entry = JsonMember | JsonItem | TomlBlock | YamlEntry | OwnFile


def _found(text: str, keys: tuple[str, ...]) -> jsonc.Node | None:
    if jsonc.is_blank(text):
        return None
    try:
        return jsonc.find(jsonc.parse(text), keys)
    except JsonTextError as error:
        raise LeftAloneError(f"it is no JSON that can be read: {error}") from None


def _inserted(text: str, insertion: Any) -> str:
    try:
        found: str = insertion().apply(text)
        jsonc.parse(found)
    except JsonTextError as error:
        raise LeftAloneError(str(error)) from None
    return found


def _pruned(text: str, keys: tuple[str, ...]) -> str:
    """Without the empty objects and lists that are left on the way."""
    while keys:
        there = _found(text, keys)
        if there is None or there.value not in ({}, []):
            return text
        text = jsonc.remove_member(text, keys)
        keys = keys[:-1]
    return text


def _ending(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        raise LeftAloneError(f"it is no TOML that can be read: {error}") from None


def _at(found: Any, keys: tuple[str, ...]) -> Any:
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _child_indent(rest: str) -> str | None:
    """The indentation of the first entry below."""
    for line in rest.split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            return line[: len(line) - len(line.lstrip(" "))] or None
    return None


def _without_block(text: str) -> str:
    found = re.search(rf"^[ \t]*# {BEGIN}\r?\n(?:.*\r?\n)*?[ \t]*# {END}(?:\r?\n|\Z)", text, re.MULTILINE)
    return text if found is None else text[: found.start()] + text[found.end() :]
