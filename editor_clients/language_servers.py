"""Diagnostics of a folder's files from language servers of our own, whichever are installed.

Servers are started by the first question about a file that they are for, one of each kind, and shared by all
calls. Deadlines are moments on the running loop's clock; waiting ends as soon as every source has settled.

Never: raising into an edit, or "no problems" where there is no data.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import PurePath

from editor_clients.diagnostic import Diagnostic, worst_first
from editor_clients.language_server import LanguageServer
from editor_clients.language_specs import DEFAULT_SPECS, Finder, ServerSpec, find_program
from editor_clients.server_process import Limits
from editor_clients.source_reports import Comparison, Report, SourceReport, State, TextChange
from editor_clients.watched_files import FileEvent

_OTHERS = 8
"""Other open files that are looked at after a change."""
_OTHERS_WAIT = 0.4
"""Seconds that these may cost once the changed files are settled; what is late is known the next time."""
_BASELINE_SHARE = 0.6
"""Of the time left, for what was known before the change; the rest is for what holds after it."""
_MOST_TOUCHED = 1_000
"""Files that may have moved on disk; the oldest are forgotten."""
_LOOK_AGAIN = 30.0
"""Seconds until a program that was not found is looked for again."""


class LanguageServers:
    """The language servers of some folders, of each kind one for each folder."""

    def __init__(
        self,
        root: str | Sequence[str],
        specs: Sequence[ServerSpec] = DEFAULT_SPECS,
        *,
        finder: Finder = find_program,
        limits: Limits | None = None,
        read_text: Callable[[str], str | None] = lambda _: None,
        changed: Callable[[str], None] | None = None,
    ) -> None:
        """A file belongs to the deepest of the folders ``root`` that holds it, else to the first.

        ``read_text`` gives the text on disk of files that no server was shown, or that moved there.
        ``changed`` is called with the path of a file about which a report came that nobody was waiting for.
        """
        self._roots = (root,) if isinstance(root, str) else tuple(root)
        self._specs = tuple(spec for spec in specs if spec.enabled)
        self._finder = finder
        self._limits = limits or Limits()
        self._read_text = read_text
        self._changed = changed
        self._servers: dict[tuple[str, str], LanguageServer] = {}
        """By the name of the kind and the folder."""
        self._missing: dict[tuple[str, str], float] = {}
        self._touched: dict[str, None] = {}
        self._said: set[str] = set()
        self._warming: set[asyncio.Future[list[None]]] = set()
        self._closed = False

    async def diagnostics(self, path: str, text: str, *, deadline: float) -> Report:
        """What holds for ``text``; the servers have it as this file's text from now on."""
        self._catch_up()
        servers = self._for(path)
        async with AsyncExitStack() as calm:
            for one in servers:
                await calm.enter_async_context(one.trials.none())
            return self.together(await _all(servers, path, text, deadline))

    def known(self, path: str, text: str) -> Report:
        """What is known about exactly this text without asking anybody."""
        found = [
            one.known(path, text) or SourceReport(one.spec.name, "silent", reason=None)
            for one in self._for(path)
        ]
        return self.together(found)

    def warm(self, path: str, text: str, *, patience: float = 30.0) -> None:
        """Let the servers look at a text that may be edited soon; returns at once."""
        servers = self._for(path)
        if self._closed or not servers:
            return
        deadline = asyncio.get_running_loop().time() + patience
        task = asyncio.ensure_future(
            asyncio.gather(*(one.warm(path, text, deadline=deadline) for one in servers))
        )
        self._warming.add(task)
        task.add_done_callback(self._warming.discard)

    async def compare(
        self, changes: Sequence[TextChange], *, deadline: float, keep: bool = True
    ) -> list[Comparison]:
        """What each source said before and says after ``changes``, which are looked at as one.

        ``keep``: the change has happened. Otherwise it is a trial, which gives way to whoever asks about real
        texts, and after which the servers have the texts from before again.
        """
        self._catch_up()
        servers = {one for change in changes for one in self._for(change.path)}
        ordered = sorted(servers, key=lambda one: one.spec.name)
        walk = self._compare_kept if keep else self._compare_tried
        if not ordered:
            return []
        return list(await asyncio.gather(*(walk(one, changes, deadline) for one in ordered)))

    def files_changed(self, events: Iterable[tuple[str, FileEvent, str | None]]) -> None:
        """Somebody changed files on disk: path, what happened, and the text where it is known.

        Servers hear of the new text of a file that they have open before they hear of the event.
        """
        listed = list(events)
        for server in self._servers.values():
            open_texts = server.open_texts()
            news: list[tuple[str, FileEvent]] = []
            for path, event, text in listed:
                if text is not None and open_texts.get(path) == text:
                    continue  # it knows
                if path in open_texts and (event == "deleted" or text is None):
                    server.forget(path)
                elif path in open_texts and text is not None:
                    server.show(path, text)
                news.append((path, event))
            server.files_changed(news)

    def touched(self, paths: Iterable[str]) -> None:
        """Something may have happened to files on disk; it is looked at before the next question is asked."""
        for path in paths if self._servers else ():
            self._touched[path] = None
            if len(self._touched) > _MOST_TOUCHED:
                del self._touched[next(iter(self._touched))]

    async def overheard(self, path: str, text: str, source: str, *, deadline: float) -> SourceReport | None:
        """The report of one source about ``text``, when it has settled by itself; see ``LanguageServer``."""
        server = next((one for one in self._servers_of(path) if one.spec.name == source), None)
        return None if server is None else await server.overheard(path, text, deadline=deadline)

    async def fixes(
        self, path: str, text: str, items: Sequence[Diagnostic], *, deadline: float
    ) -> dict[Diagnostic, str]:
        """Titles of the first quick fixes that the servers offer for ``items``, known for exactly this text."""
        asked = (one.fixes(path, text, items, deadline=deadline) for one in self._servers_of(path))
        found: dict[Diagnostic, str] = {}
        for titles in await asyncio.gather(*asked):
            found = titles | found
        return found

    def elsewhere(self, *, beside: Iterable[str] = ()) -> list[Diagnostic]:
        """What servers said by themselves about files that they were not shown, except those ``beside``."""
        without = set(beside)
        found = [item for one in self._servers.values() for item in one.elsewhere(self._read_text)]
        return [item for item in found if item.file_path not in without]

    def describe(self) -> list[dict[str, object]]:
        """What ``status`` says about the servers."""
        several = len(self._roots) > 1
        return [
            self._servers[key].describe() | ({"folder": key[1]} if several else {})
            for key in sorted(self._servers)
        ]

    async def close(self) -> None:
        """End every server with its children; nothing is started afterwards."""
        self._closed = True
        for task in self._warming:
            task.cancel()
        await asyncio.gather(*self._warming, return_exceptions=True)
        await asyncio.gather(*(server.close() for server in self._servers.values()))

    def together(self, reports: Sequence[SourceReport]) -> Report:
        """Many sources' reports about one text as one."""
        heard = [one for one in reports if one.status != "silent"]
        late = [one for one in reports if one.status != "fresh"]
        state: State = "none" if not heard else "partial" if late else "fresh"
        return Report(
            items=tuple(worst_first(item for one in heard for item in one.items)),
            state=state,
            sources=tuple(one.source for one in heard),
            silent=tuple(one.source for one in late),
            notes=self.notes(late),
        )

    def notes(self, reports: Iterable[SourceReport]) -> tuple[str, ...]:
        """Why the sources are not fresh; that a server cannot run is said once, not again."""
        found: dict[str, None] = {}
        for one in reports:
            if one.reason is None or one.reason in self._said:
                continue
            found[one.reason] = None
            if any(one.reason == server.failure for server in self._servers.values()):
                self._said.add(one.reason)
        return tuple(found)

    def _for(self, path: str) -> list[LanguageServer]:
        """The servers for a file, those that are not there yet made (not started)."""
        found: list[LanguageServer] = []
        groups: set[str] = set()
        name = os.path.basename(path)
        ending = os.path.splitext(name)[1].lower()
        specs = (
            []
            if self._closed
            else [one for one in self._specs if one.language_of_name(name, ending) is not None]
        )
        root = self._root_of(path) if specs else ""
        for spec in specs:
            if spec.group in groups:
                continue
            server = self._servers.get((spec.name, root)) or self._made(spec, root)
            if server is not None:
                found.append(server)
                if spec.group is not None and not server.is_stuck:
                    groups.add(spec.group)
        return found

    def _made(self, spec: ServerSpec, root: str) -> LanguageServer | None:
        now = asyncio.get_running_loop().time()
        if self._missing.get((spec.name, root), 0.0) > now:
            return None
        program = self._finder(spec.command[0], root)
        if program is None:
            self._missing[spec.name, root] = now + _LOOK_AGAIN
            return None
        server = LanguageServer(spec, program, root, self._limits, changed=self._changed)
        self._servers[spec.name, root] = server
        return server

    def _servers_of(self, path: str) -> list[LanguageServer]:
        """The servers that were made for a file's folder already."""
        root = self._root_of(path)
        return [server for (_, folder), server in self._servers.items() if folder == root]

    def _root_of(self, path: str) -> str:
        holding = [root for root in self._roots if PurePath(path).is_relative_to(root)]
        return max(holding, key=len, default=self._roots[0])

    def _is_for(self, server: LanguageServer, path: str) -> bool:
        """Whether a server is asked about a file."""
        is_its_kind = server.spec.language_of(path) is not None
        return is_its_kind and self._servers.get((server.spec.name, self._root_of(path))) is server

    def _catch_up(self) -> None:
        """Servers know of everything that happened on disk so far."""
        touched, self._touched = list(self._touched), {}
        events: list[tuple[str, FileEvent, str | None]] = []
        for path in touched:
            text = self._read_text(path)
            events.append((path, "changed" if text is not None else "deleted", text))
        if events:
            self.files_changed(events)

    async def _compare_kept(
        self, server: LanguageServer, changes: Sequence[TextChange], deadline: float
    ) -> Comparison:
        async with server.trials.none():
            return await self._compare(server, changes, deadline, True)

    async def _compare_tried(
        self, server: LanguageServer, changes: Sequence[TextChange], deadline: float
    ) -> Comparison:
        found = await server.trials.run(
            lambda: self._compare(server, changes, deadline, False), deadline=deadline
        )
        if found is not None:
            return found
        name = server.spec.name
        why = "is busy with texts that are really there" if server.is_running else "is still starting"
        silent = SourceReport(name, "silent", reason=f"{name} {why}.")
        return Comparison(name, {}, {change.path: silent for change in changes})

    async def _compare(
        self, server: LanguageServer, changes: Sequence[TextChange], deadline: float, keep: bool
    ) -> Comparison:
        mine = [change for change in changes if self._is_for(server, change.path)]
        named = {path for change in mine for path in (change.path, change.old_path)}
        others = {path: text for path, text in server.open_texts().items() if path not in named}
        others = dict(list(others.items())[:_OTHERS])
        before = await self._baselines(server, mine, _baseline_deadline(server, deadline))
        before |= {path: report for path, text in others.items() if (report := server.known(path, text))}
        try:
            _show_all(server, mine, keep=keep)
            after = await self._reports(server, {c.path: c.after for c in mine}, deadline)
            after |= await self._after_elsewhere(server, others, deadline)
        finally:
            if not keep:
                for change in mine:
                    _put_back(server, change)
        return Comparison(server.spec.name, before, after)

    async def _baselines(
        self, server: LanguageServer, changes: Sequence[TextChange], deadline: float
    ) -> dict[str, SourceReport]:
        """Reports about the texts before, under the paths after."""
        texts = {
            change.old_path: change.before if self._is_for(server, change.old_path) else None
            for change in changes
        }
        reports = await self._reports(server, texts, deadline)
        return {change.path: _moved(reports[change.old_path], change) for change in changes}

    async def _reports(
        self, server: LanguageServer, texts: Mapping[str, str | None], deadline: float
    ) -> dict[str, SourceReport]:
        """Reports about each text; of a file that is not there, nothing is known for certain."""
        there = [(path, text) for path, text in texts.items() if text is not None]
        reports = await asyncio.gather(
            *(server.report(path, text, deadline=deadline) for path, text in there)
        )
        found = {path: SourceReport(server.spec.name, "fresh") for path in texts}
        return found | {path: report for (path, _), report in zip(there, reports, strict=True)}

    async def _after_elsewhere(
        self, server: LanguageServer, others: Mapping[str, str], deadline: float
    ) -> dict[str, SourceReport]:
        """What now holds for other files, as far as it can be known by the deadline."""
        if not server.across_files:
            return {}
        soon = asyncio.get_running_loop().time() + _OTHERS_WAIT
        reports = await self._reports(server, others, min(deadline, soon))
        return {path: report for path, report in reports.items() if report.status == "fresh"}


