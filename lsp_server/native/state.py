"""What a server remembers between the hooks before and after one native call.

Never: more than a bounded amount, or anything that must outlive the process.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from editor_clients.port import CurrentText, EditorClient
from ledger.types import ScopeKey, TargetKey
from lsp_server.native.copies import Copies
from lsp_server.native.joins import Joins

MOST = 500


@dataclass(slots=True)
class Pending:
    """The texts before native edits that are under way."""

    _texts: OrderedDict[tuple[ScopeKey, TargetKey], CurrentText | None] = field(default_factory=OrderedDict)

    def begin(self, scope: ScopeKey, target: TargetKey, before: CurrentText | None) -> None:
        """An edit by the agent's own tool is about to be made; of two at once the first text counts."""
        self._texts.setdefault((scope, target), before)
        while len(self._texts) > MOST:
            self._texts.popitem(last=False)

    def end(self, scope: ScopeKey, target: TargetKey) -> tuple[bool, CurrentText | None]:
        """Whether it was known, and the text before."""
        known = (scope, target) in self._texts
        return known, self._texts.pop((scope, target), None)


@dataclass(slots=True)
class NativeState:
    """Of one server."""

    disk: EditorClient
    """The texts on disk, whatever an editor has open above them."""
    copies: Copies
    joins: Joins = field(default_factory=Joins)
    pending: Pending = field(default_factory=Pending)
    told_unsaved: OrderedDict[ScopeKey, frozenset[str]] = field(default_factory=OrderedDict)
    """The unsaved files that each scope was told of before a shell command."""
