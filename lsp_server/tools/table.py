"""Which function is which tool. A tool's module is imported when it is called first.

A server is started for an agent's first call, and most of what the tools need is not needed for that one.
Never: what a tool does.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from lsp_server.service import CallContext
    from lsp_server.workspace import Workspace

Tool = Callable[["Workspace", Mapping[str, Any], "CallContext"], Awaitable[dict[str, Any]]]

TOOLS: Final[Mapping[str, str]] = {
    "read": "read.read",
    "glob": "search.glob",
    "grep": "search.grep",
    "edit": "edit.edit",
    "write": "edit.write",
    "apply_patch": "patch.apply_patch",
    "apply_patch/begin": "stream.begin",
    "apply_patch/append": "stream.append",
    "apply_patch/commit": "stream.commit",
    "edit_notebook": "notebook.edit_notebook",
    "rewind": "rewind.rewind",
    "diagnostics": "problems.diagnostics",
    "history": "records.history",
    "diff": "diffs.diff",
    "status": "records.status",
    "context_event": "context.context_event",
    "ledger": "observed.ledger",
    "lines": "lines.lines",
    "recorded": "recorded.recorded",
    "review": "review.review",
    "review/base": "review.review_base",
    "review/keep": "review.review_keep",
    "review/undo": "review.review_undo",
    "conflicts": "conflicts.conflicts",
    "conflicts/texts": "conflicts.conflict_texts",
    "conflicts/dismiss": "conflicts.dismiss",
    "hook": "hook.hook",
    "host_read": "hosted.host_read",
    "host_write": "hosted.host_write",
    "shell_began": "shell.shell_began",
    "shell_ended": "shell.shell_ended",
}
"""By name: module of this package, and function."""


@cache
def tool_function(name: str) -> Tool:
    """The function of a tool in ``TOOLS``; imports its module."""
    module, function = TOOLS[name].split(".")
    return cast(Tool, getattr(import_module(f"{__package__}.{module}"), function))


_LATER = ("editor_clients.transaction", "editor_clients.recovery", "lsp_server.edits.rebase")
"""What is imported where it is first needed."""


def import_all() -> None:
    """Import every tool, so that none has to be waited for later."""
    for name in TOOLS:
        tool_function(name)
    for module in _LATER:
        import_module(module)
