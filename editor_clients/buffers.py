"""The open documents of one editor, held against the disk below them.

Never: an edit. What the editor tells is taken in at once, in the order in which it came.
"""

from __future__ import annotations

import logging
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from editor_clients.charsets import UTF_8
from editor_clients.editor_edits import EditorEdits, Patience
from editor_clients.editor_link import RELOAD, AnswerError, EditorLink, SilentEditorError
from editor_clients.headless import Headless
from editor_clients.lsp_wire import EditedDocument
from editor_clients.overlay import Buffer, Change, DocumentState, Overlay, Synced
from editor_clients.port import CurrentText
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

_ATTEMPTS = 4
"""Looks at a file and its buffer until both stand still."""

_MOST_SAVES = 1_000

Resolve = Callable[[str], TargetKey | None]
"""From a URI as an editor spells it to its target; None when no tool can name it."""


@dataclass(frozen=True, slots=True)
class Look:
    """A buffer and the disk below it at one moment."""

    buffer: Buffer
    disk: CurrentText | None
    stands: Standing

    @property
    def waits_for_reload(self) -> bool:
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
        moved: Callable[[TargetKey], None],
    ) -> None:
        """``moved`` is called with the target of every buffer that changes."""
        self._disk = disk
        self._overlay = overlay
        self._link = link
        self._edits = edits
        self._resolve = resolve
        self._patience = patience
        self._moved = moved
        self._stamps: dict[str, tuple[int, ...] | None] = {}
        self._saves: OrderedDict[TargetKey, VersionToken] = OrderedDict()
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
        if buffer is not None:
            self._tell(uri, self._follow(buffer))
        return buffer

    def saved(self, uri: str, text: str | None) -> None:
        """A document was saved; ``text`` as the editor has it, where it tells."""
        buffer = self._overlay.find(uri)
        if buffer is None:
            return
        if text is not None and (text != buffer.text or not buffer.sound):
            log.warning("the mirror of a document was wrong when it was saved")
            buffer = self._overlay.set_text(uri, buffer.version, text) or buffer
        self._compare(buffer, synced_at_saving)
        if buffer.target is not None and not buffer.has_halves:
            self._saves[buffer.target] = buffer.token
            self._saves.move_to_end(buffer.target)
            if len(self._saves) > _MOST_SAVES:
                self._saves.popitem(last=False)
        self._tell(uri, buffer)

    def told_state(self, uri: str, state: DocumentState) -> None:
        """The editor said what is dirty, and how the document is encoded."""
        buffer = self._overlay.find(uri)
        if buffer is not None:
            self._follow(self._overlay.put(replace(buffer, state=state)), again=True)
            self._edits.news.tell()

    def closed(self, uri: str) -> None:
        """A document was closed; what it held and did not save is gone."""
        buffer = self._overlay.close(uri)
        self._stamps.pop(uri, None)
        self._waited.pop(uri, None)
        if buffer is not None:
            self._edits.noted(uri, None)
            if buffer.target is not None:
                self._moved(buffer.target)

    async def resync(self, uri: str) -> None:
        """Ask the editor for the text, since the mirror may not have it."""
        await self._edits.resync(uri)

    # The texts.

    async def settled(self, target: TargetKey) -> Look | None:
        """The buffer that counts with the disk below it, once the editor has reloaded what it was about to."""
        found = await self.look(target)
        if found is None or not found.waits_for_reload:
            return found
        waited = (found.buffer.version, found.disk.token if found.disk is not None else None)
        if self._waited.get(found.buffer.uri) == waited:
            return found  # it had its time, and did not
        await self._await_reload(found.buffer)
        self._waited[found.buffer.uri] = waited
        return await self.look(target)

    async def look(self, target: TargetKey) -> Look | None:
        """None when no document of ``target`` is open."""
        looks: list[Look] = []
        for _ in range(_ATTEMPTS):
            for buffer in self._overlay.of(target):
                if not buffer.sound:
                    await self._edits.resync(buffer.uri)
            before = self._overlay.of(target)
            if not before:
                return None
            is_file = not all(buffer.is_untitled for buffer in before)
            disk = await self._disk.current(target) if is_file else None
            buffers = self._overlay.of(target)
            looks = [self._seen(buffer, disk) for buffer in buffers]
            if [(b.epoch, b.version) for b in before] == [(b.epoch, b.version) for b in buffers]:
                break  # nothing moved while the disk was read
        return _that_counts(looks) if looks else None

    def _seen(self, buffer: Buffer, disk: CurrentText | None) -> Look:
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
        buffer = self._overlay.put(followed(buffer, seen))
        return Look(buffer, seen, standing(buffer, seen))

    async def _await_reload(self, buffer: Buffer) -> None:
        """Return when the editor's text changed, or when it had its time."""
        uri, epoch, version = buffer.uri, buffer.epoch, buffer.version

        def is_news() -> bool:
            now = self._overlay.find(uri)
            return now is None or (now.epoch, now.version) != (epoch, version)

        if self._link.abilities.reload:
            try:
                await self._link.ask(RELOAD, {"uri": uri}, patience=self._patience.reload)
            except (SilentEditorError, AnswerError):
                return
        await self._edits.news.until(is_news, self._patience.reload)

    def text_of(self, found: Look) -> CurrentText | None:
        """The current text that follows; the disk's where the editor only shows an old text of it."""
        buffer, disk, stands = found.buffer, found.disk, found.stands
        if not stands.unsaved and not stands.in_step:
            # The editor shows something else and is not going to reload it. Nothing of the person's is in there.
            return self._disk.look(buffer.target) if buffer.target is not None and disk is not None else None
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
        )

    def _is_unsaved(self, buffer: Buffer) -> bool:
        if buffer.target is None or buffer.has_halves or buffer.is_untitled:
            return True
        return standing(buffer, self.disk_below(buffer)).unsaved

    def with_mover(self, target: TargetKey, current: CurrentText | None) -> CurrentText | None:
        """``current``, with who made it where that is known: a text that was saved in the editor."""
        if current is None or current.unsaved or self._saves.get(target) != current.token:
            return current
        return replace(current, moved_by="user-saved")

    def look_now(self, target: TargetKey) -> Look | None:
        """The same at once; None when no document of ``target`` is open."""
        buffers = self._overlay.of(target)
        if not buffers:
            return None
        is_file = not all(buffer.is_untitled for buffer in buffers)
        disk = self._disk.look(target) if is_file else None
        return _that_counts([self._seen(buffer, disk) for buffer in buffers])

    def uri_of(self, target: TargetKey) -> str | None:
        """The URI under which the editor has the target open."""
        return next((buffer.uri for buffer in self._overlay.of(target)), None)

    def targets(self) -> frozenset[TargetKey]:
        """What is open and has a name that tools can use."""
        return frozenset(buffer.target for buffer in self._overlay.all() if buffer.target is not None)

    def describe(self) -> dict[str, list[str]]:
        """The targets that are open, and those that have unsaved text."""
        buffers = [buffer for buffer in self._overlay.all() if buffer.target is not None]
        unsaved = [buffer for buffer in buffers if self._is_unsaved(buffer)]
        return {
            "open": sorted({str(buffer.target) for buffer in buffers}),
            "unsaved": sorted({str(buffer.target) for buffer in unsaved}),
        }

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
        return self._overlay.put(followed(buffer, self.disk_below(buffer)))

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


def _that_counts(looks: Sequence[Look]) -> Look:
    """Of several documents of one file: the unsaved one, else one that is in step, else the newest.

    Errors: FS_UNSAVED_CHANGES when two hold different unsaved texts; the person has to decide.
    """
    unsaved = [look for look in looks if look.stands.unsaved]
    if len({look.buffer.text for look in unsaved}) > 1:
        target = looks[0].buffer.target
        raise CoeditorError(
            Code.FS_UNSAVED_CHANGES,
            f"{target} is open twice with different unsaved changes. Ask the person to save one of them.",
            file_path=target,
            data={"target": target, "moved_by": "user-unsaved"},
        )
    in_step = [look for look in looks if look.stands.in_step]
    return (unsaved or in_step or looks)[-1]


def _stamp(path: str) -> tuple[int, ...] | None:
    """What a file looks like without reading it; None when there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
