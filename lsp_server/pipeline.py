"""THE WALK of one mutation, from resolved targets to the outcome.

    lock (sorted, in process and across) -> current texts -> policy and match: a plan -> journal *intended*
    -> apply with the preconditions at the authority -> read back -> journal *applied* (or *refused*,
    *unknown*) -> the observations move -> unlock -> side effects -> outcome

A tool says only how its plan is made. Never: a second path by which a file is changed.
"""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from editor_clients.folders import missing_folders, remove_empty
from editor_clients.port import Applied
from ledger.errors import Code, CoeditorError
from ledger.types import Caller, EditId, EntryOrigin, FileRecord, TargetKey
from lsp_server.asking.approvals import approved
from lsp_server.asking.questions import ConsentNeededError, Want
from lsp_server.completing import keep_texts
from lsp_server.effects.previews import preview, refuse_new_errors
from lsp_server.file_records import as_applied, is_kept, records_of
from lsp_server.guard import guarded
from lsp_server.movers import look_for_movers
from lsp_server.new_files import with_configured_ends
from lsp_server.outcomes import Happened, Plan, outcome
from lsp_server.own_edits import move_observations
from lsp_server.readable import refuse_unreadable
from lsp_server.service import CallContext
from lsp_server.view import View
from lsp_server.withheld import (
    json_of,
    outcome_for_journal,
    request_for_journal,
    sentence,
    withheld,
)
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
    def tool(self) -> str: ...

    def targets(self) -> Mapping[TargetKey, str]:
        """Every target that is read or changed, with its spelling; all are locked."""
        ...

    def plan(self, view: View) -> Plan:
        """Check, match, and say what is to happen. Pure but for the observations that refusals leave."""
        ...

    def arguments(self) -> Mapping[str, Any]:
        """The request as it was sent, for the journal."""
        ...


@dataclass(frozen=True, slots=True)
class Committed:
    """A change that is known to have happened."""

    plan: Plan
    edit_id: EditId
    applied: Applied
    result: dict[str, Any]
    """The outcome; side effects add to it."""
    kept: Mapping[str, Any]
    """The form of it that is in the journal, for a caller that loses its connection."""


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
            _keep_answer(workspace, committed)
        return committed.result


def _keep_answer(workspace: Workspace, committed: Committed) -> None:
    """The journal has the answer as it came to be; but for how long effects took. Errors: FS_IO."""
    result = committed.result
    untimed = {**result, "side_effects": [{**row, "ms": 0.0} for row in result["side_effects"]]}
    if untimed != committed.kept:
        kept = outcome_for_journal(workspace.ledger, committed.plan, result)
        workspace.ledger.set_outcome(committed.edit_id, kept)


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
            return await _unbroken(_commit(workspace, request, plan, context))
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


async def _commit(workspace: Workspace, request: Request, plan: Plan, context: CallContext) -> Committed:
    ledger, caller = workspace.ledger, context.caller
    made = _folders_of(plan)
    with workspace.timings.step("journal"):
        edit_id, intended = _intend(workspace, request, plan, context, made)
    try:
        workspace.notices.burst.wrote(targets_of(plan))
        with workspace.timings.step("apply"):
            applied = await workspace.client.apply(plan.changes, edit_id=edit_id)
    except CoeditorError as error:
        if error.code is Code.FS_UNCONFIRMED or error.data.get("not_restored"):
            _lose_track(workspace, plan, edit_id, caller)
        else:
            ledger.mark_refused(edit_id)
        raise _named(plan, error) from None
    except BaseException:
        _lose_track(workspace, plan, edit_id, caller)
        raise
    remove_empty(workspace.walls, plan.emptied)
    with workspace.timings.step("record"):
        return _record_applied(workspace, plan, applied, edit_id, caller, intended)


def _intend(
    workspace: Workspace,
    request: Request,
    plan: Plan,
    context: CallContext,
    made: Mapping[TargetKey, tuple[str, ...]],
) -> tuple[EditId, tuple[FileRecord, ...]]:
    """Put the plan into the journal, with the texts that it starts from. Errors: FS_IO."""
    ledger, keep = workspace.ledger, workspace.settings.side_effects["history"]
    sent = request_for_journal(ledger, plan, json_of(dict(request.arguments())))

    def write() -> tuple[EditId, tuple[FileRecord, ...]]:
        intended = records_of(workspace, plan, keep=keep, made=made)
        keep_texts(ledger, plan)
        origin: EntryOrigin = "person" if context.person else "tool"
        edit_id = ledger.intend(
            context.caller, request.tool, intended, sent, rewinds=plan.rewinds, origin=origin
        )
        return edit_id, intended

    return ledger.durably(write)


