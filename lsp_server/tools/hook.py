"""The ``hook`` step: what an agent's hook tells, and what the agent is to do.

Never: an agent's dialect; ``hooks`` speaks those.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ledger.errors import Code, CoeditorError
from ledger.types import Caller, ScopeKey
from lsp_server.hooks.events import HookAnswer, HookEvent
from lsp_server.native.guard import before
from lsp_server.native.record import after
from lsp_server.service import CallContext
from lsp_server.tools.context import context_event
from lsp_server.workspace import Workspace


async def hook(workspace: Workspace, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
    """Answers ``answer``: ``deny``, ``context``, ``read_path``, ``message``, each where there is something to say.

    Errors: INVALID_ARGUMENT for an event of another shape.
    """
    try:
        event = HookEvent.from_dict(arguments["event"])
    except (KeyError, TypeError, AttributeError) as error:
        raise CoeditorError(Code.INVALID_ARGUMENT, "The event is not one of `coeditor hook`'s.") from error
    answer = await _answer(workspace, event, context)
    return {"ok": True, "answer": answer.to_dict()}


async def _answer(workspace: Workspace, event: HookEvent, context: CallContext) -> HookAnswer:
    match event.kind:
        case "before" if event.action == "own":
            # The event says whose call is coming; that of the hook may be of the connection, which several share.
            own = Caller(
                ScopeKey(event.session, event.scope or "main"),
                event.call_id or None,
                event.turn or None,
                event.agent,
            )
            workspace.native.joins.announce(event, own, context.pid)
        case "before":
            return await before(workspace, event, context.caller)
        case "after" if event.action != "own":
            return await after(workspace, event, context)
        case "session_started":
            return await _session_started(workspace, event, context)
        case "evicted":
            await _tell(workspace, context, event="contextEvicted", scope=event.scope, all=True)
        case "scope_started":
            await _tell(workspace, context, event="scopeStarted", scope=event.scope, parent=event.parent)
        case "scope_ended":
            await _tell(workspace, context, event="scopeEnded", scope=event.scope)
        case "session_ended":
            await _tell(workspace, context, event="sessionEnded")
    return HookAnswer()


async def _session_started(workspace: Workspace, event: HookEvent, context: CallContext) -> HookAnswer:
    """A fresh context has seen nothing; one that is resumed is proven by content at first use."""
    if event.source in ("compacted", "cleared"):
        await _tell(workspace, context, event="contextEvicted", scope=event.scope, all=True)
    elif event.source == "resumed":
        await _tell(workspace, context, event="sessionResumed")
    unsaved = workspace.client.describe()["unsaved"]
    if not unsaved or "tell_after" not in event.abilities:
        return HookAnswer()
    names = ", ".join(unsaved[:10]) + (f" and {len(unsaved) - 10} more" if len(unsaved) > 10 else "")
    return HookAnswer(
        context=f"[coeditor: the person has unsaved changes in {names}. {event.name_of('read')} shows them, "
        f"{event.name_of('edit')} edits them.]"
    )


async def _tell(workspace: Workspace, context: CallContext, **told: Any) -> None:
    """As the ``context_event`` tool."""
    await context_event(workspace, {"all": False, **told}, context)
