"""From a plan to a change that is made and recorded.

    journal *intended* -> apply with the preconditions at the authority -> read back -> journal *applied* (or
    *refused*, *unknown*) -> the observations move

The caller holds the locks. Never: a plan that is made or changed here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editor_clients.folders import missing_folders, remove_empty
from editor_clients.port import Applied
from ledger.errors import Code, CoeditorError
from ledger.types import Caller, EditId, EntryOrigin, FileRecord, TargetKey
from lsp_server.completing import keep_texts
from lsp_server.file_records import as_applied, is_kept, records_of
from lsp_server.outcomes import Happened, Plan, outcome
from lsp_server.own_edits import move_observations
from lsp_server.service import CallContext
from lsp_server.withheld import (
    json_of,
    outcome_for_journal,
    request_for_journal,
    sentence,
    withheld,
)
from lsp_server.workspace import Workspace


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


async def commit(
    workspace: Workspace, plan: Plan, context: CallContext, *, tool: str, arguments: Mapping[str, Any]
) -> Committed:
    """The plan is made at its authority, and recorded; the caller holds the locks of all its targets.

    ``arguments``: the request as it was sent, for the journal. Errors: those of ``EditorClient.apply``, with the
    paths as the caller spelled them, and FS_IO of the journal before anything is changed. Where it cannot be told
    whether the change happened, the entry is *unknown* and the caller's observations are dropped.
    """
    ledger, caller = workspace.ledger, context.caller
    made = _folders_of(plan)
    with workspace.timings.step("journal"):
        edit_id, intended = _intend(workspace, plan, context, made, tool, arguments)
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
    plan: Plan,
    context: CallContext,
    made: Mapping[TargetKey, tuple[str, ...]],
    tool: str,
    arguments: Mapping[str, Any],
) -> tuple[EditId, tuple[FileRecord, ...]]:
    """Put the plan into the journal, with the texts that it starts from. Errors: FS_IO."""
    ledger, keep = workspace.ledger, workspace.settings.side_effects["history"]
    sent = request_for_journal(ledger, plan, json_of(dict(arguments)))

    def write() -> tuple[EditId, tuple[FileRecord, ...]]:
        intended = records_of(workspace, plan, keep=keep, made=made)
        keep_texts(ledger, plan)
        origin: EntryOrigin = "person" if context.person else "tool"
        edit_id = ledger.intend(context.caller, tool, intended, sent, rewinds=plan.rewinds, origin=origin)
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


def keep_answer(workspace: Workspace, committed: Committed) -> None:
    """The journal has the answer as it came to be; but for how long effects took. Errors: FS_IO."""
    result = committed.result
    untimed = {**result, "side_effects": [{**row, "ms": 0.0} for row in result["side_effects"]]}
    if untimed != committed.kept:
        kept = outcome_for_journal(workspace.ledger, committed.plan, result)
        workspace.ledger.set_outcome(committed.edit_id, kept)


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
