"""``old_string`` to ``new_string`` in one text: which place is meant, and what exactly is written there.

The levels are tried in order and the first one with a hit decides::

    exact            characters as sent; line ends of any kind are one
    trailing-space   + blanks at line ends, a final newline that the last line lacks
    typographic      + quotes, dashes, ellipsis, odd blanks, composed and decomposed letters
    indentation      + whole lines, shifted, tabs for blanks, or scaled
    elided           + a line that is only ``...`` stands for lines in between

Never: I/O, similarity, or a choice between two hits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from editor_clients.lines import LineIndex, folded, lines_at
from editor_clients.port import Replacement
from ledger.errors import Code, CoeditorError
from lsp_server.edits.blocks import BlockIndex, rewrite_block
from lsp_server.edits.choosing import MOST_HITS, Request, ambiguous, chosen
from lsp_server.edits.elided import Part, find_spans, is_marker, rewrite_parts
from lsp_server.edits.fitting import TooManyPlacesError
from lsp_server.edits.folding import is_blank, must_stand
from lsp_server.edits.hits import FileText, Hit, exact_hits, folded_hits
from lsp_server.edits.levels import SPELLINGS, Level
from lsp_server.edits.literal import breaks_of, fold_request, with_endings_of
from lsp_server.edits.misses import miss, shown_place
from lsp_server.edits.pasted import is_own_output

__all__ = ["Level", "Match", "is_own_output", "match_edit"]

_MANY = 500
"""Hits for which a list of all lines pays."""


@dataclass(frozen=True, slots=True)
class Match:
    """What an edit does to a text."""

    level: Level
    replacements: tuple[Replacement, ...]
    """Over the text before, with the line endings as they will be; in order, not overlapping."""
    lines: tuple[tuple[int, int], ...]
    """1-based inclusive lines of each hit in the text before."""
    warnings: tuple[str, ...] = ()


def match_edit(
    text: str,
    old: str,
    new: str,
    *,
    replace_all: bool = False,
    tolerant: bool = True,
    replace_repeated: bool = False,
) -> Match:
    """How ``text`` changes when ``old`` becomes ``new``; nothing outside the replacements does.

    ``tolerant`` off leaves only the exact level. ``replace_repeated``: a long ``old`` that stands at two or
    three places is replaced at all of them.

    Errors: FS_NO_MATCH (``data``: ``nearest``, sometimes ``reason`` and ``hint``), FS_AMBIGUOUS_MATCH (``data``:
    ``lines``, ``count``, ``hits``), FS_NO_CHANGE, INVALID_ARGUMENT for an empty ``old`` on a text.
    """
    if old.startswith("\ufeff"):
        old, new = old[1:], new.removeprefix("\ufeff")
    request = Request(
        FileText(text), fold_request(old), fold_request(new), new, replace_all, replace_repeated
    )
    if not old and text:
        raise CoeditorError(
            Code.INVALID_ARGUMENT,
            "old_string is empty, which only creates a file or fills an empty one. Send the text to replace.",
        )
    if request.old == request.new:
        raise _no_change()
    if not old:
        return Match(Level.EXACT, (Replacement(0, 0, new),), ((1, 1),))
    match = _exactly(request)
    if match is None and tolerant and _could_stand(request):
        match = _tolerantly(request)
    if match is None:
        raise miss(request.file, request.old, request.new)
    if all(text[part.start : part.end] == part.text for part in match.replacements):
        raise _no_change()
    return match


def _could_stand(request: Request) -> bool:
    """Whether what no level forgives is in the file at all."""
    lines = (line for line in request.old.split("\n") if not is_marker(line))
    return all(part in request.file.text for part in must_stand(lines))


def _tolerantly(request: Request) -> Match | None:
    try:
        return _folded(request) or _as_block(request) or _elided(request)
    except TooManyPlacesError:  # what cannot be told to be one place is none
        return None


def _exactly(request: Request) -> Match | None:
    file, old = request.file, request.old
    hits, warnings = chosen(request, exact_hits(file, old, overlapping=not request.replace_all))
    if not hits:
        return None
    replacements = []
    for hit in hits:
        written = request.new
        if file.line_end is not None:
            written = written.replace("\n", file.line_end)
        else:
            written = with_endings_of(
                request.new_as_sent, file.text, hit.start, hit.end, _breaks(request, hit)
            )
        replacements.append(Replacement(hit.start, hit.end, written))
    return _match(request, Level.EXACT, hits, replacements, warnings)


def _breaks(request: Request, hit: Hit) -> list[str] | None:
    """The line ends that a hit replaces, without those that were sent as content."""
    if "\r" not in request.old:
        return None
    found = breaks_of(request.file.text, hit.start, hit.end)
    sent = [character for character in request.old if character in "\r\n"]
    return [kind for kind, character in zip(found, sent, strict=True) if character == "\n"]


def _folded(request: Request) -> Match | None:
    file = request.file
    for level in SPELLINGS:
        if level is Level.TYPOGRAPHIC and file.text.isascii() and request.old.isascii():
            continue
        hits, warnings = chosen(request, folded_hits(file, request.old, level))
        if hits:
            told = dict.fromkeys(warnings)
            replacements = []
            for hit in hits:
                replacement, more = _respelled(request, hit, level)
                replacements.append(replacement)
                told.update(dict.fromkeys(more))
            return _match(request, level, hits, replacements, told)
    return None


def _respelled(request: Request, hit: Hit, level: Level) -> tuple[Replacement, tuple[str, ...]]:
    """The replacement of one hit of the levels that look at characters."""
    text = request.file.text
    there = folded(text[hit.start : hit.end]).split("\n")
    old_lines, new_lines = (
        _unended(request) if hit.unended else (request.old.split("\n"), request.new.split("\n"))
    )
    open_end = hit.end < len(text) and text[hit.end] not in "\r\n"
    written, warnings = rewrite_block(there, old_lines, new_lines, level, open_end=open_end)
    return Replacement(hit.start, hit.end, _ended(request, written, hit.start, hit.end)), warnings


def _unended(request: Request) -> tuple[list[str], list[str]]:
    """The lines of old and new text without the final line end that the file lacks."""
    new = request.new.removesuffix("\n")
    return request.old.removesuffix("\n").split("\n"), new.split("\n")


def _ended(request: Request, lines: Iterable[str], start: int, end: int) -> str:
    written = "\n".join(lines)
    if request.file.line_end is not None:
        return written.replace("\n", request.file.line_end)
    return with_endings_of(written, request.file.text, start, end)


@dataclass(frozen=True, slots=True)
class _Block:
    """The request as whole lines."""

    index: BlockIndex
    lines: list[str]
    """Of the old text, without the one after a final line end."""
    ended: bool
    """The old text ends with a line end."""
    after_break: bool
    """Old and new text start with a line end, which is left out of both."""

    def hit(self, file: FileText, first: int, end: int) -> Hit | None:
        """The span of the file's lines ``first:end`` (0-based); None where a line end that was sent is missing."""
        if self.after_break and first == 0:
            return None
        last = end - 1
        content_end = file.starts[last] + len(file.lines[last])
        if not self.ended:
            return Hit(file.starts[first], content_end)
        if end < len(file.lines):
            return Hit(file.starts[first], file.starts[end])
        return Hit(file.starts[first], content_end, unended=True) if file.lines[last] else None


