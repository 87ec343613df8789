"""The ``history`` and ``status`` tools, and the look-up of a lost answer.

Never: a change of anything.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ledger.errors import Code, CoeditorError
from ledger.types import EditId, Entry, FileRecord, TargetKey
from lsp_server import __version__, paths
from lsp_server.moments import rfc3339
from lsp_server.service import CallContext
from lsp_server.settings import NAMES
from lsp_server.snapshots import text_of
from lsp_server.workspace import Workspace

_UNIQUE = 16
"""Characters from which on a call id is nobody else's."""


async def history(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """The edits, newest first: an agent sees its own session's, a person the whole workspace's."""
    entries = workspace.ledger.entries(
        session=None if context.person else context.caller.scope.session,
        target=_only(workspace, arguments, context),
        limit=arguments["limit"],
    )
    return {"ok": True, "edits": [_row(entry) for entry in entries]}


async def status(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """What runs here, for whom, and under which policy."""
    editor = workspace.client.describe()
    settings = workspace.settings
    policy = {name: _plain(getattr(settings, name)) for name in NAMES}
    found: dict[str, Any] = {
        "ok": True,
        "server": {
            "version": __version__,
            "pid": os.getpid(),
            "kind": workspace.kind,
            "started": rfc3339(workspace.started),
            "calls": dict(sorted(workspace.counts.items())),
            "state": paths.state_home(),
            "runtime": paths.runtime_home(),
        },
        "editor": None if editor["name"] is None else editor,
        "workspace_folders": list(workspace.roots),
        "sessions": _sessions(workspace),
        "open_documents": editor["open"],
        "unsaved_documents": editor["unsaved"],
        "language_servers": workspace.servers.describe(),
        "policy": policy,
    }
    if arguments.get("timings"):
        found["timings"] = workspace.timings.rows()
    problems = [*settings.problems, *workspace.ledger.take_notices()]
    if problems:
        found["warnings"] = problems
    return found


def file_versions(workspace: Workspace, edit_id: EditId) -> dict[str, Any]:
    """Both texts of each file of one edit; null where there was no file, or its text is not kept.

    Errors: INVALID_ARGUMENT for an id that is not known.
    """
    entry = workspace.ledger.entry(edit_id)
    if entry is None:
        raise CoeditorError(Code.INVALID_ARGUMENT, f"There is no edit {edit_id[:80]}; history lists them.")
    files = [
        {
            "file_path": record.path,
            "operation": record.operation,
            "before": text_of(workspace, record.before),
            "after": text_of(workspace, record.after),
        }
        | ({"from": record.from_path} if record.from_path is not None else {})
        for record in entry.files
    ]
    return {"ok": True, "files": files}


def outcome_of(workspace: Workspace, session: str, call_id: str) -> dict[str, Any] | None:
    """What the journal knows of one call: see ``Service.outcome_of``."""
    entry = workspace.ledger.entry_of_call(session, call_id)
    if entry is None and len(call_id) >= _UNIQUE:
        # A hook named the session of the call, which its connection does not know.
        entry = workspace.ledger.entry_of_call(None, call_id)
    if entry is None:
        return None
    if entry.state == "refused":
        return {"state": "refused"}
    if entry.state not in ("applied", "rewound"):
        return {"state": "unknown"}
    found: dict[str, Any] = {"state": "applied"}
    if entry.outcome is not None:
        found["result"] = json.loads(entry.outcome)
    return found


def _only(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> TargetKey | None:
    """The one file that is asked about, if one is."""
    spelled = arguments.get("file_path")
    return None if spelled is None else workspace.resolve(spelled, context, write=False).key


def _row(entry: Entry) -> dict[str, Any]:
    caller = entry.caller
    row: dict[str, Any] = {
        "edit_id": entry.edit_id,
        "time": rfc3339(entry.time),
        "session": caller.scope.session,
        "scope": caller.scope.scope,
        "tool": entry.tool,
        "files": [_file_row(record) for record in entry.files],
        "added": sum(record.added for record in entry.files),
        "removed": sum(record.removed for record in entry.files),
        "state": entry.state,
        "review": entry.review,
    }
    optional = {
        "turn": caller.turn,
        "call_id": caller.call_id,
        "agent": caller.agent,
        "rewinds": entry.rewinds,
        "origin": entry.origin if entry.origin != "tool" else None,
    }
    return row | {name: value for name, value in optional.items() if value is not None}


def _file_row(record: FileRecord) -> dict[str, Any]:
    row: dict[str, Any] = {"file_path": record.path, "operation": record.operation}
    if record.from_path is not None:
        row["from"] = record.from_path
    row["version"] = record.after.token if record.after is not None else None
    row |= {"authority": record.authority, "saved": record.saved}
    return row | {"added": record.added, "removed": record.removed}


def _sessions(workspace: Workspace) -> list[dict[str, Any]]:
    """Sessions at work, with what each scope has seen and changed."""
    found: dict[str, dict[str, Any]] = {}
    for scope, targets in workspace.ledger.scopes_at_work():
        row = found.setdefault(scope.session, {"session": scope.session, "scopes": {}})
        row["scopes"][scope.scope] = {"files_seen": targets}
    for row in found.values():
        row["had_edits"] = workspace.ledger.had_edits(row["session"])
        row |= _titled(workspace, row["session"])
    return list(found.values())


def _titled(workspace: Workspace, session: str) -> dict[str, str]:
    title = workspace.titles.of(session)
    return {"title": title} if title is not None else {}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, str | int | bool):
        return value
    return list(value) if isinstance(value, Iterable) else value
