"""The ``diff`` tool: since a point, of some edits alone, or against git's HEAD.

::

    (nothing)   from the session's start to the current text
    X           from just before X: an edit, the first edit of a turn, of a session
    X..Y        what the edits from X to Y changed, and nobody else; X..X is one edit, turn or session
    HEAD        from what is committed

Never: a change of anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from editor_clients.binary_diffs import BinaryDiff, binary_diff
from editor_clients.diffs import FileDiff, cut_diff, unified_diff
from editor_clients.disk import read_bytes
from editor_clients.encoding import decode
from editor_clients.git import committed
from editor_clients.lines import split_lines
from editor_clients.port import CurrentText
from ledger.errors import Code, CoeditorError
from ledger.history import Baseline, baselines
from ledger.types import EditId, Entry, FileState, TargetKey
from lsp_server.edits.pending import Pending, by_agent, by_others, undo, untouched
from lsp_server.service import CallContext
from lsp_server.snapshots import bytes_of, text_of
from lsp_server.workspace import Workspace, git_top

HEAD = "HEAD"
Found = tuple[list[FileDiff | BinaryDiff], list[str]]
"""The files of a diff, and warnings."""


async def diff(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """See the module. Errors: INVALID_ARGUMENT for a name that is unknown or another session's."""
    session = None if context.person else context.caller.scope.session
    spelled = arguments.get("file_path")
    only = None if spelled is None else workspace.resolve(spelled, context, write=False).key
    since: str | None = arguments.get("since")
    first, dots, last = (since or "").partition("..")
    if dots:
        files, warnings = _between(workspace, first, last or first, session, only)
    elif since == HEAD:
        files, warnings = await _against_head(workspace, session, only, spelled)
    else:
        entries = workspace.ledger.entries_since(since, session=session, target=only)
        files, warnings = await _to_now(workspace, baselines(entries))
    limit = None if context.door == "cli" else workspace.settings.limit("diff_chars")
    text = "".join(
        unified_diff([one]) if isinstance(one, FileDiff) else binary_diff(one, whole=context.door == "cli")
        for one in sorted(files, key=lambda one: one.path_after or one.path_before or "")
    )
    truncated = False
    if limit is not None:
        text, truncated = cut_diff(text, limit)
    answer: dict[str, Any] = {"ok": True, "diff": text}
    if truncated:
        answer["diff_truncated"] = True
        warnings.append("The diff is cut; ask for one file_path at a time, or run coeditor diff.")
    if warnings:
        answer["warnings"] = warnings
    return answer


async def _to_now(workspace: Workspace, rows: Sequence[Baseline]) -> Found:
    """From the texts before to the current ones."""
    files: list[FileDiff | BinaryDiff] = []
    warnings: list[str] = []
    for row in rows:
        try:
            found = await _one_to_now(workspace, row)
        except CoeditorError as error:
            warnings.append(f"{row.path} is left out: {error.message}")
            continue
        if found is None:
            warnings.append(f"{row.path} is left out: its text before the edits is not kept any more.")
        else:
            files.append(found)
    return files, warnings


async def _one_to_now(workspace: Workspace, row: Baseline) -> FileDiff | BinaryDiff | None:
    """None when the text before is not kept."""
    before = text_of(workspace, row.before)
    if row.before is not None and before is None:
        return None
    name = workspace.name_in_diff(row.path)
    origin = workspace.name_in_diff(row.origin_path)
    try:
        current = await _current(workspace, row.target)
    except CoeditorError as error:
        raw = bytes_of(workspace, row.before)
        now = _bytes_now(workspace, row.target) if error.code is Code.FS_NOT_TEXT else None
        if now is None or (row.before is not None and (raw is None or origin != name)):
            raise
        return BinaryDiff(name if row.before is not None else None, name, raw or b"", now)
    return FileDiff(
        path_before=origin if before is not None else None,
        path_after=name if current is not None else None,
        before=_marked(before, row.before.encoding if row.before is not None else ""),
        after=_marked(current.text, current.encoding) if current is not None else None,
        mode_before=row.before.mode if row.before is not None else None,
        mode_after=current.mode if current is not None else None,
    )


