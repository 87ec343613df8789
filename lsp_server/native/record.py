"""After an agent's own tool ran: what it was shown and what it changed, for ledger, history and diagnostics.

Never: a refusal. It has happened; what cannot be told for certain is not recorded.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace

from editor_clients.lines import LineIndex, split_lines
from editor_clients.port import Applied, CurrentText, FileChange
from editor_clients.replacements import line_edits, replacements_between
from ledger.errors import CoeditorError
from ledger.ranges import LineRanges, lines_in_diff
from ledger.session import Present
from ledger.types import Caller, CreateIfAbsent, ReplaceIfVersion, TargetKey, VersionToken, token_of
from lsp_server.committing import Committed, record_done
from lsp_server.hooks.events import FileUse, HookAnswer, HookEvent
from lsp_server.native import words
from lsp_server.native.uses import Use, uses_of
from lsp_server.outcomes import Plan, Planned
from lsp_server.service import CallContext
from lsp_server.wire.problem_texts import delta_text
from lsp_server.wire.texts import asides
from lsp_server.workspace import Workspace

DEFAULT_LINES = 2_000
"""What agents show of a file when nobody says how much."""


async def after(workspace: Workspace, event: HookEvent, context: CallContext) -> HookAnswer:
    """The answer to the hook after a native call: what the agent should know of it."""
    told: list[str] = []
    if event.action == "read":
        if not event.failed:
            told += [await _read(workspace, event, context.caller, one) for one in event.files]
    elif event.action == "shell":
        told += [await _changed_by_shell(workspace, event, context)]
    else:
        told += [await _edited(workspace, event, uses_of(workspace, event, context.caller), context)]
    if "tell_after" not in event.abilities:
        return HookAnswer()
    notices = await workspace.notices.due(workspace, context.caller)
    told += asides({"notices": notices})
    return HookAnswer(context="\n".join(part for part in told if part) or None)


async def _read(workspace: Workspace, event: HookEvent, caller: Caller, told: FileUse) -> str:
    copied = workspace.native.copies.of(told.path)
    if copied is not None:
        target, token, _ = copied
        text = workspace.ledger.text_of(token)
        if text is not None:
            _record_read(workspace, caller, target, token, text, told)
        return ""
    only = HookEvent(event.agent, "after", "", cwd=event.cwd, files=(told,))
    use = next(iter(uses_of(workspace, only, caller)), None)
    if use is None:
        return ""
    target, path = use.target.key, use.target.path
    workspace.notices.watch(target)
    try:
        disk = await workspace.native.disk.current(target)
        current = await workspace.client.current(target)
    except CoeditorError:
        return ""
    if disk is None or current is None:
        return ""
    was_shown = _record_read(workspace, caller, target, disk.token, disk.text, told)
    if not current.unsaved or not was_shown:
        return ""
    # With the difference before its eyes the model knows the editor's text as well.
    edits = line_edits(disk.text, current.text)
    total = LineIndex(current.text).line_count
    workspace.ledger.record_refusal(
        caller, target, current.token, total, lines_in_diff(edits).clip(total), text=current.text, moved=edits
    )
    diff = words.difference(workspace, path, disk.text, current.text)
    return words.shown_typing(path, diff, diverged=current.diverged)


def _record_read(
    workspace: Workspace, caller: Caller, target: TargetKey, token: VersionToken, text: str, told: FileUse
) -> bool:
    """Record the lines that were shown; False where it cannot be told which, or they are not this text's."""
    index = LineIndex(text)
    total = index.line_count
    first = told.first or 1
    if told.shown is not None:
        shown = [line.rstrip("\r\n") for line in split_lines(told.shown)]
        last = min(total, first + len(shown) - 1)
        if last < first:
            return total == 0
        start, end = index.span_of_lines(first, last)
        there = [line.rstrip("\r\n") for line in split_lines(text[start:end])]
        if there != shown[: len(there)] or any(shown[len(there) :]):
            return False
    else:
        last = min(total, first + (told.limit or DEFAULT_LINES) - 1)
        if last < first:
            return total == 0
    seen = workspace.ledger.observation(caller.scope, target)
    moved = None
    if isinstance(seen, Present) and seen.token != token:
        known = workspace.ledger.text_of(seen.token)
        moved = line_edits(known, text) if known is not None else None
    lines = LineRanges.of((first, last))
    workspace.ledger.record_read(caller, target, token, total, lines, text=text, moved=moved)
    return True


