"""The ``conflicts`` steps: where agents were stopped, for people to look at and to decide about.

Never: a change of a file, or anything told to an agent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey
from lsp_server.effects.conflicts import Conflict
from lsp_server.moments import rfc3339
from lsp_server.service import CallContext
from lsp_server.workspace import Workspace


async def conflicts(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """All that stand, the newest first. Errors: FS_DENIED for an agent."""
    _refuse_agents(context)
    return {"ok": True, "conflicts": [_row(workspace, *each) for each in workspace.conflicts.all()]}


async def conflict_texts(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """What the agent saw, what is there now, and what it wanted; null where that is not known.

    Errors: FS_DENIED for an agent, INVALID_ARGUMENT for a conflict that does not stand any more.
    """
    _refuse_agents(context)
    for target, mark in workspace.conflicts.all():
        if mark.name == arguments["conflict"]:
            async with workspace.hold([target]):
                current = await workspace.client.current(target)
            sides = workspace.conflicts.sides(target, mark)
            return {
                "ok": True,
                "conflict": mark.name,
                "file_path": str(target),
                "base": sides.base,
                "current": current.text if current is not None else None,
                "wanted": sides.wanted,
            }
    raise CoeditorError(
        Code.INVALID_ARGUMENT,
        f"{arguments['conflict']} is settled. Ask for the conflicts again.",
        data={"argument": "conflict"},
    )


async def dismiss(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """The person has decided; gives those that stood. Errors: FS_DENIED for an agent."""
    _refuse_agents(context)
    return {"ok": True, "dismissed": workspace.conflicts.dismissed(arguments["conflicts"])}


def _row(workspace: Workspace, target: TargetKey, mark: Conflict) -> dict[str, Any]:
    sides = workspace.conflicts.sides(target, mark)
    return {
        "conflict": mark.name,
        "file_path": str(target),
        "line": mark.line,
        "session": mark.scope.session,
        "scope": mark.scope.scope,
        "agent": mark.agent,
        "code": mark.code,
        "message": mark.message,
        "time": rfc3339(mark.time),
        "texts": sides.base is not None and sides.wanted is not None,
    }


def _refuse_agents(context: CallContext) -> None:
    if not context.person:
        raise CoeditorError(
            Code.FS_DENIED,
            "What agents were stopped at is for the person to decide about.",
            data={"rule": "person"},
        )