def _between(
    workspace: Workspace, first: str, last: str, session: str | None, only: TargetKey | None
) -> Found:
    """What the edits from ``first`` to ``last`` changed, on the texts after ``last``."""
    entries = workspace.ledger.entries_between(first, last, session=session)
    chosen = {entry.edit_id for entry in entries}
    after = workspace.ledger.seq_of(entries[-1].edit_id) - 1
    below = workspace.ledger.seq_of(entries[0].edit_id) + 1
    files: list[FileDiff | BinaryDiff] = []
    warnings: list[str] = []
    for target, path in _names_after(entries).items():
        row = _own_part(workspace, target, path, chosen, (after, below))
        if row is None:
            warnings.append(f"{path} is left out: its texts are not kept any more.")
        elif only in (None, target):
            files.append(row)
    return files, warnings


def _names_after(entries: Sequence[Entry]) -> dict[TargetKey, str]:
    """The files that entries (newest first) touched, under their names after them."""
    found: dict[TargetKey, str] = {}
    for entry in reversed(entries):
        for file in entry.files:
            if file.from_target is not None:
                found.pop(file.from_target, None)
            found[file.target] = file.path
    return found


def _own_part(
    workspace: Workspace, target: TargetKey, path: str, chosen: set[EditId], within: tuple[int, int]
) -> FileDiff | None:
    """The part that the chosen edits have in one file."""
    state: Pending | None = None
    first: FileState | None = None
    last: FileState | None = None
    origin = path
    for link in workspace.ledger.links(target, *within):
        file, entry = link.file, link.entry
        before, after = _lines(workspace, file.before), _lines(workspace, file.after)
        if before is None or after is None:
            return None
        if state is None:
            state, first = untouched(before, present=file.before is not None), file.before
            origin = file.from_path or file.path
        elif state.lines != before:
            state = by_others(state, before, present=file.before is not None)
        step = {"present": file.after is not None}
        if entry.edit_id in chosen:
            state = by_agent(state, after, (entry.edit_id,), **step)
        else:
            state = by_others(state, after, **step)
        last = file.after
    if state is None:
        return None
    text = "".join(undo(state.lines, state.hunks))
    return FileDiff(
        path_before=workspace.name_in_diff(origin) if state.was_present else None,
        path_after=workspace.name_in_diff(path) if state.present else None,
        before=_marked(text, first.encoding if first else "") if state.was_present else None,
        after=_marked("".join(state.lines), last.encoding if last else "") if state.present else None,
        mode_before=first.mode if first is not None else None,
        mode_after=last.mode if last is not None else None,
    )


async def _against_head(
    workspace: Workspace, session: str | None, only: TargetKey | None, spelled: str | None
) -> Found:
    """The files of the history (or the one that is named) against git's HEAD."""
    entries = workspace.ledger.entries(session=session, limit=None)
    names = {row.target: row.path for row in baselines(entries)}
    names |= {row.origin: row.origin_path for row in baselines(entries)}
    if only is not None:
        names = {only: names.get(only, str(only))}
    files: list[FileDiff | BinaryDiff] = []
    warnings: list[str] = []
    for target, path in names.items():
        top = git_top(path.rpartition("/")[0])
        if top is None:
            warnings.append(f"{path} is left out: it is in no git repository.")
            continue
        try:
            name = workspace.name_in_diff(path)
            data = await committed(top, name)
            old = decode(data) if data is not None else None
            current = await _current(workspace, target)
        except (CoeditorError, LookupError) as error:
            why = error.message if isinstance(error, CoeditorError) else "git cannot tell what is committed."
            warnings.append(f"{path} is left out: {why}")
            continue
        if old is None and current is None:
            continue
        files.append(
            FileDiff(
                path_before=name if old is not None else None,
                path_after=name if current is not None else None,
                before=_marked(old.text, old.encoding) if old is not None else None,
                after=_marked(current.text, current.encoding) if current is not None else None,
                mode_after=current.mode if current is not None else None,
            )
        )
    return files, warnings


async def _current(workspace: Workspace, target: TargetKey) -> CurrentText | None:
    try:
        return await workspace.client.current(target)
    except CoeditorError as error:
        if error.code not in (Code.FS_NOT_FOUND, Code.FS_NOT_REGULAR_FILE):
            raise
        return None


def _bytes_now(workspace: Workspace, target: TargetKey) -> bytes | None:
    try:
        file = read_bytes(workspace.walls, target, workspace.settings.limit("file_bytes"))
    except CoeditorError:
        return None
    return file.data if file is not None else None


def _lines(workspace: Workspace, state: FileState | None) -> tuple[str, ...] | None:
    if state is None:
        return ()
    text = text_of(workspace, state)
    return None if text is None else tuple(split_lines(text))


def _marked(text: str | None, encoding: str) -> str | None:
    """With the byte order mark that git sees in the file."""
    return "\ufeff" + text if text is not None and encoding == "utf-8-bom" else text
