"""The steps ``shell_began`` and ``shell_ended``: an agent's hooks tell of its shell commands.

Never: a look at a file; ``shell_changes`` has those.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lsp_server.service import CallContext
from lsp_server.workspace import Workspace


async def shell_began(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """The step: a command is about to run."""
    tracking = await workspace.shell.began(workspace, context.caller, arguments.get("command"))
    return {"ok": True, "tracking": tracking}


async def shell_ended(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """The step: it has run; what it changed, if anything."""
    warnings: list[str] = []
    committed = await workspace.shell.ended(workspace, context, warnings)
    answer: dict[str, Any] = {"ok": True, "changed_files": []}
    if committed is not None:
        await workspace.effects.after_commit(workspace, committed, context)
        answer |= {"edit_id": committed.edit_id, "changed_files": committed.result["changed_files"]}
    return answer | ({"warnings": warnings} if warnings else {})
