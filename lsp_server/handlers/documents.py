"""The editor's notifications about its documents, on their way to the mirror.

Handlers are synchronous: each notification is taken in before the next one is looked at. Never: a reply, or a
decision.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from lsprotocol import types as lsp

from editor_clients.loose_json import Json, as_int, as_list, as_object, as_text
from editor_clients.lsp_wire import changes_from, state_from
from editor_clients.notebooks import OpenCell
from editor_clients.overlay import Buffer, Change, DocumentState, Overlay
from lsp_server.handlers.methods import DOCUMENT_STATE, PUBLISH_DIAGNOSTICS
from lsp_server.handlers.notebooks import CellMirror, Notebooks
from lsp_server.handlers.protocol import EditorServer

log = logging.getLogger(__name__)


class Mirror(CellMirror, Protocol):
    """Who holds the documents."""

    def opened(self, uri: str, version: int, text: str) -> None:
        """The editor opened a document, or a cell of a notebook, with this text."""
        ...

    def changed(self, uri: str, version: int, changes: Sequence[Change]) -> Buffer | None:
        """Replacements, in order, each in the text that the one before left; the buffer after, None of an
        unknown one.
        """
        ...

    def saving(self, uri: str) -> None:
        """The editor is about to save: what it changes now is its formatter's."""
        ...

    def saved(self, uri: str, text: str | None) -> None:
        """The buffer was written; ``text`` where the editor sends it along."""
        ...

    async def resync(self, uri: str) -> None:
        """The mirror can no longer be right: ask the editor for the text."""
        ...


class Early:
    """Keeps the documents until there is somebody to hold them against the disk."""

    def __init__(self, overlay: Overlay) -> None:
        self._overlay = overlay

    def opened(self, uri: str, version: int, text: str) -> None:
        """See `Mirror`."""
        self._overlay.open(uri, None, version, text)

    def changed(self, uri: str, version: int, changes: Sequence[Change]) -> Buffer | None:
        """See `Mirror`."""
        return self._overlay.change(uri, version, changes)

    def saving(self, uri: str) -> None:
        """Nobody has read a text yet that could be formatted."""

    def saved(self, uri: str, text: str | None) -> None:
        """See `Mirror`."""
        buffer = self._overlay.find(uri)
        if buffer is not None and text is not None:
            self._overlay.set_text(uri, buffer.version, text)

    def told_state(self, uri: str, state: DocumentState) -> None:
        """See `Mirror`."""
        buffer = self._overlay.find(uri)
        if buffer is not None:
            self._overlay.put(replace(buffer, state=state))

    def closed(self, uri: str) -> None:
        """See `Mirror`."""
        self._overlay.close(uri)

    def opened_notebook(self, uri: str, version: int, cells: Sequence[OpenCell]) -> None:
        """The notebooks keep their cells themselves until somebody wants them."""

    def changed_notebook(self, uri: str, version: int, cells: Sequence[OpenCell], *, sound: bool) -> None:
        """As above."""

    def saved_notebook(self, uri: str) -> None:
        """As above."""

    async def resync(self, uri: str) -> None:
        """Nobody asks for the text yet; whoever comes next does."""


class Diagnosed(Protocol):
    """Whoever takes what the editor's language servers say."""

    def __call__(
        self, uri: str, version: int, items: Sequence[object], /, *, standing: bool = False
    ) -> None: ...


