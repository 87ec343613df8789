"""Deletes and renames that an editor makes itself: its tabs, its undo and its language servers' imports follow.

::

    ours     `coeditor/fileOperations`, checked by hash in the step that makes them
    others   a workspace edit with the documents' versions, then the operations, where they declare them
    else     not led: the disk, and the editor follows as it can

Never: over typing that is known of, or "done" on an editor's word: the disk is looked at.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from editor_clients.buffers import Look
from editor_clients.editor_edits import Patience
from editor_clients.editor_link import APPLY_EDIT, FILE_OPERATIONS, AnswerError, SilentEditorError
from editor_clients.loose_json import Json, as_list, as_object, as_text
from editor_clients.lsp_diagnostics import path_to_uri, uri_to_path
from editor_clients.lsp_wire import PROTOCOL
from editor_clients.overlay import Buffer
from editor_clients.port import FileChange
from editor_clients.views import View, Views
from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey


@dataclass(frozen=True, slots=True)
class FileOperation:
    """One open document whose file goes, or gets another name."""

    change: FileChange
    buffer: Buffer
    """In step with the disk."""

    @property
    def source(self) -> TargetKey:
        """Where the file is before."""
        return self.change.from_target or self.change.target

    @property
    def new(self) -> TargetKey | None:
        """Where it is afterwards; None for a delete."""
        return self.change.target if self.change.from_target is not None else None

    @property
    def new_uri(self) -> str | None:
        """The same as the editor spells it: below a folder that it reached by another name, by that name."""
        return None if self.new is None else _spelled_like(self.buffer.uri, self.source, self.new)


class FileOperations:
    """What editors are asked to do with files."""

    def __init__(self, views: Views, patience: Patience) -> None:
        self._views = views
        self._patience = patience

    def can(self, change: FileChange, found: Look, others: Collection[TargetKey]) -> bool:
        """Whether an editor can make ``change``; ``others`` are named by other changes of the same request."""
        buffer, disk = found.buffer, found.disk
        if change.operation not in ("delete", "move") or change.replaces is not None:
            return False
        if buffer.cells is not None or buffer.is_untitled or found.stands.unsaved or disk is None:
            return False
        source, target = change.from_target or change.target, change.target
        same_bytes = change.raw is None or change.raw == disk.data or change.after != disk.text
        same_kind = change.encoding in (None, disk.encoding) and change.mode in (None, disk.mode)
        if not (same_bytes and same_kind) or {source, target} & set(others):
            return False
        path = uri_to_path(buffer.uri)
        if path is None or os.path.islink(path) or os.path.realpath(path) != source:
            return False
        if change.from_target is not None and (os.path.lexists(target) or target in self._views.targets()):
            return False
        able = self._views.of(buffer).link.abilities
        return able.file_operations or (able.rename_files if change.from_target else able.delete_files)

    async def perform(
        self, wanted: Sequence[FileOperation], *, label: str, edit_id: str = ""
    ) -> frozenset[TargetKey]:
        """Ask for ``wanted``; gives the sources of those that an editor knows no way to make.

        What was made the disk shows. Errors: FS_STALE_VERSION when somebody typed, FS_EDITOR_REFUSED.
        """
        left: set[TargetKey] = set()
        for view, part in self._by_view(wanted):
            if view.link.abilities.file_operations:
                left |= await self._ask_ours(view, part, label, edit_id)
            else:
                left |= await self._ask_plain(view, part, label)
        return frozenset(left)

    async def reverse(self, made: Sequence[FileOperation]) -> None:
        """Have renames that were made made back, as far as editors do; whatever is left the disk puts right."""
        for view, part in self._by_view([one for one in made if one.new is not None]):
            rows = [_row(one, back=True) for one in part]
            if view.link.abilities.file_operations:
                params: Json = _ours(rows, "Coeditor: take back", "", self._expiry())
            else:
                params = _plain([], rows, "Coeditor: take back")
            method = FILE_OPERATIONS if view.link.abilities.file_operations else APPLY_EDIT
            try:
                await view.link.ask(method, params, patience=self._patience.files)
            except (SilentEditorError, AnswerError):
                continue

    async def shown(self, made: Sequence[FileOperation]) -> None:
        """Return when the editors have told of all that was made, or had their time for it."""
        for one in made:
            view = self._views.find(one.buffer)
            if view is not None:
                told = _is_told(view, one)
                await view.edits.news.until(told, self._patience.confirm)

    def not_made(self, one: FileOperation) -> CoeditorError:
        """What to raise when an editor said that it made ``one``, and the disk shows that it did not."""
        return _refusal(one, "it said so, but the file is as it was")

    async def _ask_ours(
        self, view: View, part: Sequence[FileOperation], label: str, edit_id: str
    ) -> set[TargetKey]:
        params = _ours([_row(one) for one in part], label, edit_id, self._expiry())
        answer = as_object(await self._ask(view, FILE_OPERATIONS, params, part))
        if answer.get("applied") is True:
            return set()
        refused = {as_text(row.get("uri")): as_text(row.get("why")) for row in _rows(answer, "refused")}
        for one in part:
            if refused.get(one.buffer.uri) in ("changed", "unsaved"):
                raise CoeditorError(
                    Code.FS_STALE_VERSION,
                    f"{one.source} changed in the editor at the moment of the edit. Read it again.",
                    data={"target": one.source},
                )
        if refused and set(refused.values()) <= {"closed", "disk"}:
            return {one.source for one in part}  # not open any more, or the editor would write other bytes
        raise _refusal(part[0], as_text(answer.get("failureReason")) or "it gave no reason")

    async def _ask_plain(self, view: View, part: Sequence[FileOperation], label: str) -> set[TargetKey]:
        """An editor that says no leaves it to the disk: it may know the operation and not allow it to servers."""
        params = _plain(part, [_row(one) for one in part], label)
        try:
            answer = as_object(await self._ask(view, APPLY_EDIT, params, part))
        except AnswerError:
            answer = {}
        if answer.get("applied") is True:
            return set()
        for one in part:
            now = view.overlay.find(one.buffer.uri)
            if now is not None and now.text != one.buffer.text:
                raise CoeditorError(
                    Code.FS_STALE_VERSION,
                    f"{one.source} changed in the editor at the moment of the edit. Read it again.",
                    data={"target": one.source},
                )
        return {one.source for one in part}

    async def _ask(self, view: View, method: str, params: Json, part: Sequence[FileOperation]) -> object:
        """Errors: FS_EDITOR_REFUSED for silence; for an answer with an error too, from editors of ours."""
        try:
            return await view.link.ask(method, params, patience=self._patience.files)
        except SilentEditorError:
            raise _refusal(part[0], "it did not answer") from None
        except AnswerError as error:
            if method == APPLY_EDIT:
                raise
            raise _refusal(part[0], str(error)) from None

    def _expiry(self) -> int:
        return int((time.time() + self._patience.files) * 1000)

    def _by_view(self, wanted: Sequence[FileOperation]) -> Iterator[tuple[View, list[FileOperation]]]:
        ordered = sorted(wanted, key=lambda one: one.buffer.view)
        for _, part in groupby(ordered, key=lambda one: one.buffer.view):
            group = list(part)
            yield self._views.of(group[0].buffer), group


def _is_told(view: View, one: FileOperation) -> Callable[[], bool]:
    def told() -> bool:
        gone = view.overlay.find(one.buffer.uri) is None
        return gone and (one.new is None or bool(view.overlay.of(one.new)))

    return told


def _row(one: FileOperation, *, back: bool = False) -> Json:
    if one.new_uri is None:
        return {"kind": "delete", "uri": one.buffer.uri, "before": one.buffer.hash}
    if back:  # with whatever was typed there since
        return {"kind": "rename", "uri": one.new_uri, "new_uri": one.buffer.uri}
    return {"kind": "rename", "uri": one.buffer.uri, "new_uri": one.new_uri, "before": one.buffer.hash}


def _ours(rows: Sequence[Json], label: str, edit_id: str, expires: int) -> Json:
    return {
        "protocol": PROTOCOL,
        "edit_id": edit_id,
        "label": label,
        "expires": expires,
        "operations": list(rows),
    }


def _plain(checked: Sequence[FileOperation], rows: Sequence[Json], label: str) -> Json:
    """Edits without effect come first: an editor that compares versions refuses all of it when somebody typed."""
    changes: list[Json] = [
        {"textDocument": {"uri": one.buffer.uri, "version": one.buffer.version}, "edits": []}
        for one in checked
    ]
    for row in rows:
        if row["kind"] == "delete":
            changes.append({"kind": "delete", "uri": row["uri"]})
        else:
            changes.append({"kind": "rename", "oldUri": row["uri"], "newUri": row["new_uri"]})
    return {"label": label, "edit": {"documentChanges": changes}}


def _rows(answer: Json, name: str) -> list[Json]:
    return [as_object(item) for item in as_list(answer.get(name))]


def _spelled_like(uri: str, source: TargetKey, new: TargetKey) -> str:
    path = uri_to_path(uri) or source
    shown, real = path.split(os.sep), source.split(os.sep)
    while shown and real and shown[-1] == real[-1]:
        shown.pop()
        real.pop()
    prefix = os.sep.join(real) + os.sep
    if real and new.startswith(prefix):
        return path_to_uri(os.sep.join([*shown, new[len(prefix) :]]))
    return path_to_uri(new)


def _refusal(one: FileOperation, why: str) -> CoeditorError:
    verb = "delete" if one.new is None else "rename"
    return CoeditorError(
        Code.FS_EDITOR_REFUSED,
        f"The editor did not {verb} {one.source}: {why}. Nothing was changed; ask the person.",
        data={"target": one.source, "reason": why},
    )
