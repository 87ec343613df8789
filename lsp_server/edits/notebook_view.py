"""The text of a notebook's file with the cells that an editor shows, and back.

What no cell says (results, metadata, the way the file is written) is the file's. Never: I/O.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from editor_clients.lines import apply_replacements, folded
from editor_clients.notebooks import CellText, aligned
from editor_clients.port import Replacement
from ledger.errors import CoeditorError
from lsp_server.edits.json_layout import Piece, pieces_of, rendered
from lsp_server.edits.notebook import EMPTY, Notebook, parse_notebook, replaced_cell, style_of
from lsp_server.edits.notebook_cells import new_cell, new_id, source_of
from lsp_server.edits.notebook_style import blanks_of_cells


class JupyterForm:
    """``NotebookForm`` of .ipynb files."""

    def cells_of(self, text: str) -> tuple[CellText, ...] | None:
        """The cells in a file's text; None when it is no notebook of format 4."""
        if not text.strip():
            return ()
        try:
            return _cells(parse_notebook(text))
        except CoeditorError:
            return None

    def with_cells(self, text: str, cells: Sequence[CellText], *, clear: bool) -> str | None:
        """The text with these cells, byte for byte the same where they are; None when it is no notebook."""
        if not text.strip():
            if not cells:
                return text
            text = EMPTY
        try:
            notebook = parse_notebook(text)
        except CoeditorError:
            return None
        before = _cells(notebook)
        pairs = dict(aligned(before, cells))
        kept = _rewritten(notebook, before, {mine: cells[its] for mine, its in pairs.items()}, clear=clear)
        if len(pairs) == len(before) == len(cells):
            return apply_replacements(text, [one for one in kept if one is not None])
        return _respliced(notebook, pairs, cells, kept)

    def is_same(self, one: str, other: str) -> bool:
        """Whether two texts hold the same notebook, however it is written."""
        try:
            return _plain(one) == _plain(other)
        except (ValueError, RecursionError):
            return one == other


def _cells(notebook: Notebook) -> tuple[CellText, ...]:
    return tuple(
        CellText(cell.kind, source_of(notebook.text, cell.members) or "", cell.cell_id)
        for cell in notebook.cells
    )


def _rewritten(
    notebook: Notebook, before: Sequence[CellText], wanted: dict[int, CellText], *, clear: bool
) -> list[Replacement | None]:
    """For each cell what becomes of it, where it stays and changes."""
    found: list[Replacement | None] = []
    for number, cell in enumerate(notebook.cells):
        new, old = wanted.get(number), before[number]
        if new is None or (new.kind == old.kind and folded(new.source) == folded(old.source)):
            found.append(None)
            continue
        body, _ = replaced_cell(notebook, cell, new.source, new.kind, clear=clear)
        found.append(Replacement(cell.part.start, cell.part.end, body))
    return found


def _respliced(
    notebook: Notebook, pairs: dict[int, int], cells: Sequence[CellText], kept: list[Replacement | None]
) -> str:
    """The text with the list of cells put together anew: those that stay keep their bytes."""
    text, array = notebook.text, notebook.array
    pieces = pieces_of(text, array)
    mine_of = {its: mine for mine, its in pairs.items()}
    taken: set[str | None] = {cell.cell_id for cell in (*_cells(notebook), *cells)}
    made: list[Piece] = []
    place = 0
    for number, cell in enumerate(cells):
        mine = mine_of.get(number)
        if mine is None:
            cell_id = None
            if notebook.has_ids:
                cell_id = cell.cell_id if cell.cell_id is not None else new_id(cell.source, taken)
                taken.add(cell_id)
            style = style_of(notebook, place, cell.kind)
            made.append(Piece(None, new_cell(style, cell.source, cell.kind, cell_id)))
            continue
        place = mine + 1
        change = kept[mine]
        piece = pieces[mine]
        made.append(piece if change is None else Piece(piece.lead, change.text, piece.trail))
    body = rendered("[]", made, blanks_of_cells(text, notebook.top, array))
    return text[: array.start] + body + text[array.end :]


def _plain(text: str) -> str:
    """What a notebook says, written in one way only: a source is one text, and 1 is neither 1.0 nor true."""
    found = json.loads(text if text.strip() else EMPTY)
    cells = found.get("cells") if isinstance(found, dict) else None
    for cell in cells if isinstance(cells, list) else ():
        source = cell.get("source") if isinstance(cell, dict) else None
        if isinstance(source, list):
            source = "".join(map(str, source))
        if isinstance(source, str):
            cell["source"] = folded(source)
    return json.dumps(found, sort_keys=True)
