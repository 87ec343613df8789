"""Differences of files that are no text, as ``git diff --binary`` writes them and ``git apply`` takes them.

Never: a picture of what changed.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha1

from editor_clients.diffs import quoted

_LINE = 52
"""Bytes of one line."""
_NOTHING = "0" * 40


@dataclass(frozen=True, slots=True)
class BinaryDiff:
    """One file; a path is None where there is none."""

    path_before: str | None
    path_after: str | None
    before: bytes
    after: bytes
    is_program: bool = False
    """Of a file that comes or goes: whether it may be run."""


def binary_diff(one: BinaryDiff, *, whole: bool = True) -> str:
    """The patch; empty when nothing changed. Not ``whole``: only that there is a difference, for readers."""
    if one.before == one.after and one.path_before == one.path_after:
        return ""
    old, new = one.path_before or one.path_after or "", one.path_after or one.path_before or ""
    mode = "100755" if one.is_program else "100644"
    lines = [f"diff --git {quoted('a/' + old)} {quoted('b/' + new)}"]
    if one.path_before is None:
        lines.append(f"new file mode {mode}")
    elif one.path_after is None:
        lines.append(f"deleted file mode {mode}")
    if not whole:
        sides = [
            None if side is None else mark + side
            for mark, side in (("a/", one.path_before), ("b/", one.path_after))
        ]
        left, right = (quoted(side) if side is not None else "/dev/null" for side in sides)
        return "\n".join([*lines, f"Binary files {left} and {right} differ"]) + "\n"
    before = _NOTHING if one.path_before is None else _name_of(one.before)
    after = _NOTHING if one.path_after is None else _name_of(one.after)
    lines += [f"index {before}..{after}", "GIT binary patch"]
    lines += [*_literal(one.after), "", *_literal(one.before), ""]
    return "\n".join(lines) + "\n"


def _name_of(data: bytes) -> str:
    """What git calls these contents."""
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _literal(data: bytes) -> Iterator[str]:
    yield f"literal {len(data)}"
    packed = zlib.compress(data)
    for start in range(0, len(packed), _LINE):
        part = packed[start : start + _LINE]
        size = len(part)
        mark = chr(ord("A") + size - 1) if size <= 26 else chr(ord("a") + size - 27)
        yield mark + base64.b85encode(part, pad=True).decode("ascii")
