"""The open documents of one editor, held against the disk below them.

Never: an edit. What the editor tells is taken in at once, in the order in which it came.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from editor_clients.editor_edits import EditorEdits, Patience
from editor_clients.editor_link import RELOAD, AnswerError, EditorLink, SilentEditorError
from editor_clients.headless import Headless
from editor_clients.lsp_wire import EditedDocument
from editor_clients.notebooks import NotebookForm, OpenCell, is_shown
from editor_clients.overlay import Buffer, Change, DocumentState, Overlay, Synced
from editor_clients.port import CurrentText
from editor_clients.saves import Saves
from editor_clients.standing import (
    Standing,
    as_seen_by,
    followed,
    standing,
    synced_at_opening,
    synced_at_saving,
)
from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey, VersionToken

log = logging.getLogger(__name__)

Resolve = Callable[[str], TargetKey | None]
"""From a URI as an editor spells it to its target; None when no tool can name it."""

Moved = Callable[[TargetKey], None]
"""Called with the target of every buffer that changes."""


@dataclass(frozen=True, slots=True)
class Look:
    """A buffer and the disk below it at one moment."""

    buffer: Buffer
    disk: CurrentText | None
    stands: Standing
    twins: tuple[Buffer, ...] = ()
    """Further documents with the same unsaved text: an edit goes to all of them."""

    @property
    def waits_for_reload(self) -> bool:
        """The disk moved below a clean buffer: the editor is about to take the new text."""
        stands = self.stands
        return self.disk is not None and stands.disk_moved and not stands.unsaved and not stands.in_step


class Buffers:
    """What the editor holds, and how it stands to the disk."""

    def __init__(
        self,
        disk: Headless,
        overlay: Overlay,
        link: EditorLink,
        edits: EditorEdits,
        *,
        resolve: Resolve,
        patience: Patience,
        moved: Moved,
        form: NotebookForm,
    ) -> None:
        self._disk = disk
        self._form = form
        self._overlay = overlay
        self._link = link
        self._edits = edits
        self._resolve = resolve
        self._patience = patience
        self._moved = moved
        self._stamps: dict[str, tuple[int, ...] | None] = {}
        self.saves = Saves()
        """What was saved from the editor last."""
        self._waited: dict[str, tuple[int, VersionToken | None]] = {}
        """Buffers that did not reload although the disk had moved, with what they were then."""
        for buffer in overlay.all():
            self._compare(overlay.put(replace(buffer, target=resolve(buffer.uri))))

    # What the editor tells.

    def opened(self, uri: str, version: int, text: str) -> None:
        """A document was opened."""
        buffer = self._overlay.open(uri, self._resolve(uri), version, text)
        self._compare(buffer)
        self._tell(uri, buffer)

    def changed(self, uri: str, version: int, changes: Sequence[Change]) -> Buffer | None:
        """A document changed; gives it, None when it was not open."""
        buffer = self._overlay.change(uri, version, changes)
        self.saves.changed(uri)
        if buffer is not None:
            self._tell(uri, self._follow(buffer))
        return buffer

    def saving(self, uri: str) -> None:
        """A document is about to be saved."""
        buffer = self._overlay.find(uri)
        if buffer is not None and not buffer.has_halves:
            self.saves.begin(uri, buffer.token)

    def saved(self, uri: str, text: str | None) -> None:
        """A document was saved; ``text`` as the editor has it, where it tells."""
        buffer = self._overlay.find(uri)
        if buffer is None:
            return
        if text is not None and (text != buffer.text or not buffer.sound):
            log.warning("the mirror of a document was wrong when it was saved")
            buffer = self._overlay.set_text(uri, buffer.version, text) or buffer
        self._compare(buffer, synced_at_saving)
        if not buffer.has_halves:
            self.saves.done(uri, buffer.target, buffer.token)
        self._tell(uri, buffer)

    def told_state(self, uri: str, state: DocumentState) -> None:
        """The editor said what is dirty, and how the document is encoded."""
        buffer = self._overlay.find(uri)
        if buffer is not None:
            self._follow(self._overlay.put(replace(buffer, state=state)), again=True)
            self._edits.news.tell()

    def opened_notebook(self, uri: str, version: int, cells: Sequence[OpenCell]) -> None:
        """A notebook was opened; its text is that of its file with the editor's cells."""
        buffer = self._overlay.open(uri, self._resolve(uri), version, "")
        buffer = self._overlay.put(self._laid_over(replace(buffer, cells=tuple(cells))))
        self._compare(buffer)
        self._tell(uri, buffer)

    def changed_notebook(self, uri: str, version: int, cells: Sequence[OpenCell], *, sound: bool) -> None:
        """Cells of an open notebook changed; not ``sound``: what they hold is not known any more."""
        before = self._overlay.find(uri)
        if before is not None and before.cells is not None:
            text = self._form.with_cells(before.text, [cell.text for cell in cells], clear=False)
            after = replace(before, version=version, cells=tuple(cells))
            if text:
                after = after.with_text(text)
            self._tell(uri, self._follow(self._overlay.put(replace(after, sound=sound))))

    def saved_notebook(self, uri: str) -> None:
        """A notebook was saved: the disk has its cells now, and results that only the file shows."""
        buffer = self._overlay.find(uri)
        if buffer is not None and buffer.cells is not None:
            self._overlay.put(self._laid_over(buffer))
            self.saved(uri, None)

    def _laid_over(self, buffer: Buffer) -> Buffer:
        """A notebook's buffer with the text of the file below it, its own cells put in."""
        disk = self.disk_below(buffer)
        cells = [cell.text for cell in buffer.cells or ()]
        text = self._form.with_cells(disk.text if disk is not None else "", cells, clear=False)
        return replace(buffer, sound=False) if text is None else buffer.with_text(text)

    def _recognised(self, buffer: Buffer, disk: CurrentText | None) -> Buffer:
        """A notebook that shows the cells of the disk has the disk's text: editors tell of cells alone."""
        if buffer.cells is None or disk is None or disk.text == buffer.text:
            return buffer
        wanted = self._form.cells_of(disk.text)
        same = wanted is not None and is_shown([one.text for one in buffer.cells], wanted)
        return buffer.with_text(disk.text) if same else buffer

    def closed(self, uri: str) -> None:
        """A document was closed; what it held and did not save is gone."""
        buffer = self._overlay.close(uri)
        self._stamps.pop(uri, None)
        self._waited.pop(uri, None)
        self.saves.forget(uri)
        if buffer is not None:
            self._edits.noted(uri, None)
            if buffer.target is not None:
                self._moved(buffer.target)

    async def resync(self, uri: str) -> None:
        """Ask the editor for the text, since the mirror may not have it."""
        await self._edits.resync(uri)

    # The texts.

    async def made_sound(self, target: TargetKey) -> None:
        """Ask for the texts of ``target`` that the mirror has lost."""
        for buffer in self._overlay.of(target):
            if not buffer.sound:
                await self._edits.resync(buffer.uri)

    def seen(self, buffer: Buffer, disk: CurrentText | None) -> Look:
        """``buffer``, one of this editor's, held against ``disk``. Errors: FS_EDITOR_REFUSED."""
        if not buffer.sound or buffer.has_halves:
            raise CoeditorError(
                Code.FS_EDITOR_REFUSED,
                f"What the editor holds of {buffer.target} is not known for certain. Ask the person to save it.",
                file_path=buffer.target,
                data={"target": buffer.target},
            )
        if buffer.is_untitled:
            return Look(buffer, None, Standing(in_step=False, unsaved=True, disk_moved=False))
        seen = as_seen_by(buffer, disk)
        buffer = self._overlay.put(followed(self._recognised(buffer, seen), seen))
        return Look(buffer, seen, standing(buffer, seen))

    async def reloaded(self, found: Look) -> bool:
        """Return when the editor's text changed, or when it had its time; False when it had that before."""
        buffer = found.buffer
        uri, epoch, version = buffer.uri, buffer.epoch, buffer.version
        waited = (version, found.disk.token if found.disk is not None else None)
        if self._waited.get(uri) == waited:
            return False

        def is_news() -> bool:
            now = self._overlay.find(uri)
            return now is None or (now.epoch, now.version) != (epoch, version)

        if self._link.abilities.reload:
            try:
                await self._link.ask(RELOAD, {"uri": uri}, patience=self._patience.reload)
            except (SilentEditorError, AnswerError):
                self._waited[uri] = waited
                return True
        await self._edits.news.until(is_news, self._patience.reload)
        self._waited[uri] = waited
        return True

    def is_unsaved(self, target: TargetKey) -> bool:
        """Whether some document of ``target`` holds unsaved text."""
        return any(self._is_unsaved(buffer) for buffer in self._overlay.of(target))

    def _is_unsaved(self, buffer: Buffer) -> bool:
        if buffer.target is None or buffer.has_halves or buffer.is_untitled:
            return True
        return standing(buffer, self.disk_below(buffer)).unsaved

    def uri_of(self, target: TargetKey) -> str | None:
        """The URI under which the editor has the target open."""
        return next((buffer.uri for buffer in self._overlay.of(target)), None)

    def targets(self) -> frozenset[TargetKey]:
        """What is open and has a name that tools can use."""
        return self._overlay.targets()

    def unsaved(self) -> frozenset[TargetKey]:
        """Those of them that have unsaved text."""
        return frozenset(
            buffer.target
            for buffer in self._overlay.all()
            if buffer.target is not None and self._is_unsaved(buffer)
        )

    def end(self) -> None:
        """The editor is gone, and all that it held with it."""
        for buffer in self._overlay.all():
            self.closed(buffer.uri)

    async def after_edit(
        self, uri: str, target: TargetKey, told: EditedDocument | None
    ) -> CurrentText | None:
        """The disk after an edit, as the editor sees it; what the editor ``told`` of the document is kept."""
        buffer = self._overlay.find(uri)
        if buffer is None or buffer.is_untitled:
            return None
        if told is not None and buffer.state is not None and told.version >= buffer.version:
            self.told_state(uri, replace(buffer.state, version=told.version, dirty=told.dirty))
        else:
            self._follow(buffer, again=True)
        try:
            return as_seen_by(buffer, await self._disk.current(target))
        except CoeditorError:
            return None

    # Following the disk.

    def _compare(
        self,
        buffer: Buffer,
        how: Callable[[Buffer, CurrentText | None], Synced] = synced_at_opening,
    ) -> None:
        if buffer.target is None or buffer.is_untitled or buffer.has_halves:
            return
        self._stamps[buffer.uri] = _stamp(buffer.target)
        self._overlay.put(replace(buffer, synced=how(buffer, self.disk_below(buffer))))

    def _follow(self, buffer: Buffer, *, again: bool = False) -> Buffer:
        """Notice a reload: the disk was written since the last look, and the buffer now holds its text."""
        if buffer.target is None or buffer.is_untitled or buffer.has_halves:
            return buffer
        stamp = _stamp(buffer.target)
        if stamp == self._stamps.get(buffer.uri) and not again:
            return buffer
        self._stamps[buffer.uri] = stamp
        below = self.disk_below(buffer)
        return self._overlay.put(followed(self._recognised(buffer, below), below))

    def disk_below(self, buffer: Buffer) -> CurrentText | None:
        """The text on disk now, as the editor decodes it; None when there is none that can be read."""
        if buffer.target is None:
            return None
        try:
            return as_seen_by(buffer, self._disk.look(buffer.target))
        except CoeditorError:
            return None

    def _tell(self, uri: str, buffer: Buffer) -> None:
        self._edits.noted(uri, buffer)
        if buffer.target is not None:
            self._moved(buffer.target)


def _stamp(path: str) -> tuple[int, ...] | None:
    """What a file looks like without reading it; None when there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
