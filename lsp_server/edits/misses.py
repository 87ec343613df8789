"""What an edit that fits nowhere is told: the nearest real lines, where they differ, what they stand in.

Never: an edit. Whether the lines were ever shown to the caller is the ledger's to say.
"""

from __future__ import annotations

from typing import Any

from editor_clients.lines import LineIndex
from ledger.errors import Code, CoeditorError
from lsp_server.edits.elided import wordy_marker
from lsp_server.edits.enclosing import enclosing_names
from lsp_server.edits.folding import is_blank
from lsp_server.edits.hits import FileText, exact_hits
from lsp_server.edits.literal import fold_request
from lsp_server.edits.nearest import nearest_lines
from lsp_server.edits.pasted import is_own_output, unescaped, without_entities, without_numbers
from lsp_server.edits.visible import described, visible
from lsp_server.reading import numbered

_MOST_LINES = 40
_MOST_CHARACTERS = 4_000
_AROUND = 24
"""Characters shown on each side of a difference."""


def place_of(text: str, old: str) -> tuple[int, int] | None:
    """The 1-based lines that ``old`` means in ``text``: where it stands, else the nearest ones; None if nowhere."""
    file = FileText(text)
    sent = fold_request(old.removeprefix("\ufeff"))
    if not sent or not text:
        return None
    index = LineIndex(text)
    hit = next(exact_hits(file, sent), None)
    if hit is not None:
        return index.line_of(hit.start), index.line_of(max(hit.start, hit.end - 1))
    return nearest_lines(index, without_numbers(sent) or sent)


def miss(file: FileText, old: str, new: str) -> CoeditorError:
    """The FS_NO_MATCH for ``old``, which fits nowhere in the file; both texts folded as a request.

    ``data.reason`` is set only where no ledger is needed: ``own_output`` or ``already_applied``.
    """
    index = LineIndex(file.text)
    bare = without_numbers(old)
    if is_own_output(old) or (bare is not None and _stands(file, bare)):
        sentence = (
            "old_string has the line numbers or notices that a tool shows, which are not in the file. Send the "
            "text of the lines alone."
        )
        return _error(sentence, {"reason": "own_output", **_nearest(index, bare or old)})
    if _applied_already(file, new):
        sentence = "old_string is not in the file, and new_string is there once: the change seems to be made already."
        hit = next(exact_hits(file, new))
        lines = [index.line_of(hit.start), index.line_of(max(hit.start, hit.end - 1))]
        return _error(sentence, {"reason": "already_applied", **_shown_lines(index, lines[0], lines[1])})
    wordy = wordy_marker(old)
    if wordy is not None and not _stands(file, wordy):
        data = _nearest(index, max(old.split(wordy), key=len).strip("\n") or old)
        hint: str | None = f"A line that stands for lines left out is `...` alone, not `{wordy.strip()}`."
    else:
        data = _nearest(index, old)
        hint = _hint(file, old)
    sentence = _sentence(data)
    if hint is not None:
        data["hint"] = hint
        sentence = f"{sentence} {hint}"
    return _error(sentence, data)


