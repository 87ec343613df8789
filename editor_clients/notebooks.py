"""Notebooks that an editor has open: their cells, and which of two lists of cells are the same ones.

Never: JSON. Whoever knows the format of the file is handed in as a ``NotebookForm``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, Protocol

from editor_clients.lines import folded

Kind = Literal["code", "markdown", "raw"]


@dataclass(frozen=True, slots=True)
class CellText:
    """One cell as far as a person edits it."""

    kind: str
    """``code``, ``markdown`` or ``raw``."""
    source: str
    cell_id: str | None = None


@dataclass(frozen=True, slots=True)
class OpenCell:
    """One cell that an editor shows, a document of its own."""

    uri: str
    kind: Kind
    language: str
    version: int
    source: str
    cell_id: str | None

    @property
    def text(self) -> CellText:
        """What the file would hold of it."""
        return CellText(self.kind, self.source, self.cell_id)


class NotebookForm(Protocol):
    """What is known of the files that notebooks are kept in."""

    def cells_of(self, text: str) -> tuple[CellText, ...] | None:
        """The cells in a file's text; None when it is no notebook that can be edited."""
        ...

    def with_cells(self, text: str, cells: Sequence[CellText], *, clear: bool) -> str | None:
        """The text with these cells, everything else as it is; None when it is no notebook.

        ``clear``: code cells that change lose their results.
        """
        ...

    def is_same(self, one: str, other: str) -> bool:
        """Whether two texts hold the same notebook, however it is written."""
        ...


@dataclass(frozen=True, slots=True)
class Splice:
    """Cells ``start:start + delete`` of a notebook become others."""

    start: int
    delete: int
    cells: tuple[CellText, ...]


@dataclass(frozen=True, slots=True)
class CellPlan:
    """How the cells that an editor shows become others."""

    sources: tuple[tuple[int, str], ...]
    """Cells that stay, by index, with their new source."""
    splices: tuple[Splice, ...]
    """In order, over the cells before."""


def plan_cells(before: Sequence[CellText], after: Sequence[CellText]) -> CellPlan:
    """The least that makes ``after`` of ``before``; a cell of another kind is another cell."""
    pairs = [(mine, its) for mine, its in aligned(before, after) if before[mine].kind == after[its].kind]
    sources = tuple(
        (mine, after[its].source)
        for mine, its in pairs
        if folded(before[mine].source) != folded(after[its].source)
    )
    splices = []
    done = (0, 0)
    for mine, its in (*pairs, (len(before), len(after))):
        if (mine, its) != done:
            splices.append(Splice(done[0], mine - done[0], tuple(after[done[1] : its])))
        done = (mine + 1, its + 1)
    return CellPlan(sources, tuple(splices))


def is_shown(shown: Sequence[CellText], wanted: Sequence[CellText]) -> bool:
    """Whether both are the same cells, ids and the kind of line ends aside."""
    return [(cell.kind, folded(cell.source)) for cell in shown] == [
        (cell.kind, folded(cell.source)) for cell in wanted
    ]


def aligned(before: Sequence[CellText], after: Sequence[CellText]) -> list[tuple[int, int]]:
    """Which cells are the same ones, as ascending pairs of indices: by their ids, else by text and place."""
    by_id = _have_ids(before) and _have_ids(after)
    mine, its = _keys(before, by_id=by_id), _keys(after, by_id=by_id)
    pairs: list[tuple[int, int]] = []
    done = (0, 0)
    for block in SequenceMatcher(None, mine, its, autojunk=False).get_matching_blocks():
        gap = (block.a - done[0], block.b - done[1])
        if not by_id and gap[0] == gap[1]:  # as many as before: they were rewritten in place
            pairs += [(done[0] + number, done[1] + number) for number in range(gap[0])]
        pairs += [(block.a + number, block.b + number) for number in range(block.size)]
        done = (block.a + block.size, block.b + block.size)
    return pairs


def _have_ids(cells: Sequence[CellText]) -> bool:
    ids = Counter(cell.cell_id for cell in cells)
    return None not in ids and all(count == 1 for count in ids.values())


def _keys(cells: Sequence[CellText], *, by_id: bool) -> list[object]:
    return [cell.cell_id if by_id else (cell.kind, folded(cell.source)) for cell in cells]
