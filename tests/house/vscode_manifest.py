"""What the VS Code extension contributes from the server's own tables: settings, and tools for language models.

``python -m tests.house.vscode_manifest`` writes it into ``vscode-extension/package.json``; descriptions of settings
are written there by hand and stay. Never: a name, a default or a schema that the server does not have.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from lsp_server.settings import CHOICES, DEFAULT_EFFECTS, DEFAULT_LIMITS, LISTS, NAMES, Settings
from lsp_server.wire.params import Tool
from lsp_server.wire.tools import TOOLS

PATH: Final = Path(__file__).resolve().parents[2] / "vscode-extension" / "package.json"
PREFIX: Final = "coeditor."
OWN: Final = {
    "coeditor.server.command",
    "coeditor.chat.tools",
    "coeditor.chat.mcpServer",
    "coeditor.review.lenses",
}
"""Settings that only VS Code has."""
READ_ONLY: Final = "read-only"
"""The tag of tools that change nothing; the others ask for the person's confirmation."""
WHEN: Final = "config.coeditor.chat.tools && workspaceFolderCount > 0"

_ICONS: Final = {
    "read": "eye",
    "edit": "edit",
    "write": "new-file",
    "apply_patch": "diff-multiple",
    "edit_notebook": "notebook",
    "glob": "files",
    "grep": "search",
    "diagnostics": "warning",
    "history": "history",
    "diff": "diff",
    "rewind": "discard",
    "status": "pulse",
    "context_event": "comment-discussion",
}


def manifest() -> dict[str, Any]:
    """``package.json`` as it is."""
    found: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


def language_model_tools() -> list[dict[str, Any]]:
    """The rows of ``contributes.languageModelTools``."""
    return [_row(tool) for tool in TOOLS]


def setting_shapes() -> dict[str, dict[str, Any]]:
    """Of each setting of the server its name in VS Code, its type and its default."""
    defaults = Settings()
    return {PREFIX + name: _shape(name, getattr(defaults, name)) for name in NAMES}


def _row(tool: Tool) -> dict[str, Any]:
    first, *rest = tool.name.split("_")
    sentence = " ".join(tool.description.split("\n\n")[0].split()).split(". ")[0].rstrip(".")
    return {
        "name": f"coeditor_{tool.name}",
        "toolReferenceName": "coeditor" + first.capitalize() + "".join(map(str.capitalize, rest)),
        "displayName": tool.title,
        "userDescription": sentence + ".",
        "modelDescription": tool.description,
        "canBeReferencedInPrompt": tool.name != "context_event",
        "icon": f"$({_ICONS[tool.name]})",
        "tags": ["coeditor", READ_ONLY if tool.read_only else "editing"],
        "when": WHEN,
        "inputSchema": tool.input_schema(),
    }


def _shape(name: str, default: object) -> dict[str, Any]:
    if name in CHOICES:
        return {"type": "string", "enum": list(CHOICES[name]), "default": default}
    if name in LISTS:
        assert isinstance(default, tuple)
        return {"type": "array", "items": {"type": "string"}, "default": list(default)}
    if name == "limits":
        return _table(DEFAULT_LIMITS, {"type": "integer", "minimum": 1})
    if name == "side_effects":
        return _table(DEFAULT_EFFECTS, {"type": "boolean"})
    if name == "language_servers":
        values = {"type": ["boolean", "object"]}
        return {"type": "object", "additionalProperties": values, "default": {}}
    if name == "read_chars":
        return {"type": "integer", "minimum": 1_000, "default": default}
    assert isinstance(default, bool), name
    return {"type": "boolean", "default": default}


def _table(defaults: Mapping[str, int | bool], kind: dict[str, Any]) -> dict[str, Any]:
    properties = {key: {**kind, "default": value} for key, value in defaults.items()}
    table = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**table, "default": dict(defaults)}


def written() -> dict[str, Any]:
    """``package.json`` as it should be."""
    found = manifest()
    contributes = found["contributes"]
    properties = contributes["configuration"]["properties"]
    own = {name: properties[name] for name in properties if name in OWN}
    shapes = setting_shapes()
    contributes["configuration"]["properties"] = own | {
        name: shape | _about(properties.get(name, {})) for name, shape in shapes.items()
    }
    contributes["languageModelTools"] = language_model_tools()
    return found


def _about(before: Mapping[str, Any]) -> dict[str, Any]:
    """What people wrote."""
    return {key: before[key] for key in ("order", "markdownDescription") if key in before}


def main() -> None:
    text = json.dumps(written(), indent=2, ensure_ascii=False) + "\n"
    PATH.write_text(text, encoding="utf-8")


assert {one.name for one in fields(Settings)} == {*NAMES, "problems"}

if __name__ == "__main__":
    main()
