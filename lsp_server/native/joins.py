"""Which agent, and which of its contexts, makes an MCP call that does not say so.

An agent's hook tells of the call just before it is made. The two belong together by the call's id, where MCP carries
it; else by tool and arguments, in order, from the same process. Where two agents fit equally, nobody is assumed.

::

    hook:  session S, sub-agent A, call C, tool edit {...}      from a child of process P
    MCP:   call C, or tool edit {...}                           from a child of process P      ->  it is S/A

Never: a guess that could give one agent another's observations.
"""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ledger.types import Caller
from lsp_server.acp.names import is_acp
from lsp_server.hooks.events import HookEvent
from lsp_server.platforms import parent_of
from lsp_server.wire.arguments import IGNORED
from lsp_server.wire.clients import CLIENTS

MOST = 1_000
SECONDS = 120.0
"""How long a call that was announced is waited for; a person may have to allow it."""
_DEPTH = 8
_EXACT = frozenset({"codex", "claude-code"})
"""Agents whose MCP calls carry the id that their hooks have."""


@dataclass(frozen=True, slots=True)
class Announced:
    """A call that a hook told of."""

    caller: Caller
    key: str
    """Of tool and arguments."""
    above: tuple[int, ...]
    """The processes above the hook's, nearest first."""
    time: float


class Joins:
    """The calls that were announced and have not come yet."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        parent: Callable[[int], int | None] = parent_of,
    ) -> None:
        self._clock = clock
        self._parent = parent
        self._announced: OrderedDict[int, Announced] = OrderedDict()
        self._count = 0

    def announce(self, event: HookEvent, caller: Caller, pid: int | None) -> None:
        """A hook of process ``pid`` says that ``caller`` is about to call our tool."""
        self._forget_old()
        self._count += 1
        self._announced[self._count] = Announced(
            caller, _key(event.tool, event.arguments or {}), self._above(pid), self._clock()
        )

    def caller_of(self, caller: Caller, tool: str, arguments: Mapping[str, Any], pid: int | None) -> Caller:
        """Who really makes the call that came from process ``pid`` as ``caller``."""
        if not self._announced:
            return caller
        self._forget_old()
        number = self._by_id(caller)
        if number is None and caller.agent not in _EXACT:
            number = self._by_arguments(caller, _key(tool, arguments), pid)
        if number is None:
            return caller
        # A question that is answered is asked again by the same call, so an id stays known for a while.
        found = self._announced[number]
        if found.caller.call_id is None or found.caller.call_id != caller.call_id:
            del self._announced[number]
        told = found.caller
        # A connection behind an editor's host is that of one conversation; which sub-agent it is, the hook knows.
        certain = is_acp(caller.scope.session)
        scope = replace(told.scope, session=caller.scope.session) if certain else told.scope
        return replace(
            caller,
            scope=scope,
            turn=told.turn or caller.turn,
            call_id=caller.call_id or told.call_id,
            agent=told.agent,
        )

    def _by_id(self, caller: Caller) -> int | None:
        if caller.call_id is None:
            return None
        found = (number for number, one in self._announced.items() if one.caller.call_id == caller.call_id)
        return next(found, None)

    def _by_arguments(self, caller: Caller, key: str, pid: int | None) -> int | None:
        known = {client.agent for client in CLIENTS.values()}
        fitting = {
            number: one
            for number, one in self._announced.items()
            if one.key == key and (one.caller.agent == caller.agent or caller.agent not in known)
        }
        if not fitting:
            return None
        above = self._above(pid)
        rank = {number: _distance(above, one.above) for number, one in fitting.items()}
        nearest = min(rank.values())
        best = [number for number in fitting if rank[number] == nearest]
        sessions: set[str] = {fitting[number].caller.scope.session for number in best}
        return best[0] if len(sessions) == 1 else None

    def _above(self, pid: int | None) -> tuple[int, ...]:
        found: list[int] = []
        while pid is not None and pid > 1 and len(found) < _DEPTH:
            pid = self._parent(pid)
            if pid is not None and pid > 1:
                found.append(pid)
        return tuple(found)

    def _forget_old(self) -> None:
        limit = self._clock() - SECONDS
        while self._announced:
            oldest = next(iter(self._announced))
            if self._announced[oldest].time >= limit and len(self._announced) < MOST:
                return
            del self._announced[oldest]


def _key(tool: str, arguments: Mapping[str, Any]) -> str:
    """Equal for equal calls, whatever the order of their arguments, and with what may be left out left out."""
    sent = {name: value for name, value in arguments.items() if name not in IGNORED and value is not None}
    return f"{tool} {json.dumps(sent, sort_keys=True)}"


def _distance(mine: tuple[int, ...], other: tuple[int, ...]) -> int:
    """How far up the nearest process is that both come from."""
    return next((steps for steps, pid in enumerate(mine) if pid in other), _DEPTH)
