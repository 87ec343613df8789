"""No editor: the disk is the authority for every target.

Never: a decision, or an answer that was not read back.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from editor_clients.charsets import UNKNOWN_8BIT, UTF_8, UTF_8_BOM
from editor_clients.disk import DiskFile, read_bytes
from editor_clients.editorconfig import editorconfig_charset
from editor_clients.encoding import Decoded, decode, encode, encode_edit
from editor_clients.port import Applied, CurrentText, FileChange
from editor_clients.replacements import replacements_between
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError
from ledger.types import (
    CreateIfAbsent,
    ReplaceIfVersion,
    TargetKey,
    VersionToken,
    token_of,
    token_of_utf8,
)

if TYPE_CHECKING:
    from editor_clients.disk_changes import DiskChange, Durability
    from editor_clients.held import Held

_T = TypeVar("_T")
_IN_THREAD_FROM = 1 << 20
"""Bytes from which disk work leaves the event loop's thread, so that other calls are not held up."""
_KEPT_BYTES = 16 << 20
_Writings = dict[TargetKey, tuple[bytes | None, CurrentText | None]]
"""What is to be where afterwards; None of it where nothing is to be, and no text where it is not known."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What was read of one target, and how it decodes."""

    file: DiskFile
    current: CurrentText


class Headless:
    """An ``EditorClient`` over the disk alone."""

    def __init__(self, walls: Walls, journal_dir: str, *, file_limit: int, durability: Durability) -> None:
        self._walls = walls
        self._journal_dir = journal_dir
        self._file_limit = file_limit
        self._durability: Durability = durability
        self._known: OrderedDict[TargetKey, _Known] = OrderedDict()
        self._kept = 0

    async def current(self, target: TargetKey) -> CurrentText | None:
        """See ``EditorClient.current``."""
        known = await self._maybe_in_thread(_size_of(target), lambda: self._read(target))
        return known.current if known is not None else None

    def look(self, target: TargetKey) -> CurrentText | None:
        """The same, at once. Errors: as ``current``."""
        known = self._read(target)
        return known.current if known is not None else None

    def text_now(self, path: str) -> str | None:
        """The text on disk; None when there is none that can be read."""
        try:
            current = self.look(TargetKey(path))
        except CoeditorError:
            return None
        return current.text if current is not None else None

    async def apply(self, changes: Sequence[FileChange], *, edit_id: str = "") -> Applied:
        """See ``EditorClient.apply``."""
        size = sum(len(change.after or "") for change in changes)
        return await self._maybe_in_thread(size, lambda: self._apply(changes))

    async def save(self, target: TargetKey) -> CurrentText | None:
        """There is nothing unsaved."""
        return await self.current(target)

    async def until_resolved(self, targets: Collection[TargetKey]) -> None:
        """See ``EditorClient.until_resolved``; the disk holds nothing unsaved."""
        await asyncio.Event().wait()

    def open_targets(self) -> frozenset[TargetKey]:
        """There is no editor."""
        return frozenset()

    def describe(self) -> dict[str, Any]:
        """There is no editor."""
        return {"name": None, "mode": "headless", "open": [], "unsaved": []}

    async def _maybe_in_thread(self, size: int, work: Callable[[], _T]) -> _T:
        if size < _IN_THREAD_FROM:
            return work()
        return await asyncio.to_thread(work)

    def _read(self, target: TargetKey, made: CurrentText | None = None) -> _Known | None:
        """What is there now. ``made``: what it may be, with its bytes; it is not decoded again then."""
        before = self._known.get(target)
        maybe = made or (before.current if before is not None else None)
        file = read_bytes(
            self._walls, target, self._file_limit, maybe=maybe.data if maybe is not None else None
        )
        if file is None:
            self._forget(target)
            return None
        alike = before.current if before is not None else None
        if alike is None or alike.data != file.data:
            alike = made if made is not None and made.data == file.data else None
        if alike is not None and alike.data is not None:
            # The same object again: whoever compares it with itself is done at once.
            file = DiskFile(alike.data, file.mode, file.uid, file.gid)
            current = alike if alike.mode == file.mode else replace(alike, mode=file.mode)
        else:
            current = self._decoded(target, file)
        known = _Known(file, current)
        self._remember(target, known)
        return known

    def _decoded(self, target: TargetKey, file: DiskFile) -> CurrentText:
        try:
            found = self._decode(target, file.data)
        except CoeditorError as error:
            error.file_path = error.file_path or target
            raise
        utf8 = found.encoding == UTF_8
        token = token_of_utf8(file.data) if utf8 else token_of(found.text)
        return CurrentText(
            found.text, token, "disk", found.encoding, disk_token=token, mode=file.mode, data=file.data
        )

    def _decode(self, target: TargetKey, data: bytes) -> Decoded:
        found = decode(data)
        if found.encoding != UNKNOWN_8BIT:
            return found
        root = self._walls.root_of(target)
        declared = editorconfig_charset(target, root or os.path.dirname(target), self._config_text)
        return decode(data, declared=declared) if declared else found

    def _config_text(self, path: str) -> str | None:
        """The text of an ``.editorconfig``; None when it cannot be read."""
        try:
            file = read_bytes(self._walls, path, 1 << 20)
        except CoeditorError:
            return None
        return file.data.decode("utf-8", "replace") if file is not None else None

    def begin(self, changes: Sequence[FileChange], *, led: Collection[TargetKey]) -> Held:
        """The same, up to where it can still be taken back; an editor is to make those whose sources are ``led``."""
        from editor_clients.held import Held
        from editor_clients.transaction import begin

        written: _Writings = {}
        disk_changes = [self._disk_change(change, written, led) for change in changes]
        held = begin(
            disk_changes, journal_dir=self._journal_dir, walls=self._walls, durability=self._durability
        )
        return Held(held, lambda: self._applied(changes, written))

    def _apply(self, changes: Sequence[FileChange]) -> Applied:
        from editor_clients.transaction import publish  # with the first change: a read need not wait for it

        written: _Writings = {}
        disk_changes = [self._disk_change(change, written) for change in changes]
        publish(disk_changes, journal_dir=self._journal_dir, walls=self._walls, durability=self._durability)
        return self._applied(changes, written)

    def _applied(self, changes: Sequence[FileChange], written: _Writings) -> Applied:
        current: dict[TargetKey, CurrentText | None] = {}
        for target, (data, text) in written.items():
            known = self._read_back(target, text)
            if (known.file.data if known is not None else None) != data:
                raise CoeditorError(
                    Code.FS_UNCONFIRMED,
                    f"{target} was written, but something else is there already. Read it again.",
                    file_path=target,
                    data={"not_restored": [{"file_path": target}]},
                )
            current[target] = known.current if known is not None else None
        return Applied(current, {change.target: True for change in changes})

    def _read_back(self, target: TargetKey, made: CurrentText | None) -> _Known | None:
        try:
            return self._read(target, made)
        except CoeditorError as error:
            if error.code is Code.FS_NOT_TEXT:
                return None
            raise

    def _disk_change(
        self,
        change: FileChange,
        written: _Writings,
        led: Collection[TargetKey] = (),
    ) -> DiskChange:
        from editor_clients.disk_changes import ABSENT, MoveFile, RemoveFile, WriteBytes

        source = change.from_target or change.target
        expected = self._expected(change, source)
        data, text = self._bytes_after(change, expected)
        written[change.target] = data, text
        if change.operation == "delete":
            return RemoveFile(source, expected, source in led)
        if change.operation == "move":
            written[source] = None, None
            whole = None if data == expected else data
            there = (
                ABSENT if change.replaces is None else self._bytes_of(change.target, change.replaces.token)
            )
            return MoveFile(source, change.target, expected, whole, there, change.mode, source in led)
        if change.operation == "create":
            return WriteBytes(change.target, data or b"", ABSENT, change.mode)
        return WriteBytes(change.target, data or b"", expected, change.mode)

    def _expected(self, change: FileChange, source: TargetKey) -> bytes:
        """The bytes that the plan was made from; a lost race shows when they are published."""
        if isinstance(change.precondition, CreateIfAbsent):
            return b""
        wanted = change.precondition.token if isinstance(change.precondition, ReplaceIfVersion) else None
        return self._bytes_of(source, wanted)

    def _bytes_of(self, target: TargetKey, wanted: VersionToken | None) -> bytes:
        known = self._known.get(target) or self._read(target)
        if known is None or (wanted is not None and known.current.token != wanted):
            raise CoeditorError(
                Code.FS_STALE_VERSION,
                f"{target} changed at the moment of the edit. Read it again.",
                data={"target": target},
            )
        return known.file.data

    def _bytes_after(self, change: FileChange, expected: bytes) -> tuple[bytes | None, CurrentText | None]:
        """The bytes that a change makes, and how they read; None where only the bytes can tell."""
        if change.operation == "delete":
            return None, None
        if change.raw is not None:
            return change.raw, None
        before, after = change.before, change.after or ""
        if before is None or change.encoding not in (None, before.encoding):
            return encode(after, change.encoding or UTF_8), None
        if before.text == after:
            return expected, None
        replacements = change.replacements
        if before.encoding != UTF_8:
            # Characters that stay must keep their very bytes, which another encoding may write in several ways.
            replacements = replacements_between(before.text, after)
        try:
            data = encode_edit(expected, before.text, before.encoding, replacements)
            encoding = (
                UTF_8 if before.encoding == UTF_8 else self._reading(change.target, before, data, after)
            )
        except CoeditorError as error:
            error.data.setdefault("target", change.target)
            raise
        if encoding is None:
            return data, None
        token = token_of_utf8(data) if encoding == UTF_8 else token_of(after)
        mode = change.mode if change.mode is not None else before.mode
        return data, CurrentText(after, token, "disk", encoding, disk_token=token, mode=mode, data=data)

    def _reading(self, target: TargetKey, before: CurrentText, data: bytes, text: str) -> str | None:
        """As what the bytes of ``text`` are going to be read; None for valid UTF-8 where that could not be told
        before, which is no loss: its bytes are those asked for.

        Errors: FS_ENCODING for bytes that would be read back as another text, in another encoding.
        """
        encoding = before.encoding
        try:
            found = self._decode(target, data)
            if found.text == text:
                return found.encoding
            if encoding == UNKNOWN_8BIT and found.encoding in (UTF_8, UTF_8_BOM):
                return None
        except CoeditorError:
            pass
        raise CoeditorError(
            Code.FS_ENCODING,
            f"With this edit the file's bytes would no longer read as {encoding}, but as another text; "
            "nothing was written. Convert the file to UTF-8 first.",
            data={"encoding": encoding},
        )

    def _remember(self, target: TargetKey, known: _Known) -> None:
        self._forget(target)
        self._known[target] = known
        self._kept += len(known.file.data)
        while self._kept > _KEPT_BYTES and len(self._known) > 1:
            _, dropped = self._known.popitem(last=False)
            self._kept -= len(dropped.file.data)

    def _forget(self, target: TargetKey) -> None:
        known = self._known.pop(target, None)
        if known is not None:
            self._kept -= len(known.file.data)


def _size_of(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