class Documents:
    """The entry points; ``mirror`` may be another one from one notification to the next."""

    def __init__(self, mirror: Mirror) -> None:
        self.mirror = mirror
        self.notebooks = Notebooks(lambda: self.mirror)
        self._diagnosed: Diagnosed | None = None
        self._told: dict[str, tuple[int, Sequence[object]]] = {}
        """What was said last of the problems of each open document."""
        self.opened_last: float | None = None
        """When the last document was opened (monotonic)."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._handlers: Mapping[str, Callable[[Any], None]] = {
            lsp.TEXT_DOCUMENT_DID_OPEN: self.did_open,
            lsp.TEXT_DOCUMENT_DID_CHANGE: self.did_change,
            lsp.TEXT_DOCUMENT_WILL_SAVE: self.will_save,
            lsp.TEXT_DOCUMENT_DID_SAVE: self.did_save,
            lsp.TEXT_DOCUMENT_DID_CLOSE: self.did_close,
            lsp.NOTEBOOK_DOCUMENT_DID_OPEN: self.notebook_did_open,
            lsp.NOTEBOOK_DOCUMENT_DID_CHANGE: self.notebooks.did_change,
            lsp.NOTEBOOK_DOCUMENT_DID_SAVE: self.notebooks.did_save,
            lsp.NOTEBOOK_DOCUMENT_DID_CLOSE: self.notebooks.did_close,
            DOCUMENT_STATE: self.document_state,
            PUBLISH_DIAGNOSTICS: self.publish_diagnostics,
        }
        self.followers: list[Callable[[str, Any], None]] = []
        """Who is told each notification as well, once the mirror has it."""

    def hand_to(self, mirror: Mirror) -> None:
        """From now on ``mirror`` holds the documents; it knows those of text, and is told of the notebooks."""
        self.mirror = mirror
        self.notebooks.tell_all()

    def hand_diagnostics_to(self, diagnosed: Diagnosed) -> None:
        """From now on ``diagnosed`` takes what the editor's language servers say, and what they said so far."""
        self._diagnosed = diagnosed
        for uri, (version, items) in self._told.items():
            diagnosed(uri, version, items)

    def diagnostics(self) -> list[Json]:
        """What was said last, as params of the notification."""
        return [
            {"uri": uri, "version": version, "diagnostics": items}
            for uri, (version, items) in self._told.items()
        ]

    def register(self, server: EditorServer) -> None:
        """Take the notifications of ``server``."""
        options = {lsp.TEXT_DOCUMENT_DID_SAVE: lsp.SaveOptions(include_text=True)}
        for method in self._handlers:
            server.on(method, partial(self.take, method), options.get(method))

    def take(self, method: str, params: Any) -> None:
        """One notification; others than those about documents are left alone."""
        handler = self._handlers.get(method)
        if handler is not None:
            handler(params)
            for follow in tuple(self.followers):
                follow(method, params)

    def did_open(self, params: Any) -> None:
        """A document was opened."""
        document = _document(params)
        text = document.get("text")
        self.opened_last = time.monotonic()
        self.mirror.opened(
            _uri(document), as_int(document.get("version")), text if isinstance(text, str) else ""
        )

    def notebook_did_open(self, params: Any) -> None:
        """A notebook was opened."""
        self.opened_last = time.monotonic()
        self.notebooks.did_open(params)

    def did_change(self, params: Any) -> None:
        """A document was changed."""
        document = _document(params)
        uri, version = _uri(document), as_int(document.get("version"))
        changes = changes_from(as_list(as_object(params).get("contentChanges")))
        buffer = self.mirror.changed(uri, version, changes)
        if buffer is None:
            log.warning("a change came for a document that is not open")
        elif not buffer.sound:
            log.warning("a change of version %d did not fit", version)
            self._start(self.mirror.resync(uri))

    def will_save(self, params: Any) -> None:
        """A document is about to be saved."""
        self.mirror.saving(_uri(_document(params)))

    def did_save(self, params: Any) -> None:
        """A document was saved."""
        text = as_object(params).get("text")
        self.mirror.saved(_uri(_document(params)), text if isinstance(text, str) else None)

    def did_close(self, params: Any) -> None:
        """A document was closed."""
        uri = _uri(_document(params))
        self._told.pop(uri, None)
        self.mirror.closed(uri)

    def document_state(self, params: Any) -> None:
        """An editor of ours tells what is dirty."""
        fields = as_object(params)
        uri, state = as_text(fields.get("uri")), state_from(fields)
        self.notebooks.note_state(uri, state)
        self.mirror.told_state(uri, state)

    def publish_diagnostics(self, params: Any) -> None:
        """An editor of ours tells what its language servers say."""
        fields = as_object(params)
        items = list(as_list(fields.get("diagnostics")))
        uri, version = as_text(fields.get("uri")), as_int(fields.get("version"))
        standing = fields.get("standing") is True
        if not standing:
            self._told[uri] = (version, items)
        if self._diagnosed is not None:
            self._diagnosed(uri, version, items, standing=standing)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _document(params: Any) -> Json:
    return as_object(as_object(params).get("textDocument"))


def _uri(document: Json) -> str:
    return as_text(document.get("uri"))
