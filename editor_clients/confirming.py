"""Whether an edit really is in a buffer: what the editor's own change notifications showed since it was sent.

Never: taking an answer for a text. An answer comes before the change that it is about, or without one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from editor_clients.overlay import Buffer
from editor_clients.replacements import replacements_between

_KEPT = 16
"""Texts of one document that are remembered while an edit is under way."""


class Watch:
    """Every text that one document had since a moment."""

    def __init__(self, before: Buffer, wanted: str) -> None:
        self.before = before
        self.wanted = wanted
        self.closed = False
        self._texts: deque[Buffer] = deque(maxlen=_KEPT)

    def note(self, buffer: Buffer | None) -> None:
        """The document changed; None when it was closed."""
        if buffer is None or buffer.epoch != self.before.epoch:
            self.closed = True
        else:
            self._texts.append(buffer)

    @property
    def latest(self) -> Buffer:
        """The newest text, or the one from before."""
        return self._texts[-1] if self._texts else self.before

    @property
    def moved(self) -> bool:
        """Whether anything happened to the document."""
        return self.closed or bool(self._texts)

    def seen(self) -> str | None:
        """The wanted text when the edit is known to be in the document, else None."""
        for buffer in self._texts:
            if buffer.text == self.wanted:
                return self.wanted
        if self._texts and includes_edit(self.before.text, self.wanted, self.latest.text):
            return self.wanted
        return None

    def found(self, wanted: Callable[[Buffer], bool]) -> Buffer | None:
        """The first state of the document that was as ``wanted``."""
        return next((buffer for buffer in self._texts if wanted(buffer)), None)

    def left_out(self) -> bool:
        """Whether the edit certainly is not in the document: it is the text before, with changes elsewhere.

        Of one that was closed nobody can tell: it may have been saved first.
        """
        return not self.closed and includes_edit(self.wanted, self.before.text, self.latest.text)

    def with_hash(self, wanted: str) -> str | None:
        """The text with this hash, if the document had it."""
        return next((one.text for one in self._texts if one.hash == wanted), None)


class News:
    """Lets tasks wait for what documents are going to hold."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Event] = set()

    def tell(self) -> None:
        """Something happened to some document: every condition is looked at again."""
        for event in self._waiting:
            event.set()

    async def until(self, condition: Callable[[], bool], seconds: float | None) -> bool:
        """Wait until ``condition`` holds, which is looked at after every change; whether it does at the end.

        ``seconds``: at most; None for as long as it takes.
        """
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    event.clear()
                    await event.wait()
        except TimeoutError:
            return condition()
        finally:
            self._waiting.discard(event)
        return True


def includes_edit(before: str, wanted: str, found: str) -> bool:
    """Whether ``found`` is ``wanted`` with changes elsewhere: an edit to which somebody typed at once.

    Also true of changes that an editor sends together with the edit. Where the further changes touch what the
    edit made, nobody can tell, and the answer is no.
    """
    if found == wanted:
        return True
    if found == before:
        return False
    edited = []
    shift = 0
    for one in replacements_between(before, wanted):
        start = one.start + shift
        edited.append((start, start + len(one.text)))
        shift += len(one.text) - (one.end - one.start)
    further = replacements_between(wanted, found)
    return not any(one.start <= end and start <= one.end for start, end in edited for one in further)
