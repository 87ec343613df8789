"""What a plan may look at, and the only traces that it may leave: what a refusal showed.

Never: a change of any file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from editor_clients.port import CurrentText
from ledger.errors import CoeditorError
from ledger.ranges import LineRanges
from ledger.session import Observation
from ledger.types import Caller, LineEdit, TargetKey
from lsp_server.asking.questions import Kind, Matter, Want
from lsp_server.workspace import Workspace


@dataclass(frozen=True, slots=True)
class View:
    """The state inside the critical section, for one caller."""

    workspace: Workspace
    caller: Caller
    current: Mapping[TargetKey, CurrentText | None]
    recording: bool = True
    """False for a dry run, which leaves the ledger as it was."""
    raced: bool = False
    """The request was on its way already when somebody typed or wrote, and is held against the texts again."""
    wants: list[Want] = field(default_factory=list)
    """What a person has to agree to before the plan may be carried out."""
    wanted: dict[TargetKey, Callable[[str], str | None]] = field(default_factory=dict)
    """From the text that was seen to the one that the request would make of it; None where it does not fit."""

    def observation(self, target: TargetKey) -> Observation:
        """What the caller's scope last saw."""
        return self.workspace.ledger.observation(self.caller.scope, target)

    @property
    def may_overwrite_unsaved(self) -> bool:
        """Whether a plan over unsaved text may be carried out, once what it ``wants`` is agreed to."""
        return self.workspace.settings.overwrite_unsaved in ("ask", "allow")

    def want_overwrite(
        self, target: TargetKey, path: str, current: CurrentText, verb: str, refusal: CoeditorError
    ) -> None:
        """The plan goes over unsaved text: without a person's consent it ends in ``refusal``."""
        matter = Matter(Kind.OVERWRITE, target, path, verb, current.token)
        if not self.workspace.consents.allows(self.caller.scope.session, matter):
            self.wants.append(Want(matter, refusal))

    def knows_divergence(self, target: TargetKey, current: CurrentText) -> bool:
        """Whether the caller's scope was told of the text that is on disk below this unsaved one."""
        told = self.workspace.divergences
        key = (self.caller.scope, target)
        return not current.diverged or (key in told and told[key] == current.disk_token)

    def told_divergence(self, target: TargetKey, current: CurrentText) -> None:
        """An answer told the caller of the text on disk below."""
        if self.recording and current.diverged:
            self.workspace.divergences[self.caller.scope, target] = current.disk_token

    def refused(
        self,
        target: TargetKey,
        current: CurrentText,
        total: int,
        shown: LineRanges,
        moved: Sequence[LineEdit] | None,
    ) -> None:
        """A refusal told the caller of ``current`` and showed it ``shown``."""
        if self.recording:
            self.workspace.ledger.record_refusal(
                self.caller, target, current.token, total, shown, text=current.text, moved=moved
            )

    def shown(self, target: TargetKey, current: CurrentText, total: int, shown: LineRanges) -> None:
        """An answer showed lines of ``current``."""
        if self.recording:
            self.workspace.ledger.record_shown(self.caller, target, current.token, total, shown)

    def missed(self, target: TargetKey) -> int:
        """An edit found nothing to replace; gives how many did so in a row."""
        return self.workspace.misses.missed(self.caller.scope, target) if self.recording else 0

    def absent(self, target: TargetKey) -> None:
        """An answer told the caller that nothing is there."""
        if self.recording:
            self.workspace.ledger.record_absent(self.caller.scope, target)
