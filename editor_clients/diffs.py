"""Differences as git writes them: ``git apply`` takes what this makes and gives exactly the text after.

Never: I/O, colours, or a guess at renames: what was moved is said by the caller.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from editor_clients.lines import has_lone_cr
from editor_clients.replacements import Hunk, hunks_between

_NO_NEWLINE = "\\ No newline at end of file\n"
_FILE_HEAD = "diff --git "
_DEFAULT_MODE = 0o644


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One file of a diff; paths are relative, with ``/``."""

    path_before: str | None
    """None when the file was not there."""
    path_after: str | None
    """None when the file is gone."""
    before: str | None
    after: str | None
    mode_before: int | None = None
    """Permission bits; None where they are not known or do not matter."""
    mode_after: int | None = None
    hunks: tuple[Hunk, ...] | None = None
    """``hunks_between(before, after)``, where somebody has them already."""


def unified_diff(files: Iterable[FileDiff], context: int = 3) -> str:
    """The diff of all ``files`` in git's format; a file that did not change is left out."""
    return "".join(piece for one in files for piece in _file(one, context))


def cut_diff(diff: str, limit: int = 20_000) -> tuple[str, bool]:
    """``(diff, truncated)``: the diff cut after the last hunk that fits into ``limit`` characters.

    Where not even the first hunk fits, its first lines make a smaller one, so that something is shown; it says
    what changed there, but git wants more context at its end before it applies it.
    """
    if len(diff) <= limit:
        return diff, False
    end = 0
    for start in _borders(diff[: limit + len(_FILE_HEAD)]):
        if start > limit:
            break
        end = start
    return (diff[:end] if end else _shortened(diff, limit)), True


def _file(one: FileDiff, context: int) -> Iterator[str]:
    old, new = one.path_before or one.path_after or "", one.path_after or one.path_before or ""
    before, after = one.before or "", one.after or ""
    head = list(_extended_head(one, before, after))
    if not head and before == after:
        return
    yield f"{_FILE_HEAD}{quoted('a/' + old)} {quoted('b/' + new)}\n"
    yield from head
    if before == after:
        return
    yield f"--- {'/dev/null' if one.path_before is None else _labelled('a/' + old)}\n"
    yield f"+++ {'/dev/null' if one.path_after is None else _labelled('b/' + new)}\n"
    for group in _groups(_git_hunks(one, before, after), context):
        yield from _hunk(before, after, group, context)


def _extended_head(one: FileDiff, before: str, after: str) -> Iterator[str]:
    """What changed beside the text."""
    if one.path_before is None:
        yield f"new file mode {_git_mode(one.mode_after)}\n"
        return
    if one.path_after is None:
        yield f"deleted file mode {_git_mode(one.mode_before)}\n"
        return
    old_mode, new_mode = _git_mode(one.mode_before), _git_mode(one.mode_after)
    if one.mode_before is not None and one.mode_after is not None and old_mode != new_mode:
        yield f"old mode {old_mode}\nnew mode {new_mode}\n"
    if one.path_before != one.path_after:
        yield f"similarity index {_similarity(one, before, after)}%\n"
        yield f"rename from {quoted(one.path_before)}\nrename to {quoted(one.path_after)}\n"


def _git_mode(mode: int | None) -> str:
    """Git knows two kinds of regular files."""
    return "100755" if (_DEFAULT_MODE if mode is None else mode) & 0o100 else "100644"


