"""The ``coeditor/*`` requests: every tool, under its LSP name, with the fields of the other doors.

Never: anything that a tool does; they are handed on.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from ledger.errors import Code, CoeditorError
from ledger.types import Caller, EditId, ScopeKey
from lsp_server.agents.callers import LONGEST
from lsp_server.handlers.methods import CALL_TOOL, FILE_VERSIONS, PREFIX, method_of
from lsp_server.handlers.protocol import EditorServer, RequestFailed, internal
from lsp_server.service import CallContext, Service
from lsp_server.wire.look_tools import EVENTS
from lsp_server.wire.texts import content_text, error_text
from lsp_server.wire.tools import BY_NAME, STEPS, TOOLS

CONTEXT_FIELDS = ("session", "scope", "turn", "call_id", "cwd", "agent")
"""What any request may carry beside the tool's own parameters (README, "Tools")."""
_PERSON = "person"
"""Besides: true when the person asks, who sees every session's edits."""

Handler = Callable[[Any], Awaitable[Any]]


class EditorService(Service, Protocol):
    """What an editor asks besides the tools."""

    async def file_versions(self, edit_id: EditId) -> dict[str, Any]:
        """Both texts of each file of one edit. Errors: INVALID_ARGUMENT for an id that is not known."""
        ...


def register(server: EditorServer, service: EditorService, *, connection: str) -> None:
    """Offer every tool on ``server``; ``connection`` is the session of callers that name none."""
    for name in (*(tool.name for tool in TOOLS), *STEPS):
        server.feature(method_of(name))(_handler(service, name, connection))
    for event in EVENTS:
        server.feature(PREFIX + event)(_event_handler(service, event, connection))
    server.feature(FILE_VERSIONS)(_versions_handler(service))
    server.feature(CALL_TOOL)(_tool_handler(service, connection))


def _tool_handler(service: Service, connection: str) -> Handler:
    """For an editor that lends our tools to a model: what the model reads, of a refusal as well."""

    async def handle(params: Any) -> dict[str, Any]:
        fields = _fields(params)
        name, arguments = fields.get("tool"), fields.get("arguments")
        try:
            if not isinstance(name, str) or name not in BY_NAME or not isinstance(arguments, Mapping):
                raise CoeditorError(
                    Code.INVALID_ARGUMENT, "tool is the name of a tool, and arguments is an object."
                )
            found = await service.call(name, arguments, context_of(fields, connection))
        except CoeditorError as error:
            return _told(error_text(error.to_object()), is_error=True)
        except Exception as error:
            raise internal(CALL_TOOL, error) from error
        return _told(content_text(name, found), is_error=False)

    return handle


def _told(text: str, *, is_error: bool) -> dict[str, Any]:
    """In the shape of MCP's results."""
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def _versions_handler(service: EditorService) -> Handler:
    async def handle(params: Any) -> dict[str, Any]:
        try:
            edit_id = _fields(params).get("edit_id")
            if not isinstance(edit_id, str):
                raise CoeditorError(Code.INVALID_ARGUMENT, "edit_id names an edit of the history.")
            return await service.file_versions(EditId(edit_id))
        except CoeditorError as error:
            raise RequestFailed(error) from error
        except Exception as error:
            raise internal(FILE_VERSIONS, error) from error

    return handle


def _handler(service: Service, tool: str, connection: str) -> Handler:
    async def handle(params: Any) -> dict[str, Any]:
        return await _call(service, tool, _fields(params), connection)

    return handle


def _event_handler(service: Service, event: str, connection: str) -> Handler:
    async def handle(params: Any) -> dict[str, Any]:
        return await _call(service, "context_event", {**_fields(params), "event": event}, connection)

    return handle


async def _call(service: Service, tool: str, fields: Mapping[str, Any], connection: str) -> dict[str, Any]:
    try:
        context = context_of(fields, connection)
        kept = CONTEXT_FIELDS if tool != "context_event" else ("turn", "call_id", "cwd", "agent")
        arguments = {name: value for name, value in fields.items() if name not in (*kept, _PERSON)}
        return await service.call(tool, arguments, context)
    except CoeditorError as error:
        raise RequestFailed(error) from error
    except Exception as error:
        raise internal(tool, error) from error


def _fields(params: Any) -> Mapping[str, Any]:
    if params is None:
        return {}
    if isinstance(params, Mapping):
        return params
    raise RequestFailed(
        CoeditorError(Code.INVALID_ARGUMENT, "The params of a request are an object of named fields.")
    )


def context_of(fields: Mapping[str, Any], connection: str) -> CallContext:
    """Who calls, from the request's own fields.

    Errors: INVALID_ARGUMENT for a context field that is no usable string.
    """
    for name in CONTEXT_FIELDS:
        value = fields.get(name)
        most = LONGEST if name != "cwd" else sys.maxsize
        if value is not None and not (isinstance(value, str) and 0 < len(value) <= most):
            raise CoeditorError(
                Code.INVALID_ARGUMENT,
                f"{name} must be a string of 1 to {LONGEST} characters. Correct it or leave it out.",
                data={"argument": name, "expected": f"a string of 1 to {LONGEST} characters"},
            )
    scope = ScopeKey(fields.get("session") or connection, fields.get("scope") or "main")
    caller = Caller(scope, fields.get("call_id"), fields.get("turn"), fields.get("agent"))
    return CallContext(caller, "lsp", fields.get("cwd"), person=fields.get(_PERSON) is True)
