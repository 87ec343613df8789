"""A call that may have to wait for a person: run, ask, run again with what was agreed.

Nothing is locked while a person thinks, and nothing was touched: the call begins anew, against what is there then.
Never: more rounds than a person would bear.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ledger.errors import CoeditorError
from lsp_server.asking.questions import (
    Amended,
    Answer,
    ConsentNeededError,
    Kind,
    Matter,
    Question,
    Want,
    denied,
    unanswered,
)

if TYPE_CHECKING:
    from lsp_server.service import CallContext
    from lsp_server.workspace import Workspace

_ROUNDS = 4
"""Questions of one call, the same again after more typing among them."""


async def with_consent(
    workspace: Workspace, context: CallContext, run: Callable[[], Awaitable[dict[str, Any]]]
) -> dict[str, Any]:
    """What ``run`` gives; where it needs a person's consent, after that was asked for.

    Errors: those of ``run``; FS_DENIED with rule ``person``, FS_TIMEOUT or the refusal that was there before.
    """
    for _ in range(_ROUNDS):
        try:
            return await run()
        except ConsentNeededError as needed:
            await _settle(workspace, context, needed)
    return await run()


async def _settle(workspace: Workspace, context: CallContext, needed: ConsentNeededError) -> None:
    """Returns when it makes sense to try again. Errors: why it does not."""
    session = context.caller.scope.session
    consents = workspace.consents
    for want in needed.wants:
        if consents.refused_lately(session, want.matter):
            raise denied(want, Answer.NO)
    matters = tuple(want.matter for want in needed.wants)
    question = Question(tuple(_shown(workspace, one) for one in matters), context.caller.agent or "An agent")
    reply = await workspace.asker.ask(question, other=context.prompt, progress=context.progress)
    answer, texts = (reply.answer, reply.texts) if isinstance(reply, Amended) else (reply, {})
    match answer:
        case Answer.YES | Answer.SESSION:
            consents.agree(session, matters, lasting=answer is Answer.SESSION, texts=texts)
            for one in matters:
                if one.kind is Kind.OUTSIDE:
                    workspace.walls.admit(one.target)
        case Answer.WITHDRAWN:
            return
        case Answer.NO | Answer.DISMISSED:
            consents.refuse(session, matters)
            raise _joined(needed.wants, lambda want: denied(want, answer))
        case Answer.SILENT:
            raise _joined(needed.wants, unanswered)
        case Answer.UNREACHABLE:
            raise CoeditorError(needed.code, needed.message, file_path=needed.file_path, data=needed.data)


def _joined(wants: tuple[Want, ...], error_of: Callable[[Want], CoeditorError]) -> CoeditorError:
    first, *others = (error_of(want) for want in wants)
    if others:
        first.data["failures"] = [error.to_object() for error in others]
    return first


def _shown(workspace: Workspace, matter: Matter) -> Matter:
    """With the path as a person reads it: relative to its workspace folder, where it is in one."""
    for root in workspace.roots:
        if matter.path.startswith(root.rstrip(os.sep) + os.sep):
            short = os.path.relpath(matter.path, root)
            return replace(matter, path=short)
    return matter