def _block_of(request: Request) -> _Block | None:
    """None for a request that has nothing to see in it."""
    old = request.old
    if is_blank(old.replace("\n", " ")):
        return None
    after_break = old.startswith("\n") and request.new.startswith("\n")
    lines = (old[1:] if after_break else old).split("\n")
    ended = len(lines) > 1 and not lines[-1]
    return _Block(BlockIndex(request.file.lines), lines[:-1] if ended else lines, ended, after_break)


def _new_lines(request: Request, block: _Block, hit: Hit) -> list[str]:
    new = request.new[1:] if block.after_break else request.new
    return (new.removesuffix("\n") if hit.unended else new).split("\n")


def _as_block(request: Request) -> Match | None:
    block = _block_of(request)
    if block is None:
        return None
    file, size = request.file, len(block.lines)
    found = {
        hit.start: hit
        for first in block.index.find(block.lines, Level.INDENTATION)
        if (hit := block.hit(file, first, first + size)) is not None
    }
    hits, warnings = chosen(request, iter(found.values()))
    if not hits:
        return None
    told = dict.fromkeys(warnings)
    replacements = []
    for hit in hits:
        first = file.line_of(hit.start)
        there = file.lines[first : first + size]
        ending = [""] if block.ended and not hit.unended else []
        with _place_shown(request, first + 1, first + size):
            written, more = rewrite_block(
                [*there, *ending], [*block.lines, *ending], _new_lines(request, block, hit), Level.INDENTATION
            )
        replacements.append(Replacement(hit.start, hit.end, _ended(request, written, hit.start, hit.end)))
        told.update(dict.fromkeys(more))
    return _match(request, Level.INDENTATION, hits, replacements, told)


