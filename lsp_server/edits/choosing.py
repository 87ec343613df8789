"""Which of the hits of one level are replaced: the only one, all when that was asked for, else none.

Never: a preference for one of several hits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

from editor_clients.lines import LineIndex
from ledger.errors import Code, CoeditorError
from lsp_server.edits.enclosing import enclosing_names
from lsp_server.edits.hits import FileText, Hit

MOST_HITS = 10_000
"""Hits that are counted before a text just stands at too many places."""
_MOST_NAMED = 20
"""Hits that are named one by one."""
_REPEATED_LENGTH = 40
_REPEATED_HITS = 3


@dataclass(frozen=True, slots=True)
class Request:
    """An edit as sent, line ends folded."""

    file: FileText
    old: str
    new: str
    new_as_sent: str
    replace_all: bool
    replace_repeated: bool


def chosen(request: Request, found: Iterator[Hit]) -> tuple[list[Hit], tuple[str, ...]]:
    """The hits to replace, with what to tell of them; ``[]`` when there are none.

    Errors: FS_AMBIGUOUS_MATCH.
    """
    if request.replace_all:
        hits: list[Hit] = []
        for hit in found:
            if not hits or hit.start >= hits[-1].end:
                hits.append(hit)
        return hits, ()
    hits = list(islice(found, MOST_HITS))
    if len(hits) < 2:
        return hits, ()
    if request.replace_repeated and _repeated(request, hits):
        index = LineIndex(request.file.text)
        named = ", ".join(str(lines_of(index, hit)[0]) for hit in hits)
        return hits, (f"old_string stands at {len(hits)} places, and all were replaced: lines {named}.",)
    remedy = "Send more of the lines around the one you mean, or set replace_all."
    raise ambiguous(request, hits, "old_string fits", remedy)


def _repeated(request: Request, hits: list[Hit]) -> bool:
    if len(hits) > _REPEATED_HITS or len(request.old) < _REPEATED_LENGTH:
        return False
    apart = all(one.end <= other.start for one, other in pairwise(hits))
    return apart and len({request.file.text[hit.start : hit.end] for hit in hits}) == 1


def ambiguous(request: Request, hits: list[Hit], what: str, remedy: str) -> CoeditorError:
    """The FS_AMBIGUOUS_MATCH for a text that stands at each of ``hits``, with their lines and enclosing names."""
    index = LineIndex(request.file.text)
    lines = [lines_of(index, hit) for hit in hits[:_MOST_NAMED]]
    rows: list[dict[str, Any]] = []
    for span in lines:
        row: dict[str, Any] = {"lines": list(span)}
        if names := enclosing_names(index, span[0]):
            row["enclosing"] = names
        rows.append(row)
    count = f"{len(hits)} places" if len(hits) < MOST_HITS else f"{MOST_HITS} places or more"
    firsts = list(dict.fromkeys(first for first, _ in lines))
    named = f"line{'s' if len(firsts) > 1 else ''} " + ", ".join(map(str, firsts))
    named += ", ..." if len(hits) > len(lines) else ""
    return CoeditorError(
        Code.FS_AMBIGUOUS_MATCH,
        f"{what} at {count} ({named}). {remedy}",
        data={"lines": firsts, "count": len(hits), "hits": rows},
    )


def lines_of(index: LineIndex, hit: Hit) -> tuple[int, int]:
    """The 1-based lines of a hit; a line end at its end belongs to the line that it ends."""
    return index.line_of(hit.start), index.line_of(max(hit.start, hit.end - 1))
