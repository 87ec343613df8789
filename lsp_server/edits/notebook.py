"""One cell of a Jupyter notebook replaced, inserted or deleted in the text of the file.

The file keeps its own formatting: outside the cell every byte stays, inside it every part that need not change.

Never: a notebook written anew from its values.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from editor_clients.lines import LineIndex, apply_replacements
from editor_clients.port import Replacement
from editor_clients.replacements import replacements_between
from ledger.errors import Code, CoeditorError
from lsp_server.edits.json_layout import Container, Part, container_at, decoded, skip_blanks
from lsp_server.edits.notebook_cells import changed_cell, new_cell, new_id, source_of
from lsp_server.edits.notebook_style import CellStyle, blanks_of_cells, style_at

Mode = Literal["replace", "insert", "delete"]

EMPTY = '{\n "cells": [],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n'
"""What a file without a text holds once it has cells."""
_FORMAT = 4
_SHOWN_NAMES, _LISTED, _NAME = 40, 1_000, 80


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell where it stands."""

    part: Part
    members: Container
    kind: str
    """``code``, ``markdown`` or ``raw``."""
    cell_id: str | None
    number: int
    """1-based."""

    @property
    def name(self) -> str:
        """What a caller calls it."""
        return self.cell_id if self.cell_id is not None else f"#{self.number}"


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook's text with its cells."""

    text: str
    top: Container
    array: Container
    """The list of cells."""
    cells: tuple[Cell, ...]
    has_ids: bool
    """Its version of the format gives each cell an id."""


@dataclass(frozen=True, slots=True)
class NotebookEdit:
    """How the text of a notebook becomes another."""

    replacements: tuple[Replacement, ...]
    lines: tuple[int, int]
    """Of the cell meant, in the text before; for an insert, of where it goes."""
    warnings: tuple[str, ...] = ()


def edit_cell(
    text: str, mode: Mode, cell_id: str | None, source: str | None, kind: str | None
) -> NotebookEdit:
    """The edit of one cell; an insert goes after the cell named, or to the top, also of a file without a text.

    Errors: INVALID_ARGUMENT for a text that is no notebook (``data.reason``), and for a cell that is not there
    (``data.expected``, the known ones); FS_NO_CHANGE.
    """
    if not text.strip():
        made = edit_cell(EMPTY, mode, cell_id, source, kind).replacements
        return NotebookEdit(
            (Replacement(0, len(text), apply_replacements(EMPTY, made)),), _lines(text, 0, len(text))
        )
    notebook = parse_notebook(text)
    cell = find_cell(notebook, cell_id) if cell_id is not None else None
    if mode == "insert":
        return _insert(notebook, cell, source or "", kind or "code")
    if cell is None:
        raise ValueError(f"{mode} needs a cell")
    if mode == "delete":
        return _delete(notebook, cell)
    return _replace(notebook, cell, source, kind)


def lines_of_cell(text: str, cell_id: str | None) -> tuple[int, int] | None:
    """The 1-based lines of a cell (of the list of cells without one); None where there is no such thing."""
    try:
        notebook = parse_notebook(text)
        cell = find_cell(notebook, cell_id) if cell_id is not None else None
    except CoeditorError:
        return None
    if cell is None:
        return _lines(text, notebook.array.start, notebook.array.start)
    return _lines(text, cell.part.start, cell.part.end)


def parse_notebook(text: str) -> Notebook:
    """The notebook in ``text``. Errors: INVALID_ARGUMENT with ``data.reason``."""
    try:
        top = container_at(text, skip_blanks(text, 0), "{}")
        if skip_blanks(text, top.end) != len(text):
            raise json.JSONDecodeError("Extra data", text, top.end)
        version, minor = _number(text, top.find("nbformat")), _number(text, top.find("nbformat_minor"))
        if version is None:
            raise _no_notebook("it has no nbformat")
        if version != _FORMAT:
            raise CoeditorError(
                Code.INVALID_ARGUMENT,
                f"The notebook has format {version}; only format {_FORMAT} can be edited by cells. Convert it, or use "
                "edit on its text.",
                data={"reason": "nbformat", "nbformat": version},
            )
        listed = top.find("cells")
        if listed is None or text[listed.value] != "[":
            raise _no_notebook("it has no list of cells")
        array = container_at(text, listed.value, "[]")
        cells = tuple(_cell(text, part, number) for number, part in enumerate(array.parts, 1))
    except json.JSONDecodeError as error:
        index = LineIndex(text)
        line = index.line_of(error.pos)
        column = error.pos - index.start_of(line) + 1
        raise _no_notebook(f"it is not valid JSON at line {line}, column {column} ({error.msg})") from None
    return Notebook(text, top, array, cells, has_ids=minor is not None and minor >= 5)


