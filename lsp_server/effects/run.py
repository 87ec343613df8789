"""Runs the side effects of a commit: each isolated, timed, bounded and named in the outcome.

Never: a failure that reaches the edit. It has happened; an effect can only be late or missing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from editor_clients.diagnostic import SEVERITIES

if TYPE_CHECKING:
    from lsp_server.committing import Committed
    from lsp_server.service import CallContext
    from lsp_server.workspace import Workspace

Found = dict[str, Any] | None
"""Fields to add to the outcome."""
Effect = Callable[["Workspace", "Committed", "CallContext"], Awaitable[Found] | Found]
"""One that has nothing to wait for answers at once."""


NOTHING_SAID = {
    "new": [],
    "resolved": [],
    "remaining": dict.fromkeys(SEVERITIES, 0),
    "state": "none",
    "source": [],
}
"""The ``diagnostics`` of an edit in a file that no language server is for."""


class Effects:
    """The effects that are switched on, in the order that the outcome names them."""

    def __init__(self, effects: list[tuple[str, Effect, float]]) -> None:
        """``effects``: name, function, deadline in seconds; in order."""
        self._effects = effects

    def foreseen(self, workspace: Workspace) -> dict[str, Any]:
        """What most edits gain: every effect went well, and no language server had anything to say."""
        names = [name for name, _, _ in self._effects if workspace.settings.side_effects[name]]
        found: dict[str, Any] = {"side_effects": [{"name": name, "ok": True, "ms": 0.0} for name in names]}
        return found | {"diagnostics": NOTHING_SAID} if "diagnostics" in names else found

    async def after_commit(self, workspace: Workspace, committed: Committed, context: CallContext) -> None:
        """Run all of them; ``committed.result`` gains ``side_effects`` and what they found."""
        runs = [
            _Run(name, limit, committed.result)
            for name, _, limit in self._effects
            if workspace.settings.side_effects[name]
        ]
        effects = {name: effect for name, effect, _ in self._effects}
        waits = []
        for run in runs:
            rest = run.begin(effects[run.name], workspace, committed, context)
            if rest is not None:
                waits.append(run.finish(rest))
        if len(waits) == 1:
            await waits[0]
        elif waits:
            await asyncio.gather(*waits)
        committed.result["side_effects"] = [run.row for run in runs]


class _Run:
    """One effect of one edit."""

    def __init__(self, name: str, limit: float, result: dict[str, Any]) -> None:
        self.name = name
        self.row: dict[str, Any] = {"name": name, "ok": True}
        self._limit = limit
        self._result = result
        self._started = time.perf_counter()

    def begin(
        self, effect: Effect, workspace: Workspace, committed: Committed, context: CallContext
    ) -> Awaitable[Found] | None:
        """Run it as far as it goes at once; what is left, if it has to wait."""
        try:
            found = effect(workspace, committed, context)
        except Exception as error:
            self._failed(error)
            return None
        if found is None or isinstance(found, dict):
            self._end(found)
            return None
        return found

    async def finish(self, rest: Awaitable[Found]) -> None:
        """Run the rest of it, for no longer than its time."""
        try:
            async with asyncio.timeout(self._limit):
                self._end(await rest)
        except TimeoutError:
            self.row |= {"ok": False, "error": f"It took longer than {self._limit:g} s and was left behind."}
            self._end(None)
        except Exception as error:
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        self.row |= {"ok": False, "error": f"It failed: {type(error).__name__}."}
        self._end(None)

    def _end(self, found: Found) -> None:
        if found:
            self._result.update(found)
        self.row["ms"] = round((time.perf_counter() - self._started) * 1000, 1)
