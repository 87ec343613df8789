"""Asking a language server for the diagnostics of one document, until it answers about the version at hand.

Never: a question without an end; what a server cannot say is said in a sentence.
"""

from __future__ import annotations

import asyncio

from editor_clients.language_specs import ServerSpec
from editor_clients.loose_json import as_object
from editor_clients.lsp_stdio import ResponseError, StdioConnection
from editor_clients.server_process import UnavailableError
from editor_clients.tsserver import tsserver_diagnostics

_ASK_AGAIN = frozenset({-32801, -32802})
"""ContentModified, ServerCancelled: the answer may be there the next time."""
_MOST_QUESTIONS = 6
_FIRST_PAUSE = 0.02
"""Seconds after the first such answer; twice as long after each further one."""


async def pull(connection: StdioConnection, uri: str, spec: ServerSpec, identifier: str | None) -> object:
    """LSP's diagnostics of an open document. ``identifier``: what the server wants to be asked with.

    Errors: UnavailableError when it cannot say, or is too busy; ConnectionLostError.
    """
    for attempt in range(_MOST_QUESTIONS):
        try:
            return await _answer(connection, uri, spec, identifier)
        except ResponseError as error:
            if error.code not in _ASK_AGAIN:
                raise UnavailableError(f"{spec.name} could not say: {str(error)[:200]}") from error
        await asyncio.sleep(_FIRST_PAUSE * 2**attempt)
    raise UnavailableError(f"{spec.name} was too busy to answer.")


async def _answer(connection: StdioConnection, uri: str, spec: ServerSpec, identifier: str | None) -> object:
    if spec.mode == "tsserver":
        return await tsserver_diagnostics(connection, uri)
    params: dict[str, object] = {"textDocument": {"uri": uri}}
    if identifier is not None:
        params["identifier"] = identifier
    return as_object(await connection.request("textDocument/diagnostic", params)).get("items")
