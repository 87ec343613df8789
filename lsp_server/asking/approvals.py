"""With ``approval = "always"``, a person agrees to each change of an agent before it is made.

Agreement is for these very texts: where one moves while the person thinks, they are asked about what it would be then.
Where they change what the agent wanted before they agree, their text is the one that is made, and the agent is told.

Never: a change, or a question about what the person does.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from editor_clients.lines import eol_of
from editor_clients.replacements import replacements_between
from ledger.errors import Code, CoeditorError
from ledger.types import Caller, VersionToken, token_of
from lsp_server.asking.questions import Answer, ConsentNeededError, Kind, Matter, Want, denied
from lsp_server.outcomes import Amendment, Plan, Planned

if TYPE_CHECKING:
    from lsp_server.workspace import Workspace

_VERBS = {"create": "create", "delete": "delete", "move": "move"}
_PLAIN_ENDS = ("lf", "crlf", "none")
"""An editor's own text has one kind of line end, so others would not come back as they were."""


def approved(workspace: Workspace, plan: Plan, caller: Caller) -> Plan:
    """The plan as the person agreed to it, with their texts where they changed the agent's.

    Errors: a ConsentNeededError where nobody has agreed to these changes yet; FS_DENIED where they left nothing of
    them.
    """
    if workspace.settings.approval != "always":
        return plan
    session = caller.scope.session
    matters = [_matter(plan, one) for one in plan.files]
    wants = [Want(one, _refusal(one)) for one in matters if not workspace.consents.allows(session, one)]
    if wants:
        raise ConsentNeededError(wants)
    texts = [workspace.consents.amended(session, one) for one in matters]
    if all(text is None for text in texts):
        return plan
    files: list[Planned] = []
    amendments: list[Amendment] = []
    for one, text in zip(plan.files, texts, strict=True):
        if text is not None:
            amendments.append(Amendment(one.change.target, one.path, one.change.after or "", text))
        if text is None or not _is_untouched(one, text):
            files.append(one if text is None else _with(one, text))
    if not files:
        raise denied(Want(matters[0], _refusal(matters[0])), Answer.NO)
    return replace(plan, files=tuple(files), amended=tuple(amendments))


def _with(one: Planned, text: str) -> Planned:
    """The same change with another text; what the caller sent is no longer the whole of it."""
    before = one.change.before
    replacements = () if before is None else replacements_between(before.text, text)
    change = replace(one.change, after=text, replacements=replacements, raw=None)
    return replace(one, change=change, whole=False, found=None)


def _is_untouched(one: Planned, text: str) -> bool:
    """Whether the person put everything back as it was."""
    before = one.change.before
    return one.change.operation == "update" and before is not None and before.text == text


def _matter(plan: Plan, one: Planned) -> Matter:
    change = one.change
    before = change.before.text if change.before is not None else None
    parts = [change.operation, str(change.from_target), str(before), str(change.after)]
    token = VersionToken(token_of("\0".join(parts)))
    verb = _VERBS.get(change.operation, "change")
    editable = change.after is not None and _is_editable(plan, one, change.after)
    return Matter(
        Kind.APPROVAL,
        change.target,
        one.path,
        verb,
        token,
        before=before,
        after=change.after,
        editable=editable,
    )


def _is_editable(plan: Plan, one: Planned, after: str) -> bool:
    """Whether another text would still be what was asked for: what is taken back is taken back as it was."""
    is_rewind = plan.rewinds is not None or plan.puts_back
    return not is_rewind and not one.path.endswith(".ipynb") and eol_of(after) in _PLAIN_ENDS


def _refusal(matter: Matter) -> CoeditorError:
    return CoeditorError(
        Code.FS_DENIED,
        f"The person wants to agree to each change before it is made (approval), and nobody can be asked about "
        f"{matter.path} now. Nothing was changed; tell the person what you would change.",
        file_path=matter.path,
        data={"rule": "approval"},
    )
