"""Looking into an agent's JSON without trusting its shape.

Never: an exception for what is missing or of another type.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

OUR_TOOLS: Final = frozenset(
    {
        "read",
        "edit",
        "write",
        "apply_patch",
        "edit_notebook",
        "glob",
        "grep",
        "diagnostics",
        "history",
        "diff",
    }
    | {"rewind", "status", "context_event"}
)


def text(found: Mapping[str, Any], *names: str) -> str | None:
    """The first of ``names`` that holds a text with something in it."""
    for name in names:
        value = found.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def number(found: Mapping[str, Any], *names: str) -> int | None:
    """The first of ``names`` that holds a whole number above zero."""
    for name in names:
        value = found.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
    return None


def table(found: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The first of ``names`` that holds an object, or the JSON text of one; else an empty one."""
    for name in names:
        value = found.get(name)
        if isinstance(value, str) and value.startswith("{"):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                continue
        if isinstance(value, dict):
            return value
    return {}


def rows(found: Mapping[str, Any], name: str) -> list[Any]:
    """A list, also where it came as its JSON text; else an empty one."""
    value = found.get(name)
    if isinstance(value, str) and value.startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    return value if isinstance(value, list) else []


def own_tool(name: str, before: str, between: str) -> str | None:
    """Our tool's name in ``before`` + server + ``between`` + tool, as agents spell MCP tools.

    The server counts as ours when its name has ``coeditor`` in it.
    """
    if not name.startswith(before):
        return None
    server, found, tool = name[len(before) :].partition(between)
    if found and "coeditor" in server and tool in OUR_TOOLS:
        return tool
    return None


def dump(answer: Mapping[str, Any]) -> str:
    """The JSON that is printed."""
    return json.dumps(answer)
