"""What every door asks of the middle: one call of one tool.

Never: anything about the protocol that carried the call.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ledger.types import Caller

if TYPE_CHECKING:
    from lsp_server.asking.asker import Prompt

Door = Literal["mcp", "lsp", "cli", "hook", "host"]


@dataclass(frozen=True, slots=True)
class CallContext:
    """Who calls, through which door, from where."""

    caller: Caller
    door: Door
    cwd: str | None = None
    """The client's current folder, absolute; relative paths resolve against the workspace folder that holds it."""
    person: bool = False
    """A person at a terminal or editor, who sees the whole workspace's history, not one session's."""
    connection: str | None = None
    """The session that the connection is for, whichever the call is of."""
    pid: int | None = None
    """The client's process, where it told."""
    images: bool = False
    """Whether the door can put an image before the caller."""
    progress: Callable[[str], Awaitable[None]] | None = None
    """Tells a waiting client that a slow call is alive; None when it did not ask."""
    quiet: bool = False
    """A program asks, not a model: what the model has to be told waits for its own next call."""
    prompt: Prompt | None = None
    """The caller's own way to its person; None when it offered none."""


class Service(Protocol):
    """The middle, as the doors see it."""

    async def call(self, tool: str, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        """Run one tool; the result object has ``ok: True``.

        Cancelling the awaiting task cancels the call; what is applied by then stays and is in the history.
        Errors: CoeditorError, and nothing else (but for what ``context.prompt`` raises to end the call).
        """
        ...

    async def outcome_of(self, session: str, call_id: str) -> dict[str, Any] | None:
        """What the journal knows of a call whose answer was lost.

        ``{"state": "applied" | "refused" | "unknown", "result": object?}``, or None when no such call touched
        anything.
        """
        ...
