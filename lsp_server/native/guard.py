"""Before an agent's own tool runs: save, show, point elsewhere, or refuse.

Never: a change of a file, but for saving what the person typed where the person's settings say so.
"""

from __future__ import annotations

from editor_clients.port import CurrentText
from ledger.errors import Code, CoeditorError
from ledger.session import Present
from ledger.types import Caller, TargetKey
from lsp_server.hooks.events import HookAnswer, HookEvent
from lsp_server.movers import look_for_movers, moved_by
from lsp_server.native import words
from lsp_server.native.decide import decide
from lsp_server.native.uses import Use, uses_of
from lsp_server.pipeline import refuse_read_only
from lsp_server.targets import is_untitled
from lsp_server.view import View
from lsp_server.workspace import Workspace


async def before(workspace: Workspace, event: HookEvent, caller: Caller) -> HookAnswer:
    """The answer to the hook before a native call."""
    if event.action == "shell":
        return await _before_shell(workspace, event, caller)
    told: list[str] = []
    read_path = None
    uses = uses_of(workspace, event, caller)
    for use in uses:
        if workspace.native.copies.is_ours(str(use.target.key)) and use.act != "read":
            return HookAnswer(
                deny="Coeditor: this is a copy that was made for reading. Change the file itself."
            )
        answer = await _one(workspace, event, caller, use)
        if answer.deny:
            return answer
        told += [answer.context] if answer.context else []
        read_path = read_path or answer.read_path
    for use in uses:
        if use.act != "read":
            await _begin(workspace, caller, use.target.key)
    can_tell = "tell_before" in event.abilities
    return HookAnswer(context="\n".join(told) if can_tell and told else None, read_path=read_path)


async def _one(workspace: Workspace, event: HookEvent, caller: Caller, use: Use) -> HookAnswer:
    target = use.target
    if use.act != "read" and (denied := _denied(workspace, use)) is not None:
        return HookAnswer(deny=f"Coeditor: {denied.message}")
    try:
        current = await workspace.client.current(target.key)
    except CoeditorError as error:
        # Two unsaved texts, or one that is not known: not to be changed behind the person's back.
        in_editor = error.code in (Code.FS_UNSAVED_CHANGES, Code.FS_EDITOR_REFUSED)
        return HookAnswer(deny=f"Coeditor: {error.message}" if in_editor and use.act != "read" else None)
    seen = workspace.ledger.observation(caller.scope, target.key)
    saves = workspace.settings.unsaved_native == "save"
    why = None
    step = decide(use.act, current, seen, saves=saves)
    if step == "save":
        try:
            saved = await workspace.client.save(target.key)
            return HookAnswer(context=words.saved_first(saved, target.path))
        except CoeditorError as error:
            why = str(error.data.get("reason") or error.message)
            step = "show" if use.act == "read" else "refuse_unsaved"
    if step == "allow" or current is None:
        return HookAnswer()
    if step == "show":
        return _shown(workspace, event, use, current)
    if step == "refuse_stale":
        assert isinstance(seen, Present)
        view = View(workspace, caller, {target.key: current}, recording=False)
        await look_for_movers(workspace, caller, view.current)
        known = workspace.ledger.text_of(seen.token)
        diff = words.difference(workspace, target.path, known, current.text) if known is not None else ""
        return HookAnswer(deny=words.stale(event, target.path, diff, moved_by(view, target, current)))
    disk = await _disk_text(workspace, target.key)
    diff = words.difference(workspace, target.path, disk, current.text)
    return HookAnswer(deny=words.unsaved(event, use.act, target.path, diff, why))


def _shown(workspace: Workspace, event: HookEvent, use: Use, current: CurrentText) -> HookAnswer:
    """A read of unsaved text: from a copy, where the agent can be pointed there; else told after it."""
    if "redirect" not in event.abilities:
        return HookAnswer()  # the hook after the read shows the difference
    target = use.target
    try:
        copy = workspace.native.copies.make(target.key, target.path, current)
    except (OSError, CoeditorError):
        return HookAnswer()
    workspace.ledger.keep_text(target.key, current.token, current.text)
    return HookAnswer(context=words.redirected(event, target.path, copy), read_path=copy)


def _denied(workspace: Workspace, use: Use) -> CoeditorError | None:
    """The rule that forbids this change to every agent, whatever tool it takes."""
    if use.denied is not None:
        return use.denied
    try:
        refuse_read_only(workspace, {use.target.key: use.target.path})
    except CoeditorError as error:
        return error
    return None


async def _before_shell(workspace: Workspace, event: HookEvent, caller: Caller) -> HookAnswer:
    """Unsaved text is saved by policy; else the agent hears once of what its commands will not see."""
    await workspace.shell.began(workspace, caller, event.body)
    unsaved = [TargetKey(one) for one in workspace.client.describe()["unsaved"] if not is_untitled(one)]
    left: dict[str, str] = {}
    for target in unsaved:
        if workspace.settings.unsaved_native != "save":
            left[str(target)] = "not saved"
            continue
        try:
            await workspace.client.save(target)
        except CoeditorError as error:
            left[str(target)] = str(error.data.get("reason") or "not saved")
    told = workspace.native.told_unsaved
    known = told.pop(caller.scope, frozenset())
    told[caller.scope] = frozenset(left)
    while len(told) > 1_000:
        told.popitem(last=False)
    fresh = sorted(set(left) - known)
    if not fresh or "tell_before" not in event.abilities:
        return HookAnswer()
    names = ", ".join(fresh[:10]) + (f" and {len(fresh) - 10} more" if len(fresh) > 10 else "")
    return HookAnswer(
        context=f"[coeditor: the person has unsaved changes that commands do not see: {names}. "
        f"{event.name_of('read')} shows them, {event.name_of('edit')} edits them.]"
    )


async def _begin(workspace: Workspace, caller: Caller, target: TargetKey) -> None:
    """Keep what is there before the call; a file that is no text, or cannot be read, is not followed."""
    try:
        current = await workspace.client.current(target)
    except CoeditorError:
        workspace.native.pending.end(caller, target)
        return
    workspace.native.pending.begin(caller, target, current)


async def _disk_text(workspace: Workspace, target: TargetKey) -> str | None:
    try:
        found = await workspace.native.disk.current(target)
    except CoeditorError:
        return None
    return found.text if found is not None else None
