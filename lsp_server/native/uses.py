"""Which files a native call touches, as targets of this workspace.

Never: a file outside of the workspace; the agent's own rules are for those.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import cast

from ledger.errors import CoeditorError
from ledger.types import Caller, Operation
from lsp_server.edits.v4a_parse import parse_patch
from lsp_server.edits.v4a_plan import operations
from lsp_server.hooks.events import FileUse, HookEvent
from lsp_server.native.decide import Act
from lsp_server.service import CallContext
from lsp_server.targets import Target
from lsp_server.workspace import Workspace

_ACTS: dict[Operation, Act] = {
    Operation.PATCH_UPDATE: "edit",
    Operation.PATCH_ADD: "write",
    Operation.PATCH_DELETE: "delete",
    Operation.MOVE_SOURCE: "delete",
    Operation.MOVE_DESTINATION: "write",
}


@dataclass(frozen=True, slots=True)
class Use:
    """One file of one call."""

    target: Target
    act: Act
    told: FileUse
    denied: CoeditorError | None = None
    """The rule that forbids to write it."""


def uses_of(workspace: Workspace, event: HookEvent, caller: Caller) -> list[Use]:
    """The files of the call that are this workspace's, each once for each thing done to it."""
    context = CallContext(caller, "hook", event.cwd or None)
    told = list(event.files)
    if event.action == "patch":
        told += _of_patch(workspace, event)
    found = (_use(workspace, one, context) for one in told)
    return [one for one in found if one is not None]


def _use(workspace: Workspace, told: FileUse, context: CallContext) -> Use | None:
    cwd = context.cwd
    act = cast(Act, told.action)
    path = told.path if os.path.isabs(told.path) or not cwd else os.path.join(cwd, told.path)
    try:
        target = workspace.resolve(path, context, write=False)
    except CoeditorError:
        return None  # outside, or nothing that is a file: not ours to judge
    if act == "read":
        return Use(target, act, told)
    try:
        workspace.resolve(path, context, write=True)
    except CoeditorError as error:
        return Use(target, act, told, error)
    return Use(target, act, told)


def _of_patch(workspace: Workspace, event: HookEvent) -> list[FileUse]:
    try:
        patch = parse_patch(event.body or "")
        asked = operations(patch, lambda path: workspace.targets.resolve(path, event.cwd or None).key)
    except CoeditorError:
        return []  # the agent's own parser will say what is wrong with it
    return [FileUse(one.path, _ACTS[one.operation]) for one in asked]
