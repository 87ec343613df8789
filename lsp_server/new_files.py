"""Line ends of new files as ``.editorconfig`` has them, where the settings ask for it.

Never: a change of a file that is there, or of anything but line ends.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from editor_clients.disk import read_bytes
from editor_clients.editorconfig import editorconfig_properties
from ledger.errors import CoeditorError
from ledger.types import TargetKey
from lsp_server.outcomes import Plan, Planned
from lsp_server.workspace import Workspace

_ENDS: Final[Mapping[str, str]] = MappingProxyType({"lf": "\n", "crlf": "\r\n", "cr": "\r"})
_CONFIG_BYTES: Final = 1 << 20


def with_configured_ends(workspace: Workspace, plan: Plan) -> Plan:
    """The plan, with each LF and CRLF of a text file that it creates as ``end_of_line`` of ``.editorconfig`` says."""
    if workspace.settings.new_file_eol != "editorconfig" or plan.puts_back:
        return plan
    files = tuple(_with_ends(workspace, one) for one in plan.files)
    changed = [new.path for new, old in zip(files, plan.files, strict=True) if new is not old]
    notes = [f"{path} got the line ends that .editorconfig has for new files." for path in changed]
    return replace(plan, files=files, warnings=(*plan.warnings, *notes)) if changed else plan


def _with_ends(workspace: Workspace, one: Planned) -> Planned:
    change = one.change
    if change.operation != "create" or change.after is None or change.raw is not None:
        return one
    if "\n" not in change.after:
        return one
    end = _ENDS.get(_end_of_line(workspace, change.target))
    if end is None:
        return one
    after = change.after.replace("\r\n", "\n").replace("\n", end)
    return one if after == change.after else replace(one, change=replace(change, after=after))


def _end_of_line(workspace: Workspace, target: TargetKey) -> str:
    """The property for a target, as written; empty where none is set."""
    if not os.path.isabs(target):
        return ""

    def content(path: str) -> bytes | None:
        try:
            file = read_bytes(workspace.walls, path, _CONFIG_BYTES)
        except CoeditorError:
            return None
        return file.data if file is not None else None

    root = workspace.walls.root_of(target) or os.path.dirname(target)
    return editorconfig_properties(target, root, content).get("end_of_line", "")
