"""What ``.editorconfig`` files say about one path, as the specification of EditorConfig has it.

Never: the disk (the caller reads), or an error for a malformed file: what makes no sense is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from posixpath import dirname, join, relpath
from typing import assert_never

Reader = Callable[[str], str | bytes | None]
"""Gives the content of the file at an absolute path; None where there is none."""

_LIMIT = 4096
"""Longest line that is looked at."""
_RANGE = re.compile(r"([+-]?\d+)\.\.([+-]?\d+)")
_NUMBER = re.compile(r"[+-]?(\d{1,19})")
_NO_SLASH = re.compile(r"[^/]", re.DOTALL)
_NOTHING = re.compile(r"(?!)")


def editorconfig_charset(path: str, root: str, read: Reader) -> str | None:
    """The ``charset`` that holds for ``path``, as written (lower case); None where none is set."""
    return editorconfig_properties(path, root, read).get("charset")


def editorconfig_properties(path: str, root: str, read: Reader) -> Mapping[str, str]:
    """All properties for the absolute ``path``, names and values in lower case.

    The files in the folders from that of ``path`` up to and including ``root`` are asked, nearer ones win.
    """
    found: dict[str, str] = {}
    layers: list[dict[str, str]] = []
    folder = dirname(path)
    while True:
        content = read(join(folder, ".editorconfig"))
        if content is not None:
            text = content if isinstance(content, str) else content.decode("utf-8", "replace")
            is_root, properties = _properties(text, relpath(path, folder))
            layers.append(properties)
            if is_root:
                break
        if folder == root.rstrip("/") or folder == dirname(folder):
            break
        folder = dirname(folder)
    for layer in reversed(layers):
        found |= layer
    return {name: value for name, value in found.items() if value != "unset"}


def _properties(text: str, relative: str) -> tuple[bool, dict[str, str]]:
    """``(root, properties)`` of one file for one path relative to its folder."""
    is_root = False
    in_section = applies = False
    found: dict[str, str] = {}
    for raw in text.removeprefix("\ufeff").split("\n"):
        line = raw.strip()
        if not line or line[0] in "#;" or len(line) > _LIMIT:
            continue
        if line[0] == "[" and line[-1] == "]":
            in_section, applies = True, matches(line[1:-1], relative)
            continue
        name, equals, value = line.partition("=")
        if not equals:
            continue
        name, value = name.strip().lower(), value.strip().lower()
        if not in_section:
            is_root = is_root or (name == "root" and value == "true")
        elif applies:
            found[name] = value
    return is_root, found


def matches(glob: str, relative: str) -> bool:
    """Whether an ``.editorconfig`` glob names the path, which is relative to the file's folder.

    Its time grows with the two lengths, whatever the glob: it comes with a repository.
    """
    # Seen from the file's folder as "/", so that "/**/" covers the folder itself, too.
    rooted = "/" + glob.removeprefix("/") if "/" in glob else "/**/" + glob
    path = "/" + relative
    try:
        return len(path) in _ends(_parsed(rooted), path, {0})
    except RecursionError:
        return False


class _Wild(Enum):
    """What stands for any number of characters."""

    NAME = auto()
    """None of them a slash."""
    PATH = auto()
    FOLDERS = auto()
    """A slash, or whole folders between two."""


@dataclass(frozen=True, slots=True)
class _One:
    """One character, by what it may be."""

    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _Whole:
    """A whole number between two, both included."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class _Any:
    """One of several."""

    options: tuple[_Sequence, ...]


_Sequence = tuple["str | _Wild | _One | _Whole | _Any", ...]


def _ends(sequence: _Sequence, path: str, starts: set[int]) -> set[int]:
    """Where ``sequence`` may end in ``path``, for all places together where it may start."""
    for part in sequence:
        if not starts:
            break
        match part:
            case str():
                starts = {at + len(part) for at in starts if path.startswith(part, at)}
            case _Wild():
                starts = _ends_of_wild(part, path, starts)
            case _One(pattern):
                starts = {at + 1 for at in starts if pattern.match(path, at)}
            case _Whole(low, high):
                starts = {end for at in starts for end in _ends_of_number(path, at, low, high)}
            case _Any(options):
                starts = set().union(*(_ends(option, path, starts) for option in options))
            case _:
                assert_never(part)
    return starts


