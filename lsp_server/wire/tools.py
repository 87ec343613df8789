"""The tools of the contract in one table, and how MCP clients are offered them.

Never: imports beyond this package; the relay answers the handshake from here before any server is up.
"""

from __future__ import annotations

from lsp_server.wire import (
    conflict_steps,
    edit_tools,
    host_steps,
    look_tools,
    results,
    review_steps,
    shell_steps,
    stream_steps,
)
from lsp_server.wire.params import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

TOOLS: Final[tuple[Tool, ...]] = (
    look_tools.READ,
    edit_tools.EDIT,
    edit_tools.WRITE,
    edit_tools.APPLY_PATCH,
    edit_tools.EDIT_NOTEBOOK,
    look_tools.GLOB,
    look_tools.GREP,
    look_tools.DIAGNOSTICS,
    look_tools.HISTORY,
    look_tools.DIFF,
    edit_tools.REWIND,
    look_tools.STATUS,
    look_tools.CONTEXT_EVENT,
)
BY_NAME: Final[Mapping[str, Tool]] = {tool.name: tool for tool in TOOLS}

STEPS: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for tool in (
        stream_steps.BEGIN,
        stream_steps.APPEND,
        stream_steps.COMMIT,
        look_tools.LEDGER,
        review_steps.LINES,
        review_steps.RECORDED,
        review_steps.REVIEW,
        review_steps.BASE,
        review_steps.KEEP,
        review_steps.UNDO,
        host_steps.READ,
        host_steps.WRITE,
        conflict_steps.CONFLICTS,
        conflict_steps.TEXTS,
        conflict_steps.DISMISS,
        shell_steps.BEGAN,
        shell_steps.ENDED,
        stream_steps.HOOK,
    )
}
"""What programs can call beside the tools, and no model is offered."""
STEP_METHODS: Final[Mapping[str, str]] = {
    "coeditor/applyPatch/begin": "apply_patch/begin",
    "coeditor/applyPatch/append": "apply_patch/append",
    "coeditor/applyPatch/commit": "apply_patch/commit",
}

INSTRUCTIONS: Final = """\
Edit files safely: each edit is checked against what you read and what the person is typing.

Use these tools in place of your own for reading and changing files in this workspace.
- read first; edit, write and patches are checked against what you were shown. The person's unsaved typing \
is part of the text.
- A refusal changes nothing. It says what moved and who moved it, and shows the current lines: correct the \
call and send it again. Only write, deletes and moves need a new read after it.
- An edit's answer has the diff as applied and the problems it brought or solved; there is no need to read \
the file again.
- Answers may end with notices: files you read that somebody changed since. Read those again before relying \
on them.
- Everything can be taken back: history lists the edits, diff shows them."""
"""What a client may put into the prompt; agents that hide tools show only the first line."""


def mcp_tool(tool: Tool, *, structured: bool) -> dict[str, Any]:
    """One row of ``tools/list``; with an output schema for clients that get structured results."""
    found: dict[str, Any] = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema(),
        "annotations": tool.annotations(),
    }
    if structured:
        found["outputSchema"] = results.opened(tool.result)
    if tool.always_load:
        found["_meta"] = {"anthropic/alwaysLoad": True}
    return found


def mcp_tools(*, structured: bool) -> list[dict[str, Any]]:
    """The rows of ``tools/list``."""
    return [mcp_tool(tool, structured=structured) for tool in TOOLS]
