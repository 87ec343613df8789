"""The ``recorded`` step: edits as they were asked for, for whoever does them again elsewhere.

Never: a change of anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ledger.types import Entry, FileRecord
from lsp_server.moments import rfc3339
from lsp_server.service import CallContext
from lsp_server.snapshots import text_of
from lsp_server.workspace import Workspace


async def recorded(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """The edits that ``since`` names (X, X..Y), oldest first; with ``texts`` also their requests and texts.

    Errors: INVALID_ARGUMENT as for diff.
    """
    session = None if context.person else context.caller.scope.session
    first, dots, last = arguments["since"].partition("..")
    if dots:
        entries = workspace.ledger.entries_between(first, last or first, session=session)
    else:
        entries = workspace.ledger.entries_since(first, session=session)
    rows = []
    for entry in reversed(entries):
        if entry.state == "unknown":
            continue
        whole = workspace.ledger.entry(entry.edit_id) if arguments["texts"] else None
        rows.append(_row(workspace, whole or entry, texts=arguments["texts"]))
    return {"ok": True, "roots": list(workspace.roots), "edits": rows}


def _row(workspace: Workspace, entry: Entry, *, texts: bool) -> dict[str, Any]:
    row: dict[str, Any] = {
        "edit_id": entry.edit_id,
        "time": rfc3339(entry.time),
        "tool": entry.tool,
        "session": entry.caller.scope.session,
        "files": [_file(workspace, record, texts=texts) for record in entry.files],
    }
    if entry.caller.turn is not None:
        row["turn"] = entry.caller.turn
    if texts and entry.request is not None:
        row["request"] = json.loads(entry.request)
    return row


def _file(workspace: Workspace, record: FileRecord, *, texts: bool) -> dict[str, Any]:
    before, after = record.before, record.after
    row: dict[str, Any] = {
        "file_path": record.path,
        "operation": record.operation,
        "version_before": before.token if before is not None else None,
    }
    if record.from_path is not None:
        row["from"] = record.from_path
    if texts:
        row |= {"before": text_of(workspace, before), "after": text_of(workspace, after)}
    return row