async def _edited(workspace: Workspace, event: HookEvent, uses: list[Use], context: CallContext) -> str:
    """Record what the call changed, and give the problems that it brought or solved."""
    spelled = {use.target.key: use.target.path for use in uses}
    planned: list[Planned] = []
    applied: dict[TargetKey, CurrentText | None] = {}
    for use in uses:
        target = use.target.key
        known, before = workspace.native.pending.end(context.caller, target)
        if not known:
            continue
        try:
            current = await _on_disk(workspace, target)
        except CoeditorError:
            continue  # it is there, but no text that could be told
        one = _planned(target, spelled[target], before, current, whole=use.act == "write")
        if one is not None:
            planned.append(one)
            applied[target] = current
        workspace.notices.watch(target)
    return await _record(workspace, event, context, planned, applied)


async def _record(
    workspace: Workspace,
    event: HookEvent,
    context: CallContext,
    planned: list[Planned],
    applied: dict[TargetKey, CurrentText | None],
) -> str:
    if not planned:
        return ""
    plan = Plan(tuple(planned), version_check="skipped")
    happened = Applied(applied, dict.fromkeys(applied, True))
    request = json.dumps({"native": event.tool, "files": [one.path for one in planned]})
    try:
        committed = record_done(workspace, event.tool, plan, happened, context.caller, request)
    except CoeditorError:
        return ""  # the store cannot be written; the files hold the change all the same
    return await _problems(workspace, committed, context)


async def _problems(workspace: Workspace, committed: Committed, context: CallContext) -> str:
    """Run the side effects; what the change brought or solved."""
    await workspace.effects.after_commit(workspace, committed, context)
    delta = committed.result.get("diagnostics") or {}
    return f"[coeditor] {delta_text(delta)}" if delta.get("new") or delta.get("resolved") else ""


async def _on_disk(workspace: Workspace, target: TargetKey) -> CurrentText | None:
    """The text that the agent's tool left, once the editor has had its moment to reload it; None for no file.

    Errors: CoeditorError where the file is there, but no text, or cannot be read.
    """
    current = await workspace.client.current(target)
    if current is not None and not current.unsaved:
        return current
    return await workspace.native.disk.current(target)


def _planned(
    target: TargetKey, path: str, before: CurrentText | None, after: CurrentText | None, *, whole: bool
) -> Planned | None:
    """The change from one text to the other; None where there is none."""
    if before is None and after is None:
        return None
    if before is None:
        assert after is not None
        change = FileChange(target, "create", CreateIfAbsent(), None, after.text, encoding=after.encoding)
    elif after is None:
        change = FileChange(target, "delete", ReplaceIfVersion(before.token), before, None)
    elif before.token == after.token:
        return None
    else:
        parts = replacements_between(before.text, after.text)
        change = FileChange(target, "update", ReplaceIfVersion(before.token), before, after.text, parts)
    return Planned(change, path, whole=whole)


async def _changed_by_shell(workspace: Workspace, event: HookEvent, context: CallContext) -> str:
    """What its command changed: as we track it, else as the agent itself saw it, of texts that the scope knows."""
    with suppress(CoeditorError):
        committed = await workspace.shell.ended(workspace, context)
        if committed is not None:
            return await _problems(workspace, committed, context)
    planned: list[Planned] = []
    applied: dict[TargetKey, CurrentText | None] = {}
    told = tuple(FileUse(path, "edit") for path in event.changed)
    after = HookEvent(event.agent, "after", "", cwd=event.cwd, files=told)
    for use in uses_of(workspace, after, context.caller):
        target = use.target.key
        seen = workspace.ledger.observation(context.caller.scope, target)
        known = workspace.ledger.text_of(seen.token) if isinstance(seen, Present) else None
        current = None
        with suppress(CoeditorError):
            current = await _on_disk(workspace, target)
        if known is None or current is None:
            continue
        before = replace(current, text=known, token=token_of(known), data=None)
        one = _planned(target, use.target.path, before, current, whole=False)
        if one is not None:
            planned.append(one)
            applied[target] = current
    return await _record(workspace, event, context, planned, applied)