def _elided(request: Request) -> Match | None:
    block = _block_of(request)
    if block is None:
        return None
    file = request.file
    found = [
        (hit, span)
        for span in islice(find_spans(block.index, block.lines), MOST_HITS)
        if (hit := block.hit(file, span.first, span.end)) is not None
    ]
    if not found:
        return None
    if len(found) > 1:
        raise ambiguous(
            request,
            [hit for hit, _ in found],
            "Lines left out fit in more than one way,",
            "Send the lines themselves.",
        )
    ((hit, span),) = found
    ended = block.ended and not hit.unended
    with _place_shown(request, span.first + 1, span.end):
        parts, warnings = rewrite_parts(
            block.index, span, block.lines, _new_lines(request, block, hit), ended=ended
        )
    return _match(request, Level.ELIDED, [hit], list(_replaced(request, hit, parts)), warnings)


def _replaced(request: Request, hit: Hit, parts: list[Part]) -> Iterator[Replacement]:
    """One replacement for each part; the lines between them are not touched.

    Each part but the last takes the line end after it along; a last one that is empty, the line end before it.
    """
    file = request.file
    for number, part in enumerate(parts):
        lines = list(part.lines)
        start = hit.start if number == 0 else file.starts[part.first]
        if number < len(parts) - 1:
            end = file.starts[part.end]
            lines = [*lines, ""] if lines else []
        else:
            end = hit.end
            if not lines and number > 0:
                start = file.starts[part.first - 1] + len(file.lines[part.first - 1])
        yield Replacement(start, end, _ended(request, lines, start, end))


def _match(
    request: Request,
    level: Level,
    hits: list[Hit],
    replacements: list[Replacement],
    warnings: Iterable[str],
) -> Match:
    if len(hits) > _MANY:
        line_of = request.file.line_of
        lines = tuple((line_of(hit.start) + 1, line_of(max(hit.start, hit.end - 1)) + 1) for hit in hits)
    else:
        edges = lines_at(
            request.file.text, (at for hit in hits for at in (hit.start, max(hit.start, hit.end - 1)))
        )
        lines = tuple(zip(edges[::2], edges[1::2], strict=True))
    return Match(level, tuple(replacements), lines, tuple(warnings))


@contextmanager
def _place_shown(request: Request, first: int, last: int) -> Iterator[None]:
    """A refusal of new text for this place shows the place."""
    try:
        yield
    except CoeditorError as error:
        index = LineIndex(request.file.text)
        error.data.update(shown_place(index, first, last, request.old))
        raise


def _no_change() -> CoeditorError:
    return CoeditorError(
        Code.FS_NO_CHANGE, "The new text is the same as the old one, so there is nothing to do."
    )
