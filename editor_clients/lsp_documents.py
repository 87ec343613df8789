"""The documents that one language server has open, and what it has said about each.

A document's state belongs to the text shown last; a report about an older text is never taken for it.

Never: processes, requests, or waiting; the caller brings the clock.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from editor_clients.diagnostic import Diagnostic
from editor_clients.lines import PositionEncoding
from editor_clients.loose_json import as_list
from editor_clients.lsp_diagnostics import diagnostics_from
from editor_clients.settling import Pace
from ledger.types import VersionToken, token_of

_ARRIVALS_KEPT = 50
_ELSEWHERE_KEPT = 200
_ELSEWHERE_ITEMS = 50


@dataclass(slots=True, eq=False)
class Document:
    """One text as a server has it."""

    path: str
    uri: str
    text: str = ""
    token: VersionToken | None = None
    """Of ``text``; None until a text was shown."""
    version: int = 0
    """LSP's; it never goes back, not even when the server is started again."""
    epoch: int = 0
    """The state of the server's other documents to which the report belongs."""
    shown_at: float = 0.0
    arrivals: tuple[float, ...] = ()
    """When reports about ``text`` came, in seconds after ``shown_at``."""
    named: bool = False
    """The newest report named this very document version."""
    learned: bool = False
    """The source's pace has been told about this change."""
    hasty: bool = False
    """The text before was replaced while no report about it had settled: the first one may be about that."""
    raw: object = None
    items: tuple[Diagnostic, ...] | None = None
    """``raw`` in our coordinates, once somebody asked."""
    reason: str | None = None
    """Why no report will come for this text."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by whoever shows a text and waits for the report about it."""
    news: asyncio.Event = field(default_factory=asyncio.Event)
    pull: asyncio.Task[None] | None = None

    def show(self, text: str, now: float, epoch: int, *, hasty: bool) -> None:
        """The server is told a text now; everything said before is about another."""
        self.hasty = hasty
        self.text = text
        self.token = token_of(text)
        self.version += 1
        self.shown_at = now
        self.expect(epoch)

    def expect(self, epoch: int) -> None:
        """Forget the reports, not the text."""
        self.epoch = epoch
        self.arrivals = ()
        self.named = False
        self.learned = False
        self.raw = None
        self.items = None
        self.reason = None
        self.stop_pull()
        self.news.set()

    def take(self, raw: object, now: float, *, named: bool) -> None:
        """A report that is not about an older version has come."""
        self.raw = raw
        self.items = None
        self.named = named
        self.arrivals = (*self.arrivals[-_ARRIVALS_KEPT:], now - self.shown_at)
        self.news.set()

    def fail(self, reason: str) -> None:
        """No report will come for this text."""
        self.reason = reason
        self.news.set()

    def settles_at(self, pace: Pace, *, calm_since: float | None) -> float | None:
        """The moment from which the newest report counts; None while there is none, or the server works on.

        ``calm_since``: when its last long work ended; None while one runs. A report that came before that
        moment may have been a first guess.
        """
        if not self.arrivals or calm_since is None:
            return None
        arrived = self.shown_at + self.arrivals[-1]
        doubtful = self.hasty and len(self.arrivals) == 1
        settled = arrived
        if not self.named:
            settled = self.shown_at + pace.settles(self.arrivals[-1], doubtful=doubtful)
        if arrived < calm_since:
            settled = max(settled, calm_since + pace.quiet())
        return settled

    def found(self, encoding: PositionEncoding, server: str) -> tuple[Diagnostic, ...]:
        """The newest report's diagnostics."""
        if self.items is None:
            self.items = diagnostics_from(
                self.raw, path=self.path, text=self.text, encoding=encoding, server=server
            )
        return self.items

    def stop_pull(self) -> None:
        """Nobody waits for the answer to an older question any more."""
        if self.pull is not None:
            self.pull.cancel()
            self.pull = None


class Elsewhere:
    """What a server said by itself about files that it was not shown; bounded, the newest are kept."""

    def __init__(self) -> None:
        self._raw: OrderedDict[str, Sequence[object]] = OrderedDict()

    def heard(self, path: str, raw: object) -> None:
        """A report about a file has come; an empty one leaves nothing to keep."""
        self._raw.pop(path, None)
        if items := as_list(raw)[:_ELSEWHERE_ITEMS]:
            self._raw[path] = items
            if len(self._raw) > _ELSEWHERE_KEPT:
                self._raw.popitem(last=False)

    def forget(self, path: str | None = None) -> None:
        """Nothing is kept about a file, or about any."""
        if path is None:
            self._raw.clear()
        else:
            self._raw.pop(path, None)

    def reports(self) -> list[tuple[str, Sequence[object]]]:
        """Paths with LSP's diagnostics."""
        return list(self._raw.items())


class Documents:
    """The documents by path, those used last at the end; bounded in number and in characters."""

    def __init__(self, most: int, most_characters: int) -> None:
        self._most = most
        self._most_characters = most_characters
        self._by_path: OrderedDict[str, Document] = OrderedDict()

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._by_path.values()))

    def __len__(self) -> int:
        return len(self._by_path)

    def find(self, path: str) -> Document | None:
        """The document, if it is open; this is no use of it."""
        return self._by_path.get(path)

    def use(self, path: str, uri: str) -> Document:
        """The document, made when it is new; it is now the one used last."""
        document = self._by_path.get(path)
        if document is None:
            document = self._by_path[path] = Document(path, uri)
        self._by_path.move_to_end(path)
        return document

    def remove(self, path: str) -> Document | None:
        """Forget a document; its waiter is told."""
        document = self._by_path.pop(path, None)
        if document is not None:
            document.stop_pull()
            document.fail(document.reason or "The document was closed.")
        return document

    def surplus(self) -> list[Document]:
        """The documents used longest ago that are over the bounds, and that nobody is waiting for."""
        number = len(self._by_path)
        characters = sum(len(document.text) for document in self._by_path.values())
        found: list[Document] = []
        for document in list(self._by_path.values())[:-1]:
            if number <= self._most and characters <= self._most_characters:
                break
            if not document.lock.locked():
                found.append(document)
                number -= 1
                characters -= len(document.text)
        return found
