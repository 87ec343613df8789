"""What a refusal tells of a conflict: the text as it was seen, as it is now, and as the caller wanted it.

::

    unsaved      the person typed, and has not saved           FS_UNSAVED_CHANGES
    typing       the same, at the very moment of the edit      FS_UNSAVED_CHANGES
    overwrite    a whole text over unsaved typing              FS_UNSAVED_CHANGES
    views        several documents, unsaved and not the same   FS_UNSAVED_CHANGES
    saved        the person saved it in the editor             FS_STALE_VERSION
    diverged     unsaved, and the disk moved below it          FS_STALE_VERSION
    moved        anybody else: another agent, git, a program   FS_STALE_VERSION

Never: a decision, or more text than a refusal may show.
"""

from __future__ import annotations

from typing import Any, Final

from editor_clients.port import CurrentText
from ledger.types import TargetKey
from lsp_server.edits.three_way import regions_of, shown
from lsp_server.view import View

KINDS: Final = ("unsaved", "typing", "overwrite", "views", "saved", "diverged", "moved")

_LARGEST: Final = 4 << 20
"""Characters of a text up to which its changes are laid side by side: a refusal must not take long."""


def kind_of(view: View, current: CurrentText, mover: str) -> str:
    """Which conflict it is that the text is not the one that was seen."""
    if current.diverged:
        return "diverged"
    if mover == "user-unsaved":
        return "typing" if view.raced else "unsaved"
    return "saved" if mover == "user-saved" else "moved"


def conflict(view: View, target: TargetKey, kind: str, base: str | None, theirs: str) -> dict[str, Any]:
    """``data.conflict``: its kind and, where the text that was seen is kept, the three texts at each changed place."""
    found: dict[str, Any] = {"kind": kind}
    if base is None or max(len(base), len(theirs)) > _LARGEST:
        return found
    wanted = view.wanted.get(target)
    yours = wanted(base) if wanted is not None else None
    if view.recording:
        view.workspace.conflicts.put_sides(view.caller.scope, target, base, yours)
    regions = regions_of(base, theirs, base if yours is None else yours)
    chars = view.workspace.settings.limit("refusal_chars")
    return found | shown(regions, base, theirs, yours, chars=chars)
