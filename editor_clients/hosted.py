"""Texts that an agent's host holds: files that are read and written by asking the program that runs the agent.

A host has two requests, for one text each, and no transaction. So a change is of texts that are there (or makes one
single file), each is written and read back, and what was written is put back in reverse when one fails.

Never: the local file of the same name in place of the host's, or a text that was not read back told as written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from editor_clients.charsets import UTF_8
from editor_clients.lines import eol_of, folded
from editor_clients.port import Applied, CurrentText, EditorClient, FileChange
from ledger.errors import Code, CoeditorError
from ledger.types import CreateIfAbsent, ReplaceIfVersion, TargetKey, token_of

_BOM = "\ufeff"
_FORMATTING = frozenset(" \t\r\n,;'\"`()")
"""Characters that formatters put in, take away and exchange."""


class HostLink(Protocol):
    """The two requests, and who answers them."""

    @property
    def name(self) -> str:
        """The host, for people."""
        ...

    async def read(self, target: TargetKey) -> str | None:
        """The text that the host has; None where it knows no such file.

        Errors: FS_EDITOR_REFUSED with the host's reason, FS_UNCONFIRMED when it is gone.
        """
        ...

    async def write(self, target: TargetKey, text: str) -> None:
        """Have the host write ``text``. Errors: FS_EDITOR_REFUSED, FS_UNCONFIRMED when it is gone."""
        ...


@dataclass(frozen=True, slots=True)
class _Held:
    """A text at the host, in the host's spelling and in ours."""

    current: CurrentText
    has_bom: bool
    folds_lines: bool
    """The host shows LF for the CRLF of the file, and writes CRLF again."""

    def spell(self, text: str) -> str:
        """``text`` as the host would show it."""
        spelled = folded(text) if self.folds_lines else text
        return _BOM + spelled if self.has_bom else spelled


@dataclass(slots=True)
class _Step:
    """One file of a change, for the way back."""

    change: FileChange
    before: _Held | None
    found: CurrentText | None = None
    """What was read back, where that came so far."""


class HostedFiles:
    """An ``EditorClient`` over an agent's host; what an editor of ours has open is that editor's."""

    def __init__(self, inner: EditorClient, link: HostLink) -> None:
        self._inner = inner
        self._link = link

    @property
    def host(self) -> str:
        """Its name, for people."""
        return self._link.name

    async def current(self, target: TargetKey) -> CurrentText | None:
        """See ``EditorClient.current``; FS_EDITOR_REFUSED where the host does not show a file that is there."""
        if target in self._inner.open_targets():
            return await self._inner.current(target)
        held = await self._held(target)
        return held.current if held is not None else None

    async def apply(self, changes: Sequence[FileChange], *, edit_id: str = "") -> Applied:
        """See ``EditorClient.apply``; INVALID_ARGUMENT (``data.reason`` ``updates_only``) for what no host can do."""
        opened = self._inner.open_targets()
        in_editor = [change.target in opened for change in changes]
        if all(in_editor):
            return await self._inner.apply(changes, edit_id=edit_id)
        if any(in_editor):
            raise CoeditorError(
                Code.FS_EDITOR_REFUSED,
                f"Some of these files are open in an editor, the others in {self._link.name}, and one change "
                "cannot be made in both. Send them apart.",
                data={"reason": "two_places"},
            )
        refuse_beyond_updates(changes, self._link.name)
        steps = [_Step(change, await self._checked(change)) for change in changes]
        done: list[_Step] = []
        try:
            for step in steps:
                done.append(step)
                await self._write(step)
        except CoeditorError as error:
            raise await self._taken_back(done, error) from None
        return _applied(steps, self._link.name)

    async def save(self, target: TargetKey) -> CurrentText | None:
        """A host saves what it writes; what its person typed it keeps. Errors: FS_EDITOR_REFUSED."""
        if target in self._inner.open_targets():
            return await self._inner.save(target)
        current = await self.current(target)
        if current is not None and current.unsaved:
            text = f"{self._link.name} cannot be asked to save {target}. Ask the person to save it."
            raise CoeditorError(Code.FS_EDITOR_REFUSED, text, data={"reason": "not_saved"})
        return current

    async def until_resolved(self, targets: Collection[TargetKey]) -> None:
        """See ``EditorClient.until_resolved``; a host does not tell."""
        await self._inner.until_resolved(targets)

    def open_targets(self) -> frozenset[TargetKey]:
        """What an editor of ours has open; a host does not tell."""
        return self._inner.open_targets()

    def describe(self) -> dict[str, Any]:
        """The editor of ours, else the host."""
        found = self._inner.describe()
        return found if found["name"] is not None else {**found, "name": self._link.name, "mode": "acp"}

    async def _held(self, target: TargetKey) -> _Held | None:
        try:
            told = await self._link.read(target)
        except CoeditorError as error:
            # A file that is no text, or a folder, is told so by the disk; one that neither knows is not there.
            if error.code is Code.FS_EDITOR_REFUSED and await self._inner.current(target) is None:
                return None
            raise
        return _held(told, await self._on_disk(target)) if told is not None else None

    async def _on_disk(self, target: TargetKey) -> CurrentText | None:
        """The local file, if there is one: only to say what of the host's text is saved, and how it is written."""
        try:
            return await self._inner.current(target)
        except CoeditorError:
            return None

    async def _checked(self, change: FileChange) -> _Held | None:
        """What the host has at this moment. Errors: FS_STALE_VERSION, FS_ALREADY_EXISTS."""
        held = await self._held(change.target)
        if isinstance(change.precondition, CreateIfAbsent):
            if held is None:
                return None
            raise CoeditorError(
                Code.FS_ALREADY_EXISTS, f"{change.target} is there by now.", data={"target": change.target}
            )
        wanted = change.precondition.token if isinstance(change.precondition, ReplaceIfVersion) else None
        if held is None or (wanted is not None and held.current.token != wanted):
            raise CoeditorError(
                Code.FS_STALE_VERSION,
                f"{change.target} changed at the moment of the edit. Read it again.",
                data={"target": change.target},
            )
        return held

    async def _write(self, step: _Step) -> None:
        """Write one file and read it back. Errors: FS_EDITOR_REFUSED, FS_UNCONFIRMED."""
        target, after = step.change.target, step.change.after or ""
        await self._link.write(target, step.before.spell(after) if step.before is not None else after)
        held = await self._held(target)
        step.found = held.current if held is not None else None
        if step.found is None or not _is_as_sent(after, step.found.text):
            raise CoeditorError(
                Code.FS_EDITOR_REFUSED,
                f"{self._link.name} said that it wrote {target}, but shows another text.",
                data={"target": target, "reason": "other_text"},
            )

    async def _taken_back(self, done: Sequence[_Step], cause: CoeditorError) -> CoeditorError:
        """Put back what was written, last first; gives the error that tells of it."""
        kept = [step.change.target for step in reversed(done) if not await self._put_back(step)]
        lost = [{"file_path": target} for target in reversed(kept)]
        if len(done) == 1 and not lost:
            return cause
        if len(done) == 1:
            cause.data["not_restored"] = lost
            return cause
        how = "was put back" if not lost else "could not be put back in all files; see not_restored"
        return CoeditorError(
            Code.FS_TRANSACTION_FAILED,
            f"{cause.message} What was written before {how}.",
            file_path=cause.data.get("target") or cause.file_path,
            data={"cause": cause.to_object(), "rolled_back": not lost, "not_restored": lost},
        )

    async def _put_back(self, step: _Step) -> bool:
        """Whether the file is as it was; text that somebody made since is left alone."""
        target, before = step.change.target, step.before
        try:
            held = await self._held(target)
            if held is None or before is None:
                return held is None and before is None
            if held.current.text == before.current.text:
                return True
            written = (step.change.after, step.found.text if step.found is not None else None)
            if held.current.text not in written:
                return False
            await self._link.write(target, before.spell(before.current.text))
            held = await self._held(target)
        except CoeditorError:
            return False
        return held is not None and held.current.text == before.current.text


