"""The diagnostics that a planned change would bring, tried on language servers of our own beside the real texts.

Never: touching a file or a buffer, or failing the call that asked for a preview; that can only be late or missing.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ledger.errors import Code, CoeditorError
from ledger.types import ScopeKey
from lsp_server.effects.diagnostics import Bounds, EditDiagnostics, FileEdit, edit_diagnostics

if TYPE_CHECKING:
    from lsp_server.outcomes import Plan, Planned
    from lsp_server.settings import Settings
    from lsp_server.workspace import Workspace

log = logging.getLogger(__name__)

_MOST_CALLS = 200
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


class Previewed:
    """Calls that were answered with the new errors that they would bring; sent again, they are let through."""

    def __init__(self) -> None:
        self._calls: OrderedDict[tuple[ScopeKey, str, str], None] = OrderedDict()

    def is_second(self, scope: ScopeKey, tool: str, arguments: str) -> bool:
        """Whether this very call was answered so before; it is forgotten then."""
        return self._calls.pop((scope, tool, arguments), ...) is None

    def answered(self, scope: ScopeKey, tool: str, arguments: str) -> None:
        """The call was answered with new errors."""
        self._calls[scope, tool, arguments] = None
        if len(self._calls) > _MOST_CALLS:
            self._calls.popitem(last=False)


async def refuse_new_errors(
    workspace: Workspace, plan: Plan, scope: ScopeKey, tool: str, arguments: Mapping[str, Any]
) -> None:
    """Before anything is written, where ``preview_diagnostics`` asks for it: no new errors, unless they are meant.

    Errors: INVALID_ARGUMENT with ``data.reason`` ``new_errors`` and ``data.diagnostics``. The same call sent again
    goes through.
    """
    if not workspace.settings.preview_diagnostics or plan.puts_back or plan.rewinds is not None:
        return
    call = json.dumps(arguments, sort_keys=True, default=str)
    if workspace.previewed.is_second(scope, tool, call):
        return
    found = await preview(workspace, plan)
    errors = [item for item in found.new if item.severity == "error"] if found is not None else []
    if found is None or not errors:
        return
    workspace.previewed.answered(scope, tool, call)
    count = "a new error" if len(errors) == 1 else f"{len(errors)} new errors"
    path = next((one.path for one in plan.files if str(one.change.target) == errors[0].file_path), None)
    raise CoeditorError(
        Code.INVALID_ARGUMENT,
        f"This would bring {count}, so nothing was changed. Correct the new text; or, if it is meant so, send the "
        "same call again.",
        file_path=path or plan.files[0].path,
        data={"reason": "new_errors", "diagnostics": found.to_object()},
    )


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