def find_cell(notebook: Notebook, cell_id: str) -> Cell:
    """The cell of that id, else of that number (``#1``). Errors: INVALID_ARGUMENT with ``data.expected``."""
    found = [cell for cell in notebook.cells if cell.cell_id == cell_id]
    if not found:
        found = [cell for cell in notebook.cells if cell_id == f"#{cell.number}"]
    if len(found) == 1:
        return found[0]
    if found:
        names = [f"#{cell.number}" for cell in found]
        raise _no_cell(
            f"{len(found)} cells have the id {_printable(cell_id)}; name one by its position.", names
        )
    names = [_printable(cell.name) for cell in notebook.cells]
    shown = ", ".join(names[:_SHOWN_NAMES]) + (", ..." if len(names) > _SHOWN_NAMES else "")
    known = f"There are {shown}." if names else "It has no cells; insert one without cell_id."
    raise _no_cell(f"The notebook has no cell {_printable(cell_id)}. {known}", names)


def replaced_cell(
    notebook: Notebook, cell: Cell, source: str | None, kind: str | None, *, clear: bool
) -> tuple[str, tuple[str, ...]]:
    """The text of the cell with another source or kind, and the names of what it lost with it.

    Without ``clear`` the results of a cell that stays code are kept.
    """
    style = style_of(notebook, cell.number, cell.kind)
    kinds = (cell.kind, kind or cell.kind)
    return changed_cell(notebook.text, cell.members, style, kinds, source, clear=clear)


def _replace(notebook: Notebook, cell: Cell, source: str | None, kind: str | None) -> NotebookEdit:
    text, start, end = notebook.text, cell.part.start, cell.part.end
    after, cleared = replaced_cell(notebook, cell, source, kind, clear=True)
    before = text[start:end]
    if after == before:
        raise CoeditorError(
            Code.FS_NO_CHANGE,
            f"Cell {_printable(cell.name)} has this text already, so there is nothing to do.",
        )
    moved = replacements_between(before, after)
    warnings: tuple[str, ...] = ()
    if cleared:
        warnings = (
            f"Cleared in cell {_printable(cell.name)}, which changed: its {' and its '.join(cleared)}.",
        )
    return NotebookEdit(
        tuple(Replacement(one.start + start, one.end + start, one.text) for one in moved),
        _lines(text, start, end),
        warnings,
    )


def _insert(notebook: Notebook, after: Cell | None, source: str, kind: str) -> NotebookEdit:
    text, array = notebook.text, notebook.array
    style = style_of(notebook, after.number if after is not None else 0, kind)
    cell_id = new_id(source, {cell.cell_id for cell in notebook.cells}) if notebook.has_ids else None
    body = new_cell(style, source, kind, cell_id)
    blanks = blanks_of_cells(text, notebook.top, array)
    if not array.parts:
        made = Replacement(array.start, array.end, f"[{blanks.first}{body}{blanks.close}]")
    elif after is None:
        made = Replacement(array.parts[0].start, array.parts[0].start, f"{body},{blanks.next}")
    else:
        made = Replacement(after.part.end, after.part.end, f",{blanks.next}{body}")
    return NotebookEdit((made,), _lines(text, made.start, made.end))


def style_of(notebook: Notebook, place: int, kind: str) -> CellStyle:
    """How a cell of ``kind`` is written behind the first ``place`` cells."""
    cells = [(cell.members, cell.kind) for cell in notebook.cells]
    return style_at(notebook.text, notebook.top, notebook.array, cells, place, kind)


def _delete(notebook: Notebook, cell: Cell) -> NotebookEdit:
    parts, at = notebook.array.parts, cell.number - 1
    if len(parts) == 1:
        made = Replacement(notebook.array.start + 1, notebook.array.end - 1, "")
    elif cell.number < len(parts):
        made = Replacement(cell.part.start, parts[at + 1].start, "")
    else:
        made = Replacement(parts[at - 1].end, cell.part.end, "")
    return NotebookEdit((made,), _lines(notebook.text, cell.part.start, cell.part.end))


def _cell(text: str, part: Part, number: int) -> Cell:
    if text[part.value] != "{":
        raise _no_notebook(f"its cell #{number} is not an object")
    members = container_at(text, part.value, "{}")
    kind, named = members.find("cell_type"), members.find("id")
    found = decoded(text, kind) if kind is not None else None
    if not isinstance(found, str):
        raise _no_notebook(f"its cell #{number} has no cell_type")
    if source_of(text, members) is None:
        raise _no_notebook(f"the source of its cell #{number} is not text")
    cell_id = decoded(text, named) if named is not None else None
    return Cell(part, members, found, cell_id if isinstance(cell_id, str) else None, number)


def _number(text: str, part: Part | None) -> int | None:
    found = decoded(text, part) if part is not None else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _lines(text: str, start: int, end: int) -> tuple[int, int]:
    index = LineIndex(text)
    return index.line_of(start), index.line_of(max(start, end - 1))


def _printable(name: str) -> str:
    """A name that can be sent: ids of other programs may hold anything."""
    return name[:_NAME].encode(errors="backslashreplace").decode()


def _no_notebook(why: str) -> CoeditorError:
    return CoeditorError(
        Code.INVALID_ARGUMENT,
        f"The file is not a Jupyter notebook: {why}. Use edit on its text.",
        data={"reason": "no_notebook"},
    )


def _no_cell(message: str, names: Sequence[str]) -> CoeditorError:
    return CoeditorError(
        Code.INVALID_ARGUMENT, message, data={"argument": "cell_id", "expected": list(names[:_LISTED])}
    )
