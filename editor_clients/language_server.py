"""One language server: shows it texts, and waits, with an end, for what it says about exactly those.

Never: raising because of a server; a source that does not answer is a silent source with a reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress

from editor_clients.diagnostic import Diagnostic
from editor_clients.idle import IdleTimer
from editor_clients.language_specs import ServerSpec
from editor_clients.loose_json import Json, as_list, as_object, as_text
from editor_clients.lsp_diagnostics import diagnostics_from, path_to_uri, uri_to_path
from editor_clients.lsp_documents import Document, Documents, Elsewhere
from editor_clients.lsp_handshake import with_pull
from editor_clients.lsp_stdio import ConnectionLostError, StdioConnection
from editor_clients.pulling import pull
from editor_clients.quick_fixes import fix_title
from editor_clients.server_process import Limits, Owner, ServerProcess, UnavailableError, registrations
from editor_clients.settling import Pace, Work
from editor_clients.source_reports import SourceReport
from editor_clients.trials import Trials
from editor_clients.watched_files import METHOD as WATCHED
from editor_clients.watched_files import FileEvent, WatchedFiles
from ledger.types import token_of

_LATE = 5.0
"""Seconds after a change in which another report still teaches us about the source's pace."""
_MOST_MISSES = 4
_FIXES_AT_ONCE = 4
_FAIR_WAIT = 0.5
"""Seconds; a source that does not answer in less has not missed anything."""
_EVENT_NUMBER: dict[FileEvent, int] = {"created": 1, "changed": 2, "deleted": 3}


