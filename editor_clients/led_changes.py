"""A change on disk of which editors make a part: open files are deleted and renamed where they are open.

::

    the disk part      made, and held: it can still be taken back
    file operations    each editor makes its own; the disk shows what was made
    moved and edited   the new document gets the edit
    kept               or all of it taken back, renames by the editor first

A crash before it is kept leaves the journal, which takes back what editors made as well. Never: a file that is gone
without a second name for it, until all has happened.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from editor_clients.attached_changes import as_below
from editor_clients.buffers import Look
from editor_clients.editor_edits import Done
from editor_clients.file_operations import FileOperation, FileOperations
from editor_clients.headless import Headless
from editor_clients.held import Held
from editor_clients.lsp_wire import DocumentEdit
from editor_clients.overlay import Buffer
from editor_clients.port import Applied, CurrentText, FileChange
from editor_clients.replacements import replacements_between
from editor_clients.views import Views
from ledger.errors import Code, CoeditorError
from ledger.types import ReplaceIfVersion, TargetKey

MakeEdit = Callable[[FileChange, Look, Buffer], DocumentEdit]
"""The edit of one document. Errors: as ``EditorClient.apply``."""

_NAMED = 5
"""Further files that a warning names."""


class LedChanges:
    """Makes them, one request after the other."""

    def __init__(self, disk: Headless, views: Views, files: FileOperations, make_edit: MakeEdit) -> None:
        self._disk = disk
        self._views = views
        self._files = files
        self._make_edit = make_edit

    async def run(
        self, disk_part: Sequence[FileChange], led: Sequence[FileOperation], *, label: str, edit_id: str
    ) -> tuple[Applied, list[Done]]:
        """What is there afterwards, and the edits of moved documents, which are not saved yet.

        Errors: as ``EditorClient.apply``; all is as before then, but for ``not_restored``.
        """
        sources = {one.source for one in led}
        held = self._disk.begin([*disk_part, *map(_plain, led)], led=sources)
        before = self._standing()
        moved: list[Done] = []
        try:
            await self._make(held, led, label=label, edit_id=edit_id)
            edits, below = await self._edits(led)
            unsaved = [replace(edit, save="never") for edit in edits]
            moved = await self._views.apply(unsaved, label=label, edit_id=edit_id) if edits else []
            applied = held.read_back()
            written = await self._disk.apply(below) if below else Applied({}, {})
            held.keep()
        except BaseException as error:
            await self._take_back(held, led, moved, error)
            raise
        named = {name for one in led for name in (one.source, one.change.target)}
        known = named | {change.target for change in disk_part} | {one.edit.buffer.target for one in moved}
        notes = self._further(before, known)
        current = {**applied.current, **written.current}
        for target in [one.new for one in led if one.new is not None]:
            current[target] = self._as_shown(target, current.get(target))
        done = [replace(one, edit=edit) for one, edit in zip(moved, edits, strict=True)]
        return replace(applied, current=current, warnings=(*applied.warnings, *notes)), done

    async def _make(self, held: Held, led: Sequence[FileOperation], *, label: str, edit_id: str) -> None:
        wanted = [one for one in led if one.source in held.led]
        left = await self._files.perform(wanted, label=label, edit_id=edit_id)
        held.make(left)
        await self._files.shown([one for one in wanted if one.source not in left])
        undone = held.left_to_do()
        for one in wanted:
            if one.source in undone:
                raise self._files.not_made(one)

    async def _edits(self, led: Sequence[FileOperation]) -> tuple[list[DocumentEdit], list[FileChange]]:
        """The edits of moved documents; as changes of files where no document is open under the new name."""
        edits: list[DocumentEdit] = []
        below: list[FileChange] = []
        for one in led:
            after, text = one.change.after, one.buffer.text
            if one.new is None or after is None or after == text:
                continue
            found = await self._views.look(one.new)
            there = await self._disk.current(one.new)
            update = FileChange(
                one.new,
                "update",
                ReplaceIfVersion(one.buffer.token),
                self._views.text_of(found) if found is not None else there,
                after,
                tuple(one.change.replacements or replacements_between(text, after)),
            )
            if found is not None and found.stands.unsaved:
                raise CoeditorError(
                    Code.FS_STALE_VERSION,
                    f"{one.source} changed in the editor while it was renamed; an extension may have put its imports "
                    "right. Move it first, then read it and edit it.",
                    data={"target": one.source},
                )
            if found is not None and found.stands.in_step:
                edits.append(self._make_edit(update, found, found.buffer))
            else:
                below.append(as_below(update, there))
        return edits, below

    async def _take_back(
        self, held: Held, led: Sequence[FileOperation], moved: Sequence[Done], error: BaseException
    ) -> None:
        kept = await self._views.take_back(moved)
        undone = held.left_to_do()
        await self._files.reverse([one for one in led if one.source not in undone])
        lost = [{"file_path": target} for target in kept] + [*held.give_back()]
        if lost and isinstance(error, CoeditorError):
            error.data["not_restored"] = [*error.data.get("not_restored", ()), *lost]
            error.data["rolled_back"] = False

    def _as_shown(self, target: TargetKey, current: CurrentText | None) -> CurrentText | None:
        shown = current is not None and target in self._views.targets()
        return replace(current, authority="editor") if shown and current is not None else current

    def _standing(self) -> dict[TargetKey, str]:
        return {
            buffer.target: buffer.text
            for view in self._views
            for buffer in view.overlay.all()
            if buffer.target is not None
        }

    def _further(self, before: dict[TargetKey, str], known: set[TargetKey | None]) -> list[str]:
        """Documents that changed meanwhile, such as those whose imports an editor's extension put right."""
        changed = [
            target
            for target, text in self._standing().items()
            if target not in known and self._views.is_unsaved(target) and before.get(target) != text
        ]
        if not changed:
            return []
        names = ", ".join(os.path.basename(target) for target in changed[:_NAMED])
        more = f" and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
        return [
            f"The editor changed further documents while files were deleted or renamed, and did not save them: {names}"
            f"{more}. Read them before you edit them."
        ]


def _plain(one: FileOperation) -> FileChange:
    """What the file itself becomes: the edit that goes with a move follows in the document."""
    if one.new is None or one.change.before is None:
        return one.change
    return replace(one.change, after=one.change.before.text, replacements=(), raw=None, mode=None)
