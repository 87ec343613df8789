"""The program that searches where there is no ripgrep; it takes a job, answers as ripgrep would, and ends.

A process of its own: a pattern that runs away is ended from outside, and nobody else waits for it.

::

    standard input     {"job": "candidates" | "lines", "pattern", "multiline", "paths", "most"} as JSON
    standard output    candidates: each path, NUL;  lines: path, NUL, line:column:, newline
    exit code          0, or 2 with a sentence on standard error

Never: a text held back or a file changed.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from editor_clients.rust_regex import looks_back, translated
from ledger.errors import CoeditorError


@dataclass
class Query:
    """A pattern, compiled for ASCII texts and for others when the first comes."""

    pattern: str
    multiline: bool

    def compile(self, *, everything: bool) -> None:
        """Errors: INVALID_ARGUMENT, or what ``re`` says of a pattern beyond its limits."""
        _ = self.for_ascii
        if everything:
            _ = self.for_all

    @cached_property
    def for_ascii(self) -> re.Pattern[str]:
        """Compiled on first use. Errors: as `compile`."""
        return self._compiled(ascii_only=True)

    @cached_property
    def for_all(self) -> re.Pattern[str]:
        """The same for texts with other characters."""
        return self._compiled(ascii_only=False)

    def hits(self, text: str) -> Iterator[tuple[int, int]]:
        """Lines (1-based) with a hit, each with the 1-based column in bytes where its first one starts.

        Over line ends there are no columns; they are all 1.
        """
        regex = self.for_ascii if text.isascii() else self.for_all
        if self.multiline:
            yield from _hits_over_lines(_matches(regex, text, self.pattern), text)
            return
        lines = text.split("\n")
        is_ended = not lines[-1]
        if is_ended:
            lines.pop()
        for number, line in enumerate(lines, 1):
            found = regex.search(line)
            if found is not None:
                # ripgrep knows no column of an empty hit at the very end.
                is_behind = found.start() == len(line) and number == len(lines) and not is_ended
                yield number, 1 if is_behind else _column(line, found.start())

    def _compiled(self, *, ascii_only: bool) -> re.Pattern[str]:
        return re.compile(translated(self.pattern, multiline=self.multiline, ascii_only=ascii_only))


def _matches(regex: re.Pattern[str], text: str, pattern: str) -> Iterator[tuple[int, int]]:
    """Start and end of each match, one after the other.

    ripgrep goes on behind a match as if the text began there; what looks back does the same here.
    """
    if not looks_back(pattern):
        yield from (found.span() for found in regex.finditer(text))
        return
    at = 0
    while at < len(text) and (found := regex.search(text[at:])) is not None:
        start, end = found.start() + at, found.end() + at
        yield start, end
        at = end + (start == end)


def _hits_over_lines(matches: Iterator[tuple[int, int]], text: str) -> Iterator[tuple[int, int]]:
    line, counted, told = 1, 0, 0
    for start, end in matches:
        if start == len(text) and (not text or text.endswith("\n")):
            return  # an empty hit behind the last line is in no line
        line += text.count("\n", counted, start)
        counted = start
        last = line + text.count("\n", start, max(start, end - 1))
        for number in range(max(line, told + 1), last + 1):
            yield number, 1
        told = max(told, last)


def _column(line: str, characters: int) -> int:
    return len(line[:characters].encode("utf-8")) + 1


def main() -> int:
    """Do the one job on standard input."""
    job = json.load(sys.stdin.buffer)
    query = Query(job["pattern"], job["multiline"])
    try:
        query.compile(everything=job["job"] == "check")
    except (CoeditorError, re.error, OverflowError, RecursionError, ValueError) as error:
        return _refuse(error)
    out = sys.stdout.buffer
    for path in job["paths"]:
        try:
            data = Path(path).read_bytes()
        except OSError:
            continue
        if job["job"] == "candidates":
            if _is_candidate(query, data):
                out.write(path.encode() + b"\0")
            continue
        for line, column in islice(query.hits(data.decode("utf-8")), job["most"]):
            out.write(path.encode() + f"\0{line}:{column}:\n".encode())
    out.flush()
    return 0


def _is_candidate(query: Query, data: bytes) -> bool:
    """Whether a file has a hit, or has to be read as the person sees it before that can be said."""
    if b"\0" in data or b"\r" in data:
        return True
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return "\ufeff" in text or next(query.hits(text), None) is not None


def _refuse(error: Exception) -> int:
    found: dict[str, Any] = {"message": str(error)}
    if isinstance(error, CoeditorError):
        found = {"message": error.message, "data": error.data}
    sys.stderr.write(json.dumps(found))
    return 2


if __name__ == "__main__":
    sys.exit(main())
