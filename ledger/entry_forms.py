"""How an entry and its files are spelled in the columns of the store.

Never: a query.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import cast

from ledger.deltas import deflated
from ledger.store import Row, Value
from ledger.types import (
    Authority,
    Caller,
    EditId,
    Entry,
    EntryOrigin,
    EntryState,
    FileOperation,
    FileRecord,
    FileState,
    ReviewState,
    ScopeKey,
    TargetKey,
    VersionToken,
)

_SAME = "="
"""A path that is the target's, a key that is the token."""
_PACK_FROM = 512
"""Characters from which a request or an outcome is compressed."""


def packed(text: str | None) -> str | bytes | None:
    """A request or an outcome as stored; long ones compressed."""
    if text is None or len(text) < _PACK_FROM:
        return text
    return deflated(text.encode("utf-8"))


def unpacked(value: Value) -> str | None:
    """The text of what ``packed`` made."""
    if isinstance(value, bytes):
        return zlib.decompress(value).decode("utf-8")
    return value if isinstance(value, str) else None


def file_row(file: FileRecord) -> tuple[Value, ...]:
    """The columns of one file of an entry."""
    before, after = file.before, file.after
    return (
        file.target,
        _SAME if file.path == file.target else file.path,
        file.operation,
        file.from_target,
        file.from_path,
        *((before.token, _key_of(before), before.encoding, before.mode) if before else (None,) * 4),
        *((after.token, _key_of(after), after.encoding, after.mode) if after else (None,) * 4),
        file.added,
        file.removed,
        file.authority,
        int(file.saved),
        file.head,
        "\0".join(file.folders) or None,
    )


def _key_of(state: FileState) -> str | None:
    """The snapshot's key; that of plain UTF-8 is the text's token and not written twice."""
    return _SAME if state.blob is not None and state.blob == state.token else state.blob


def file_of(values: Sequence[Value]) -> FileRecord:
    """The file of these columns."""
    target, path, operation, from_target, from_path = values[:5]
    return FileRecord(
        cast(TargetKey, target),
        cast(str, target if path == _SAME else path),
        cast(FileOperation, operation),
        _file_state(values[5:9]),
        _file_state(values[9:13]),
        cast(int, values[13]),
        cast(int, values[14]),
        cast("TargetKey | None", from_target),
        cast("str | None", from_path),
        cast(Authority, values[15]),
        bool(values[16]),
        cast("str | None", values[17]),
        tuple(str(values[18]).split("\0")) if values[18] else (),
    )


def _file_state(values: Sequence[Value]) -> FileState | None:
    token, blob, encoding, mode = values
    if encoding is None:
        return None
    return FileState(
        cast("VersionToken | None", token),
        cast("str | None", token if blob == _SAME else blob),
        cast(str, encoding),
        cast("int | None", mode),
    )


def entry_of(row: Row, files: tuple[FileRecord, ...]) -> Entry:
    """The entry of a row (seq first; request and outcome last, where they were asked for)."""
    _, edit_id, time, session, scope, turn, call_id, agent, tool, state, review, rewinds, origin, *texts = row
    request, outcome = texts or (None, None)
    return Entry(
        cast(EditId, edit_id),
        cast(float, time),
        Caller(
            ScopeKey(cast(str, session), cast(str, scope)),
            cast("str | None", call_id),
            cast("str | None", turn),
            cast("str | None", agent),
        ),
        cast(str, tool),
        cast(EntryState, state),
        files,
        cast(ReviewState, review),
        cast("EditId | None", rewinds),
        unpacked(request),
        cast(EntryOrigin, origin),
        unpacked(outcome),
    )
