"""What a relay has passed on and not had answered, and what becomes of it when the server is lost.

::

    it only reads, or is no call                  sent again, a few times
    it changes something, but was not begun       sent again
    it changes something, and was begun           never sent again: its outcome is asked for

Pure: no I/O, no threads. Never: the meaning of an answer.
"""

from __future__ import annotations

import json

from lsp_server.wire.resources import LISTEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

MUTATING: Final = frozenset(
    {
        "edit",
        "write",
        "apply_patch",
        "apply_patch/commit",
        "edit_notebook",
        "rewind",
        "review/undo",
        "host_write",
    }
)
"""Tools and steps that make edits, and are never sent twice."""
TRIES: Final = 3
"""How often a request may be at a server that is lost before it counts as the cause."""


class Pending:
    """One message of the agent on its way."""

    __slots__ = (
        "asked",
        "begun",
        "call_id",
        "key",
        "line",
        "losses",
        "message_id",
        "method",
        "ordinal",
        "question",
    )

    def __init__(self, message: Mapping[str, Any], line: bytes, call_id: str) -> None:
        self.message_id = message.get("id")
        self.key = key_of(self.message_id)
        self.method = str(message.get("method"))
        self.line = line
        """The message as the agent sent it, without its end."""
        self.call_id = call_id
        self.question = _question(message)
        """What to ask with when the answer is lost; None when doing it twice does no harm."""
        self.ordinal = 0
        """Its place among the lines of the current connection, from 1; 0 while it was not sent there."""
        self.losses = 0
        self.begun = False
        """The server said that it begins to work on it."""
        self.asked = False
        """It may have been applied: only its outcome is asked for now."""

    @property
    def hopeless(self) -> bool:
        """Whether it was at too many servers that were lost."""
        return self.losses >= TRIES and not self.standing

    @property
    def standing(self) -> bool:
        """Whether it is never answered while it goes on."""
        return self.method == LISTEN


class InFlight:
    """The requests without an answer, in the order in which they came."""

    def __init__(self) -> None:
        self._pending: dict[str, Pending] = {}

    def __len__(self) -> int:
        return len(self._pending)

    @property
    def awaited(self) -> int:
        """How many will be answered."""
        return sum(not pending.standing for pending in self._pending.values())

    def add(self, pending: Pending) -> None:
        """A request came. One with the id of another takes its place: the agent can tell no better."""
        self._pending.pop(pending.key, None)
        self._pending[pending.key] = pending

    def find(self, message_id: object) -> Pending | None:
        """The request with this id, which is still waited for."""
        return self._pending.get(key_of(message_id))

    def take(self, message_id: object) -> Pending | None:
        """The request with this id, which is answered (or cancelled) now; None when there is none."""
        return self._pending.pop(key_of(message_id), None)

    def all(self) -> list[Pending]:
        """Every request, in order."""
        return list(self._pending.values())

    def lost(self, received: int | None) -> None:
        """The connection is gone.

        ``received``: how many lines the server said it took before it ended; None when it said nothing.
        """
        for pending in self._pending.values():
            if pending.ordinal > 0 and (received is None or pending.ordinal <= received):
                pending.losses += 1
            pending.asked = pending.asked or (pending.begun and pending.question is not None)
            pending.ordinal = 0


def key_of(message_id: object) -> str:
    """One string for each JSON-RPC id: 1 and "1" are two ids."""
    return json.dumps(message_id)


def name_of_call(message: Mapping[str, Any], invent: str) -> str:
    """The name under which the journal keeps this call: ours, else the agent's own, else ``invent``."""
    params = message.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    if isinstance(meta, dict):
        for name in ("coeditor/call_id", "claudecode/toolUseId", "callId"):
            found = meta.get(name)
            if isinstance(found, str) and found:
                return found
    return invent


def _question(message: Mapping[str, Any]) -> dict[str, Any] | None:
    """The call without its arguments, if it may change something."""
    params = message.get("params")
    if message.get("method") != "tools/call" or not isinstance(params, dict):
        return None
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str) or name not in MUTATING:
        return None
    if isinstance(arguments, dict) and (
        arguments.get("validate_only") is True or arguments.get("dry_run") is True
    ):
        return None
    slim = {name: params[name] for name in ("name", "_meta") if name in params}
    return {"jsonrpc": "2.0", "id": message.get("id"), "method": "tools/call", "params": slim}
