"""THE WALK of one mutation, from resolved targets to the outcome.

    lock (sorted, in process and across) -> current texts -> policy and match: a plan -> journal *intended*
    -> apply with the preconditions at the authority -> read back -> journal *applied* (or *refused*,
    *unknown*) -> the observations move -> unlock -> side effects -> outcome

A tool says only how its plan is made. Never: a second path by which a file is changed.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from ledger.errors import Code, CoeditorError
from ledger.types import Caller, TargetKey
from lsp_server.asking.approvals import approved
from lsp_server.asking.questions import ConsentNeededError, Want
from lsp_server.committing import Committed, commit, keep_answer
from lsp_server.effects.previews import preview, refuse_new_errors
from lsp_server.guard import guarded
from lsp_server.movers import look_for_movers
from lsp_server.new_files import with_configured_ends
from lsp_server.outcomes import Plan, outcome
from lsp_server.readable import refuse_unreadable
from lsp_server.service import CallContext
from lsp_server.view import View
from lsp_server.workspace import Workspace

_T = TypeVar("_T")
_RACES = 3
"""Times that a request is held against the current texts while somebody else keeps changing them."""
_RACES_MERGING = 20
"""The same where a change is moved over what others change, and so can win in the end."""
_RACING = 5.0
"""Seconds for that."""


class Request(Protocol):
    """What a tool brings to the walk."""

    @property
    def tool(self) -> str:
        """The name of the tool, for the journal."""
        ...

    def targets(self) -> Mapping[TargetKey, str]:
        """Every target that is read or changed, with its spelling; all are locked."""
        ...

    def plan(self, view: View) -> Plan:
        """Check, match, and say what is to happen. Pure but for the observations that refusals leave."""
        ...

    def arguments(self) -> Mapping[str, Any]:
        """The request as it was sent, for the journal."""
        ...


async def mutate(
    workspace: Workspace, request: Request, context: CallContext, *, only_plan: bool = False
) -> dict[str, Any]:
    """Walk one mutation and give its outcome.

    Cancelling before the change is published leaves everything as it was; afterwards the change stays and is
    recorded. Errors: every FS_ code that README, "Errors", lists for edits; a ConsentNeededError where a person
    has to agree first.
    """
    spelled = request.targets()
    refuse_read_only(workspace, spelled)
    if only_plan:
        async with workspace.hold(spelled):
            plan = await _plan_now(workspace, request, context.caller, recording=False)
        return await _forecast(workspace, plan, context)
    took = workspace.timings.step
    with took("whole"):
        with took("settle"):
            notes = await _settled(workspace, spelled)
        async with _held(workspace, spelled):
            committed = await _carry_out(workspace, request, context)
        committed.result["warnings"] += notes
        workspace.consents.used(context.caller.scope.session, spelled.keys())
        try:
            with took("effects"):
                await workspace.effects.after_commit(workspace, committed, context)
        except asyncio.CancelledError:
            _ignore_cancellation()  # the edit has happened, and only what follows it was cut short
        with took("answer"), suppress(CoeditorError):  # an earlier form of the answer is kept already
            keep_answer(workspace, committed)
        return committed.result


@asynccontextmanager
async def _held(workspace: Workspace, targets: Mapping[TargetKey, str]) -> AsyncIterator[None]:
    """Hold the locks; the waiting for them is counted."""
    async with AsyncExitStack() as stack:
        with workspace.timings.step("lock"):
            await stack.enter_async_context(workspace.hold(targets))
        yield


async def _settled(workspace: Workspace, targets: Mapping[TargetKey, str]) -> list[str]:
    """Wait for whoever changes many files at this moment, git or a generator; sentences where they did not end."""
    seconds = workspace.settings.limit("settle_ms") / 1000
    notes = await workspace.git.settled(targets, seconds)
    if not await workspace.notices.burst.settled(seconds):
        notes.append("Many files that you know are changing right now, this one may be the next.")
    return notes


async def _plan_now(
    workspace: Workspace, request: Request, caller: Caller, *, recording: bool, raced: bool = False
) -> Plan:
    """The plan of ``request`` against the current texts. Errors: a ConsentNeededError too, if it is to be done."""
    spelled = request.targets()
    with workspace.timings.step("look"):
        current = {key: await workspace.current_text(key, path) for key, path in spelled.items()}
        await look_for_movers(workspace, caller, current)
    with workspace.timings.step("plan"):
        view = View(workspace, caller, current, recording=recording, raced=raced)
        plan = _planned(request, view)
        refuse_unreadable(plan.files, workspace.settings.limit("file_bytes"))
    if view.wants and recording:
        raise ConsentNeededError(view.wants)  # nothing is held while a person thinks
    return _with_questions(plan, view.wants)


async def _carry_out(workspace: Workspace, request: Request, context: CallContext) -> Committed:
    """Plan and commit; the caller holds the locks."""
    merges = workspace.settings.on_conflict == "merge"
    clock = asyncio.get_running_loop().time
    until = clock() + _RACING
    for attempt in itertools.count(1):
        plan = await _plan_now(workspace, request, context.caller, recording=True, raced=attempt > 1)
        if not context.person:
            await refuse_new_errors(workspace, plan, context.caller.scope, request.tool, request.arguments())
            plan = approved(workspace, plan, context.caller)
        try:
            # The change and its record belong together: a cancelled caller does not part them.
            return await _unbroken(
                commit(workspace, plan, context, tool=request.tool, arguments=request.arguments())
            )
        except CoeditorError as error:
            may_go_on = attempt < _RACES or (merges and attempt < _RACES_MERGING and clock() < until)
            if not _is_lost_race(error) or not may_go_on:
                raise
            # Somebody typed or wrote at this very moment: held against what is there now, the request
            # gets the refusal that it needs, or fits all the same.
    raise AssertionError("not reached")


async def _forecast(workspace: Workspace, plan: Plan, context: CallContext) -> dict[str, Any]:
    """The outcome of a plan that stays one; with what language servers say of its texts.

    A model gets as much of the diff as of any edit's; a program gets all of it.
    """
    found = outcome(workspace, plan, None, whole_diff=context.door != "mcp")
    diagnostics = await preview(workspace, plan)
    return found if diagnostics is None else found | {"diagnostics": diagnostics.to_object()}


def _with_questions(plan: Plan, wants: Sequence[Want]) -> Plan:
    """A plan that is only told, with what the person would be asked before it is carried out."""
    notes = [
        f"{want.refusal.file_path} has unsaved changes; the person would be asked first." for want in wants
    ]
    return replace(plan, warnings=(*plan.warnings, *notes)) if notes else plan


def _is_lost_race(error: CoeditorError) -> bool:
    """Whether the authority left everything as it was since a text moved after it was looked at."""
    moved = error.code in (Code.FS_STALE_VERSION, Code.FS_UNSAVED_CHANGES)
    return moved and not error.data.get("not_restored")


def _planned(request: Request, view: View) -> Plan:
    """What the request wants, with new files as the settings want them, once the syntax guard has seen it."""
    workspace = view.workspace
    return guarded(workspace.settings, with_configured_ends(workspace, request.plan(view)))


def refuse_read_only(workspace: Workspace, spelled: Mapping[TargetKey, str]) -> None:
    """Errors: FS_DENIED where agents may change nothing."""
    if not workspace.trusted:
        raise CoeditorError(
            Code.FS_DENIED,
            "The person has not said that this workspace is trusted, so it is read-only for agents.",
            file_path=next(iter(spelled.values()), None),
            data={"rule": "untrusted"},
        )
    if workspace.settings.mode == "read-only":
        raise CoeditorError(
            Code.FS_DENIED,
            "This workspace is read-only for agents. Ask the person to change the setting mode.",
            file_path=next(iter(spelled.values()), None),
            data={"rule": "mode"},
        )


async def _unbroken(work: Coroutine[Any, Any, _T]) -> _T:
    """Run ``work`` to its end even if the caller is cancelled meanwhile.

    That came too late then: the answer is what ``work`` came to, so that it matches the bytes.
    """
    task = asyncio.ensure_future(work)
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if not task.cancelled():
                _ignore_cancellation()
        except CoeditorError:
            break
    return task.result()


def _ignore_cancellation() -> None:
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