def shown_place(index: LineIndex, first: int, last: int, old: str) -> dict[str, Any]:
    """``data`` that shows the 1-based lines ``first..last`` as the nearest ones, and how ``old`` differs."""
    differs = first_difference(index, first, old)
    if differs is None:
        return _shown_lines(index, first, last)
    there = min(differs["line"], last)
    # Where not all can be shown, the place where they part is.
    for start in (first, max(first, there - _MOST_LINES // 2), there):
        data = _shown_lines(index, start, last)
        if data["nearest"]["lines"][1] >= there:
            break
    data["nearest"]["differs"] = differs
    return data


def first_difference(index: LineIndex, first: int, old: str) -> dict[str, Any] | None:
    """Where ``old`` and the lines from ``first`` on part for the first time; None when one goes on in the other."""
    lines = old.split("\n")
    for number, sent in enumerate(lines):
        if first + number > index.line_count:
            if not sent and number == len(lines) - 1:
                return None
            return {
                "line": first + number,
                "column": 1,
                "sent": visible(sent[:_AROUND]),
                "file": "",
                "why": _END,
            }
        there = _start_of_line(index, first + number, len(sent))
        at = _offset_in(there, sent, first=number == 0, last=number == len(lines) - 1)
        if at is None:
            continue
        same = _parting(there[at:], sent)
        low = max(0, same - _AROUND)
        column = at + same + 1
        return {
            "line": first + number,
            "column": column,
            "sent": visible(sent[low : same + _AROUND]),
            "file": visible(there[at + low : at + same + _AROUND]),
            "why": f"the file has {described(there[at + same :])}, old_string has {described(sent[same:])}",
        }
    return None


_END = "the file ends before it"


def _offset_in(there: str, sent: str, *, first: bool, last: bool) -> int | None:
    """Where in a line of the file the comparison starts; None when the line sent is there as it should be."""
    if there == sent or (first and there.endswith(sent)) or (last and there.startswith(sent)):
        return None
    if first and last:
        if sent in there:
            return None
        best = max(range(max(1, min(len(there), 2_000))), key=lambda at: _common_start(there[at:], sent))
        if _common_start(there[best:], sent) > len(sent) // 3:
            return best
        return 0 if sent[0].isspace() else len(there) - len(there.lstrip(" \t"))
    if first and not there.startswith(sent[:1]):
        at = there.find(sent[: max(1, len(sent) // 2)])
        return max(at, 0)
    return 0


def _start_of_line(index: LineIndex, number: int, length: int) -> str:
    start, end = index.start_of(number), index.start_of(number + 1)
    return index.text[start : min(end, start + length + _MOST_CHARACTERS)].rstrip("\r\n")


def _parting(there: str, sent: str) -> int:
    """Where two texts part; the start of a run of blanks when they part in it."""
    same = _common_start(there, sent)
    run = len(sent[:same].rstrip(" \t"))
    in_run = there[same : same + 1] in (" ", "\t") or sent[same : same + 1] in (" ", "\t")
    return run if in_run else same


def _common_start(there: str, sent: str) -> int:
    if there.startswith(sent):
        return len(sent)
    low, high = 0, min(len(there), len(sent))
    while low < high:
        middle = (low + high + 1) // 2
        if there.startswith(sent[:middle]):
            low = middle
        else:
            high = middle - 1
    return low


def _applied_already(file: FileText, new: str) -> bool:
    if is_blank(new.replace("\n", " ")):
        return False
    found = exact_hits(file, new)
    return next(found, None) is not None and next(found, None) is None


def _stands(file: FileText, text: str) -> bool:
    return bool(text) and next(exact_hits(file, text), None) is not None


def _nearest(index: LineIndex, old: str) -> dict[str, Any]:
    place = nearest_lines(index, old)
    return {} if place is None else shown_place(index, *place, old)


def _shown_lines(index: LineIndex, first: int, last: int) -> dict[str, Any]:
    """The lines as ``nearest``, as many as may be shown; only lines shown whole are named."""
    last = min(last, first + _MOST_LINES - 1)
    while last > first and index.start_of(last + 1) - index.start_of(first) > _MOST_CHARACTERS:
        last -= 1
    nearest: dict[str, Any] = {"lines": [first, last]}
    if index.start_of(last + 1) - index.start_of(first) <= _MOST_CHARACTERS:
        nearest["text"] = numbered(index, first, last)
    else:
        nearest["too_long"] = True
    names = enclosing_names(index, first)
    if names:
        nearest["enclosing"] = names
    return {"nearest": nearest}


def _sentence(data: dict[str, Any]) -> str:
    nearest = data.get("nearest")
    if nearest is None:
        return "old_string is not in the file, and nothing there is like it. Read the file and copy the text from it."
    first, last = nearest["lines"]
    place = f"line {first}" if first == last else f"lines {first}-{last}"
    verb = "differs" if first == last else "differ"
    differs = nearest.get("differs")
    where = (
        f", which {verb} at line {differs['line']}, column {differs['column']}: {differs['why']}"
        if differs
        else ""
    )
    return f"old_string is not in the file. The nearest is {place}{where}. Copy the text exactly as the file has it."


def _hint(file: FileText, old: str) -> str | None:
    if old in file.view:
        return "It would cut a character in half: the file has a mark behind a letter, which belongs to it."
    bare = unescaped(old)
    if bare is not None and _stands(file, bare):
        return "old_string is escaped once too often: without its backslashes it is in the file."
    bare = without_entities(old)
    if bare is not None and _stands(file, bare):
        return "old_string has HTML entities where the file has the characters themselves."
    return None


def _error(sentence: str, data: dict[str, Any]) -> CoeditorError:
    return CoeditorError(Code.FS_NO_MATCH, sentence, data=data)
