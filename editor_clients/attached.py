"""A live editor: the open buffer is the truth, the disk is for everything else.

::

    no document open            the disk
    open, saved, in step        the editor: a versioned workspace edit, saved afterwards
    open, unsaved               the editor, and nothing is saved for the person
    open, saved, disk moved     wait for the editor to reload, then as above
    open, saved, other text     the disk: the editor shows an old text and does not reload, or shows the file's
                                bytes or line endings other than they are

Never: an edit of a text that the disk has left behind, or a person's unsaved text on disk.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from editor_clients.attached_changes import (
    as_below,
    as_written,
    check_encoding,
    has_unsaved_results,
    instead_of_unsaved,
    refuse_moved,
    stale_error,
    still_unsaved_error,
    unsaved_error,
)
from editor_clients.buffers import Look, Moved, Resolve
from editor_clients.charsets import UTF_8
from editor_clients.editor_edits import Done, Patience
from editor_clients.editor_link import EditorLink
from editor_clients.file_operations import FileOperation, FileOperations
from editor_clients.headless import Headless
from editor_clients.led_changes import LedChanges
from editor_clients.lsp_wire import DocumentEdit, Save
from editor_clients.notebooks import NotebookForm, is_shown
from editor_clients.overlay import Buffer, Overlay
from editor_clients.port import Applied, CurrentText, FileChange
from editor_clients.standing import Standing
from editor_clients.views import Place, View, Views, place_of
from ledger.errors import Code, CoeditorError
from ledger.types import CreateIfAbsent, ReplaceIfVersion, TargetKey, VersionToken, token_of


class Attached:
    """An ``EditorClient`` over one editor and the disk."""

    def __init__(
        self,
        disk: Headless,
        overlay: Overlay,
        link: EditorLink,
        *,
        resolve: Resolve,
        form: NotebookForm,
        save: Save = "when-clean",
        patience: Patience | None = None,
        moved: Moved = lambda _: None,
    ) -> None:
        self._disk = disk
        self._form = form
        self._save: Save = save
        self._patience = patience or Patience()
        self._moved = moved
        own = self._view(overlay, link, resolve)
        self.buffers = own.buffers
        """Takes what the editor tells."""
        self.views = Views(disk, self._patience, [own])
        """This editor, and further ones on the same folder."""
        self._files = FileOperations(self.views, self._patience)
        self._led = LedChanges(disk, self.views, self._files, self._document_edit)

    def join(self, overlay: Overlay, link: EditorLink, resolve: Resolve) -> View:
        """A further editor, whose mirror has a number of its own; what it holds counts until it is dropped."""
        view = self._view(overlay, link, resolve)
        self.views.add(view)
        return view

    def _view(self, overlay: Overlay, link: EditorLink, resolve: Resolve) -> View:
        return View(
            self._disk,
            overlay,
            link,
            resolve=resolve,
            patience=self._patience,
            moved=self._moved,
            form=self._form,
        )

    async def current(self, target: TargetKey) -> CurrentText | None:
        """See ``EditorClient.current``; FS_EDITOR_REFUSED when the buffer's text cannot be known."""
        found = await self.views.settled(target)
        text = await self._disk.current(target) if found is None else self.views.text_of(found)
        return self.views.with_mover(target, text)

    def look(self, target: TargetKey) -> CurrentText | None:
        """The same at once, whatever the editor is about to reload. Errors: as ``current``."""
        found = self.views.look_now(target)
        return self._disk.look(target) if found is None else self.views.text_of(found)

    async def save(self, target: TargetKey) -> CurrentText | None:
        """See ``EditorClient.save``; text below which the disk moved is never saved over it."""
        found = await self.views.look(target)
        if found is not None and found.stands.unsaved:
            if found.stands.diverged:
                raise still_unsaved_error(target, "the file changed below it")
            view = self.views.of(found.buffer)
            told = await view.edits.save_now(found.buffer)
            if not told.saved:
                raise still_unsaved_error(target, told.reason or "the editor did not save it")
            await view.buffers.after_edit(found.buffer.uri, target, told)
        return await self.current(target)

    async def until_resolved(self, targets: Collection[TargetKey]) -> None:
        """See ``EditorClient.until_resolved``: saved, taken back or closed."""
        await self.views.until(
            lambda: bool(targets) and not all(self.views.is_unsaved(one) for one in targets)
        )

    def open_targets(self) -> frozenset[TargetKey]:
        """See ``EditorClient.open_targets``."""
        return self.views.targets()

    def describe(self) -> dict[str, Any]:
        """See ``EditorClient.describe``."""
        return self.views.describe()

    async def apply(self, changes: Sequence[FileChange], *, edit_id: str = "") -> Applied:
        """See ``EditorClient.apply``. Text edits of buffers first, then the disk, then they are saved.

        Files that are open are deleted and renamed by their editors, after all that may fail has not.
        """
        parts = await self._parted(changes)
        edits, label = parts.edits, _label(changes)
        below = {place_of(edit.buffer): edit.buffer.synced.disk for edit in edits}
        if not edits and not parts.led:
            return self._with_old_views(await self._disk.apply(parts.disk), parts.disk)
        if not parts.disk and not parts.led:
            done = await self.views.save(await self.views.apply(edits, label=label, edit_id=edit_id))
            await self._refuse_overtaken(done, below)
            return await self._applied(changes, done, None)
        unsaved = [replace(edit, save="never") for edit in edits]
        done = await self.views.apply(unsaved, label=label, edit_id=edit_id) if edits else []
        try:
            self._refuse_gone(done)
            if parts.led:
                on_disk, moved = await self._led.run(parts.disk, parts.led, label=label, edit_id=edit_id)
            else:
                on_disk, moved = await self._disk.apply(parts.disk), []
        except CoeditorError as error:
            raise (await self._failed(error, done) if len(changes) > 1 else error) from None
        except BaseException:
            await self.views.take_back(done)
            raise
        done = [replace(one, edit=edit) for one, edit in zip(done, edits, strict=True)]
        done = await self.views.save([*done, *moved])
        await self._finish_on_disk([one for one in done if self.views.is_gone(one.edit.buffer)])
        return await self._applied(changes, done, on_disk)

    def _refuse_gone(self, done: Sequence[Done]) -> None:
        """Errors: FS_EDITOR_REFUSED when an editor, and with it what was edited there, is gone."""
        for one in done:
            if self.views.is_gone(one.edit.buffer):
                raise CoeditorError(
                    Code.FS_EDITOR_REFUSED,
                    f"The editor that held {one.edit.buffer.target} is gone. Read the file and try again.",
                    data={"target": one.edit.buffer.target, "reason": "gone"},
                )

    async def _finish_on_disk(self, done: Sequence[Done]) -> None:
        """Their editor went after the disk had its part: what it did not save of saved documents is written there.

        What a person had not saved went with the editor. Errors: FS_TRANSACTION_FAILED (``data.not_restored``).
        """
        changes = []
        for one in done:
            before = self.buffers.disk_below(one.edit.buffer)
            if before is not None and before.text == one.edit.buffer.text and before.text != one.text:
                changes.append(as_written(before, one))
        try:
            if changes:
                await self._disk.apply(changes)
        except CoeditorError as error:
            lost = [
                {"file_path": change.target, "snapshot": token_of(change.after or "")} for change in changes
            ]
            raise CoeditorError(
                Code.FS_TRANSACTION_FAILED,
                "The editor went away before it had saved its part of the change, and that could not be written in "
                f"its place; see not_restored. The cause: {error.message}",
                file_path=error.file_path,
                data={"cause": error.to_object(), "rolled_back": False, "not_restored": lost},
            ) from None

    async def _parted(self, changes: Sequence[FileChange]) -> _Parts:
        """Who makes what. Errors: as ``EditorClient.apply``."""
        parts = _Parts()
        named = Counter(name for one in changes for name in {one.from_target or one.target, one.target})
        for change in changes:
            source = change.from_target or change.target
            found = await self.views.look(source)
            refuse_moved(change, found)
            if change.from_target is not None or change.operation == "create":
                await self._refuse_unsaved(change.target)
            if found is None or not (found.stands.unsaved or found.stands.in_step):
                parts.disk.append(change)
            elif self._is_beyond_cells(change, found):
                parts.disk.append(as_below(change, found.disk))
            elif change.operation == "update" and change.after != found.buffer.text:
                parts.edits += [
                    self._document_edit(change, found, one) for one in (found.buffer, *found.twins)
                ]
            elif found.stands.unsaved or has_unsaved_results(found.buffer):
                if not change.over_unsaved or found.disk is None:
                    raise unsaved_error(source)
                parts.disk.append(instead_of_unsaved(change, found.disk))
            elif self._files.can(change, found, [name for name, count in named.items() if count > 1]):
                parts.led.append(FileOperation(as_below(change, found.disk), found.buffer))
            else:
                parts.disk.append(as_below(change, found.disk))
        return parts

    def _is_beyond_cells(self, change: FileChange, found: Look) -> bool:
        """Whether a change of an open notebook is one that its editor cannot make to the cells.

        A saved notebook is changed on disk then, and the editor reloads it. Errors: FS_EDITOR_REFUSED where it is
        not saved.
        """
        if found.buffer.cells is None or change.operation != "update" or change.after is None:
            return False
        views = [self.views.of(one) for one in (found.buffer, *found.twins)]
        if all(view.edits.notebooks.can(found.buffer, change.after) for view in views):
            return False
        if not found.stands.unsaved and not has_unsaved_results(found.buffer):
            return True
        raise CoeditorError(
            Code.FS_EDITOR_REFUSED,
            f"{change.target} is open in the editor with unsaved changes, and this change needs more than new text for "
            "its cells, which this editor cannot do. Ask the person to save the notebook.",
            data={"target": change.target, "reason": "notebook"},
        )

    async def _refuse_unsaved(self, target: TargetKey) -> None:
        found = await self.views.look(target)
        if found is not None and found.stands.unsaved:
            raise unsaved_error(target)

    def _document_edit(self, change: FileChange, found: Look, buffer: Buffer) -> DocumentEdit:
        wanted = change.precondition
        moved = isinstance(wanted, ReplaceIfVersion) and wanted.token != buffer.token
        before = change.before
        if moved or isinstance(wanted, CreateIfAbsent) or before is None or before.text != buffer.text:
            raise stale_error(change.target)
        if buffer.state is not None and buffer.state.readonly:
            raise CoeditorError(
                Code.FS_EDITOR_REFUSED,
                f"{change.target} is read-only in the editor. Ask the person.",
                data={"target": change.target, "reason": "readonly"},
            )
        check_encoding(change, before)
        return DocumentEdit(
            buffer, change.after or "", change.replacements, self._save_of(buffer, found.stands)
        )

    def _save_of(self, buffer: Buffer, stands: Standing) -> Save:
        if buffer.is_untitled or self._save == "never":
            return "never"
        if self._save == "always":
            return "always"
        # Text that is the disk's is nobody's unsaved work, even where the editor still calls it changed.
        if stands.in_step:
            return "when-clean" if buffer.state is None or buffer.cells is not None else "always"
        return "never"

    async def _refuse_overtaken(
        self, done: Sequence[Done], below: Mapping[Place, VersionToken | None]
    ) -> None:
        """The disk moved between the look and the save, so that the editor did not save: put all back.

        Errors: FS_STALE_VERSION.
        """
        for one in done:
            buffer = one.edit.buffer
            if one.edit.save == "never" or one.told is None or one.told.saved:
                continue
            disk = self.views.of(buffer).buffers.disk_below(buffer)
            if disk is not None and disk.token != below[place_of(buffer)] and buffer.target is not None:
                kept = await self.views.take_back(done)
                await self.views.discard(buffer)
                error = stale_error(buffer.target)
                error.data |= {"not_restored": [{"file_path": target} for target in kept]} if kept else {}
                raise error

    def _with_old_views(self, applied: Applied, changes: Sequence[FileChange]) -> Applied:
        """``applied`` with a warning for every document that still holds what was there before."""
        notes = [
            f"{change.target} is open in the editor, which has not reloaded what others wrote to it; the "
            "change is on disk."
            for change in changes
            if change.operation == "update" and change.target in self.views.targets()
        ]
        notes += [
            f"The unsaved text of {source} is still in its document in the editor; it is no file any more."
            for change in changes
            if change.operation in ("delete", "move")
            and self.views.is_unsaved(source := change.from_target or change.target)
        ]
        return replace(applied, warnings=(*applied.warnings, *notes)) if notes else applied

    async def _failed(self, error: CoeditorError, done: Sequence[Done]) -> CoeditorError:
        """The disk part did not happen: put the documents back, and say so."""
        kept = await self.views.take_back(done)
        lost = [*error.data.get("not_restored", ())]
        texts = {one.edit.buffer.target: one.edit.buffer.token for one in done}
        lost += [{"file_path": target, "snapshot": texts[target]} for target in kept]
        outcome = (
            "some documents were typed into meanwhile and were left; see not_restored."
            if kept
            else "everything was put back."
        )
        return CoeditorError(
            Code.FS_TRANSACTION_FAILED,
            f"The change of several files failed, and {outcome} The cause: {error.message}",
            file_path=error.file_path,
            data={
                "cause": error.to_object(),
                "rolled_back": not lost and error.data.get("rolled_back", True),
                "not_restored": lost,
            },
        )

    async def _applied(
        self, changes: Sequence[FileChange], done: Sequence[Done], on_disk: Applied | None
    ) -> Applied:
        current = dict(on_disk.current) if on_disk is not None else {}
        saved = dict(on_disk.saved) if on_disk is not None else {}
        warnings = list(on_disk.warnings) if on_disk is not None else []
        formatted: dict[TargetKey, tuple[str, str]] = {}
        by_target: dict[TargetKey | None, Done] = {}
        for one in done:
            by_target.setdefault(one.edit.buffer.target, one)  # further documents of it have the same text
        for change in changes:
            found = by_target.get(change.target)
            if found is None:
                continue
            text = await self._read_back(change, found)
            current[change.target] = text
            saved[change.target] = not text.unsaved
            if text.text != found.edit.after:
                formatted[change.target] = (found.edit.after, text.text)
            if text.unsaved:
                warnings.append(self._why_unsaved(found))
                if text.notebook and text.text != found.edit.after:
                    warnings.append(
                        "This editor keeps the results of the cell that changed until it is run again."
                    )
        return Applied(current, saved, formatted, tuple(warnings))

    async def _read_back(self, change: FileChange, one: Done) -> CurrentText:
        """The text that the edit made, and whether the disk has it."""
        view = self.views.find(one.edit.buffer)
        if view is not None:
            seen = await view.buffers.after_edit(one.edit.buffer.uri, change.target, one.told)
        else:
            seen = await self._left_behind(change.target, one.text)
        made = self._as_saved(one, seen)
        is_saved = seen is not None and seen.text == made
        before = change.before
        return CurrentText(
            text=made,
            token=token_of(made),
            authority="editor",
            encoding=before.encoding if before is not None else UTF_8,
            unsaved=not is_saved,
            disk_token=seen.token if seen is not None else None,
            mode=seen.mode if seen is not None else None,
            data=seen.data if is_saved and seen is not None else None,
            notebook=one.edit.buffer.cells is not None,
        )

    def _as_saved(self, one: Done, disk: CurrentText | None) -> str:
        """The text that an edit made; that of a notebook's file as the editor wrote it, if it has the same cells."""
        if one.edit.buffer.cells is None or disk is None or one.told is None or not one.told.saved:
            return one.text
        made, there = self._form.cells_of(one.text), self._form.cells_of(disk.text)
        return disk.text if made is not None and there is not None and is_shown(there, made) else one.text

    async def _left_behind(self, target: TargetKey, wanted: str) -> CurrentText:
        """What an editor left that went right after an edit. Errors: FS_UNCONFIRMED when it is not ``wanted``."""
        found = await self._disk.current(target)
        if found is not None and found.text == wanted:
            return found
        raise CoeditorError(
            Code.FS_UNCONFIRMED,
            f"The editor that had {target} open went right after the edit, which is not on disk. Read the file.",
            data={"target": target},
        )

    def _why_unsaved(self, one: Done) -> str:
        target, view = one.edit.buffer.target, self.views.of(one.edit.buffer)
        if one.edit.buffer.is_untitled:
            return f"{target} has no file yet; the person has to save it."
        if one.edit.save == "never":
            why = "the settings say so" if self._save == "never" else "it had unsaved changes before"
            return f"{target} was not saved, since {why}: the edit is in the editor only."
        if not view.can_save:
            return (
                f"{target} is not saved: this editor cannot be asked to. The edit is in the editor only; "
                "other programs see the old text until the person saves."
            )
        reason = one.told.reason if one.told is not None and one.told.reason else "the editor did not save it"
        return f"{target} is not saved ({reason}): the edit is in the editor only."


@dataclass(slots=True)
class _Parts:
    """Who makes which change."""

    edits: list[DocumentEdit] = field(default_factory=list)
    disk: list[FileChange] = field(default_factory=list)
    led: list[FileOperation] = field(default_factory=list)
    """Deletes and moves that an editor makes."""


def _label(changes: Sequence[FileChange]) -> str:
    names = sorted({os.path.basename(change.target) for change in changes})
    return f"Coeditor: edit {names[0]}" if len(names) == 1 else f"Coeditor: edit {len(names)} files"
