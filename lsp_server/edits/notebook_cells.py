"""The text of one notebook cell: changed with what need not change kept, or new in the manner of its neighbours.

Never: a look at more of the notebook than its formatting and its ids.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from hashlib import blake2b
from itertools import count

from editor_clients.lines import split_lines
from lsp_server.edits.json_layout import Container, Piece, container_at, decoded, pieces_of, rendered
from lsp_server.edits.literal import fold_request, with_endings_of
from lsp_server.edits.notebook_style import CellStyle

_RESULTS = (("outputs", "[]", "outputs"), ("execution_count", "null", "execution count"))
"""What only code cells have: the key, what it is when nothing was run, and its name for people."""


def source_of(text: str, members: Container) -> str | None:
    """The source of a cell as one text, empty where it has none; None where it is not text."""
    part = members.find("source")
    found = decoded(text, part) if part is not None else ""
    if isinstance(found, str):
        return found
    if isinstance(found, list) and all(isinstance(line, str) for line in found):
        return "".join(found)
    return None


def changed_cell(
    text: str,
    members: Container,
    style: CellStyle,
    kinds: tuple[str, str],
    source: str | None,
    *,
    clear: bool,
) -> tuple[str, tuple[str, ...]]:
    """The cell with another ``source`` (None: the one it has) or type (``kinds``: from, to), and what went with it.

    The same text when there is nothing to do. Without ``clear`` a cell that stays code keeps its results.
    """
    kind, new_kind = kinds
    old = source_of(text, members) or ""
    new = old if source is None else _with_breaks_of(old, source)
    if new == old and new_kind == kind:
        return text[members.start : members.end], ()
    values: dict[str, str | None] = {}
    if new != old:
        values["source"] = _source_text(text, members, style, new)
    cleared = []
    if kind == "code" and (clear or new_kind != kind):
        for key, empty, name in _RESULTS:
            if _has(text, members, key):
                cleared.append(name)
                values[key] = empty
    if new_kind != kind:
        values["cell_type"] = json.dumps(new_kind)
        values |= {key: empty if new_kind == "code" else None for key, empty, _ in _RESULTS}
        if new_kind == "code":
            values["attachments"] = None
            if _has(text, members, "attachments"):
                cleared.append("attachments")
    return _with_values(text, members, style, values), tuple(cleared)


def new_cell(style: CellStyle, source: str, kind: str, cell_id: str | None) -> str:
    """A cell in ``style``, without an id where ``cell_id`` is None."""
    folded = fold_request(source)
    values = {"cell_type": json.dumps(kind), "metadata": "{}", "source": _string(style, folded)}
    if kind == "code":
        values |= {key: empty for key, empty, _ in _RESULTS}
    if cell_id is not None:
        values["id"] = _string(style, cell_id)
    if not style.in_one_string:
        lines = [Piece(None, _string(style, line)) for line in split_lines(folded)]
        values["source"] = rendered("[]", lines, style.lines)
    keys = sorted(values, key=style.order.index)
    return rendered("{}", [Piece(None, _member(style, key, values[key])) for key in keys], style.members)


def _has(text: str, members: Container, key: str) -> bool:
    part = members.find(key)
    return part is not None and decoded(text, part) not in ([], {}, None)


def _with_breaks_of(old: str, source: str) -> str:
    """The source as sent, with the kinds of line ends that the cell has; new ones are plain newlines."""
    return with_endings_of(fold_request(source), old, 0, len(old))


def _source_text(text: str, members: Container, style: CellStyle, new: str) -> str:
    """The value of ``source``; lines that were there keep their spelling."""
    if style.in_one_string:
        return _string(style, new)
    part = members.find("source")
    spelled: dict[str, str] = {}
    if part is not None:
        lines = container_at(text, part.value, "[]")
        spelled = {str(decoded(text, line)): text[line.start : line.end] for line in lines.parts}
    pieces = [Piece(None, spelled.get(line) or _string(style, line)) for line in split_lines(new)]
    return rendered("[]", pieces, style.lines)


def _with_values(text: str, members: Container, style: CellStyle, values: dict[str, str | None]) -> str:
    """The cell with these values; None takes a member out, one that is not there is put in where it belongs."""
    pieces: list[tuple[str, Piece]] = []
    for part, piece in zip(members.parts, pieces_of(text, members), strict=True):
        if part.key not in values or part is not members.find(part.key):
            pieces.append((part.key, piece))
            continue
        value = values.pop(part.key)
        if value is not None:
            pieces.append((part.key, replace(piece, body=text[part.start : part.value] + value)))
    for key, value in values.items():
        if value is not None:
            before = style.before(key)
            at = max(number for number, (there, _) in enumerate(pieces, 1) if there in before)
            pieces.insert(at, (key, Piece(None, _member(style, key, value))))
    return rendered("{}", [piece for _, piece in pieces], style.members)


def _member(style: CellStyle, key: str, value: str) -> str:
    return f'"{key}"{style.colon}{value}'


def _string(style: CellStyle, text: str) -> str:
    return json.dumps(text, ensure_ascii=style.ascii_only)


def new_id(source: str, taken: Collection[str | None]) -> str:
    """An id that is not among ``taken``, of the form that Jupyter makes.

    It comes from what it is for, so that a plan and its application agree.
    """
    tried = (f"{number} {fold_request(source)!a}" for number in count(len(taken)))
    ids = (blake2b(each.encode(), digest_size=4).hexdigest() for each in tried)
    return next(found for found in ids if found not in taken)