def refuse_beyond_updates(changes: Sequence[FileChange], host: str) -> None:
    """Errors: INVALID_ARGUMENT for deletes, moves, and new files beside other changes."""
    for change in changes:
        if change.operation == "update" or (change.operation == "create" and len(changes) == 1):
            continue
        raise updates_only(change.target, host)


def updates_only(path: str, host: str) -> CoeditorError:
    """What is said of an Add, Delete or Move."""
    return CoeditorError(
        Code.INVALID_ARGUMENT,
        f"{host} holds the files of this session, and can only change texts that are there: no Add, Delete or Move. "
        "Make a new file with write; ask the person to delete or rename.",
        file_path=path,
        data={"reason": "updates_only"},
    )


def _held(told: str, disk: CurrentText | None) -> _Held:
    """What the host told, held against the local file: hosts show LF for other line ends, and write those again."""
    text = told.removeprefix(_BOM)
    has_bom = text is not told
    if disk is not None and disk.text == text:
        return _Held(replace(disk, authority="editor"), has_bom, folds_lines=False)
    if disk is not None and "\r" not in text and folded(disk.text) == text:
        return _Held(replace(disk, authority="editor"), has_bom, folds_lines=True)
    folds = disk is not None and "\r" not in text and eol_of(disk.text) == "crlf"
    own = text.replace("\n", "\r\n") if folds else text
    current = CurrentText(
        own,
        token_of(own),
        "editor",
        disk.encoding if disk is not None else UTF_8,
        unsaved=disk is not None,
        disk_token=disk.token if disk is not None else None,
        mode=disk.mode if disk is not None else None,
    )
    return _Held(current, has_bom, folds)


def _is_as_sent(sent: str, found: str) -> bool:
    """Whether ``found`` is what was sent, or what a formatter may have made of it while the host saved it."""
    return sent == found or _letters(sent) == _letters(found)


def _letters(text: str) -> Counter[str]:
    return Counter(one for one in text if one not in _FORMATTING)


def _applied(steps: Sequence[_Step], host: str) -> Applied:
    current: dict[TargetKey, CurrentText | None] = {}
    saved, formatted, notes = {}, {}, []
    for step in steps:
        target, sent, found = step.change.target, step.change.after or "", step.found
        assert found is not None
        current[target], saved[target] = found, not found.unsaved
        if found.text != sent:
            formatted[target] = (sent, found.text)
            notes.append(f"{host} made another text of {target} while it saved it.")
    return Applied(current, saved, formatted, tuple(notes))
