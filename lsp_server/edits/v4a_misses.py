"""What a patch whose chunk does not fit is told: the patch's own words, and the places in the file.

Never: a decision; the error has been raised already.
"""

from __future__ import annotations

from typing import Any

from editor_clients.lines import LineIndex
from ledger.errors import Code, CoeditorError
from lsp_server.edits.blocks import find_block
from lsp_server.edits.enclosing import enclosing_names
from lsp_server.edits.hits import FileText
from lsp_server.edits.levels import Level
from lsp_server.edits.misses import miss, shown_place
from lsp_server.edits.v4a_types import Chunk


def explained(error: CoeditorError, path: str, text: str, chunk: Chunk) -> CoeditorError:
    """``error`` of ``chunk`` on ``text``, with the file named and the place shown."""
    data = {**error.data}
    data.setdefault("line", chunk.line_no)
    message = error.message
    if error.code is Code.FS_AMBIGUOUS_MATCH:
        data["hits"] = _hits(text, data["lines"], max(len(chunk.old), 1))
    elif "indentation" in data:
        first, last = data.pop("lines")
        place = f"line {first}" if first == last else f"lines {first}-{last}"
        message = (
            f"Patch line {data['line']}: the chunk fits {place} but for its indentation, and it adds a "
            f"line with an indentation ({data['indentation']}) that its old lines do not have, so it is not clear "
            "how deep that goes in the file. Send the chunk with the file's own indentation."
        )
        data |= _in_our_words(shown_place(LineIndex(text), first, last, "\n".join(chunk.old)))
    elif error.code is Code.FS_NO_MATCH and "anchor" not in data and "overlaps" not in data:
        told = _miss(text, chunk)
        message = f"Patch line {data['line']}: {_worded(told.message)}"
        data |= _in_our_words(told.data)
    return CoeditorError(error.code, message, file_path=path, data=data)


def _miss(text: str, chunk: Chunk) -> CoeditorError:
    """The miss as ``edit`` would tell it; only whole lines count as applied already."""
    applied = len(find_block(FileText(text).lines, chunk.new, Level.EXACT)) == 1
    return miss(FileText(text), "\n".join(chunk.old), "\n".join(chunk.new) if applied else "")


def _hits(text: str, lines: list[int], size: int) -> list[dict[str, Any]]:
    index = LineIndex(text)
    rows: list[dict[str, Any]] = []
    for first in lines:
        row: dict[str, Any] = {"lines": [first, first + size - 1]}
        if names := enclosing_names(index, first):
            row["enclosing"] = names
        rows.append(row)
    return rows


def _worded(text: str) -> str:
    sentence = text.replace("old_string is not", "the chunk's old lines are not")
    sentence = sentence.replace("old_string", "the chunk").replace("new_string", "the new text")
    return sentence.replace(". the chunk", ". The chunk")


def _in_our_words(data: dict[str, Any]) -> dict[str, Any]:
    found = dict(data)
    if "hint" in found:
        hint = _worded(found["hint"])
        found["hint"] = hint[:1].upper() + hint[1:]
    if differs := found.get("nearest", {}).get("differs"):
        found["nearest"] = {**found["nearest"], "differs": {**differs, "why": _worded(differs["why"])}}
    return found
