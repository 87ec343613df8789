"""Diagnostics of open documents from the editor's own language servers; of everything else from ours.

An editor tells all that holds for a document whenever something changes there, with the document version of that
moment. Its servers take their time, each its own: a report counts once nothing has followed it for a while. Where
an edit changes nothing, some servers say nothing; so our clients also tell what stands after each edit of an agent.
That is no news by itself: once news would have come it ends the wait, as what is known so far.

Never: "no problems" for a text about which nothing was said.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath

from editor_clients.confirming import News
from editor_clients.diagnostic import Diagnostic, worst_first
from editor_clients.editor_link import QUICK_FIXES, AnswerError, EditorLink, SilentEditorError
from editor_clients.language_servers import LanguageServers
from editor_clients.language_specs import DEFAULT_SPECS
from editor_clients.loose_json import as_list, as_object, as_text
from editor_clients.lsp_diagnostics import diagnostics_from
from editor_clients.overlay import Buffer, Overlay
from editor_clients.quick_fixes import MAX_TITLE
from editor_clients.settling import Pace
from editor_clients.source_reports import Comparison, Report, SourceReport, TextChange
from ledger.types import TargetKey

OWN_SOURCE = "coeditor"
"""Whoever shows the person our own remarks; never told to agents."""
_UNLIKELY = 0.25
"""Seconds to wait for a first word about a document of a kind that no known language server is for."""
_KEPT = 16
"""Reports of one document."""


@dataclass(frozen=True, slots=True)
class _Heard:
    """One report."""

    epoch: int
    version: int
    moment: float
    """On the running loop's clock."""
    items: tuple[Diagnostic, ...]
    raw: Sequence[object]
    """As told: places in an older text read differently in a newer one."""
    standing: bool
    """Nobody said anything new: this is what stood a moment after an edit."""


def _differs(counted: Callable[[], list[_Heard]], found: list[_Heard]) -> bool:
    return counted() != found


def _has_problems(buffer: Buffer) -> bool:
    """Whether documents of this kind are looked at by language servers at all, as far as is known."""
    path = buffer.target or ""
    return any(spec.language_of(path) is not None for spec in DEFAULT_SPECS)


