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
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from editor_clients.charsets import UTF_8
from editor_clients.editor_edits import Done, EditorEdits, Patience
from editor_clients.editor_link import RELOAD, AnswerError, EditorLink, SilentEditorError
from editor_clients.encoding import encode, encode_edit
from editor_clients.headless import Headless
from editor_clients.lsp_wire import DocumentEdit, Save
from editor_clients.overlay import Buffer, Change, DocumentState, Overlay
from editor_clients.port import Applied, CurrentText, FileChange
from editor_clients.standing import Standing, as_seen_by, followed, standing, synced_at_opening
from ledger.errors import Code, CoeditorError
from ledger.types import CreateIfAbsent, ReplaceIfVersion, TargetKey, VersionToken

_ATTEMPTS = 4
"""Looks at a file and its buffer until both stand still."""

Resolve = Callable[[str], TargetKey | None]
"""From a URI as an editor spells it to its target; None when no tool can name it."""


@dataclass(frozen=True, slots=True)
class _Look:
    """A buffer and the disk below it at one moment."""

    buffer: Buffer
    disk: CurrentText | None
    stands: Standing

    @property
    def waits_for_reload(self) -> bool:
        return not self.stands.unsaved and not self.stands.in_step and self.stands.disk_moved


class Attached:
    """An ``EditorClient`` over one editor and the disk."""

    def __init__(
        self,
        disk: Headless,
        overlay: Overlay,
        link: EditorLink,
        *,
        resolve: Resolve,
        save: Save = "when-clean",
        patience: Patience | None = None,
        moved: Callable[[TargetKey], None] = lambda _: None,
    ) -> None:
        """``moved`` is called with the target of every buffer that changes."""
        self._disk = disk
        self._overlay = overlay
        self._link = link
        self._resolve = resolve
        self._save: Save = save
        self._patience = patience or Patience()
        self._moved = moved
        self._edits = EditorEdits(overlay, link, self._patience)
        self._stamps: dict[str, tuple[int, ...] | None] = {}
        self._waited: dict[str, tuple[int, VersionToken | None]] = {}
        """Buffers that did not reload although the disk had moved, with what they were then."""
        for buffer in overlay.all():
            self._compare_at_opening(overlay.put(replace(buffer, target=resolve(buffer.uri))))

    # What the editor tells.

    def opened(self, uri: str, version: int, text: str) -> None:
        """A document was opened."""
        buffer = self._overlay.open(uri, self._resolve(uri), version, text)
        self._compare_at_opening(buffer)
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
        if text is not None and text != buffer.text:
            buffer = self._overlay.set_text(uri, buffer.version, text) or buffer
        self._compare_at_opening(buffer)
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

    # What the walk asks.

    async def current(self, target: TargetKey) -> CurrentText | None:
        """See ``EditorClient.current``; FS_EDITOR_REFUSED when the buffer's text cannot be known."""
        found = await self._settled(target)
        if found is None:
            return await self._disk.current(target)
        return self._told(found)

    def look(self, target: TargetKey) -> CurrentText | None:
        """The same at once, whatever the editor is about to reload. Errors: as ``current``."""
        buffers = self._overlay.of(target)
        disk = None if target.startswith("untitled:") else self._disk.look(target)
        if not buffers:
            return disk
        return self._told(_that_counts([self._seen(buffer, disk) for buffer in buffers]))

    def uri_of(self, target: TargetKey) -> str | None:
        """The URI under which the editor has the target open."""
        return next((buffer.uri for buffer in self._overlay.of(target)), None)

    async def apply(self, changes: Sequence[FileChange]) -> Applied:
        """See ``EditorClient.apply``. Text edits of buffers first, then the disk, then they are saved."""
        edits, disk_part = await self._parted(changes)
        below = {edit.buffer.uri: edit.buffer.synced.disk for edit in edits}
        if not edits:
            return self._with_old_views(await self._disk.apply(disk_part), disk_part)
        if not disk_part:
            done = await self._edits.save(await self._edits.apply(edits, label=_label(changes)))
            await self._refuse_overtaken(done, below)
            return await self._applied(changes, done, None)
        unsaved = [replace(edit, save="never") for edit in edits]
        done = await self._edits.apply(unsaved, label=_label(changes))
        try:
            on_disk = await self._disk.apply(disk_part)
        except CoeditorError as error:
            raise await self._failed(error, done) from None
        except BaseException:
            await self._edits.take_back(done)
            raise
        done = [replace(one, edit=edit) for one, edit in zip(done, edits, strict=True)]
        return await self._applied(changes, await self._edits.save(done), on_disk)

    def describe(self) -> dict[str, Any]:
        """See ``EditorClient.describe``."""
        abilities = self._link.abilities
        buffers = [buffer for buffer in self._overlay.all() if buffer.target is not None]
        unsaved = [buffer for buffer in buffers if self._is_unsaved(buffer)]
        return {
            "name": abilities.name,
            "version": abilities.version,
            "mode": "attached",
            "open": sorted({str(buffer.target) for buffer in buffers}),
            "unsaved": sorted({str(buffer.target) for buffer in unsaved}),
        }

    # The texts.

    async def _settled(self, target: TargetKey) -> _Look | None:
        """The buffer that counts with the disk below it, once the editor has reloaded what it was about to."""
        found = await self._look(target)
        if found is None or not found.waits_for_reload:
            return found
        waited = (found.buffer.version, found.disk.token if found.disk is not None else None)
        if self._waited.get(found.buffer.uri) == waited:
            return found  # it had its time, and did not
        await self._await_reload(found.buffer)
        self._waited[found.buffer.uri] = waited
        return await self._look(target)

    async def _look(self, target: TargetKey) -> _Look | None:
        """None when no document of ``target`` is open."""
        looks: list[_Look] = []
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

    def _seen(self, buffer: Buffer, disk: CurrentText | None) -> _Look:
        if not buffer.sound or buffer.has_halves:
            raise CoeditorError(
                Code.FS_EDITOR_REFUSED,
                f"What the editor holds of {buffer.target} is not known for certain. Ask the person to save it.",
                file_path=buffer.target,
                data={"target": buffer.target},
            )
        if buffer.is_untitled:
            return _Look(buffer, None, Standing(in_step=False, unsaved=True, disk_moved=False))
        seen = as_seen_by(buffer, disk)
        buffer = self._overlay.put(followed(buffer, seen))
        return _Look(buffer, seen, standing(buffer, seen))

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

    def _told(self, found: _Look) -> CurrentText | None:
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
            mode=disk.mode if disk is not None else None,
            data=disk.data if stands.in_step and disk is not None else None,
        )

    def _is_unsaved(self, buffer: Buffer) -> bool:
        if buffer.target is None or buffer.has_halves or buffer.is_untitled:
            return True
        return standing(buffer, self._disk_below(buffer)).unsaved

    # Following the disk.

    def _compare_at_opening(self, buffer: Buffer) -> None:
        if buffer.target is None or buffer.is_untitled or buffer.has_halves:
            return
        self._stamps[buffer.uri] = _stamp(buffer.target)
        synced = synced_at_opening(buffer, self._disk_below(buffer))
        self._overlay.put(replace(buffer, synced=synced))

    def _follow(self, buffer: Buffer, *, again: bool = False) -> Buffer:
        """Notice a reload: the disk was written since the last look, and the buffer now holds its text."""
        if buffer.target is None or buffer.is_untitled or buffer.has_halves:
            return buffer
        stamp = _stamp(buffer.target)
        if stamp == self._stamps.get(buffer.uri) and not again:
            return buffer
        self._stamps[buffer.uri] = stamp
        return self._overlay.put(followed(buffer, self._disk_below(buffer)))

    def _disk_below(self, buffer: Buffer) -> CurrentText | None:
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

    # The edits.

    async def _parted(self, changes: Sequence[FileChange]) -> tuple[list[DocumentEdit], list[FileChange]]:
        """What goes through the editor, and what goes to the disk. Errors: as ``EditorClient.apply``."""
        edits: list[DocumentEdit] = []
        disk_part: list[FileChange] = []
        for change in changes:
            source = change.from_target or change.target
            found = await self._look(source)
            if change.from_target is not None or change.operation == "create":
                await self._refuse_unsaved(change.target)
            if found is None or not (found.stands.unsaved or found.stands.in_step):
                disk_part.append(change)
            elif change.operation == "update":
                edits.append(self._document_edit(change, found))
            elif found.stands.unsaved:
                raise _unsaved(source)
            else:
                disk_part.append(_below(change, found.disk))
        return edits, disk_part

    async def _refuse_unsaved(self, target: TargetKey) -> None:
        found = await self._look(target)
        if found is not None and found.stands.unsaved:
            raise _unsaved(target)

    def _document_edit(self, change: FileChange, found: _Look) -> DocumentEdit:
        buffer = found.buffer
        wanted = change.precondition
        moved = isinstance(wanted, ReplaceIfVersion) and wanted.token != buffer.token
        before = change.before
        if moved or isinstance(wanted, CreateIfAbsent) or before is None or before.text != buffer.text:
            raise _stale(change.target)
        if buffer.state is not None and buffer.state.readonly:
            raise CoeditorError(
                Code.FS_EDITOR_REFUSED,
                f"{change.target} is read-only in the editor. Ask the person.",
                data={"target": change.target, "reason": "readonly"},
            )
        _check_encoding(change, before)
        return DocumentEdit(
            buffer, change.after or "", change.replacements, self._save_of(buffer, found.stands)
        )

    def _save_of(self, buffer: Buffer, stands: Standing) -> Save:
        if buffer.is_untitled or self._save == "never":
            return "never"
        if self._save == "always":
            return "always"
        # Text that is the disk's is nobody's unsaved work, even where the editor still calls it changed.
        return (
            "always"
            if stands.in_step and buffer.state is not None
            else "when-clean"
            if stands.in_step
            else "never"
        )

    async def _refuse_overtaken(self, done: Sequence[Done], below: Mapping[str, VersionToken | None]) -> None:
        """The disk moved between the look and the save, so that the editor did not save: put all back.

        Errors: FS_STALE_VERSION.
        """
        for one in done:
            buffer = one.edit.buffer
            if (
                one.edit.save == "never"
                or not self._link.abilities.save
                or one.told is None
                or one.told.saved
            ):
                continue
            disk = self._disk_below(buffer)
            if disk is not None and disk.token != below[buffer.uri] and buffer.target is not None:
                kept = await self._edits.take_back(done)
                await self._discard(buffer)
                error = _stale(buffer.target)
                error.data |= {"not_restored": [{"file_path": target} for target in kept]} if kept else {}
                raise error

    async def _discard(self, before: Buffer) -> None:
        """Have a document reloaded that holds the old text of the disk again, and nothing of the person's."""
        if self._link.abilities.reload:
            params = {"uri": before.uri, "discard": before.hash}
            with suppress(SilentEditorError, AnswerError):
                await self._link.ask(RELOAD, params, patience=self._patience.answer)

    def _with_old_views(self, applied: Applied, changes: Sequence[FileChange]) -> Applied:
        """``applied`` with a warning for every document that still shows what was there before."""
        notes = [
            f"{change.target} is open in the editor, which has not reloaded what others wrote to it; the "
            "change is on disk."
            for change in changes
            if change.operation == "update" and self._overlay.of(change.target)
        ]
        return replace(applied, warnings=(*applied.warnings, *notes)) if notes else applied

    async def _failed(self, error: CoeditorError, done: Sequence[Done]) -> CoeditorError:
        """The disk part did not happen: put the documents back, and say so."""
        kept = await self._edits.take_back(done)
        lost = [*error.data.get("not_restored", ())]
        texts = {one.edit.buffer.target: one.edit.buffer.token for one in done}
        lost += [{"file_path": target, "snapshot": texts[target]} for target in kept]
        outcome = (
            "some documents were typed into meanwhile and were left; see not_restored."
            if kept
            else ("everything was put back.")
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
        by_target = {one.edit.buffer.target: one for one in done}
        for change in changes:
            one = by_target.get(change.target)
            if one is None:
                continue
            text = await self._read_back(change, one)
            current[change.target] = text
            saved[change.target] = not text.unsaved
            if one.is_formatted:
                formatted[change.target] = (one.edit.after, one.text)
            if text.unsaved:
                warnings.append(self._why_unsaved(one))
        return Applied(current, saved, formatted, tuple(warnings))

    async def _read_back(self, change: FileChange, one: Done) -> CurrentText:
        """The text that the edit made, and whether the disk has it."""
        buffer = self._overlay.find(one.edit.buffer.uri) or one.edit.buffer
        if one.told is not None and buffer.state is not None:
            told = DocumentState(one.told.version, one.told.dirty, buffer.state.encoding)
            if told.version >= max(buffer.state.version, buffer.version):
                buffer = self._overlay.put(replace(buffer, state=told))
        try:
            disk = None if buffer.is_untitled else await self._disk.current(change.target)
        except CoeditorError:
            disk = None
        seen = as_seen_by(buffer, disk)
        self._follow(buffer, again=True)
        made = replace(buffer, text=one.text)
        is_saved = seen is not None and seen.text == one.text
        before = change.before
        return CurrentText(
            text=one.text,
            token=made.token,
            authority="editor",
            encoding=before.encoding if before is not None else UTF_8,
            unsaved=not is_saved,
            disk_token=seen.token if seen is not None else None,
            mode=seen.mode if seen is not None else None,
            data=seen.data if is_saved and seen is not None else None,
        )

    def _why_unsaved(self, one: Done) -> str:
        target, abilities = one.edit.buffer.target, self._link.abilities
        if one.edit.buffer.is_untitled:
            return f"{target} has no file yet; the person has to save it."
        if one.edit.save == "never":
            why = "the settings say so" if self._save == "never" else "it had unsaved changes before"
            return f"{target} was not saved, since {why}: the edit is in the editor only."
        if not (abilities.save or abilities.checked_apply):
            return (
                f"{target} is not saved: this editor cannot be asked to. The edit is in the editor only; "
                "other programs see the old text until the person saves."
            )
        reason = one.told.reason if one.told is not None and one.told.reason else "the editor did not save it"
        return f"{target} is not saved ({reason}): the edit is in the editor only."


def _that_counts(looks: Sequence[_Look]) -> _Look:
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


def _below(change: FileChange, disk: CurrentText | None) -> FileChange:
    """A change of an open document in step, as one of the file below it."""
    before = change.before
    if before is None or disk is None or disk.data is None or before.text != disk.text:
        return change
    raw = change.raw
    if raw is None and change.after is not None and change.after != before.text:
        raw = encode_edit(disk.data, disk.text, disk.encoding, change.replacements)
    return replace(change, before=disk, raw=raw)


def _check_encoding(change: FileChange, before: CurrentText) -> None:
    """Errors: FS_ENCODING when the file's encoding cannot hold what is added (editors would write ``?``)."""
    if before.encoding.startswith("utf-"):
        return
    for one in change.replacements:
        try:
            encode(one.text, before.encoding, bom=False)
        except CoeditorError as error:
            error.data.setdefault("target", change.target)
            raise


def _unsaved(target: TargetKey) -> CoeditorError:
    return CoeditorError(
        Code.FS_UNSAVED_CHANGES,
        f"{target} has unsaved changes in the editor. Ask the person to save or discard them.",
        data={"target": target, "moved_by": "user-unsaved"},
    )


def _stale(target: TargetKey) -> CoeditorError:
    return CoeditorError(
        Code.FS_STALE_VERSION,
        f"{target} changed in the editor at the moment of the edit. Read it again.",
        data={"target": target},
    )


def _label(changes: Sequence[FileChange]) -> str:
    names = sorted({os.path.basename(change.target) for change in changes})
    return f"Coeditor: edit {names[0]}" if len(names) == 1 else f"Coeditor: edit {len(names)} files"


def _stamp(path: str) -> tuple[int, ...] | None:
    """What a file looks like without reading it; None when there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
