"""What a server remembers between the hooks before and after one native call.

Never: more than a bounded amount, or anything that must outlive the process.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from editor_clients.port import CurrentText, EditorClient
from ledger.types import Caller, ScopeKey, TargetKey
from lsp_server.native.copies import Copies
from lsp_server.native.joins import Joins

MOST = 500

_Key = tuple[ScopeKey, TargetKey, str | None]
"""Whose, of what, and in which call, where calls have names."""


@dataclass(slots=True)
class Pending:
    """The texts before native edits that are under way."""

    _texts: OrderedDict[_Key, CurrentText | None] = field(default_factory=OrderedDict)

    def begin(self, caller: Caller, target: TargetKey, before: CurrentText | None) -> None:
        """An edit by the agent's own tool is about to be made. One that never ended is forgotten for the next."""
        key = (caller.scope, target, caller.call_id)
        self._texts.pop(key, None)
        self._texts[key] = before
        while len(self._texts) > MOST:
            self._texts.popitem(last=False)

    def end(self, caller: Caller, target: TargetKey) -> tuple[bool, CurrentText | None]:
        """Whether it was known, and the text before."""
        key = (caller.scope, target, caller.call_id)
        return key in self._texts, self._texts.pop(key, None)


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