class EditorDiagnostics:
    """A source of diagnostics: the editor for what it has open, ``servers`` for the rest."""

    def __init__(self, overlay: Overlay, link: EditorLink, servers: LanguageServers) -> None:
        self._overlay = overlay
        self._link = link
        self._servers = servers
        self._heard: dict[str, deque[_Heard]] = {}
        self._news = News()
        self._paces: dict[str, Pace] = {}
        """By the ending of a file's name, for which an editor has its own language servers."""

    def told(self, uri: str, version: int, items: Sequence[object], *, standing: bool = False) -> None:
        """The editor said all that holds for one document at one version; ``standing``: as it stands, without news."""
        buffer = self._overlay.find(uri)
        if buffer is None or buffer.target is None:
            self._heard.pop(uri, None)
            return
        found = diagnostics_from(
            [one for one in items if as_text(as_object(one).get("source")).lower() != OWN_SOURCE],
            path=buffer.target,
            text=buffer.text,
            encoding=self._overlay.encoding,
            server=self._link.abilities.name,
        )
        moment = asyncio.get_running_loop().time()
        reports = self._heard.setdefault(uri, deque(maxlen=_KEPT))
        reports.append(_Heard(buffer.epoch, version, moment, found, items, standing))
        self._news.tell()

    async def diagnostics(self, path: str, text: str, *, deadline: float) -> Report:
        """See ``DiagnosticSource``."""
        buffer = self.open_document(path)
        if buffer is None:
            return await self._servers.diagnostics(path, text, deadline=deadline)
        known = self._since(buffer)
        if not known and self._before(buffer) is None:
            return Report((), "none", (), (self._name,))
        is_news = bool(known) and not known[-1].standing
        report = self._report(known[-1]) if is_news else await self._settled(buffer, deadline)
        return self._servers.together([report])

    async def compare(
        self, changes: Sequence[TextChange], *, deadline: float, keep: bool = True
    ) -> list[Comparison]:
        """See ``DiagnosticSource``. What is only tried is tried with servers of our own."""
        opened = {}
        for change in changes:
            buffer = self.open_document(change.path)
            if keep and buffer is not None and change.before is not None and change.after is not None:
                opened[change.path] = buffer
        rest = [change for change in changes if change.path not in opened]
        others = self._servers.compare(rest, deadline=deadline, keep=keep)
        if not opened:
            return await others
        of_editor, of_servers = await asyncio.gather(self._compared(opened, deadline), others)
        return [of_editor, *of_servers]

    def elsewhere(self, *, beside: Iterable[str] = ()) -> list[Diagnostic]:
        """See ``DiagnosticSource``."""
        without = set(beside)
        found = self.told_elsewhere(without)
        named = {item.file_path for item in found}
        return [*worst_first(found), *self._servers.elsewhere(beside=without | named)]

    def told_elsewhere(self, without: Set[str]) -> list[Diagnostic]:
        """What the editor said last of its documents, those of the files ``without`` left out."""
        found: list[Diagnostic] = []
        for uri, reports in self._heard.items():
            buffer = self._overlay.find(uri)
            if buffer is not None and buffer.target not in without and reports:
                # What was said of an older text is no news of this one.
                found += [item for one in self._since(buffer)[-1:] for item in one.items]
        return found

    def notes(self, reports: Iterable[SourceReport]) -> tuple[str, ...]:
        """See ``DiagnosticSource``."""
        return self._servers.notes(reports)

    async def overheard(self, path: str, text: str, source: str, *, deadline: float) -> SourceReport | None:
        """See ``DiagnosticSource``."""
        buffer = self.open_document(path)
        if source != self._name or buffer is None:
            return await self._servers.overheard(path, text, source, deadline=deadline)
        if buffer.text != text:
            return None
        report = await self._settled(buffer, deadline, only_news=True)
        now = self.open_document(path)
        return report if report.status == "fresh" and now is not None and now.text == text else None

    async def fixes(
        self, path: str, text: str, items: Sequence[Diagnostic], *, deadline: float
    ) -> dict[Diagnostic, str]:
        """See ``DiagnosticSource``; the editor is asked about what it said."""
        buffer = self.open_document(path)
        if buffer is None:
            return await self._servers.fixes(path, text, items, deadline=deadline)
        said = self._since(buffer)
        if buffer.text != text or not said or not self._link.abilities.quick_fixes:
            return {}
        raw = {item: one for item, one in zip(said[-1].items, said[-1].raw, strict=False) if item in items}
        try:
            answer = await self._link.ask(
                QUICK_FIXES,
                {"uri": buffer.uri, "version": buffer.version, "diagnostics": list(raw.values())},
                patience=max(deadline - asyncio.get_running_loop().time(), 0.0),
            )
        except (SilentEditorError, AnswerError):
            return {}
        titles = [as_text(title)[:MAX_TITLE] for title in as_list(as_object(answer).get("titles"))]
        return {item: title for item, title in zip(raw, titles, strict=False) if title}

    def describe(self) -> list[dict[str, object]]:
        """See ``DiagnosticSource``; the editor's own are not known."""
        return self._servers.describe()

    def warm(self, path: str, text: str, *, patience: float = 30.0) -> None:
        """See ``DiagnosticSource``; an editor has looked at what it has open."""
        if self.open_document(path) is None:
            self._servers.warm(path, text, patience=patience)

    async def close(self) -> None:
        """See ``DiagnosticSource``."""
        await self._servers.close()

    @property
    def _name(self) -> str:
        return self._link.abilities.name

    def open_document(self, path: str) -> Buffer | None:
        """The open document of ``path``, where the editor tells of its diagnostics."""
        if not self._link.abilities.publish_diagnostics:
            return None
        buffers = [
            one for one in self._overlay.of(TargetKey(path)) if one.state is None or one.state.attended
        ]
        return next((one for one in buffers if one.uri in self._heard), buffers[-1] if buffers else None)

    async def _compared(self, opened: dict[str, Buffer], deadline: float) -> Comparison:
        before = {path: self._baseline(buffer) for path, buffer in opened.items()}
        others = {uri: reports[-1] for uri, reports in self._heard.items() if reports}
        reports = await asyncio.gather(*(self._settled(buffer, deadline) for buffer in opened.values()))
        after = dict(zip(opened, reports, strict=True))
        for uri, old in others.items():
            path, new = self._elsewhere_now(uri, old)
            if path is not None and new is not None and path not in after:
                before[path], after[path] = self._report(old), self._report(new)
        return Comparison(self._name, before, after)

    def _elsewhere_now(self, uri: str, old: _Heard) -> tuple[str | None, _Heard | None]:
        """What was said since ``old`` of another document, whose text is the same as then."""
        buffer = self._overlay.find(uri)
        new = self._heard[uri][-1] if self._heard.get(uri) else None
        if buffer is None or new is None or new is old or new.standing:
            return None, None
        is_same_text = new.version == old.version == buffer.version and new.epoch == old.epoch
        return (buffer.target, new) if is_same_text else (None, None)

    def _baseline(self, buffer: Buffer) -> SourceReport:
        """What held before the newest change; an editor that said nothing had nothing to say."""
        found = self._before(buffer)
        return SourceReport(self._name, "fresh", found.items if found is not None else ())

    def _before(self, buffer: Buffer) -> _Heard | None:
        earlier = [
            one
            for one in self._heard.get(buffer.uri, ())
            if one.epoch == buffer.epoch and one.version < buffer.version
        ]
        return earlier[-1] if earlier else None

    def _since(self, buffer: Buffer) -> list[_Heard]:
        """The reports about the buffer's text, or a later one."""
        return [
            one
            for one in self._heard.get(buffer.uri, ())
            if one.epoch == buffer.epoch and one.version >= buffer.version
        ]

    async def _settled(self, buffer: Buffer, deadline: float, *, only_news: bool = False) -> SourceReport:
        """The last report about the buffer's text, once nothing followed it for as long as usual.

        ``only_news``: what merely stands is no report.
        """
        clock = asyncio.get_running_loop().time
        started = clock()
        before = self._before(buffer)
        kind = PurePath(buffer.target or buffer.uri).suffix.lower()
        if buffer.uri not in self._heard and not _has_problems(buffer):
            deadline = min(deadline, started + _UNLIKELY)
        while True:
            pace = self._paces.get(kind, Pace())
            counted = partial(self._counted, buffer, pace, only_news=only_news)
            found = counted()
            if not found:
                if not await self._news.until(partial(_differs, counted, found), deadline - clock()):
                    return SourceReport(
                        self._name, "silent", reason=f"{self._name} said nothing about the new text in time."
                    )
                continue
            last = found[-1]
            # The same as before the change may well be about the text before it.
            is_old = before is not None and before.raw == last.raw and bool(last.raw)
            arrival = max(last.moment - started, 0.0)
            settles = started + pace.settles(arrival, doubtful=is_old)
            if last.standing:
                settles = max(last.moment, started + (pace.silent_until() or 0.0))
            if clock() >= settles:
                if last.standing:
                    return SourceReport(
                        self._name,
                        "provisional",
                        last.items,
                        f"{self._name} said nothing new about this text; what stood before is counted.",
                    )
                arrivals = tuple(max(one.moment - started, 0.0) for one in found)
                self._paces[kind] = pace.learned(arrivals)
                return self._report(last)
            if clock() >= deadline:
                return SourceReport(
                    self._name, "provisional", last.items, f"{self._name} may not be done yet."
                )
            await self._news.until(partial(_differs, counted, found), min(settles, deadline) - clock())

    def _counted(self, buffer: Buffer, pace: Pace, *, only_news: bool) -> list[_Heard]:
        """The reports about the buffer's text that mean something: news, else what stands without any.

        What stands is no answer where too little is known of how soon this kind of document is spoken of.
        """
        found = self._since(buffer)
        news = [one for one in found if not one.standing]
        return news or (found if pace.silent_until() is not None and not only_news else [])

    def _report(self, heard: _Heard) -> SourceReport:
        return SourceReport(self._name, "fresh", heard.items)
