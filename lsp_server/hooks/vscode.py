"""The agent hooks of VS Code: events as Claude Code's, tools and their camelCase arguments as Copilot's.

Never: the tool names of Claude Code, which VS Code does not use even where the configuration is Claude's.
"""

from __future__ import annotations

from lsp_server.hooks import family
from lsp_server.hooks.events import FileUse
from lsp_server.hooks.loose import number, rows, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from lsp_server.hooks.events import HookAnswer, HookEvent, Kind

QUIET = "{}"
_KINDS: Final[Mapping[str, Kind]] = {**family.KINDS, "PreCompact": "evicted"}
"""There is no event after a compaction."""
_EDITS: Final = frozenset(
    {"replace_string_in_file", "insert_edit_into_file", "edit_notebook_file", "edit_file", "str_replace"}
)


def decode(payload: Mapping[str, Any]) -> HookEvent | None:
    """The event; None where it means nothing here."""
    return family.decode(
        "vscode",
        payload,
        _native,
        kinds=_KINDS,
        prefix=("mcp_", "_"),
    )


def encode(event: HookEvent, answer: HookAnswer, payload: Mapping[str, Any]) -> str:
    """What to print."""
    return family.encode(event, answer, payload) or QUIET


def _native(tool: str, given: dict[str, Any], payload: Mapping[str, Any]) -> family.Use:
    if tool in ("run_in_terminal", "runTerminalCommand", "runInTerminal"):
        return "shell", (), text(given, "command")
    if tool in ("apply_patch", "applyPatch"):
        patch = text(given, "input", "patch", "command")
        return ("patch", (), patch) if patch is not None else family.NOTHING
    if tool == "multi_replace_string_in_file":
        replaced = [one for one in rows(given, "replacements") if isinstance(one, dict)]
        paths = [path for one in replaced if (path := text(one, "filePath")) is not None]
        return ("edit", tuple(FileUse(path, "edit") for path in dict.fromkeys(paths)), None)
    path = text(given, "filePath", "file_path", "path")
    if path is None:
        return family.NOTHING
    if tool in ("read_file", "readFile"):
        first = number(given, "startLine", "offset")
        last, limit = number(given, "endLine"), number(given, "limit")
        if last is not None:
            limit = max(1, last - (first or 1) + 1)
        return "read", (FileUse(path, "read", first=first, limit=limit),), None
    if tool in _EDITS:
        return "edit", (FileUse(path, "edit"),), None
    if tool in ("create_file", "createFile"):
        return "write", (FileUse(path, "write"),), None
    return family.NOTHING
