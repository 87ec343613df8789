"""All editors that look at one folder: one file may be open in several of them.

::

    one view unsaved                     it holds the text
    several unsaved, all the same        an edit goes to each of them
    several unsaved, not the same        a conflict; the person has to decide
    none unsaved                         one that is in step with the disk, best one that can save
    none in step                         the one opened last, once it had time to reload

Never: a text of an editor that is gone, or an edit in one view that another one undoes.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from editor_clients.buffers import Buffers, Look, Moved, Resolve
from editor_clients.charsets import UTF_8
from editor_clients.diffs import FileDiff, cut_diff, unified_diff
from editor_clients.editor_edits import Done, EditorEdits, Patience
from editor_clients.editor_link import RELOAD, AnswerError, EditorLink, SilentEditorError
from editor_clients.headless import Headless
from editor_clients.lsp_wire import DocumentEdit
from editor_clients.notebooks import NotebookForm
from editor_clients.overlay import Buffer, Overlay
from editor_clients.port import CurrentText
from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey

Place = tuple[int, str]
"""The number of an editor, and a URI in it."""

_DIFF_CHARS = 2_000
"""Characters of each of several unsaved texts that an error tells."""
_ATTEMPTS = 4
"""Looks at a file and its buffers until all stand still."""


class View:
    """One editor: what it has open, and the way to it."""

    def __init__(
        self,
        disk: Headless,
        overlay: Overlay,
        link: EditorLink,
        *,
        resolve: Resolve,
        patience: Patience,
        moved: Moved,
        form: NotebookForm,
    ) -> None:
        self.overlay = overlay
        self.link = link
        self.edits = EditorEdits(overlay, link, patience, form)
        self.buffers = Buffers(
            disk, overlay, link, self.edits, resolve=resolve, patience=patience, moved=moved, form=form
        )
        """Takes what the editor tells."""

    @property
    def can_save(self) -> bool:
        """Whether the editor saves when it is asked to."""
        return self.link.abilities.save or self.link.abilities.checked_apply


class Views:
    """The editors, as one."""

    def __init__(self, disk: Headless, patience: Patience, views: Iterable[View]) -> None:
        self._disk = disk
        self._patience = patience
        self._views = list(views)
        self._reloads: set[asyncio.Task[None]] = set()

    def __iter__(self) -> Iterator[View]:
        return iter(tuple(self._views))

    def add(self, view: View) -> None:
        """From now on what ``view`` holds counts. Its mirror has a number that no other has."""
        self._views.append(view)

    def drop(self, view: View) -> None:
        """The editor is gone."""
        self._views.remove(view)
        view.buffers.end()

    def find(self, buffer: Buffer) -> View | None:
        """The editor that holds ``buffer``; None when it is gone."""
        return next((view for view in self._views if view.overlay.view == buffer.view), None)

    def of(self, buffer: Buffer) -> View:
        """The editor that holds ``buffer``. Errors: FS_EDITOR_REFUSED when it is gone."""
        found = self.find(buffer)
        if found is not None:
            return found
        raise CoeditorError(
            Code.FS_EDITOR_REFUSED,
            f"The editor that had {buffer.target} open is gone. Read the file again.",
            data={"target": buffer.target, "reason": "closed"},
        )

    def is_gone(self, buffer: Buffer) -> bool:
        """Whether the editor that held ``buffer`` is gone, and what it had not saved with it."""
        view = self.find(buffer)
        return view is None or view.link.is_gone

    # The texts.

    async def settled(self, target: TargetKey) -> Look | None:
        """The buffer that counts with the disk below it, once its editor has reloaded what it was about to."""
        found = await self.look(target)
        if found is None or not found.waits_for_reload:
            return found
        return await self.look(target) if await self.of(found.buffer).buffers.reloaded(found) else found

    async def look(self, target: TargetKey) -> Look | None:
        """None when no document of ``target`` is open.

        Errors: FS_EDITOR_REFUSED when a text cannot be known; FS_UNSAVED_CHANGES when editors hold different
        unsaved texts.
        """
        found: list[Look] = []
        for _ in range(_ATTEMPTS):
            for view in self:
                await view.buffers.made_sound(target)
            before = self._buffers(target)
            if not before:
                return None
            is_file = not all(buffer.is_untitled for _, buffer in before)
            disk = await self._disk.current(target) if is_file else None
            now = self._buffers(target)
            found = [view.buffers.seen(buffer, disk) for view, buffer in now]
            if [_moment(buffer) for _, buffer in before] == [_moment(buffer) for _, buffer in now]:
                break  # nothing moved while the disk was read
        return self._that_counts(found) if found else None

    def look_now(self, target: TargetKey) -> Look | None:
        """The same at once. Errors: as ``look``."""
        buffers = self._buffers(target)
        if not buffers:
            return None
        is_file = not all(buffer.is_untitled for _, buffer in buffers)
        disk = self._disk.look(target) if is_file else None
        return self._that_counts([view.buffers.seen(buffer, disk) for view, buffer in buffers])

    def text_of(self, found: Look) -> CurrentText | None:
        """The current text that follows; the disk's where the editor only shows an old text of it."""
        buffer, disk, stands = found.buffer, found.disk, found.stands
        if not stands.unsaved and not stands.in_step:
            # The editor shows something else and is not going to reload it. Nothing of the person's is in there.
            if buffer.target is None or disk is None:
                return None
            found_there = self._disk.look(buffer.target)
            is_notebook = buffer.cells is not None
            return replace(found_there, notebook=is_notebook) if found_there is not None else None
        state = buffer.state
        encoding = (state.encoding if state is not None else None) or (disk.encoding if disk else UTF_8)
        return CurrentText(
            text=buffer.text,
            token=buffer.token,
            authority="editor",
            encoding=encoding,
            unsaved=stands.unsaved,
            disk_token=disk.token if disk is not None else None,
            diverged=stands.diverged,
            below=disk.text if stands.diverged and disk is not None else None,
            mode=disk.mode if disk is not None else None,
            data=disk.data if stands.in_step and disk is not None else None,
            notebook=buffer.cells is not None,
        )

    def with_mover(self, target: TargetKey, current: CurrentText | None) -> CurrentText | None:
        """``current``, with who made it where that is known: a text that was saved in an editor."""
        if current is None or current.unsaved:
            return current
        saves = (view.buffers.saves.find(target, current.token) for view in self)
        saved = next((found for found in saves if found is not None), None)
        if saved is None:
            return current
        return replace(current, moved_by="user-saved", formatted_from=saved.formatted_from)

    def targets(self) -> frozenset[TargetKey]:
        """What is open and has a name that tools can use."""
        return frozenset[TargetKey]().union(*(view.buffers.targets() for view in self))

    def describe(self) -> dict[str, Any]:
        """The editors, the targets that are open, and those that have unsaved text."""
        first, *others = [view.link.abilities for view in self]
        unsaved = frozenset[TargetKey]().union(*(view.buffers.unsaved() for view in self))
        found: dict[str, Any] = {"name": first.name, "version": first.version, "mode": "attached"}
        found["can"] = first.names()
        if others:
            found["others"] = [{"name": one.name, "version": one.version} for one in others]
        return found | {"open": sorted(map(str, self.targets())), "unsaved": sorted(map(str, unsaved))}

    def is_unsaved(self, target: TargetKey) -> bool:
        """Whether some editor holds unsaved text of ``target``."""
        return any(view.buffers.is_unsaved(target) for view in self)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Return when ``condition`` holds, which is looked at whenever something happens in an editor."""
        waiting = [asyncio.ensure_future(view.edits.news.until(condition, None)) for view in self]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    def nearest(self, targets: Collection[TargetKey]) -> list[View]:
        """The editors; those that hold unsaved text of ``targets`` come first."""
        return sorted(
            self._views, key=lambda view: not any(view.buffers.is_unsaved(target) for target in targets)
        )

    def _buffers(self, target: TargetKey) -> list[tuple[View, Buffer]]:
        """Every document of ``target``; those of editors that cannot save come first."""
        return [
            (view, buffer)
            for view in sorted(self._views, key=lambda view: view.can_save)
            for buffer in view.overlay.of(target)
        ]

    def _that_counts(self, looks: Sequence[Look]) -> Look:
        """Of several documents of one file: the unsaved one, else one that is in step, else the newest.

        Errors: FS_UNSAVED_CHANGES when two hold different unsaved texts; the person has to decide.
        """
        unsaved = [look for look in looks if look.stands.unsaved]
        if len({look.buffer.text for look in unsaved}) > 1:
            target = looks[0].buffer.target
            names = [self.of(look.buffer).link.abilities.name for look in unsaved]
            documents = [_document(name, look) for name, look in zip(names, unsaved, strict=True)]
            raise CoeditorError(
                Code.FS_UNSAVED_CHANGES,
                f"{target} has different unsaved changes in {' and in '.join(names)}. Ask the person to save one "
                "of them, or to discard it.",
                file_path=target,
                data={
                    "target": target,
                    "moved_by": "user-unsaved",
                    "reason": "views",
                    "editors": names,
                    "conflict": {"kind": "views", "documents": documents},
                },
            )
        if unsaved:
            return replace(unsaved[-1], twins=tuple(look.buffer for look in unsaved[:-1]))
        in_step = [look for look in looks if look.stands.in_step]
        return (in_step or looks)[-1]

    # The edits.

    async def apply(self, edits: Sequence[DocumentEdit], *, label: str, edit_id: str = "") -> list[Done]:
        """All of ``edits`` are in their documents, or none. Errors: as ``EditorEdits.apply``."""
        done: dict[Place, Done] = {}
        for view, part in self._by_view(edits):
            try:
                made = await view.edits.apply(part, label=label, edit_id=edit_id)
            except CoeditorError as error:
                kept = await self.take_back(list(done.values()))
                if kept:
                    lost = [*error.data.get("not_restored", ()), *({"file_path": target} for target in kept)]
                    error.data["not_restored"] = lost
                raise
            except BaseException:
                await self.take_back(list(done.values()))
                raise
            done |= {place_of(one.edit.buffer): one for one in made}
        return [done[place_of(edit.buffer)] for edit in edits]

    async def take_back(self, done: Sequence[Done]) -> list[TargetKey | None]:
        """Undo confirmed edits by their reverse; gives the targets that were changed since and were left."""
        kept: list[TargetKey | None] = []
        for one in done:
            if self.is_gone(one.edit.buffer):
                continue  # it took the edit with it
            try:
                kept += await self.of(one.edit.buffer).edits.take_back([one])
            except CoeditorError:
                kept.append(one.edit.buffer.target)
        return kept

    async def save(self, done: Sequence[Done]) -> list[Done]:
        """Save each document that wants it and was not saved with the edit, where its editor can.

        Other editors that have such a file open, and nothing unsaved in it, are asked to show what is there now.
        """
        saved: list[Done] = []
        for one in done:
            view = self.find(one.edit.buffer)
            saved += await view.edits.save([one]) if view is not None else [one]
        for one in saved:
            self._show_elsewhere(one.edit.buffer)
        return saved

    async def discard(self, buffer: Buffer) -> None:
        """Have a document reloaded that holds the text of ``buffer``, if it still does: nothing of the person's."""
        await self._reload(self.of(buffer), {"uri": buffer.uri, "discard": buffer.hash})

    def _show_elsewhere(self, edited: Buffer) -> None:
        if edited.target is None:
            return
        for view, buffer in self._buffers(edited.target):
            if view.overlay.view != edited.view and not buffer.is_untitled:
                task = asyncio.get_running_loop().create_task(self._reload(view, {"uri": buffer.uri}))
                self._reloads.add(task)
                task.add_done_callback(self._reloads.discard)

    async def _reload(self, view: View, params: dict[str, str]) -> None:
        if view.link.abilities.reload:
            try:
                await view.link.ask(RELOAD, params, patience=self._patience.answer)
            except (SilentEditorError, AnswerError):
                return

    def _by_view(self, edits: Sequence[DocumentEdit]) -> Iterator[tuple[View, list[DocumentEdit]]]:
        ordered = sorted(edits, key=lambda edit: edit.buffer.view)
        for _, part in groupby(ordered, key=lambda edit: edit.buffer.view):
            group = list(part)
            yield self.of(group[0].buffer), group


def _document(editor: str, look: Look) -> dict[str, str]:
    """One of several unsaved texts, as what was changed since the disk's."""
    name = os.path.basename(look.buffer.target or look.buffer.uri)
    before = look.disk.text if look.disk is not None else ""
    diff, _ = cut_diff(unified_diff([FileDiff(name, name, before, look.buffer.text)]), _DIFF_CHARS)
    return {"editor": editor, "uri": look.buffer.uri, "diff": diff}


def place_of(buffer: Buffer) -> Place:
    """Which document of which editor."""
    return buffer.view, buffer.uri


def _moment(buffer: Buffer) -> tuple[int, int, int]:
    return buffer.view, buffer.epoch, buffer.version
