"""What each target's first and last state in a patch say has to happen to it.

::

    first     last       the last text comes from      operation
    nothing   a text     added                         create
    nothing   a text     another target, now gone      move
    nothing   a text     another target, there again   create, with that one's mode
    a text    a text     itself                        update
    a text    a text     added after a delete          update, keeping the mode
    a text    a text     another target, now gone      move, in place of what was deleted
    a text    a text     another target, there again   update, with that one's mode
    a text    nothing                                  delete, unless it was moved

Never: I/O, or the order of sections.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from editor_clients.port import Replacement
from editor_clients.replacements import replacements_between
from ledger.types import FileOperation, TargetKey
from lsp_server.edits.v4a_apply import ChunkMatch
from lsp_server.edits.v4a_origins import Origins


@dataclass(frozen=True, slots=True)
class PatchFile:
    """A file as the plan finds it."""

    text: str | None
    """Decoded; None when it is no text, which can only be deleted or moved."""
    mode: int | None = None
    """Permission bits."""


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """What is to happen to one target; see the module's table."""

    target: TargetKey
    path: str
    """As the last section that names it has it."""
    operation: FileOperation
    before: str | None
    """The text that the change is made from, for a move that at its source; None for a create."""
    after: str | None
    """None for a delete, or when there is no text."""
    replacements: tuple[Replacement, ...] = ()
    """From ``before`` to ``after``; empty for create and delete."""
    matches: tuple[ChunkMatch, ...] = ()
    """Where its chunks fitted, in lines of ``before``; none for lines that the patch itself had added."""
    from_target: TargetKey | None = None
    """For a move, its source. For a create or an update the file whose text this is, when another one stands
    there now: its encoding and mode go with the text."""
    from_path: str | None = None
    replaced: PatchFile | None = None
    """For a move, what the same patch deleted at its destination."""
    recreated: bool = False
    """An update that is a delete and an add: nothing of the text before is kept, only the mode."""
    mode: int | None = None
    """Permission bits to set; None keeps those that are there (at a move's source)."""
    line: int = 0
    """Of its last section's header; 1-based in the patch as sent."""


@dataclass(frozen=True, slots=True)
class PatchPlan:
    """All that a patch does, one row for each target, in the order in which the patch first names them."""

    files: tuple[PlannedFile, ...]
    warnings: tuple[str, ...] = ()


@dataclass(slots=True)
class Drawn:
    """One target at one moment of the patch."""

    text: str | None
    origin: TargetKey | None
    """Whose first text this one came from; None when it was added."""
    path: str
    line: int
    origin_path: str | None = None
    matches: list[ChunkMatch] = field(default_factory=list)
    origins: Origins = field(default_factory=Origins)
    replacements: tuple[Replacement, ...] | None = ()
    """From the first text; None when more than one section changed it."""


@dataclass(frozen=True, slots=True)
class Rows:
    """From the last picture of the files to what has to happen."""

    first: Mapping[TargetKey, PatchFile | None]
    last: Mapping[TargetKey, Drawn | None]
    """Every target that the patch touched; None where nothing is left."""
    gone: Mapping[TargetKey, tuple[str, int]]
    """For each target that a section took away: the path and patch line of the last one that did."""

    def all(self) -> list[PlannedFile]:
        """One row for each target that ends in another state than it began."""
        rows = [self._row(target, state) for target, state in self.last.items()]
        return [row for row in rows if row is not None]

    def _row(self, target: TargetKey, state: Drawn | None) -> PlannedFile | None:
        first = self.first.get(target)
        if state is None:
            return self._gone_row(target, first)
        row = PlannedFile(
            target, state.path, "create", None, state.text, matches=tuple(state.matches), line=state.line
        )
        if state.origin is None:
            return self._added_row(row, first)
        source = self.first[state.origin]
        assert source is not None
        if state.origin == target:
            return self._updated_row(row, source, state)
        if self.last.get(state.origin) is None:
            return self._moved_row(row, source, state, first)
        row = replace(row, from_target=state.origin, from_path=state.origin_path, mode=source.mode)
        return self._row_with_text_of_another(row, first)

    def _gone_row(self, target: TargetKey, first: PatchFile | None) -> PlannedFile | None:
        moved = any(state is not None and state.origin == target for state in self.last.values())
        if first is None or moved:
            return None
        path, line = self.gone[target]
        return PlannedFile(target, path, "delete", first.text, None, line=line)

    def _added_row(self, row: PlannedFile, first: PatchFile | None) -> PlannedFile | None:
        if first is None:
            return row
        if first.text == row.after:
            return None
        whole = () if first.text is None else (Replacement(0, len(first.text), row.after or ""),)
        return replace(row, operation="update", before=first.text, replacements=whole, recreated=True)

    def _updated_row(self, row: PlannedFile, source: PatchFile, state: Drawn) -> PlannedFile | None:
        if source.text == row.after:
            return None
        return replace(row, operation="update", before=source.text, replacements=_changes(source, state))

    def _moved_row(
        self, row: PlannedFile, source: PatchFile, state: Drawn, first: PatchFile | None
    ) -> PlannedFile:
        return replace(
            row,
            operation="move",
            before=source.text,
            replacements=_changes(source, state),
            from_target=state.origin,
            from_path=state.origin_path,
            replaced=first,
        )

    def _row_with_text_of_another(self, row: PlannedFile, first: PatchFile | None) -> PlannedFile:
        if first is None:
            return row
        replacements: tuple[Replacement, ...] = ()
        if first.text is not None and row.after is not None:
            replacements = replacements_between(first.text, row.after)
        return replace(row, operation="update", before=first.text, replacements=replacements)


def _changes(source: PatchFile, state: Drawn) -> tuple[Replacement, ...]:
    if state.replacements is not None:
        return state.replacements
    assert source.text is not None  # what is no text, no section changes
    assert state.text is not None
    return replacements_between(source.text, state.text)