def _ends_of_wild(wild: _Wild, path: str, starts: set[int]) -> set[int]:
    first = min(starts)
    if wild is _Wild.PATH:
        return set(range(first, len(path) + 1))
    if wild is _Wild.FOLDERS:
        slashes = (at for at in starts if path.startswith("/", at))
        return {at + 1 for at in range(min(slashes, default=len(path)), len(path)) if path[at] == "/"}
    found, within = set[int](), False
    for at in range(first, len(path) + 1):
        within = within or at in starts
        if within:
            found.add(at)
        within = within and not path.startswith("/", at)
    return found


def _ends_of_number(path: str, start: int, low: int, high: int) -> Iterator[int]:
    """Ends of what is a number between ``low`` and ``high`` in ``path`` from ``start`` on."""
    digits = _NUMBER.match(path, start)
    for end in range(digits.start(1) + 1, digits.end() + 1) if digits else ():
        if low <= int(path[start:end]) <= high:
            yield end


@lru_cache(maxsize=256)
def _parsed(glob: str) -> _Sequence:
    return _Parser(glob).whole()


class _Parser:
    """One glob on its way to what it consists of."""

    def __init__(self, glob: str) -> None:
        self._glob = glob
        self._at = 0
        # Braces that do not pair are ordinary characters.
        plain = re.sub(r"\\.", "", glob)
        self._braces = plain.count("{") == plain.count("}")
        self._open = set[int]()
        """Behind which braces no end was found: looking again, once for each brace before, would never end."""

    def whole(self) -> _Sequence:
        """The whole glob."""
        return self._sequence(nested=False)

    def _sequence(self, *, nested: bool) -> _Sequence:
        out: list[str | _Wild | _One | _Whole | _Any] = []
        glob = self._glob
        while self._at < len(glob):
            character = glob[self._at]
            if nested and character in ",}":
                break
            self._at += 1
            if character == "\\" and self._at < len(glob):
                out.append(glob[self._at])
                self._at += 1
            elif character == "*":
                out.append(self._stars())
            elif character == "?":
                out.append(_One(_NO_SLASH))
            elif character == "[":
                out.append(self._class())
            elif character == "{" and self._braces and self._at not in self._open:
                out += self._brace()
            elif character == "/" and glob.startswith("**/", self._at):
                self._at += 3
                out.append(_Wild.FOLDERS)
            else:
                out.append(character)
        return tuple(out)

    def _stars(self) -> _Wild:
        if self._glob.startswith("*", self._at):
            self._at += 1
            return _Wild.PATH
        return _Wild.NAME

    def _class(self) -> str | _One:
        start = self._at
        end = self._glob.find("]", start + 1)
        body = self._glob[start:end] if end >= 0 else ""
        if not body or "/" in body:
            return "["
        negated = body[0] in "!^"
        inside = body[1:] if negated else body
        safe = re.sub(r"([\\\[\]^&~|])", r"\\\1", re.sub(r"\\(.)", r"\1", inside))
        safe = safe.replace("--", r"-\-")  # which may come to mean a difference
        try:
            found = _One(re.compile(f"[^/{safe}]" if negated else f"[{safe}]"))
        except re.error:
            found = _One(_NOTHING)
        self._at = end + 1
        return found

    def _brace(self) -> _Sequence:
        if found := _RANGE.match(self._glob, self._at):
            end = found.end()
            if self._glob.startswith("}", end):
                self._at = end + 1
                low, high = sorted((int(found[1]), int(found[2])))
                return (_Whole(low, high),)
        start = self._at
        options = [self._sequence(nested=True)]
        while self._glob.startswith(",", self._at):
            self._at += 1
            options.append(self._sequence(nested=True))
        if not self._glob.startswith("}", self._at):
            self._open.add(start)
            self._at = start
            return ("{",)
        self._at += 1
        return (_Any(tuple(options)),) if len(options) > 1 else ("{", *options[0], "}")
