"""The resources that MCP clients are offered: what the ledger, the history and the language servers say.

Never: imports that cost time; the relay answers the lists from here.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

PREFIX: Final = "coeditor://session/"
LISTEN: Final = "subscriptions/listen"
UPDATED: Final = "notifications/resources/updated"
_ABOUT: Final[Mapping[str, tuple[str, str]]] = {
    "ledger": ("What this session has seen", "Files, versions and lines that each of its scopes was shown."),
    "history": ("Edits of this session", "Its edits, newest first, as the tool history answers."),
    "diff": ("What this session changed", "As the tool diff answers."),
    "diagnostics": ("Problems in files", "Errors and warnings of the language servers, as far as known."),
}
NEWS_OF: Final[Mapping[str, str]] = {"diff": "history"}
"""Whose changes are those of another."""
NAMES: Final = tuple(_ABOUT)
"""Each the name of the tool, or step, whose answer it is."""


def rows() -> list[dict[str, Any]]:
    """The rows of ``resources/list``."""
    return [{"uri": PREFIX + name, **_row(name)} for name in NAMES]


def templates() -> list[dict[str, Any]]:
    """The rows of ``resources/templates/list``: the same of one file, by its path."""
    return [
        {"uriTemplate": f"{PREFIX}{name}/{{+file_path}}", **_row(name, "file-", ", of one file")}
        for name in NAMES
    ]


def find(uri: object) -> tuple[str, dict[str, Any]] | None:
    """What to ask for: name and arguments; None when there is no such resource."""
    from urllib.parse import unquote

    if not isinstance(uri, str) or not uri.startswith(PREFIX):
        return None
    name, _, path = uri.removeprefix(PREFIX).partition("/")
    if name not in NAMES:
        return None
    return name, {"file_path": unquote(path)} if path else {}


def _row(name: str, prefix: str = "", of: str = "") -> dict[str, Any]:
    title, about = _ABOUT[name]
    return {"name": prefix + name, "title": title + of, "description": about, "mimeType": "application/json"}
