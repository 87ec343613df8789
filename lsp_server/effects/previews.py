"""The diagnostics that a planned change would bring, tried on language servers of our own beside the real texts.

Never: touching a file or a buffer, or failing the call that asked; a preview can only be late or missing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lsp_server.effects.diagnostics import Bounds, EditDiagnostics, FileEdit, edit_diagnostics

if TYPE_CHECKING:
    from lsp_server.outcomes import Plan, Planned
    from lsp_server.settings import Settings
    from lsp_server.workspace import Workspace

log = logging.getLogger(__name__)

_SLACK = 0.5
"""Seconds that a preview may overrun its deadline before it is left behind."""


async def preview(workspace: Workspace, plan: Plan) -> EditDiagnostics | None:
    """What ``plan`` would break and repair, within the limit ``diagnostics_ms``; nothing happens.

    None where the diagnostics side effect is switched off.
    """
    if not workspace.settings.side_effects["diagnostics"]:
        return None
    seconds = workspace.settings.limit("diagnostics_ms") / 1000
    deadline = asyncio.get_running_loop().time() + seconds
    try:
        async with asyncio.timeout(seconds + _SLACK):
            return await edit_diagnostics(
                workspace.servers,
                edits_of(plan.files),
                deadline=deadline,
                happened=False,
                bounds=bounds_of(workspace.settings),
            )
    except TimeoutError:
        return EditDiagnostics(warnings=(f"The language servers took longer than {seconds:g} s.",))
    except Exception:
        log.exception("a preview of diagnostics failed")
        return EditDiagnostics(warnings=("The language servers could not be asked.",))


def bounds_of(settings: Settings) -> Bounds:
    """How much the settings let an answer tell of problems."""
    return Bounds(settings.limit("diagnostics_items"), settings.diagnostics_severity)


def edits_of(files: Iterable[Planned]) -> list[FileEdit]:
    """Planned changes as diagnostics see them."""
    return [
        FileEdit(
            one.change.target,
            one.change.before.text if one.change.before is not None else None,
            one.change.after,
            one.change.replacements,
            one.change.from_target,
        )
        for one in files
    ]
