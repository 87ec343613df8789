"""Glob patterns over paths, as gitignore files and ripgrep's ``--glob`` spell them.

::

    *  ?      anything but a slash            **/ /** /**/   any number of folders
    [a-z]     one of them, [!a-z] none        \\x             the character itself
    {a,b}     either, in patterns of a caller (gitignore files do not have it)

Never: I/O, or a pattern that half works: one that makes no sense matches nothing or is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from ledger.errors import Code, CoeditorError

_POSIX_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t\\n\\v\\f\\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_MOST_BRANCHES = 1_000
_STAR = "[^/]*"
_FOLDERS = "(?:.*/)?"


def path_filter(pattern: str) -> Callable[[str], bool]:
    """Whether a path relative to the folder searched (with ``/``) fits ``pattern``.

    Without a slash the pattern is held against the last part of the path, at any depth; with one, against the
    whole path. A leading ``!`` turns it round. Errors: INVALID_ARGUMENT for a pattern that makes no sense.
    """
    negated = pattern.startswith("!")
    body = pattern[1:] if negated else pattern
    while body.startswith("./"):
        body = body[2:]
    if body.endswith("/"):
        body += "**"
    branches = [re.compile(_translated(branch, pattern), re.DOTALL) for branch in _branches(body, pattern)]

    def fits(path: str) -> bool:
        return any(branch.match(path) is not None for branch in branches) is not negated

    return fits


def _translated(branch: str, pattern: str) -> str:
    anchored = "/" in branch
    found = wildmatch(branch.lstrip("/"))
    if found is None or not branch.strip("/"):
        raise _senseless(pattern, branch or "nothing")
    return rf"{found}\Z" if anchored else rf"(?:.*/)?{found}\Z"


def _branches(pattern: str, whole: str) -> list[str]:
    """The patterns that braces stand for; ``{a,b}`` may be nested, and ``\\{`` is a brace."""
    opened = _find_brace(pattern)
    if opened is None:
        return [pattern]
    parts: list[str] = []
    depth, start, at = 0, opened + 1, opened
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            at += 1
        elif char == "{":
            depth += 1
        elif char == "," and depth == 1:
            parts.append(pattern[start:at])
            start = at + 1
        elif char == "}":
            depth -= 1
            if not depth:
                parts.append(pattern[start:at])
                break
        at += 1
    if depth:
        raise _senseless(whole, "{")
    head, tail = pattern[:opened], pattern[at + 1 :]
    found = [branch for part in parts for branch in _branches(head + part + tail, whole)]
    if len(found) > _MOST_BRANCHES:
        raise _senseless(whole, "{")
    return found


def _find_brace(pattern: str) -> int | None:
    at = 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 1
        elif pattern[at] == "[":
            found = _class(pattern, at)
            at = found[1] - 1 if found else at
        elif pattern[at] == "{":
            return at
        at += 1
    return None


def _senseless(pattern: str, part: str) -> CoeditorError:
    return CoeditorError(
        Code.INVALID_ARGUMENT,
        f"The pattern {pattern!r} makes no sense at {part!r}. Patterns look like src/**/*.py or *.{{ts,tsx}}.",
        data={"argument": "pattern"},
    )


@lru_cache(maxsize=4096)
def wildmatch(pattern: str) -> str | None:
    """A regular expression for git's wildmatch, without anchors; None for a pattern that matches nothing."""
    found: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "*":
            end = at
            while end < len(pattern) and pattern[end] == "*":
                end += 1
            piece, at = _stars(pattern, at, end)
            found.append(piece)
        elif char == "?":
            found.append("[^/]")
            at += 1
        elif char == "[":
            bracket = _class(pattern, at)
            if bracket is None:
                return None
            found.append(bracket[0])
            at = bracket[1]
        elif char == "\\":
            if at + 1 == len(pattern):
                return None
            found.append(re.escape(pattern[at + 1]))
            at += 2
        else:
            found.append(re.escape(char))
            at += 1
    names = [_once(_cut(part, _STAR), _STAR, "[^/]*?") for part in _cut(found, _FOLDERS)]
    return _once(names, _FOLDERS, "(?:.*?/)??")


def _once(parts: Sequence[str | Sequence[str]], wildcard: str, shortest: str) -> str:
    """``parts`` with a wildcard between each two, of which only the last is tried again.

    What stands between two of them is taken where it is found first: the second one takes whatever comes before
    the next, so no later place could do more. Otherwise a few of them take hours on one long name.
    """
    first, *others = ("".join(part) for part in parts)
    if not others:
        return first
    *between, last = others
    return first + "".join(f"(?>{shortest}{part})" for part in between) + wildcard + last


def _cut(pieces: Sequence[str], wildcard: str) -> list[list[str]]:
    """What stands before, between and behind the wildcards."""
    parts: list[list[str]] = [[]]
    for piece in pieces:
        if piece == wildcard:
            parts.append([])
        else:
            parts[-1].append(piece)
    return parts


def _stars(pattern: str, at: int, end: int) -> tuple[str, int]:
    """The run of asterisks ``at..end``, with the slash behind it where it stands for folders."""
    opens = at == 0 or pattern[at - 1] == "/"
    if end - at < 2 or not opens:
        return _STAR, end
    if end == len(pattern):
        return (".+" if at else ".*"), end
    if pattern[end] == "/":
        return _FOLDERS, end + 1
    return _STAR, end


def _class(pattern: str, at: int) -> tuple[str, int] | None:
    """The bracket that opens at ``at``, and where it ends; None when it does not close."""
    start = at + 1
    negated = pattern[start : start + 1] in ("!", "^")
    start += negated
    found: list[str] = []
    at = start
    while at < len(pattern):
        char = pattern[at]
        if char == "]" and at > start:
            if not found:
                return ("(?!)" if not negated else "[^/]"), at + 1
            return f"(?!/)[{'^' if negated else ''}{''.join(found)}]", at + 1
        if char == "[" and pattern[at + 1 : at + 2] == ":":
            close = pattern.find(":]", at + 2)
            if close >= 0:
                known = _POSIX_CLASSES.get(pattern[at + 2 : close])
                if known is None:
                    return None
                found.append(known)
                at = close + 2
                continue
        low, at = _class_char(pattern, at)
        if pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("", "]"):
            high, at = _class_char(pattern, at + 1)
        else:
            high = low
        if low and high and low <= high:
            found.append(f"{re.escape(low)}-{re.escape(high)}")
    return None


def _class_char(pattern: str, at: int) -> tuple[str, int]:
    if pattern[at] == "\\":
        return pattern[at + 1 : at + 2], at + 2
    return pattern[at], at + 1
