"""What the editor is told without asking: an agent's edit that happened, one that was refused, who is connected.

Never: waiting for the editor; it is shown, not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from lsprotocol import types as lsp

from editor_clients.editor_diagnostics import OWN_SOURCE
from editor_clients.editor_link import EditorLink
from editor_clients.lines import LineIndex, PositionEncoding
from editor_clients.lsp_diagnostics import path_to_uri
from editor_clients.overlay import Overlay
from ledger.types import TargetKey
from lsp_server.committing import Committed
from lsp_server.effects.conflicts import Conflict, Show
from lsp_server.effects.run import Effect
from lsp_server.handlers.methods import AGENTS, DID_APPLY_EDIT
from lsp_server.moments import rfc3339
from lsp_server.service import CallContext
from lsp_server.workspace import Workspace

UriOf = Callable[[TargetKey], str | None]
"""The URI under which the editor has a target open."""

Screens = Callable[[], Iterable[tuple[EditorLink, UriOf]]]
"""The editors that are there now."""


def refresh_of(screens: Screens) -> Effect:
    """The side effect that tells every editor of a committed edit."""

    async def refresh(workspace: Workspace, committed: Committed, context: CallContext) -> None:
        entry = workspace.ledger.entry(committed.edit_id)
        about = {
            "edit_id": committed.edit_id,
            "session": context.caller.scope.session,
            "agent": context.caller.agent,
            "tool": entry.tool if entry is not None else "",
            "time": rfc3339(entry.time) if entry is not None else "",
        }
        for link, uri_of in screens():
            link.tell(DID_APPLY_EDIT, about | {"files": _files(committed, uri_of)})

    return refresh


def _files(committed: Committed, uri_of: UriOf) -> list[dict[str, Any]]:
    files = []
    for one in committed.plan.files:
        target = one.change.target
        row: dict[str, Any] = {"uri": _uri(target, uri_of), "operation": one.change.operation}
        if one.change.from_target is not None:
            row["from"] = _uri(one.change.from_target, uri_of)
        files.append(row | {"added": one.added, "removed": one.removed})
    return files


class Told(Protocol):
    """Whoever can be told something."""

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Send one notification; to an editor that is gone, nothing."""
        ...


def conflicts_in(screens: Callable[[], Iterable[tuple[EditorLink, Overlay, UriOf]]]) -> Show:
    """What shows people where agents were refused: remarks of our own in the file, in every editor."""

    def show(target: TargetKey, marks: Sequence[Conflict]) -> None:
        for link, overlay, uri_of in screens():
            uri = _uri(target, uri_of)
            buffer = overlay.find(uri)
            index = LineIndex(buffer.text if buffer is not None else "")
            params: dict[str, Any] = {
                "uri": uri,
                "diagnostics": [_remark(mark, index, overlay.encoding) for mark in marks],
            }
            if buffer is not None:
                params["version"] = buffer.version
            link.tell(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    return show


def _remark(mark: Conflict, index: LineIndex, encoding: PositionEncoding) -> dict[str, Any]:
    """An LSP diagnostic that covers the line of ``mark``."""
    line = max(1, min(mark.line, index.line_count))
    end = len(index.line_text(line).rstrip("\r\n")) if index.line_count else 0
    row, character = index.position_at(index.start_of(line) + end, encoding) if index.line_count else (0, 0)
    return {
        "range": {"start": {"line": row, "character": 0}, "end": {"line": row, "character": character}},
        "severity": lsp.DiagnosticSeverity.Information.value,
        "code": mark.code,
        "source": OWN_SOURCE,
        "message": mark.message,
    }


def tell_agents(link: Told, agents: Iterable[dict[str, Any]], unsaved_conflicts: int) -> None:
    """Tell the editor which agents are connected, and how often the person's typing stopped one of them."""
    link.tell(AGENTS, {"agents": list(agents), "unsaved_conflicts": unsaved_conflicts})


def _uri(target: TargetKey, uri_of: UriOf) -> str:
    return uri_of(target) or (target if target.startswith("untitled:") else path_to_uri(target))
