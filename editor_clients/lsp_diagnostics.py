"""LSP's diagnostics, positions and file URIs <-> ours.

Never: I/O, or trust in what a server sends; a malformed diagnostic becomes a plain one at line 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote, unquote, urlsplit

from editor_clients.diagnostic import SEVERITIES, Diagnostic, Severity
from editor_clients.lines import LineIndex, PositionEncoding, split_lines
from editor_clients.loose_json import as_int, as_list, as_object, as_text

MAX_ITEMS = 20_000
"""Diagnostics of one report that are looked at; a server that finds more has lost its way."""
MAX_MESSAGE = 2_000
"""Characters of one message."""
_ENCODINGS: tuple[PositionEncoding, ...] = ("utf-32", "utf-8", "utf-16")


def path_to_uri(path: str) -> str:
    """The ``file:`` URI of an absolute path."""
    return "file://" + quote(path, safe="/-._~!$&'()*+,;=@")


def uri_to_path(uri: str) -> str | None:
    """The path of a ``file:`` URI in whatever spelling; None for another scheme, and for what is no URI."""
    try:
        parts = urlsplit(uri)
    except ValueError:  # a bracket that is not closed
        return None
    return unquote(parts.path) if parts.scheme == "file" else None


def position_encoding(named: object) -> PositionEncoding:
    """The encoding that a server chose; UTF-16 when it says nothing."""
    for known in _ENCODINGS:
        if named == known:
            return known
    return "utf-16"


class Columns:
    """Places in one text, for many diagnostics at once."""

    __slots__ = ("_encoding", "_lines")

    def __init__(self, text: str, encoding: PositionEncoding) -> None:
        self._lines = split_lines(text)
        self._encoding: PositionEncoding = encoding

    def place(self, line: int, character: int) -> tuple[int, int]:
        """The 1-based line and column of an LSP position, clamped as LSP says."""
        if line < 0:
            return 1, 1
        if line >= len(self._lines):
            return self._end_of_text()
        content = self._content(line)
        if self._encoding == "utf-32" or content.isascii():
            return line + 1, min(max(character, 0), len(content)) + 1
        return line + 1, LineIndex(content).offset_at(0, max(character, 0), self._encoding) + 1

    def last_place(self, start: tuple[int, int], line: int, character: int) -> tuple[int, int]:
        """The last place inside a range whose exclusive end is the LSP position given."""
        end_line, end_column = self.place(line, character)
        if (end_line, end_column) <= start:
            return start
        if end_column > 1:
            return end_line, end_column - 1
        return end_line - 1, len(self._content(end_line - 2)) + 1

    def _content(self, line: int) -> str:
        text = self._lines[line]
        return text[:-2] if text.endswith("\r\n") else text.removesuffix("\n").removesuffix("\r")

    def _end_of_text(self) -> tuple[int, int]:
        if not self._lines:
            return 1, 1
        last = self._lines[-1]
        if last[-1] in "\r\n":
            return len(self._lines) + 1, 1
        return len(self._lines), len(last) + 1


def diagnostics_from(
    raw: object, *, path: str, text: str, encoding: PositionEncoding, server: str
) -> tuple[Diagnostic, ...]:
    """The diagnostics of one LSP report about ``text``; at most MAX_ITEMS of them.

    ``server`` names the source of those that do not name one.
    """
    items: Sequence[object] = as_list(raw)[:MAX_ITEMS]
    columns = Columns(text, encoding) if items else None
    return tuple(_one(item, path, columns, server) for item in items if columns is not None)


def _one(raw: object, path: str, columns: Columns, server: str) -> Diagnostic:
    fields = as_object(raw)
    span = as_object(fields.get("range"))
    first, last = as_object(span.get("start")), as_object(span.get("end"))
    start = columns.place(as_int(first.get("line")), as_int(first.get("character")))
    end = columns.last_place(start, as_int(last.get("line")), as_int(last.get("character")))
    return Diagnostic(
        file_path=path,
        line=start[0],
        column=start[1],
        end_line=end[0],
        end_column=end[1],
        severity=_severity(fields.get("severity")),
        code=_code(fields.get("code")),
        source=_source(fields.get("source"), server),
        message=as_text(fields.get("message"))[:MAX_MESSAGE].replace("\xa0", " ").strip(),
    )


def _source(value: object, server: str) -> str:
    """Whoever the server names; the server itself always in one spelling."""
    named = as_text(value)
    return named if named and named.lower() != server.lower() else server


def _severity(value: object) -> Severity:
    number = as_int(value, 1)
    return SEVERITIES[number - 1] if 1 <= number <= len(SEVERITIES) else "error"


def _code(value: object) -> str | None:
    """Codes are strings or numbers; some servers wrap them into an object."""
    if isinstance(value, dict):
        return _code(value.get("value"))
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return str(value)
    return as_text(value) or None
