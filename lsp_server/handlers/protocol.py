"""pygls with our own requests kept as plain JSON, its mirror of documents bypassed, and no traceback on the wire.

Never: a decision about documents or edits.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Generator, Mapping
from contextvars import copy_context
from typing import Any

import attrs
import orjson
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

from ledger.errors import Code, CoeditorError
from lsp_server.handlers.methods import PREFIX
from lsp_server.handlers.open_requests import OpenRequests

log = logging.getLogger(__name__)

REQUEST_FAILED = -32803
"""LSP 3.17, ErrorCodes.RequestFailed: the request was understood and could not be carried out."""

_DOCUMENTS = (
    lsp.TEXT_DOCUMENT_DID_OPEN,
    lsp.TEXT_DOCUMENT_DID_CHANGE,
    lsp.TEXT_DOCUMENT_WILL_SAVE,
    lsp.TEXT_DOCUMENT_DID_SAVE,
    lsp.TEXT_DOCUMENT_DID_CLOSE,
    lsp.NOTEBOOK_DOCUMENT_DID_OPEN,
    lsp.NOTEBOOK_DOCUMENT_DID_CHANGE,
    lsp.NOTEBOOK_DOCUMENT_DID_SAVE,
    lsp.NOTEBOOK_DOCUMENT_DID_CLOSE,
)
_NOTEBOOKS = lsp.NotebookDocumentSyncOptions(
    [lsp.NotebookDocumentFilterWithNotebook(lsp.NotebookDocumentFilterNotebookType("jupyter-notebook"))],
    save=True,
)
_ASK = "coeditor-"
"""Opens the ids of our own requests."""


@attrs.define
class PlainRequest:
    """A request whose ``params`` stay as they were sent (pygls would rename their keys)."""

    id: int | str
    method: str
    params: Any = None
    jsonrpc: str = "2.0"


@attrs.define
class PlainNotification:
    """A notification likewise."""

    method: str
    params: Any = None
    jsonrpc: str = "2.0"


class Protocol(LanguageServerProtocol):
    """Structures ``coeditor/*`` messages and those about documents without interpreting them."""

    initialize_params: Mapping[str, Any] = {}
    """As the editor sent them."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Called by pygls with each message. Ours, and those about documents, come out as they were sent."""
        method = data.get("method")
        if isinstance(method, str) and (method.startswith(PREFIX) or method in _DOCUMENTS):
            if "id" in data:
                return PlainRequest(data["id"], method, data.get("params"))
            return PlainNotification(method, data.get("params"))
        if method == lsp.INITIALIZE and isinstance(data.get("params"), dict):
            self.initialize_params = data["params"]
        return super().structure_message(data)

    def handle_message(self, message: Any) -> None:
        """Called with each structured message; pygls finds out what it is, which takes longer than what we do of a
        notification of our own. A request after ``shutdown`` is answered, too, which pygls does not."""
        asked = getattr(message, "id", None) if hasattr(message, "method") else None
        if self._shutdown and asked is not None:
            # LSP, "Shutdown Request": requests after it should error with InvalidRequest.
            refusal = {"code": -32600, "message": "The server was told to shut down. Start it anew."}
            self._send_data({"jsonrpc": "2.0", "id": asked, "error": refusal})
        elif isinstance(message, PlainNotification) and not self._shutdown:
            copy_context().run(self._handle_notification, message.method, message.params)
        else:
            super().handle_message(message)

    # Our own mirror takes these; pygls' own would hold every text a second time, and wrongly.

    @lsp_method(lsp.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: Any) -> Generator[Any, Any, None]:
        """Only our handler."""
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: Any) -> Generator[Any, Any, None]:
        """Only our handler."""
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: Any) -> Generator[Any, Any, None]:
        """Only our handler."""
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_CLOSE], (params,), None

    @lsp_method(lsp.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: Any) -> Generator[Any, Any, None]:
        """Only our handler."""
        yield self.fm.features[lsp.NOTEBOOK_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(lsp.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: Any) -> Generator[Any, Any, None]:
        """Only our handler."""
        yield self.fm.features[lsp.NOTEBOOK_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(lsp.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: Any) -> Generator[Any, Any, None]:
        """Only our handler."""
        yield self.fm.features[lsp.NOTEBOOK_DOCUMENT_DID_CLOSE], (params,), None

    def _send_data(self, data: Any) -> None:
        """In UTF-8, whatever it holds; nothing to an editor that is gone."""
        if not data or self.writer is None:
            return
        if hasattr(data, "__attrs_attrs__"):
            data = self._converter.unstructure(data)
        try:
            body = orjson.dumps(data, default=self._serialize_message)
        except TypeError:  # half of a character, or a number beyond 64 bits
            body = json.dumps(data, default=self._serialize_message).encode("ascii")
        self.writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)


class RequestFailed(JsonRpcException):
    """An error object of ours as a JSON-RPC error (README, "Shapes")."""

    def __init__(self, error: CoeditorError) -> None:
        found = error.to_object()
        found.pop("ok")
        super().__init__(message=error.message, code=REQUEST_FAILED, data=found)


def internal(what: str, error: Exception) -> RequestFailed:
    """An unexpected failure, told without a traceback or a path."""
    return RequestFailed(
        CoeditorError(
            Code.INTERNAL,
            f"{what} failed inside Coeditor ({type(error).__name__}). The server's log has the details.",
        )
    )


class EditorServer(LanguageServer):
    """The language server that an editor starts."""

    protocol: Protocol

    def __init__(self, version: str) -> None:
        super().__init__(
            "coeditor",
            version,
            protocol_cls=Protocol,
            text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental,
            notebook_document_sync=_NOTEBOOKS,
        )
        self._requests = OpenRequests(self._send, lambda count: f"{_ASK}{count}")

    def on(self, method: str, handler: Callable[[Any], None], options: object = None) -> None:
        """Register a synchronous handler, which may be a bound method (pygls hangs attributes on functions)."""

        def handle(params: Any) -> None:
            handler(params)

        self.feature(method, options)(handle)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """A failure is for the log; a message box would tell a person what no person can change."""
        if not isinstance(error, RequestFailed):  # a refusal is an ordinary answer
            log.error("%s", error)

    @property
    def is_gone(self) -> bool:
        """The editor hung up, or no longer takes what is sent to it."""
        return self._requests.is_gone

    async def ask(self, method: str, params: Mapping[str, Any], *, patience: float) -> object:
        """See ``OpenRequests.ask``."""
        return await self._requests.ask(method, params, patience=patience)

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification as plain JSON."""
        self._requests.tell(method, params)

    def take_answer(self, data: Mapping[str, Any]) -> bool:
        """Whether this message answers one of our own requests; it is delivered then."""
        number = data.get("id")
        if "method" in data or not isinstance(number, str) or not number.startswith(_ASK):
            return False
        self._requests.deliver(data)
        return True

    def hang_up(self) -> None:
        """The editor is gone: nobody waits for its answers any more."""
        self._requests.hang_up()

    def _send(self, message: Mapping[str, Any]) -> None:
        self.protocol._send_data(dict(message))