class LanguageServer:
    """One server of one root. Its process starts with the first question."""

    def __init__(
        self,
        spec: ServerSpec,
        program: str,
        root: str,
        limits: Limits,
        *,
        changed: Callable[[str], None] | None = None,
    ) -> None:
        self.spec = spec
        self.trials = Trials()
        self._limits = limits
        self._changed = changed
        self._process = ServerProcess(
            spec,
            program,
            root,
            limits,
            Owner(notified=self._notified, asked=self._asked, ready=self._open_all, gone=self._lost),
        )
        self._documents = Documents(limits.documents, limits.characters)
        self._told: dict[str, StdioConnection] = {}
        self._elsewhere = Elsewhere()
        self._watched = WatchedFiles(root)
        self._ran = False
        self._work = Work()
        self._epoch = 0
        self._pace = Pace()
        self._misses = 0
        self._idle = IdleTimer(limits.idle, lambda: self._process.stop(for_good=False))

    # Questions

    async def report(self, path: str, text: str, *, deadline: float) -> SourceReport:
        """What the server says about ``text``; it has been shown that text, or will be when it runs.

        ``deadline`` is a moment on the running loop's clock. Cancelling is safe at any time.
        """
        if len(text) > self._limits.document_characters:
            return self._silent(f"The text is too long for {self.spec.name}.")
        is_fair = deadline - self._now() >= _FAIR_WAIT
        try:
            with self._idle.used():
                async with asyncio.timeout_at(self._patience(deadline)):
                    document = await self._reported(path, text)
        except TimeoutError:
            if is_fair:
                self._misses = min(self._misses + 1, _MOST_MISSES)
            return self._late(path, text)
        except UnavailableError as error:
            return self._silent(str(error))
        self._misses = 0
        self._process.succeeded()
        return SourceReport(self.spec.name, "fresh", self._found(document))

    def known(self, path: str, text: str) -> SourceReport | None:
        """What the server has said about exactly this text, when it has settled; None otherwise."""
        document = self._documents.find(path)
        if document is None or document.token != token_of(text) or not self._is_settled(document):
            return None
        return SourceReport(self.spec.name, "fresh", self._found(document))

    async def overheard(self, path: str, text: str, *, deadline: float) -> SourceReport | None:
        """The report about ``text`` once it has settled, without showing it or holding up anybody who asks.

        None when the server is shown another text first, when it cannot say, or at the deadline.
        """
        with suppress(TimeoutError, UnavailableError):
            async with asyncio.timeout_at(deadline):
                document = self._documents.find(path)
                while document is not None and document.token == token_of(text):
                    if self._is_settled(document):
                        self._learn(document)
                        self._process.succeeded()
                        return SourceReport(self.spec.name, "fresh", self._found(document))
                    await self._news_of(document)
                    document = self._documents.find(path)
        return None

    async def warm(self, path: str, text: str, *, deadline: float) -> None:
        """Start, and look at ``text``, which is never shown again once another has followed it."""
        with suppress(TimeoutError, UnavailableError), self._idle.used():
            async with asyncio.timeout_at(deadline):
                if len(text) <= self._limits.document_characters:
                    self.show(path, text)
                    await self._process.running()
        await self.overheard(path, text, deadline=deadline)

    async def fixes(
        self, path: str, text: str, items: Iterable[Diagnostic], *, deadline: float
    ) -> dict[Diagnostic, str]:
        """The titles of the first quick fixes for ``items`` of its report about ``text``, as far as known by then."""
        document, connection = self._documents.find(path), self._process.connection
        if document is None or connection is None or not self._process.agreed.fixes:
            return {}
        raw = dict(zip(self._found(document), as_list(document.raw), strict=False))
        wanted = [item for item in dict.fromkeys(items) if item in raw]
        found: dict[Diagnostic, str] = {}
        with suppress(TimeoutError), self._idle.used():
            async with asyncio.timeout_at(deadline):
                for start in range(0, len(wanted), _FIXES_AT_ONCE):
                    if document.token != token_of(text):
                        break
                    batch = wanted[start : start + _FIXES_AT_ONCE]
                    titles = await asyncio.gather(
                        *(fix_title(connection, document.uri, raw[item]) for item in batch)
                    )
                    found |= {item: title for item, title in zip(batch, titles, strict=True) if title}
        return found

    def show(self, path: str, text: str, *, saved: bool = True) -> None:
        """Let the server have ``text`` as this document's text, now or as soon as it runs; idempotent.

        ``saved``: false for a text that is not on disk, and so not to be told of as saved.
        """
        connection = self._process.connection
        document = self._documents.use(path, path_to_uri(path))
        told = connection is not None and self._told.get(path) is connection
        if document.token == token_of(text) and told and document.reason is None:
            if self._process.agreed.across_files and document.epoch != self._epoch:
                document.expect(self._epoch)
                self._ask(document)
            return
        self._epoch += 1
        document.show(text, self._now(), self._epoch, hasty=told and not self._is_settled(document))
        self._trim()
        if connection is not None:
            self._tell(connection, document, opened=told, saved=saved)

    def forget(self, path: str) -> None:
        """The document is gone, or is nobody's business any more."""
        document = self._documents.remove(path)
        connection = self._process.connection
        self._epoch += 1
        if document is not None and connection is not None and self._told.pop(path, None) is connection:
            connection.notify("textDocument/didClose", {"textDocument": {"uri": document.uri}})

    def open_texts(self) -> dict[str, str]:
        """The documents that it was shown, used last first."""
        return {document.path: document.text for document in reversed(list(self._documents))}

    @property
    def is_running(self) -> bool:
        """Its process is there and initialised."""
        return self._process.connection is not None

    @property
    def failure(self) -> str | None:
        """Why its process cannot run, or ended; None when all is well."""
        return self._process.failure

    @property
    def is_stuck(self) -> bool:
        """It has never run, and failed at it."""
        return self._process.connection is None and not self._ran and self._process.failure is not None

    @property
    def across_files(self) -> bool:
        """A change of one file can change what it says about another."""
        return self._process.agreed.across_files or not self._process.agreed.pull

    def elsewhere(self, read_text: Callable[[str], str | None]) -> list[Diagnostic]:
        """What it has said by itself about files that it was not shown."""
        found: list[Diagnostic] = []
        encoding, name = self._process.agreed.encoding, self.spec.name
        for path, raw in self._elsewhere.reports():
            text = read_text(path) or ""
            found += diagnostics_from(raw, path=path, text=text, encoding=encoding, server=name)
        return found

    @property
    def watches(self) -> bool:
        """It said which changes on disk it wants to hear of."""
        return bool(self._watched)

    def files_changed(self, events: Iterable[tuple[str, FileEvent]]) -> None:
        """Tell a running server what happened on disk; open documents must have been shown before."""
        wanted = [(path, event) for path, event in events if self._watched.wants(path)]
        if not wanted:
            return
        self._epoch += 1
        for path, _ in wanted:
            self._elsewhere.forget(path)
        if self._process.connection is not None:
            changes = [{"uri": path_to_uri(path), "type": _EVENT_NUMBER[event]} for path, event in wanted]
            self._process.connection.notify(WATCHED, {"changes": changes})

    def describe(self) -> dict[str, object]:
        """What ``status`` says about it."""
        connection = self._process.connection
        found: dict[str, object] = {
            "name": self.spec.name,
            "running": connection is not None,
            "documents": len(self._documents),
        }
        if connection is not None:
            found["pid"] = connection.pid
        if self._process.failure is not None:
            found["failure"] = self._process.failure
        return found

    async def close(self) -> None:
        """End the process with its children, for good."""
        await self._idle.close()
        await self._process.stop(for_good=True)
        for document in self._documents:
            self._documents.remove(document.path)

    # Waiting

    async def _reported(self, path: str, text: str) -> Document:
        """The document, once the report about ``text`` counts. Errors: UnavailableError."""
        if self._process.connection is None:
            # Whoever gives up waiting for the start has at least said what is to be looked at.
            self.show(path, text)
            await self._process.running()
        while True:
            document = self._documents.use(path, path_to_uri(path))
            async with document.lock:
                if self._documents.find(path) is document:
                    self.show(path, text)
                    await self._settled(document)
                    return document

    async def _settled(self, document: Document) -> None:
        """Return once the newest report about the text shown counts. Errors: UnavailableError."""
        while not self._is_settled(document):
            await self._news_of(document)
        self._learn(document)

    async def _news_of(self, document: Document) -> None:
        """Return when there is news, or when what came so far has settled. Errors: UnavailableError."""
        if document.reason is not None:
            raise UnavailableError(document.reason)
        document.news.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout_at(self._settles_at(document)):
                await document.news.wait()

    def _settles_at(self, document: Document) -> float | None:
        if self._process.agreed.pull:
            return document.shown_at if document.arrivals else None
        return document.settles_at(self._pace, calm_since=self._work.calm_since(self._now()))

    def _is_settled(self, document: Document) -> bool:
        moment = self._settles_at(document)
        return moment is not None and moment <= self._now()

    def _learn(self, document: Document) -> None:
        if not self._process.agreed.pull and not document.learned and document.arrivals:
            document.learned = True
            self._pace = self._pace.learned(document.arrivals)

    def _patience(self, deadline: float) -> float:
        """A source that was silent twice in a row gets ever less of the caller's time until it answers."""
        left = max(deadline - self._now(), 0.0)
        return self._now() + left / 2.0 ** max(self._misses - 1, 0)

    def _late(self, path: str, text: str) -> SourceReport:
        """The deadline has passed."""
        name = self.spec.name
        if self._process.connection is None:
            return self._silent(f"{name} is still starting.")
        document = self._documents.use(path, path_to_uri(path))
        if not document.lock.locked():
            self.show(path, text)
        if document.arrivals and document.token == token_of(text):
            reason = f"{name} is still at work; what it said so far may change."
            return SourceReport(name, "provisional", self._found(document), reason)
        return self._silent(f"{name} has not answered yet.")

    def _silent(self, reason: str) -> SourceReport:
        return SourceReport(self.spec.name, "silent", reason=reason)

    # Telling

    def _open_all(self) -> None:
        """After a start: open what was asked about meanwhile, and what was open before a crash."""
        self._ran = True
        connection = self._process.connection
        for document in self._documents:
            if connection is not None and document.version and document.path not in self._told:
                document.expect(self._epoch)
                self._tell(connection, document, opened=False, saved=True)

    def _tell(self, connection: StdioConnection, document: Document, *, opened: bool, saved: bool) -> None:
        name: dict[str, object] = {"uri": document.uri, "version": document.version}
        document.shown_at = self._now()
        if opened:
            changes = [{"text": document.text}]
            connection.notify("textDocument/didChange", {"textDocument": name, "contentChanges": changes})
        else:
            name |= {"languageId": self.spec.language_of(document.path) or "", "text": document.text}
            connection.notify("textDocument/didOpen", {"textDocument": name})
            self._told[document.path] = connection
            self._elsewhere.forget(document.path)
        if saved and (self.spec.on_save or (opened and self._process.agreed.saves)):
            told = {"textDocument": {"uri": document.uri}, "text": document.text}
            connection.notify("textDocument/didSave", told)
        self._ask(document)

    def _trim(self) -> None:
        for document in self._documents.surplus():
            self.forget(document.path)

    def _ask(self, document: Document) -> None:
        if self._process.agreed.pull and self._process.connection is not None:
            document.stop_pull()
            document.pull = asyncio.create_task(self._pull(self._process.connection, document))

    async def _pull(self, connection: StdioConnection, document: Document) -> None:
        """Ask about the version at hand; the document is told what came of it."""
        try:
            items = await pull(connection, document.uri, self.spec, self._process.agreed.pull_identifier)
        except ConnectionLostError:
            return  # Its end is told by ``_lost``.
        except UnavailableError as error:
            document.fail(str(error))
        else:
            self._arrived(document, items, named=True)

    # Hearing

    def _notified(self, method: str, params: Json) -> None:
        if method == "textDocument/publishDiagnostics":
            self._published(params)
        elif method == "$/progress":
            self._progress(as_object(params.get("value")), str(params.get("token")))

    def _asked(self, method: str, params: Json) -> object:
        if method == "workspace/diagnostic/refresh":
            self._epoch += 1
            for document in self._documents:
                if document.lock.locked():
                    document.expect(self._epoch)
                    self._ask(document)
        elif method == "client/registerCapability":
            self._watched.register(params)
            if self.spec.mode == "pull":
                self._offered(params)
        elif method == "client/unregisterCapability":
            self._watched.unregister(params)
        return None

    def _offered(self, params: Json) -> None:
        """The server can be asked for diagnostics from now on."""
        for registered, options in registrations(params):
            if registered == "textDocument/diagnostic":
                self._process.agreed = with_pull(self._process.agreed, options)
                for document in self._documents:
                    self._ask(document)

    def _published(self, params: Json) -> None:
        path = uri_to_path(as_text(params.get("uri")))
        if path is None:
            return
        document = self._documents.find(path)
        if document is None or path not in self._told:
            self._elsewhere.heard(path, params.get("diagnostics"))
        elif not self._process.agreed.pull:
            version = params.get("version")
            if version is None or version == document.version:
                named = self.spec.versioned and version is not None
                self._arrived(document, params.get("diagnostics"), named=named)

    def _arrived(self, document: Document, raw: object, *, named: bool) -> None:
        settled_before = document.learned
        document.take(raw, self._now(), named=named)
        if settled_before and document.arrivals[-1] < _LATE and document.epoch == self._epoch:
            self._pace = self._pace.learned(document.arrivals)
        if self._changed is not None and not document.lock.locked():
            self._changed(document.path)

    def _progress(self, value: Json, token: str) -> None:
        kind = value.get("kind")
        if kind == "begin":
            self._work.begin(token, self._now())
        elif kind == "end" and self._work.end(token, self._now()):
            for document in self._documents:
                document.news.set()

    def _lost(self) -> None:
        """The process is gone: nothing that it said stands, and whoever waits is told.

        After a crash it is shown again what it had, but for what it was at work on, which may be what it died of.
        """
        failure = self._process.failure
        self._told.clear()
        self._watched.forget()
        self._work.forget()
        self._elsewhere.forget()
        for document in self._documents:
            settled = self._is_settled(document)
            document.expect(self._epoch)
            document.fail(failure or f"{self.spec.name} was stopped.")
            if failure is None or not settled:
                self._documents.remove(document.path)

    def _found(self, document: Document) -> tuple[Diagnostic, ...]:
        return document.found(self._process.agreed.encoding, self.spec.name)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
