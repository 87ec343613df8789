"""May this request touch this target now? The ledger's decision, held against the current text.

The policy comes with the workspace; nothing here or in a tool knows which one it is.

Runs inside the critical section, after the current text was taken and before any text matching.

Never: I/O, or a change of anything but the observation that a refusal leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, assert_never

from editor_clients.port import CurrentText
from ledger.errors import Code, CoeditorError
from ledger.policy import Refusal
from ledger.session import Observation, Present
from ledger.types import (
    CreateIfAbsent,
    Operation,
    Precondition,
    ReplaceCurrent,
    ReplaceIfVersion,
    VersionToken,
)
from lsp_server import refusals
from lsp_server.conflicts import conflict
from lsp_server.refusals import PlaceMeant
from lsp_server.targets import Target
from lsp_server.view import View

_OVERWRITES = MappingProxyType(
    {Operation.WRITE: "overwrite", Operation.PATCH_DELETE: "delete", Operation.MOVE_SOURCE: "move"}
)
"""What throws away a whole text, with the word for it."""
_OF_TEXT = frozenset({Operation.WRITE, Operation.EDIT, Operation.PATCH_UPDATE})


@dataclass(frozen=True, slots=True)
class Checked:
    """A target that may be touched, and on what condition."""

    precondition: Precondition
    version_check: Literal["passed", "skipped"]
    merge_base: str | None = None
    """The text that the scope saw, when its hunks are to be rebased over what changed since."""
    exact_only: bool = False
    """The text moved since it was seen; only a unique exact match is proof enough."""


def check(
    view: View,
    operation: Operation,
    target: Target,
    meant: PlaceMeant | None = None,
    *,
    creates: bool = False,
    by_cells: bool = False,
    keeps_unsaved: bool = False,
) -> Checked:
    """The precondition under which ``operation`` may go on; ``creates``: an edit that may make the file.

    ``by_cells``: the edit is one of a notebook's cells, not of the text of its file. ``keeps_unsaved``: what is
    unsaved is in the new text, as far as the caller saw it.
    Errors: INVALID_ARGUMENT for another edit of a notebook that an editor has open, FS_NOT_OBSERVED,
    FS_PARTIALLY_OBSERVED, FS_NOT_FOUND, FS_ALREADY_EXISTS, FS_STALE_VERSION, FS_UNSAVED_CHANGES; each with the
    data that the retry needs.
    """
    current = view.current[target.key]
    if current is not None and current.notebook and operation in _OF_TEXT and not by_cells:
        raise refusals.open_notebook(target)
    seen = view.observation(target.key)
    decision = view.workspace.decide(operation, seen, creates=creates)
    match decision:
        case Refusal():
            raise _refused(view, operation, target, current, seen, decision, meant)
        case CreateIfAbsent():
            if current is None:
                return Checked(decision, "skipped")
            if operation in (Operation.PATCH_ADD, Operation.MOVE_DESTINATION):
                raise _exists(target)
            raise _unseen(view, operation, target, current, meant)
        case ReplaceCurrent():
            return _check_unseen_current(view, operation, target, current, creates=creates)
        case ReplaceIfVersion(token):
            if current is None:
                raise refusals.vanished(view, target)
            if current.token == token:
                if not view.knows_divergence(target.key, current):
                    raise refusals.moved(view, target, current, token, meant)
                if not keeps_unsaved:
                    _refuse_overwrite_of_unsaved(view, operation, target, current)
                return Checked(decision, "passed")
            return _moved(view, operation, target, current, token, meant)
        case _:
            assert_never(decision)


def _check_unseen_current(
    view: View, operation: Operation, target: Target, current: CurrentText | None, *, creates: bool
) -> Checked:
    """The gate is off: the version met here is the precondition."""
    if current is None:
        if creates or operation is Operation.WRITE:
            return Checked(CreateIfAbsent(), "skipped")
        raise refusals.not_found(view, target)
    _refuse_overwrite_of_unsaved(view, operation, target, current)
    return Checked(ReplaceIfVersion(current.token), "skipped")


def _refused(
    view: View,
    operation: Operation,
    target: Target,
    current: CurrentText | None,
    seen: Observation,
    refusal: Refusal,
    meant: PlaceMeant | None,
) -> CoeditorError:
    if current is None:
        known = isinstance(seen, Present)
        return refusals.vanished(view, target) if known else refusals.not_found(view, target)
    if refusal.code is Code.FS_ALREADY_EXISTS:
        return _exists(target)
    if isinstance(seen, Present) and current.token != seen.token:
        return refusals.moved(view, target, current, seen.token, meant)
    if refusal.code is Code.FS_PARTIALLY_OBSERVED:
        return CoeditorError(
            Code.FS_PARTIALLY_OBSERVED,
            f"Only a part of {target.path} was shown to you, so overwriting it could lose what you have not "
            f"seen. Read the missing lines ({refusal.missing}) first, or use edit.",
            file_path=target.path,
            data={"missing": refusal.missing.pairs(), "version": current.token},
        )
    # Also a target that was looked for and missing, and is there now: it is new to this scope.
    return _unseen(view, operation, target, current, meant)


def _unseen(
    view: View, operation: Operation, target: Target, current: CurrentText, meant: PlaceMeant | None
) -> CoeditorError:
    if operation in _OVERWRITES:
        why = f"{target.path} exists and you have not read it. Read it first, then send the request again."
    else:
        why = (
            f"{target.path} exists and you have not read it. The lines that the edit seems to mean are shown; "
            "send it again if it is right, or read the file first."
        )
    return refusals.not_observed(view, target, current, meant, why)


def _exists(target: Target) -> CoeditorError:
    return CoeditorError(
        Code.FS_ALREADY_EXISTS,
        f"{target.path} exists already. Update it instead, delete it in the same patch, or choose another name.",
        file_path=target.path,
    )


def _moved(
    view: View,
    operation: Operation,
    target: Target,
    current: CurrentText,
    seen: VersionToken,
    meant: PlaceMeant | None,
) -> Checked:
    """The text is not at the version seen: refuse, unless a setting lets an edit go on."""
    settings = view.workspace.settings
    if operation in (Operation.EDIT, Operation.PATCH_UPDATE):
        if settings.on_conflict == "merge" and view.knows_divergence(target.key, current):
            base = view.workspace.ledger.text_of(seen)
            if base is not None and not (current.unsaved and settings.unsaved == "always-conflicts"):
                return Checked(ReplaceIfVersion(current.token), "passed", merge_base=base)
        if operation is Operation.EDIT and settings.staleness == "on-miss" and not current.unsaved:
            return Checked(ReplaceIfVersion(current.token), "skipped", exact_only=True)
    raise refusals.moved(view, target, current, seen, meant)


def _refuse_overwrite_of_unsaved(
    view: View, operation: Operation, target: Target, current: CurrentText
) -> None:
    if not current.unsaved:
        return
    settings = view.workspace.settings
    verb = _OVERWRITES.get(operation)
    overwrites = verb is not None and settings.overwrite_unsaved != "allow"
    if not overwrites and settings.unsaved != "always-conflicts":
        return
    refusal = CoeditorError(
        Code.FS_UNSAVED_CHANGES,
        f"{target.path} has unsaved changes in the editor. Ask the person to save or discard them, or use "
        "edit on the lines you mean.",
        file_path=target.path,
        data={"moved_by": "user-unsaved", "version": current.token},
    )
    saved = view.workspace.ledger.text_of(current.disk_token) if current.disk_token is not None else None
    refusal.data["conflict"] = conflict(view, target.key, "overwrite", saved, current.text)
    if verb is None or settings.overwrite_unsaved != "ask":
        raise refusal
    view.want_overwrite(target.key, target.path, current, verb, refusal)
