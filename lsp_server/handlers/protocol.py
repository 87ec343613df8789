"""pygls with our own requests kept as plain JSON, and no traceback ever sent to a client.

Never: a decision about documents or edits.
"""

from __future__ import annotations

from typing import Any

import attrs
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from ledger.errors import Code, CoeditorError

PREFIX = "coeditor/"
REQUEST_FAILED = -32803
"""LSP 3.17, ErrorCodes.RequestFailed: the request was understood and could not be carried out."""


@attrs.define
class PlainRequest:
    """A request of ours; ``params`` stay as they were sent (pygls would rename their keys)."""

    id: int | str
    method: str
    params: Any = None
    jsonrpc: str = "2.0"


@attrs.define
class PlainNotification:
    """A notification of ours."""

    method: str
    params: Any = None
    jsonrpc: str = "2.0"


class Protocol(LanguageServerProtocol):
    """Structures ``coeditor/*`` messages without interpreting them."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        method = data.get("method")
        if isinstance(method, str) and method.startswith(PREFIX):
            if "id" in data:
                return PlainRequest(data["id"], method, data.get("params"))
            return PlainNotification(method, data.get("params"))
        return super().structure_message(data)


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

    def __init__(self, version: str) -> None:
        super().__init__(
            "coeditor",
            version,
            protocol_cls=Protocol,
            text_document_sync_kind=lsp.TextDocumentSyncKind.Incremental,
        )
