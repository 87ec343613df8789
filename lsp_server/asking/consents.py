"""What persons agreed to and what they said no to, for as long as the server runs.

Never: consent that outlives what it was given for. A "once" is used up by the change; consent to overwrite unsaved
text is for that very text.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

from ledger.types import TargetKey, VersionToken
from lsp_server.asking.questions import Kind, Matter

_MOST = 10_000
QUIET = 60.0
"""Seconds for which a "no" is not asked again: an agent that tries on must not wear the person down."""

_Key = tuple[str, Kind, TargetKey, VersionToken | None]


class Consents:
    """Per session."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._agreed: OrderedDict[_Key, bool] = OrderedDict()
        """True where it holds for the rest of the session."""
        self._amended: dict[_Key, str] = {}
        """The person's own text, where they agreed to that."""
        self._refused: OrderedDict[_Key, float] = OrderedDict()

    def allows(self, session: str, matter: Matter) -> bool:
        """Whether the person agreed to it."""
        if matter.kind is Kind.APPROVAL and _every_approval(session) in self._agreed:
            return True
        return _key(session, matter) in self._agreed

    def amended(self, session: str, matter: Matter) -> str | None:
        """The text that the person agreed to in place of the agent's."""
        return self._amended.get(_key(session, matter))

    def agree(
        self,
        session: str,
        matters: Collection[Matter],
        *,
        lasting: bool,
        texts: Mapping[TargetKey, str] = MappingProxyType({}),
    ) -> None:
        """The person agreed: once, or (``lasting``) for the rest of the session."""
        for one in matters:
            key = _key(session, one)
            self._agreed[key] = lasting and one.kind in (Kind.CONSENT, Kind.OUTSIDE)
            self._refused.pop(key, None)
            if one.target in texts and one.editable:
                self._amended[key] = texts[one.target]
            if lasting and one.kind is Kind.APPROVAL:
                self._agreed[_every_approval(session)] = True
        while len(self._agreed) > _MOST:
            key, _ = self._agreed.popitem(last=False)
            self._amended.pop(key, None)

    def used(self, session: str, targets: Collection[TargetKey]) -> None:
        """A change of ``targets`` happened: what was agreed to once is used up."""
        if not self._agreed:
            return
        over = [
            key
            for key, lasting in self._agreed.items()
            if not lasting and key[0] == session and key[2] in targets
        ]
        for key in over:
            del self._agreed[key]
            self._amended.pop(key, None)

    def refuse(self, session: str, matters: Collection[Matter]) -> None:
        """The person said no."""
        for one in matters:
            self._refused[_key(session, one)] = self._clock()
        while len(self._refused) > _MOST:
            self._refused.popitem(last=False)

    def refused_lately(self, session: str, matter: Matter) -> bool:
        """Whether the person said no to it a moment ago."""
        moment = self._refused.get(_key(session, matter))
        return moment is not None and self._clock() < moment + QUIET


def _every_approval(session: str) -> _Key:
    """What stands for every change of the session."""
    return session, Kind.APPROVAL, TargetKey(""), None


def _key(session: str, matter: Matter) -> _Key:
    return session, matter.kind, matter.target, matter.token
