"""The ``rewind`` tool: the reverse of recorded edits, sparing what others changed since.

Never: a snapshot laid over newer work. Where somebody's later change touches or adjoins what is to be undone,
everything stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from editor_clients.git import Head
from editor_clients.port import CurrentText, FileChange
from editor_clients.replacements import hunks_between, replacements_between
from ledger.errors import Code, CoeditorError
from ledger.history import RewindStep
from ledger.session import Present
from ledger.types import CreateIfAbsent, EditId, Entry, FileRecord, FileState, ReplaceIfVersion, TargetKey
from lsp_server.edits.rebase import take_back
from lsp_server.movers import moved_by
from lsp_server.outcomes import Plan, Planned
from lsp_server.pipeline import mutate
from lsp_server.service import CallContext
from lsp_server.snapshots import bytes_of, text_of
from lsp_server.targets import Target, is_untitled
from lsp_server.view import View
from lsp_server.workspace import Workspace, head_at


async def rewind(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """Take back ``to`` and every later edit of the session, or with ``EDIT#N`` one hunk alone; itself an edit.

    Errors: FS_REWIND_CONFLICT with ``data.files``, FS_NO_CHANGE when nothing is left to undo,
    INVALID_ARGUMENT for an unknown id or another session's, FS_UNSAVED_CHANGES over unseen typing.
    """
    session = None if context.person else context.caller.scope.session
    only = arguments.get("file_path")
    target = workspace.resolve(only, context, write=True) if only is not None else None
    named, hunk = _named(arguments["to"])
    key = target.key if target is not None else None
    steps = (
        workspace.ledger.rewind_steps(named, session=session, target=key)
        if hunk is None
        else _step_of(workspace, workspace.ledger.start_of(named, session), key)
    )
    if not steps:
        raise CoeditorError(
            Code.FS_NO_CHANGE,
            f"Nothing is left to take back at {arguments['to']}; history shows what stands.",
        )
    refuse_other_branch(steps)
    request = RewindRequest(steps, workspace.ledger.start_of(named, session).edit_id, arguments, hunk=hunk)
    for key, path in request.targets().items():
        _refuse_closed(workspace, key, path, context)
        workspace.notices.watch(key)
    return await mutate(workspace, request, context, only_plan=arguments["dry_run"])


def _refuse_closed(workspace: Workspace, key: TargetKey, path: str, context: CallContext) -> None:
    """What was open when it was edited may be closed by now, or its name may lead to another file.

    Errors: as ``Workspace.resolve`` for agents; FS_DENIED for a person; FS_REWIND_CONFLICT for another file.
    """
    workspace.walls.check(path, write=True)
    if is_untitled(key):
        return
    found = workspace.targets.resolve(path, context.cwd)
    if found.key != key:
        raise CoeditorError(
            Code.FS_REWIND_CONFLICT,
            f"{path} leads to another file than it did when it was edited. Nothing was changed.",
            file_path=path,
            data={"files": [{"file_path": path, "lines": [], "moved_by": "unknown"}], "reason": "other_file"},
        )
    if not context.person:
        workspace.resolve(path, context, write=True)


def _named(to: str) -> tuple[str, int | None]:
    """What is to be taken back: an edit, a turn, a session; or one hunk of an edit, counted from 1."""
    name, mark, number = to.rpartition("#")
    return (name, int(number)) if mark and number.isdecimal() and int(number) > 0 else (to, None)


def _step_of(workspace: Workspace, entry: Entry, target: TargetKey | None) -> tuple[RewindStep, ...]:
    """All of one entry that stands, for a hunk to be counted in."""
    if entry.state != "applied":
        return ()
    files = tuple(file for file in entry.files if target in (None, file.target, file.from_target))
    return (RewindStep(entry, files),) if files else ()


def refuse_other_branch(steps: Sequence[RewindStep]) -> None:
    """Errors: FS_REWIND_CONFLICT for edits that were made while another branch was checked out."""
    for step in steps:
        for file in step.files:
            if file.head is None or (now := head_at(file.path)) is None or now == file.head:
                continue
            old, new = Head.of(file.head), Head.of(now)
            if old.branch == new.branch or old.commit == new.commit:
                continue
            then, here = old.branch or f"commit {old.commit}", new.branch or f"commit {new.commit}"
            raise CoeditorError(
                Code.FS_REWIND_CONFLICT,
                f"The edit {step.entry.edit_id} was made on {then}; {here} is checked out now, where these files have "
                f"another history. Nothing was changed. Switch back to {then} to take it back.",
                file_path=file.path,
                data={
                    "files": [{"file_path": file.path, "lines": [], "moved_by": "git:checkout"}],
                    "reason": "branch_switched",
                },
            )


@dataclass(frozen=True, slots=True)
class _File:
    """One file at one moment of the walk back."""

    text: str
    encoding: str
    mode: int | None
    origin: TargetKey | None
    """Whose current text this came from; None when it was brought back."""
    raw: bytes | None = None
    """Its very bytes, where they are known."""


@dataclass(frozen=True, slots=True)
class RewindRequest:
    """Recorded steps to undo, newest first."""

    steps: tuple[RewindStep, ...]
    first: EditId
    sent: Mapping[str, Any]
    tool: str = "rewind"
    hunk: int | None = None
    """The only one that is taken back of a single step, counted from 1."""

    def targets(self) -> Mapping[TargetKey, str]:
        """See ``Request.targets``."""
        found: dict[TargetKey, str] = {}
        for step in self.steps:
            for record in step.files:
                found.setdefault(record.target, record.path)
                if record.from_target is not None:
                    found.setdefault(record.from_target, record.from_path or record.from_target)
        return found

    def arguments(self) -> Mapping[str, Any]:
        """See ``Request.arguments``."""
        return self.sent

    def plan(self, view: View) -> Plan:
        """See ``Request.plan``."""
        walk = _WalkBack(view)
        if self.hunk is not None:
            walk.undo_hunk(self.steps[0].files, self.hunk)
        else:
            for step in self.steps:
                for record in reversed(step.files):
                    walk.undo(record)
        if walk.conflicts and len(walk.not_kept) == len(walk.conflicts):
            raise CoeditorError(
                Code.FS_REWIND_CONFLICT,
                f"What {', '.join(walk.not_kept)} held before is not kept: it was too large, is too old, or may not be "
                "kept by the setting secret_files. Nothing was changed. Rewind the other files one by one (file_path).",
                file_path=walk.conflicts[0]["file_path"],
                data={"files": walk.conflicts, "reason": "not_kept"},
            )
        if walk.conflicts:
            raise CoeditorError(
                Code.FS_REWIND_CONFLICT,
                "What is to be taken back was changed again since, by somebody else, in or next to the same lines. "
                "Nothing was changed. Rewind the other files one by one (file_path), or edit these lines.",
                file_path=walk.conflicts[0]["file_path"],
                data={"files": walk.conflicts},
            )
        spelled = self.targets()
        files = tuple(_changes(view, walk.now, spelled))
        if not files:
            raise CoeditorError(
                Code.FS_NO_CHANGE, "Every file is already as it was before; there is nothing to take back."
            )
        gone = {key for key, file in walk.now.items() if file is None}
        records = [record for step in self.steps for record in step.files if record.target in gone]
        return Plan(
            files,
            rewinds=self.first,
            undone=self.steps if self.hunk is None or walk.is_all else (),
            puts_back=True,
            emptied=tuple(folder for record in records for folder in record.folders),
        )


class _WalkBack:
    """The files as they stand after each step that is undone."""

    def __init__(self, view: View) -> None:
        self._view = view
        self.not_kept: list[str] = []
        """Paths whose texts before are not there; they are among the conflicts."""
        self.now: dict[TargetKey, _File | None] = {}
        self.conflicts: list[dict[str, Any]] = []
        self.is_all = False
        """Whether the one hunk that was undone was all of its edit."""
        for key, current in view.current.items():
            self.now[key] = _of(key, current) if current is not None else None

    def undo(self, record: FileRecord) -> None:
        """One record's reverse; a conflict is noted and the file left alone."""
        match record.operation:
            case "create":
                self._undo_create(record)
            case "delete":
                self._undo_delete(record)
            case "update" | "move":
                self._undo_change(record)

    def undo_hunk(self, records: Sequence[FileRecord], number: int) -> None:
        """One hunk of all of an entry's, in the order of its diff; a file that came or went is one.

        Errors: INVALID_ARGUMENT for one that is not there.
        """
        left = number - 1
        counts = [self._count(record) for record in records]
        for record, count in zip(records, counts, strict=True):
            if left >= count:
                left -= count
                continue
            self.is_all = sum(counts) == 1
            if record.operation in ("create", "delete"):
                self.undo(record)
            else:
                self._undo_change(record, only=left)
            return
        raise CoeditorError(
            Code.INVALID_ARGUMENT,
            f"The edit has {sum(counts)} hunks; there is no number {number}.",
            data={"argument": "to"},
        )

    def _count(self, record: FileRecord) -> int:
        if record.operation in ("create", "delete"):
            return 1
        before, after = self._text(record.before), self._text(record.after)
        return len(hunks_between(after, before)) if before is not None and after is not None else 0

    def _undo_create(self, record: FileRecord) -> None:
        now = self.now[record.target]
        if now is None:
            return  # gone already
        if record.after is None or self._text(record.after) != now.text:
            self._conflict(record, ((1, max(1, now.text.count("\n"))),))
            return
        self.now[record.target] = None

    def _undo_delete(self, record: FileRecord) -> None:
        if self.now[record.target] is not None:
            self._conflict(record, ((1, 1),))
            return
        if record.before is not None:
            self._bring_back(record, record.target, record.before)

    def _undo_change(self, record: FileRecord, *, only: int | None = None) -> None:
        """Its lines and its name; with ``only`` one hunk, and the name stays."""
        home = record.target if only is not None else record.from_target or record.target
        now = self.now[record.target]
        after, before = self._text(record.after), self._text(record.before)
        if now is None or (home != record.target and self.now[home] is not None):
            self._conflict(record, ((1, 1),))
            return
        if after is None or before is None or record.before is None:
            self._not_kept(record)
            return
        found = take_back(after, before, now.text, only=only)
        if not isinstance(found, str):
            self._conflict(record, found)
            return
        raw = self._raw(record.before) if found == before else None
        mode = record.before.mode if record.before.mode is not None and only is None else now.mode
        self.now[record.target] = None
        self.now[home] = replace(now, text=found, encoding=record.before.encoding, mode=mode, raw=raw)

    def _bring_back(self, record: FileRecord, target: TargetKey, state: FileState) -> None:
        text, raw = self._text(state), self._raw(state)
        if text is None:
            self._not_kept(record)
            return
        self.now[target] = _File(text, state.encoding, state.mode, None, raw)

    def _text(self, state: FileState | None) -> str | None:
        return text_of(self._view.workspace, state)

    def _raw(self, state: FileState) -> bytes | None:
        return bytes_of(self._view.workspace, state)

    def _conflict(self, record: FileRecord, lines: tuple[tuple[int, int], ...]) -> None:
        current = self._view.current.get(record.target)
        mover = moved_by(self._view, Target(record.target, record.path), current)
        row = {"file_path": record.path, "lines": [list(span) for span in lines], "moved_by": mover}
        if all(row["file_path"] != other["file_path"] for other in self.conflicts):
            self.conflicts.append(row)

    def _not_kept(self, record: FileRecord) -> None:
        """Its snapshot is too large, too old, of a secret file, or was switched off."""
        self.not_kept.append(record.path)
        self.conflicts.append({"file_path": record.path, "lines": [], "moved_by": "unknown"})


