"""Codex's hooks: its tools, and how it is answered.

It has no tool that reads; it edits by ``apply_patch``, whose text is ``tool_input.command``, and by its shell. An
answer with a key that it does not know is thrown away as a whole.

Never: a key that Codex does not know, or an answer to events that take none.
"""

from __future__ import annotations

from lsp_server.hooks import family
from lsp_server.hooks.loose import text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from lsp_server.hooks.events import HookAnswer, HookEvent

QUIET = ""
_PATCH = "*** Begin Patch"


def decode(payload: Mapping[str, Any]) -> HookEvent | None:
    """The event; None where it means nothing here."""
    return family.decode("codex", payload, _native)


def encode(event: HookEvent, answer: HookAnswer, payload: Mapping[str, Any]) -> str:
    """What to print."""
    return family.encode(event, answer, payload)


def _native(tool: str, given: dict[str, Any], payload: Mapping[str, Any]) -> family.Use:
    command = text(given, "command", "input", "patch")
    # A patch that is given to the shell is taken out of it by Codex, and applied as one.
    if command is not None and (tool == "apply_patch" or (tool == "Bash" and _PATCH in command)):
        return "patch", (), command
    if tool == "Bash":
        return "shell", (), command
    return family.NOTHING
