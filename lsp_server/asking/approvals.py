"""With ``approval = "always"``, a person agrees to each change of an agent before it is made.

Agreement is for these very texts: where one moves while the person thinks, they are asked about what it would be then.
Never: a change, or a question about what the person does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ledger.errors import Code, CoeditorError
from ledger.types import Caller, VersionToken, token_of
from lsp_server.asking.questions import ConsentNeededError, Kind, Matter, Want
from lsp_server.outcomes import Planned

if TYPE_CHECKING:
    from lsp_server.workspace import Workspace

_VERBS = {"create": "create", "delete": "delete", "move": "move"}


def refuse_unapproved(workspace: Workspace, files: Sequence[Planned], caller: Caller) -> None:
    """Errors: a ConsentNeededError where nobody has agreed to these changes yet."""
    if workspace.settings.approval != "always":
        return
    session = caller.scope.session
    matters = [_matter(one) for one in files]
    wants = [Want(one, _refusal(one)) for one in matters if not workspace.consents.allows(session, one)]
    if wants:
        raise ConsentNeededError(wants)


def _matter(one: Planned) -> Matter:
    change = one.change
    before = change.before.text if change.before is not None else None
    parts = [change.operation, str(change.from_target), str(before), str(change.after)]
    token = VersionToken(token_of("\0".join(parts)))
    verb = _VERBS.get(change.operation, "change")
    return Matter(Kind.APPROVAL, change.target, one.path, verb, token, before=before, after=change.after)


def _refusal(matter: Matter) -> CoeditorError:
    return CoeditorError(
        Code.FS_DENIED,
        f"The person wants to agree to each change before it is made (approval), and nobody can be asked about "
        f"{matter.path} now. Nothing was changed; tell the person what you would change.",
        file_path=matter.path,
        data={"rule": "approval"},
    )