def _baseline_deadline(server: LanguageServer, deadline: float) -> float:
    """A running server gets a share of the time; one that starts gets it all, since what follows is quick."""
    if not server.is_running:
        return deadline
    now = asyncio.get_running_loop().time()
    return now + max(deadline - now, 0.0) * _BASELINE_SHARE


def _show_all(server: LanguageServer, changes: Sequence[TextChange], *, keep: bool) -> None:
    """Show every text before the first question, so that no answer is about half of the change."""
    events: list[tuple[str, FileEvent]] = []
    for change in changes:
        if change.after is not None:
            server.show(change.path, change.after, saved=keep)
        else:
            server.forget(change.path)
        if change.from_path is not None:
            server.forget(change.from_path)
            events += [(change.from_path, "deleted"), (change.path, "created")]
        elif change.before is None:
            events.append((change.path, "created"))
        elif change.after is None:
            events.append((change.path, "deleted"))
        elif server.watches:
            events.append((change.path, "changed"))
    if events and keep:
        server.files_changed(events)


def _moved(report: SourceReport, change: TextChange) -> SourceReport:
    if change.from_path is None:
        return report
    return replace(report, items=tuple(replace(item, file_path=change.path) for item in report.items))


async def _all(
    servers: Sequence[LanguageServer], path: str, text: str, deadline: float
) -> list[SourceReport]:
    return list(await asyncio.gather(*(one.report(path, text, deadline=deadline) for one in servers)))


def _put_back(server: LanguageServer, change: TextChange) -> None:
    """Let the server have the text before again, but for what it was shown of somebody else's meanwhile."""
    shown = server.open_texts()
    if shown.get(change.path) == change.after:
        if change.before is not None and change.from_path is None:
            server.show(change.path, change.before)
        elif change.after is not None:
            server.forget(change.path)
    if change.from_path is not None and change.from_path not in shown and change.before is not None:
        server.show(change.from_path, change.before)
