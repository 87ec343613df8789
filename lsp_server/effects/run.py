"""Runs the side effects of a commit: each isolated, timed, bounded and named in the outcome.

Never: a failure that reaches the edit. It has happened; an effect can only be late or missing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lsp_server.pipeline import Committed
    from lsp_server.service import CallContext
    from lsp_server.workspace import Workspace

Effect = Callable[["Workspace", "Committed", "CallContext"], Awaitable[dict[str, Any] | None]]
"""Gives fields to add to the outcome, or None."""


class Effects:
    """The effects that are switched on, in the order that the outcome names them."""

    def __init__(self, effects: list[tuple[str, Effect, float]]) -> None:
        """``effects``: name, function, deadline in seconds; in order."""
        self._effects = effects

    async def after_commit(self, workspace: Workspace, committed: Committed, context: CallContext) -> None:
        """Run all of them; ``committed.result`` gains ``side_effects`` and what they found."""
        switched_on = [item for item in self._effects if workspace.settings.side_effects[item[0]]]
        rows = await asyncio.gather(
            *(
                self._one(name, effect, limit, workspace, committed, context)
                for name, effect, limit in switched_on
            )
        )
        committed.result["side_effects"] = list(rows)

    async def _one(
        self,
        name: str,
        effect: Effect,
        limit: float,
        workspace: Workspace,
        committed: Committed,
        context: CallContext,
    ) -> dict[str, Any]:
        started = time.perf_counter()
        row: dict[str, Any] = {"name": name, "ok": True}
        try:
            async with asyncio.timeout(limit):
                found = await effect(workspace, committed, context)
            if found:
                committed.result.update(found)
        except TimeoutError:
            row |= {"ok": False, "error": f"It took longer than {limit:g} s and was left behind."}
        except Exception as error:
            row |= {"ok": False, "error": f"It failed: {type(error).__name__}."}
        row["ms"] = round((time.perf_counter() - started) * 1000, 1)
        return row
