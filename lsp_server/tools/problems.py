"""The ``diagnostics`` tool: what the language servers say of the current texts.

Never: "no problems" where there is no data; ``state`` says which of the two it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from ledger.errors import CoeditorError
from lsp_server import refusals
from lsp_server.effects.diagnostics import current_diagnostics
from lsp_server.service import CallContext
from lsp_server.view import View
from lsp_server.workspace import Workspace

_SECONDS = 5.0


async def diagnostics(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """For one file, or for all that are known to this workspace's sessions.

    Errors: FS_NOT_FOUND, FS_DENIED, FS_NOT_TEXT and what else a read can meet, for a file that was named.
    """
    texts: dict[str, str] = {}
    notes: list[str] = []
    spelled = arguments.get("file_path")
    if spelled is not None:
        target = workspace.resolve(spelled, context, write=False)
        current = await workspace.current_text(target.key, target.path)
        if current is None:
            raise refusals.not_found(View(workspace, context.caller, {}), target)
        texts[target.key] = current.text
        if current.unsaved:
            moved = ", and the file on disk changed below it" if current.diverged else ""
            notes.append(f"This is about the unsaved text in the editor, not about the file on disk{moved}.")
    else:
        texts = await _known_texts(workspace)
    found = await current_diagnostics(
        workspace.servers,
        texts,
        severity=arguments.get("severity"),
        elsewhere=spelled is None,
        deadline=asyncio.get_running_loop().time() + _SECONDS,
        most=workspace.settings.limit("diagnostics_items"),
    )
    answer = {"ok": True} | found.to_object()
    if notes or found.warnings:
        answer["warnings"] = [*notes, *found.warnings]
    return answer


async def _known_texts(workspace: Workspace) -> dict[str, str]:
    """The current texts of everything that was observed and is still there."""
    texts = {}
    for target in sorted(workspace.ledger.observed_targets()):
        try:
            current = await workspace.client.current(target)
        except CoeditorError:
            continue
        if current is not None:
            texts[str(target)] = current.text
    return texts
