"""What a scope knows after an edit of its own: what it sent, and what the answer shows of the rest.

Never: a line as shown that the answer left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from editor_clients.lines import count_lines_of
from editor_clients.port import Applied
from editor_clients.replacements import line_edits
from ledger.ranges import NONE, LineRanges, Span, lines_written
from ledger.session import Present
from ledger.types import Caller, LineEdit, TargetKey, token_of
from lsp_server.outcomes import Plan, Planned
from lsp_server.workspace import Workspace


def move_observations(
    workspace: Workspace, caller: Caller, plan: Plan, applied: Applied, result: Mapping[str, Any]
) -> None:
    """The caller's observations stand at what ``plan`` made. ``result``: the answer, as the caller gets it."""
    has_diff = not result.get("diff_truncated", False)
    for one in plan.files:
        if _is_gone(workspace, caller, one, applied):
            continue
        _moved(workspace, caller, one, applied, has_diff=has_diff)
        if one.change.target in applied.formatted:
            _formatted(workspace, caller, one.change.target, applied, has_diff=has_diff)
    if plan.amended and not has_diff:
        # What the person made of it was cut in the answer: the caller has to look.
        workspace.ledger.forget(caller.scope, targets={one.target for one in plan.amended})


def _is_gone(workspace: Workspace, caller: Caller, one: Planned, applied: Applied) -> bool:
    workspace.misses.ended(caller.scope, one.change.target)
    if applied.current.get(one.change.target) is not None:
        return False
    workspace.ledger.record_absent(caller.scope, one.change.target)
    return True


def _moved(workspace: Workspace, caller: Caller, one: Planned, applied: Applied, *, has_diff: bool) -> None:
    """The observation stands at the text that the caller asked for."""
    ledger, change = workspace.ledger, one.change
    after = applied.current[change.target]
    assert after is not None
    made, formatted = applied.formatted.get(change.target, (after.text, None))
    token = after.token if formatted is None else token_of(made)
    total = _total(workspace, caller, one, made)
    if change.before is None:
        ledger.record_created(caller, change.target, token, total, text=made)
        return
    if change.from_target is not None:
        ledger.record_move(
            caller, change.from_target, change.target, token, total, one.edits, text=made, in_diff=has_diff
        )
        return
    base = change.before.token
    seen = ledger.observation(caller.scope, change.target)
    moved = None
    if isinstance(seen, Present) and seen.token != base and not one.whole:
        # A merge, or a change that was not looked at: what was seen moved before the edit came.
        known = ledger.text_of(seen.token)
        moved = line_edits(known, change.before.text) if known is not None else None
    known_before = seen.shown if isinstance(seen, Present) and seen.token == base else NONE
    ledger.record_own_edit(
        caller,
        change.target,
        token,
        total,
        one.edits,
        text=made,
        base=base,
        moved=moved,
        whole=one.whole,
        hidden=NONE if has_diff or one.whole else _guessed(one.edits, known_before),
        in_diff=has_diff,
    )


def _total(workspace: Workspace, caller: Caller, one: Planned, made: str) -> int:
    """The lines of the text after; by what changed, where it is known how many there were."""
    before = one.change.before
    seen = workspace.ledger.observation(caller.scope, one.change.from_target or one.change.target)
    if (
        before is not None
        and isinstance(seen, Present)
        and seen.token == before.token
        and made == one.change.after
    ):
        return seen.total + sum(edit.added - edit.removed for edit in one.edits)
    return count_lines_of(made)


def _formatted(
    workspace: Workspace, caller: Caller, target: TargetKey, applied: Applied, *, has_diff: bool
) -> None:
    """What the editor's formatter made of it is in the answer, and so before the caller's eyes as well."""
    made, text = applied.formatted[target]
    after = applied.current[target]
    assert after is not None
    edits = line_edits(made, text)
    workspace.ledger.record_own_edit(
        caller,
        target,
        after.token,
        count_lines_of(text),
        edits,
        text=text,
        base=token_of(made),
        hidden=NONE if has_diff else lines_written(edits),
        in_diff=has_diff,
    )


def _guessed(edits: Sequence[LineEdit], known: LineRanges) -> LineRanges:
    """Lines that were changed in part, of which the rest was never shown."""
    found: list[Span] = []
    shift = 0
    for edit in edits:
        before = LineRanges.of((edit.first, edit.first + edit.removed - 1))
        if edit.added == edit.removed:
            found += [(first + shift, last + shift) for first, last in before.minus(known)]
        elif not known.includes(before):
            found.append((edit.first + shift, edit.first + shift + edit.added - 1))
        shift += edit.added - edit.removed
    return LineRanges.merged(found)