def _similarity(one: FileDiff, before: str, after: str) -> int:
    if before == after:
        return 100
    kept = len(before) - sum(hunk.end - hunk.start for hunk in _git_hunks(one, before, after))
    return min(99, 100 * kept // max(len(before), len(after)))


def _git_hunks(one: FileDiff, before: str, after: str) -> tuple[Hunk, ...]:
    if has_lone_cr(before) or has_lone_cr(after):
        return hunks_between(before, after, lf_only=True)
    return hunks_between(before, after) if one.hunks is None else one.hunks


def _groups(hunks: Sequence[Hunk], context: int) -> Iterator[list[Hunk]]:
    """Hunks whose contexts would touch, together."""
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.first - (group[-1].first + group[-1].removed) > 2 * context:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _hunk(before: str, after: str, group: Sequence[Hunk], context: int) -> Iterator[str]:
    first, last = group[0], group[-1]
    start, lead = _context_before(before, first.start, context)
    end, trail = _context_after(before, last.end, context)
    old = last.first + last.removed - first.first + lead + trail
    new = last.after_first + last.added - first.after_first + lead + trail
    yield f"@@ -{_range(first.first - lead, old)} +{_range(first.after_first - lead, new)} @@\n"
    at = start
    for hunk in group:
        yield _signed(" ", before[at : hunk.start])
        yield _signed("-", before[hunk.start : hunk.end])
        yield _signed("+", after[hunk.after_start : hunk.after_end])
        at = hunk.end
    yield _signed(" ", before[at:end])


def _range(first: int, count: int) -> str:
    if count == 1:
        return str(first)
    return f"{first if count else first - 1},{count}"


def _context_before(text: str, offset: int, lines: int) -> tuple[int, int]:
    """Where up to ``lines`` lines before a line start begin, and how many they are."""
    found = 0
    while found < lines and offset > 0:
        offset = text.rfind("\n", 0, offset - 1) + 1
        found += 1
    return offset, found


def _context_after(text: str, offset: int, lines: int) -> tuple[int, int]:
    found = 0
    while found < lines and offset < len(text):
        offset = text.find("\n", offset) + 1 or len(text)
        found += 1
    return offset, found


def _signed(sign: str, text: str) -> str:
    """The lines of ``text`` with ``sign`` before each."""
    if not text:
        return ""
    if text[-1] == "\n":
        return sign + text[:-1].replace("\n", "\n" + sign) + "\n"
    return sign + text.replace("\n", "\n" + sign) + "\n" + _NO_NEWLINE


_ESCAPES = {"\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", '"': '"', "\\": "\\"}
_TO_QUOTE = re.compile('[\x00-\x1f\x7f"\\\\\ud800-\udfff]')


def quoted(path: str) -> str:
    """A path as git quotes it with ``core.quotePath`` off; bytes that are not UTF-8 as octal numbers."""
    if not _TO_QUOTE.search(path):
        return path
    return '"' + _TO_QUOTE.sub(_escape, path) + '"'


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    if character in _ESCAPES:
        return "\\" + _ESCAPES[character]
    return "".join(f"\\{byte:03o}" for byte in _bytes_of(character))


def _bytes_of(character: str) -> bytes:
    try:
        return character.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return character.encode("utf-8", "surrogatepass")


def _labelled(path: str) -> str:
    """Git ends a name with blanks by a tab, so that the end can be told."""
    return quoted(path) + ("\t" if " " in path else "")


_STRUCTURE = re.compile(r"^(?:diff --git |@@ -)", re.MULTILINE)
_HUNK_HEAD = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@\n", re.MULTILINE)


def _borders(diff: str) -> Iterator[int]:
    """Where a hunk, or a file without hunks, ends and another follows; never between a file's head and a hunk."""
    in_file = True
    for found in _STRUCTURE.finditer(diff):
        is_file = found.group()[0] == "d"
        if is_file or not in_file:
            yield found.start()
        in_file = is_file


def _shortened(diff: str, limit: int) -> str:
    """The first file's head and as many lines of its first hunk as fit, as a hunk of their own.

    Nothing where no changed line fits: a head without a change would say something else.
    """
    head = _HUNK_HEAD.search(diff)
    if head is None or head.end() > limit:
        return ""
    counts = {" ": 0, "-": 0, "+": 0}
    at = head.end()
    room = limit - 2 * len(str(limit))  # for the counts of the new head
    while (end := diff.find("\n", at) + 1) and not _STRUCTURE.match(diff, at):
        if diff.startswith("\\", end):
            end += len(_NO_NEWLINE)
        if end > room:
            break
        counts[diff[at]] += 1
        at = end
    if not counts["-"] + counts["+"]:
        return ""
    old, new = counts[" "] + counts["-"], counts[" "] + counts["+"]
    first = f"@@ -{head[1]},{old} +{head[2]},{new} @@\n"
    return diff[: head.start()] + first + diff[head.end() : at]
