"""What the journal keeps of each file of a change: before it is made, and as it was read back.

Never: a decision, or a file that is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType

from editor_clients.charsets import UTF_8
from editor_clients.encoding import encode
from editor_clients.lines import count_lines_of
from editor_clients.port import Applied, CurrentText
from ledger.errors import CoeditorError
from ledger.types import FileRecord, FileState, TargetKey, token_of
from lsp_server.outcomes import Plan, Planned
from lsp_server.withheld import is_withheld
from lsp_server.workspace import Workspace, head_at


def records_of(
    workspace: Workspace,
    plan: Plan,
    *,
    keep: bool,
    applied: Applied | None = None,
    made: Mapping[TargetKey, tuple[str, ...]] = MappingProxyType({}),
) -> tuple[FileRecord, ...]:
    """What the journal keeps of the plan; what a move replaces at its destination is a delete before it."""
    found = []
    for one in plan.files:
        replaced = one.change.replaces
        stored = keep and not is_withheld(workspace.ledger, one)
        if replaced is not None:
            state = _state(workspace, replaced, keep=stored)
            removed = count_lines_of(replaced.text)
            head = head_at(one.path)
            found.append(
                FileRecord(one.change.target, one.path, "delete", state, None, removed=removed, head=head)
            )
        record = _record(workspace, one, keep=stored, applied=applied)
        folders = made.get(one.change.target, ())
        found.append(replace(record, folders=folders) if folders else record)
    return tuple(found)


def as_applied(
    workspace: Workspace, plan: Plan, applied: Applied, intended: Sequence[FileRecord]
) -> tuple[FileRecord, ...]:
    """The records of the plan with what was read back; of the texts before they know all there is to know."""
    keep = workspace.settings.side_effects["history"]
    planned = {one.change.target: one for one in plan.files}
    found = []
    for record in intended:
        one = planned[record.target]
        if record.operation != one.change.operation:
            found.append(record)  # of what a move replaces at its destination
            continue
        stored = keep and not is_withheld(workspace.ledger, one)
        after = _state(workspace, applied.current.get(record.target), keep=stored, made_of=one.change.before)
        found.append(replace(record, after=after, saved=applied.saved.get(record.target, True)))
    return tuple(found)


def _record(workspace: Workspace, one: Planned, *, keep: bool, applied: Applied | None = None) -> FileRecord:
    change = one.change
    after: FileState | None = None
    if applied is not None:
        after = _state(workspace, applied.current.get(change.target), keep=keep, made_of=change.before)
    elif change.after is not None:
        # Not there yet: the token alone tells a crash's survivor whether it happened.
        encoding = change.encoding or (change.before.encoding if change.before is not None else UTF_8)
        after = FileState(token_of(change.after), None, encoding, change.mode)
    return FileRecord(
        target=change.target,
        path=one.path,
        operation=change.operation,
        before=_state(workspace, change.before, keep=keep),
        after=after,
        added=one.added,
        removed=one.removed,
        from_target=change.from_target,
        from_path=one.from_path,
        authority=change.before.authority if change.before is not None else "disk",
        saved=applied is None or applied.saved.get(change.target, True),
        head=head_at(one.path),
    )


def _state(
    workspace: Workspace, text: CurrentText | None, *, keep: bool, made_of: CurrentText | None = None
) -> FileState | None:
    """The snapshot of one side; without a blob where none is kept."""
    if text is None:
        return None
    blob = None
    if keep:
        base = _bytes_of(made_of) if made_of is not None else None
        with suppress(
            CoeditorError
        ):  # without its snapshot the edit cannot be rewound, and its outcome says so
            blob = workspace.ledger.put_blob(_bytes_of(text), base=base)
    return FileState(text.token, blob, text.encoding, text.mode)


def _bytes_of(text: CurrentText) -> bytes:
    return text.data if text.data is not None else encode(text.text, text.encoding)


def is_kept(record: FileRecord) -> bool:
    """Whether the texts of both sides are stored, so that it can be taken back."""
    return all(state is None or state.blob is not None for state in (record.before, record.after))
