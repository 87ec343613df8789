"""The ``context_event`` tool: whoever runs a model tells what its context can no longer see.

Never: a guess about a context; only what is told is forgotten.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ledger.errors import Code, CoeditorError
from ledger.session import Present
from ledger.types import ScopeKey
from lsp_server.service import CallContext
from lsp_server.workspace import Workspace


async def context_event(
    workspace: Workspace, arguments: Mapping[str, Any], context: CallContext
) -> dict[str, Any]:
    """Answers ``forgotten``: the files that the scope has to read again.

    Errors: INVALID_ARGUMENT when ``contextEvicted`` names nothing, or a scope event no scope.
    """
    own = context.caller.scope
    session = arguments.get("session") or own.session
    named = arguments.get("scope")
    scope = ScopeKey(session, named or (own.scope if session == own.session else "main"))
    ledger = workspace.ledger
    event = arguments["event"]
    forgotten: list[str] = []
    if event == "contextEvicted":
        forgotten = _evict(workspace, scope, arguments, context)
    elif event == "sessionResumed":
        ledger.resume(session)
        forgotten = await _not_as_shown(workspace, session)
    elif event == "scopeStarted":
        _needs_scope(event, named)
        ledger.start_scope(scope, parent=arguments.get("parent") or "main")
    elif event == "scopeEnded":
        _needs_scope(event, named)
        forgotten = [str(known.target) for known in ledger.observations(scope)]
        ledger.end_scope(scope)
    else:
        had_edits = ledger.had_edits(session)
        with suppress(OSError):  # whoever monitors misses a line; the session is over all the same
            workspace.events.session_ended(session, had_edits=had_edits)
        workspace.conflicts.ended(session)
        return {"ok": True, "forgotten": []}
    return {"ok": True, "forgotten": forgotten}


async def _not_as_shown(workspace: Workspace, session: str) -> list[str]:
    """Files that ``session`` saw, in any scope, as they are not any more; what is the same needs no new read.

    What differs stays an observation of the old text, so that an edit of it is told what moved.
    """
    found = []
    for known in workspace.ledger.observations(session):
        await asyncio.sleep(0)  # there may be very many, and others have their turn
        try:
            current = await workspace.client.current(known.target)
        except CoeditorError:
            current = None
        token = known.observation.token if isinstance(known.observation, Present) else None
        if token != (current.token if current is not None else None):
            found.append(str(known.target))
    return list(dict.fromkeys(found))


def _evict(
    workspace: Workspace, scope: ScopeKey, arguments: Mapping[str, Any], context: CallContext
) -> list[str]:
    call_ids, file_paths = arguments.get("call_ids"), arguments.get("file_paths")
    if not (call_ids or file_paths or arguments["all"]):
        raise CoeditorError(
            Code.INVALID_ARGUMENT, "contextEvicted says what is gone: call_ids, file_paths, or all = true."
        )
    found = []
    if arguments["all"]:
        found = workspace.ledger.forget(scope, everything=True)
    if call_ids:
        found += workspace.ledger.forget(scope, call_ids=call_ids)
    if file_paths:
        targets = [workspace.targets.resolve(path, context.cwd).key for path in file_paths]
        found += workspace.ledger.forget(scope, targets=targets)
    return [str(target) for target in dict.fromkeys(found)]


def _needs_scope(event: str, scope: str | None) -> None:
    if not scope:
        raise CoeditorError(Code.INVALID_ARGUMENT, f"{event} names the scope that it is about.")
