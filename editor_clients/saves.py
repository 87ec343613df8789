"""What was saved in an editor, and what its formatter made of a text while it saved.

Never: a formatter where somebody may have typed: only one change between the editor's word that it is going to save
and its word that it has counts.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from ledger.types import TargetKey, VersionToken

_MOST = 1_000


@dataclass(frozen=True, slots=True)
class Saved:
    """The last save of one target."""

    token: VersionToken
    """The text that was saved."""
    formatted_from: VersionToken | None = None
    """The text before, where the editor changed it in the course of saving."""


class Saves:
    """The last saves of an editor."""

    def __init__(self) -> None:
        self._saved: OrderedDict[TargetKey, Saved] = OrderedDict()
        self._begun: dict[str, tuple[VersionToken, int]] = {}

    def begin(self, uri: str, token: VersionToken) -> None:
        """The editor is about to save the document, whose text is ``token`` now."""
        self._begun[uri] = (token, 0)

    def changed(self, uri: str) -> None:
        """The document changed."""
        if uri in self._begun:
            token, count = self._begun[uri]
            self._begun[uri] = (token, count + 1)

    def done(self, uri: str, target: TargetKey | None, token: VersionToken) -> None:
        """It was saved with the text ``token``."""
        before, changes = self._begun.pop(uri, (token, 0))
        if target is None:
            return
        self._saved[target] = Saved(token, before if changes == 1 and before != token else None)
        self._saved.move_to_end(target)
        if len(self._saved) > _MOST:
            self._saved.popitem(last=False)

    def forget(self, uri: str) -> None:
        """The document was closed."""
        self._begun.pop(uri, None)

    def find(self, target: TargetKey, token: VersionToken) -> Saved | None:
        """The last save, if it was of the text ``token``."""
        found = self._saved.get(target)
        return found if found is not None and found.token == token else None
