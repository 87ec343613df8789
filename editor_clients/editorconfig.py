"""What ``.editorconfig`` files say about one path, as the specification of EditorConfig has it.

Never: the disk (the caller reads), or an error for a malformed file: what makes no sense is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from posixpath import dirname, join, relpath

Reader = Callable[[str], str | bytes | None]
"""Gives the content of the file at an absolute path; None where there is none."""

_LIMIT = 4096
"""Longest line that is looked at."""
_RANGE = re.compile(r"([+-]?\d+)\.\.([+-]?\d+)")


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
    """Whether an ``.editorconfig`` glob names the path, which is relative to the file's folder."""
    pattern, ranges = _compiled(glob)
    found = pattern.fullmatch("/" + relative)
    if found is None:
        return False
    return all(low <= int(found[i]) <= high for i, (low, high) in enumerate(ranges, 1))


@lru_cache(maxsize=256)
def _compiled(glob: str) -> tuple[re.Pattern[str], tuple[tuple[int, int], ...]]:
    # Seen from the file's folder as "/", so that "/**/" covers the folder itself, too.
    rooted = "/" + glob.removeprefix("/") if "/" in glob else "/**/" + glob
    ranges: list[tuple[int, int]] = []
    try:
        pattern = re.compile(_Translator(rooted, ranges).whole(), re.DOTALL)
    except (re.error, RecursionError):
        pattern = re.compile(r"(?!)")
        ranges = []
    return pattern, tuple(ranges)


class _Translator:
    """One glob on its way to a regular expression."""

    def __init__(self, glob: str, ranges: list[tuple[int, int]]) -> None:
        self._glob = glob
        self._ranges = ranges
        self._at = 0
        # Braces that do not pair are ordinary characters.
        plain = re.sub(r"\\.", "", glob)
        self._braces = plain.count("{") == plain.count("}")

    def whole(self) -> str:
        """The expression for the whole glob."""
        return self._sequence(nested=False)

    def _sequence(self, *, nested: bool) -> str:
        out: list[str] = []
        glob = self._glob
        while self._at < len(glob):
            character = glob[self._at]
            if nested and character in ",}":
                break
            self._at += 1
            if character == "\\" and self._at < len(glob):
                out.append(re.escape(glob[self._at]))
                self._at += 1
            elif character == "*":
                out.append(self._stars())
            elif character == "?":
                out.append("[^/]")
            elif character == "[":
                out.append(self._class())
            elif character == "{" and self._braces:
                out.append(self._brace())
            elif character == "/" and glob.startswith("**/", self._at):
                self._at += 3
                out.append("(?:/|/.*/)")
            else:
                out.append(re.escape(character))
        return "".join(out)

    def _stars(self) -> str:
        if self._glob.startswith("*", self._at):
            self._at += 1
            return ".*"
        return "[^/]*"

    def _class(self) -> str:
        start = self._at
        end = self._glob.find("]", start + 1)
        body = self._glob[start:end] if end >= 0 else ""
        if not body or "/" in body:
            return r"\["
        self._at = end + 1
        negated = body[0] in "!^"
        inside = body[1:] if negated else body
        safe = re.sub(r"([\\\[\]^&~|])", r"\\\1", re.sub(r"\\(.)", r"\1", inside))
        return f"[^/{safe}]" if negated else f"[{safe}]"

    def _brace(self) -> str:
        if found := _RANGE.match(self._glob, self._at):
            end = found.end()
            if self._glob.startswith("}", end):
                self._at = end + 1
                low, high = sorted((int(found[1]), int(found[2])))
                self._ranges.append((low, high))
                return r"([+-]?\d+)"
        start = self._at
        options = [self._sequence(nested=True)]
        while self._glob.startswith(",", self._at):
            self._at += 1
            options.append(self._sequence(nested=True))
        if not self._glob.startswith("}", self._at):
            self._at = start
            return r"\{"
        self._at += 1
        if len(options) == 1:
            return r"\{" + options[0] + r"\}"
        return "(?:" + "|".join(options) + ")"