def _of(key: TargetKey, current: CurrentText) -> _File:
    return _File(current.text, current.encoding, current.mode, key)


def _changes(
    view: View, final: Mapping[TargetKey, _File | None], spelled: Mapping[TargetKey, str]
) -> list[Planned]:
    """From the current files to the final ones."""
    found: list[Planned] = []
    moved: set[TargetKey] = set()
    for key, file in final.items():
        current = view.current[key]
        if file is None or (current is not None and _is_same(file, current)):
            continue
        _refuse_unseen_typing(view, key, current, spelled[key])
        source = file.origin if file.origin not in (None, key) and current is None else None
        if source is not None and final[source] is None:
            moved.add(source)
            found.append(_planned(view, key, file, view.current[source], spelled, source))
        else:
            found.append(_planned(view, key, file, current, spelled, None))
    for key, file in final.items():
        current = view.current[key]
        if file is None and current is not None and key not in moved:
            _refuse_unseen_typing(view, key, current, spelled[key])
            change = FileChange(key, "delete", ReplaceIfVersion(current.token), current, None)
            found.append(Planned(change, spelled[key]))
    return found


def _planned(
    view: View,
    key: TargetKey,
    file: _File,
    before: CurrentText | None,
    spelled: Mapping[TargetKey, str],
    source: TargetKey | None,
) -> Planned:
    change = FileChange(
        key,
        "create" if before is None else "move" if source is not None else "update",
        CreateIfAbsent() if before is None else ReplaceIfVersion(before.token),
        before,
        file.text,
        replacements_between(before.text, file.text) if before is not None else (),
        from_target=source,
        encoding=file.encoding,
        mode=file.mode,
        raw=file.raw,
    )
    return Planned(
        change, spelled[key], from_path=spelled[source] if source is not None else None, whole=before is None
    )


def _is_same(file: _File, current: CurrentText) -> bool:
    return (
        file.text == current.text
        and (file.raw is None or file.raw == current.data)
        and file.mode == current.mode
    )


def _refuse_unseen_typing(view: View, key: TargetKey, current: CurrentText | None, path: str) -> None:
    """A rewind does not go over unsaved text that its caller was never shown."""
    if current is None or not current.unsaved:
        return
    seen = view.observation(key)
    if not isinstance(seen, Present) or seen.token != current.token:
        raise CoeditorError(
            Code.FS_UNSAVED_CHANGES,
            f"{path} has unsaved changes in the editor that you have not seen. Read it, then rewind again.",
            file_path=path,
            data={"moved_by": "user-unsaved", "version": current.token},
        )