def _record_applied(
    workspace: Workspace,
    plan: Plan,
    applied: Applied,
    edit_id: EditId,
    caller: Caller,
    intended: Sequence[FileRecord],
) -> Committed:
    """Journal and ledger say that it happened; with the outcome."""
    ledger = workspace.ledger
    result, kept = dict[str, Any](), dict[str, Any]()
    try:
        with ledger.step():
            records = as_applied(workspace, plan, applied, intended)
            result = _result(workspace, plan, applied, edit_id, records)
            kept = {**result, "warnings": [*result["warnings"]], **workspace.effects.foreseen(workspace)}
            ledger.mark_applied(edit_id, records, outcome_for_journal(ledger, plan, kept))
            if plan.undone:
                ledger.mark_rewound(edit_id, plan.undone)
            move_observations(workspace, caller, plan, applied, result)
    except CoeditorError as error:
        # The files hold the change whatever the store says; the next start settles the entry by them.
        result = result or _result(workspace, plan, applied, edit_id, ())
        result["rewindable"] = False
        result["warnings"].append(f"The change was made, but could not be recorded as done: {error.message}")
    return Committed(plan, edit_id, applied, result, kept)


def _result(
    workspace: Workspace, plan: Plan, applied: Applied, edit_id: EditId, records: Sequence[FileRecord]
) -> dict[str, Any]:
    """The outcome of what was applied and is recorded as ``records``."""
    happened = Happened(
        edit_id,
        applied.current,
        applied.saved,
        rewindable=workspace.settings.side_effects["history"] and all(is_kept(one) for one in records),
        warnings=applied.warnings,
        formatted=applied.formatted,
    )
    return _told(workspace, plan, happened)


def record_done(
    workspace: Workspace,
    tool: str,
    plan: Plan,
    applied: Applied,
    caller: Caller,
    request: str,
    *,
    origin: EntryOrigin = "native",
) -> Committed:
    """What the caller has changed by other means, recorded as if it had walked here. Errors: FS_IO."""
    ledger, keep = workspace.ledger, workspace.settings.side_effects["history"]
    records = records_of(workspace, plan, keep=keep, applied=applied)
    edit_id = ledger.intend(caller, tool, records, request_for_journal(ledger, plan, request), origin=origin)
    rewindable = keep and all(is_kept(record) for record in records)
    result = _told(workspace, plan, Happened(edit_id, applied.current, applied.saved, rewindable))
    with ledger.step():
        ledger.mark_applied(edit_id, records, outcome_for_journal(ledger, plan, result))
        move_observations(workspace, caller, plan, applied, result)
    return Committed(plan, edit_id, applied, result, {})


def _told(workspace: Workspace, plan: Plan, happened: Happened) -> dict[str, Any]:
    """The outcome, and why it cannot be taken back where that is so by the settings."""
    result = outcome(workspace, plan, happened)
    secret = withheld(workspace.ledger, plan)
    if secret:
        result["warnings"].append(sentence(secret))
    return result


def _lose_track(workspace: Workspace, plan: Plan, edit_id: EditId, caller: Caller) -> None:
    """Whether it happened cannot be told: the entry says so, and what the caller saw of the files is no proof."""
    workspace.ledger.mark_unknown(edit_id)
    workspace.ledger.forget(caller.scope, targets=targets_of(plan))


def targets_of(plan: Plan) -> set[TargetKey]:
    """Every target that a plan changes or takes away."""
    targets = {one.change.target for one in plan.files}
    return targets | {one.change.from_target for one in plan.files if one.change.from_target is not None}


def _folders_of(plan: Plan) -> dict[TargetKey, tuple[str, ...]]:
    """The folders that have to be made for the plan's files, and those that go with files that go."""
    found: dict[TargetKey, tuple[str, ...]] = {}
    for change in plan.changes:
        if change.operation in ("create", "move") and os.path.isabs(change.target):
            found[change.target] = missing_folders(change.target)
        gone = change.from_target or change.target
        emptied = (folder for folder in plan.emptied if gone.startswith(folder + os.sep))
        found[change.target] = (*found.get(change.target, ()), *emptied)
    return found


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


def _named(plan: Plan, error: CoeditorError) -> CoeditorError:
    """The error with the path as the caller spelled it."""
    target = error.data.pop("target", None)
    spelled = {one.change.target: one.path for one in plan.files}
    for one in plan.files:
        if one.change.from_target is not None and one.from_path is not None:
            spelled[one.change.from_target] = one.from_path
    name = target if isinstance(target, str) else error.file_path
    if name is not None:
        error.file_path = spelled.get(TargetKey(name), name)
    elif len(plan.files) == 1:
        error.file_path = plan.files[0].path
    return error


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
