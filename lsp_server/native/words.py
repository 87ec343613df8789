"""What agents are told about their own tools.

Never: a decision.
"""

from __future__ import annotations

from editor_clients.diffs import FileDiff, cut_diff, unified_diff
from editor_clients.lines import count_lines_of
from editor_clients.port import CurrentText
from lsp_server.hooks.events import HookEvent
from lsp_server.native.decide import Act
from lsp_server.workspace import Workspace

MOST_DIFF = 4_000
"""Characters of a difference in one of these texts."""


def difference(workspace: Workspace, path: str, before: str | None, after: str) -> str:
    """From one text to the other, as a diff that is cut where it is long."""
    name = workspace.name_in_diff(path)
    whole = unified_diff([FileDiff(name, name, before or "", after)])
    shown, truncated = cut_diff(whole, MOST_DIFF)
    return f"{shown}\n[coeditor: there is more]" if truncated else shown


def unsaved(event: HookEvent, act: Act, path: str, diff: str, why: str | None = None) -> str:
    """Why a native call over unsaved typing must not run."""
    what = {
        "edit": f"{path} has unsaved changes in the person's editor, which {event.tool} does not see.",
        "write": f"{path} has unsaved changes in the person's editor; {event.tool} would lose them.",
        "delete": f"{path} has unsaved changes in the person's editor; deleting it would lose them.",
        "read": "",
    }[act]
    if why:
        what += f" They could not be saved first: {why}."
    how = (
        "Ask the person before you delete it."
        if act == "delete"
        else f"Read it with {event.name_of('read')} and change it with {event.name_of('edit')} (Coeditor), which "
        "edit the unsaved text."
    )
    shown = f"\nWhat is unsaved (from the file on disk to the editor):\n{diff}" if diff else ""
    return f"Coeditor: {what} {how}{shown}"


def stale(event: HookEvent, path: str, diff: str, mover: str) -> str:
    """Why a whole file must not be written over a text that the agent has not seen."""
    who = {"external": "by another process", "user-saved": "by the person"}.get(mover, f"by {mover}")
    shown = f"\nWhat changed:\n{diff}" if diff else ""
    return (
        f"Coeditor: {path} changed since you read it, {who}; {event.tool} would lose that. Read it again, then "
        f"write it again or use {event.name_of('edit')}.{shown}"
    )


def shown_typing(path: str, diff: str, *, diverged: bool) -> str:
    """Beside the text of a file that was read from disk: what the person has typed since."""
    more = " The file on disk changed below it as well; only the person can settle that." if diverged else ""
    return (
        f"[coeditor: {path} has unsaved changes in the person's editor. What was read is the file on disk; the "
        f"current text differs by this:{more}]\n{diff}"
    )


def redirected(event: HookEvent, path: str, copy: str) -> str:
    """Beside a read that was pointed at a copy."""
    return (
        f"[coeditor: {path} has unsaved changes in the person's editor; what you are shown is the editor's current "
        f"text, by way of a copy ({copy}). Change {path}, never the copy, with {event.name_of('edit')}.]"
    )


def saved_first(current: CurrentText | None, path: str) -> str:
    """Beside a call before which the person's typing was saved."""
    lines = f" ({count_lines_of(current.text)} lines now)" if current is not None else ""
    return f"[coeditor: the person's unsaved changes in {path} were saved first{lines}]"
