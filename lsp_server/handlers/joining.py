"""A further editor on our folder, by way of its own server: what that server tells and asks on our socket.

::

    it:   {"method": "coeditor/view", "params": {...}}    first, once: what its editor is and has open
          a notification of its editor's, as that sent it
          {"id", "method": "coeditor/call" | "coeditor/outcome" | "coeditor/fileVersions", "params"}
          {"id", "result" | "error"}                      what its editor answered
    we:   a request or a notification for its editor, {"id", "result" | "error"}
          {"method": "coeditor/views", "params": {"pids"}}    the other editors' servers that are connected
          {"method": "coeditor/goodbye"}                      this server ends because it was told to

Never: a decision about an edit.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol, cast

import orjson

from editor_clients.editor_link import Abilities
from editor_clients.lines import PositionEncoding
from editor_clients.loose_json import Json, as_int, as_list, as_object, as_text
from editor_clients.lsp_diagnostics import position_encoding
from editor_clients.lsp_wire import state_from
from editor_clients.overlay import Buffer, Overlay
from ledger.errors import Code, CoeditorError
from ledger.types import Caller, EditId, ScopeKey
from lsp_server.agents.channel import Channel
from lsp_server.agents.messages import METHOD_NOT_FOUND, Hello, encode, error_object
from lsp_server.agents.socket_methods import CALL, OUTCOME
from lsp_server.handlers.documents import Documents
from lsp_server.handlers.methods import FILE_VERSIONS
from lsp_server.handlers.open_requests import OpenRequests
from lsp_server.handlers.requests import EditorService
from lsp_server.service import CallContext

log = logging.getLogger(__name__)

VIEW, VIEWS, GOODBYE = "coeditor/view", "coeditor/views", "coeditor/goodbye"


@dataclass(frozen=True, slots=True)
class Intro:
    """What a further editor's server says first."""

    pid: int
    abilities: Abilities
    encoding: PositionEncoding
    documents: Sequence[Json]
    notebooks: Sequence[Json]
    """Params of ``notebookDocument/didOpen``."""
    diagnostics: Sequence[Json]
    """Params of ``coeditor/publishDiagnostics``."""

    def fill(self, overlay: Overlay) -> None:
        """Put what is open into a mirror that is empty."""
        for fields in self.documents:
            uri, text = as_text(fields.get("uri")), fields.get("text")
            overlay.open(uri, None, as_int(fields.get("version")), text if isinstance(text, str) else "")
            found = overlay.find(uri)
            if found is not None:
                state = fields.get("state")
                told = state_from(as_object(state)) if state is not None else None
                overlay.put(replace(found, sound=fields.get("sound") is not False, state=told))


def intro(
    overlay: Overlay, abilities: Abilities, notebooks: Iterable[Json], diagnostics: Iterable[Json]
) -> Json:
    """The params of ``coeditor/view``."""
    return {
        "pid": os.getpid(),
        "abilities": asdict(abilities),
        "encoding": overlay.encoding,
        "documents": [_document(buffer) for buffer in overlay.all() if buffer.cells is None],
        "notebooks": list(notebooks),
        "diagnostics": list(diagnostics),
    }


def intro_from(params: object) -> Intro:
    """What was told; what is not understood is as if it were not there."""
    fields = as_object(params)
    told = as_object(fields.get("abilities"))
    flags = {name: told.get(name) is True for name in Abilities.__slots__ if name not in ("name", "version")}
    abilities = Abilities(as_text(told.get("name"), "unknown editor"), as_text(told.get("version")), **flags)
    return Intro(
        as_int(fields.get("pid")),
        abilities,
        position_encoding(fields.get("encoding")),
        [as_object(item) for item in as_list(fields.get("documents"))],
        [as_object(item) for item in as_list(fields.get("notebooks"))],
        [as_object(item) for item in as_list(fields.get("diagnostics"))],
    )


class Joined(Protocol):
    """The further editor's place among the others."""

    documents: Documents

    def leave(self) -> None:
        """Its editor is gone."""
        ...


class Host(EditorService, Protocol):
    """The service that it joins."""

    def join(self, told: Intro, link: FurtherEditor) -> Joined:
        """Take the editor in beside the others; ``told`` is what it has open."""
        ...


class _NoMethodError(Exception):
    """There is no such method."""


class FurtherEditor:
    """One connection, and the link to the editor at its far end."""

    def __init__(self, channel: Channel, hello: Hello, host: Host) -> None:
        self.abilities = Abilities()
        self._requests = OpenRequests(self._send, lambda count: count)
        self._channel = channel
        self._hello = hello
        self._host = host
        self._running: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Serve until it hangs up. Errors: OversizeError."""
        first = await self._read()
        if first is None or first.get("method") != VIEW:
            return
        told = intro_from(first.get("params"))
        self.abilities = told.abilities
        joined = self._host.join(told, self)
        log.info("%s joined by process %d", told.abilities.name, told.pid)
        try:
            while (message := await self._read()) is not None:
                self._take(message, joined)
        finally:
            self._requests.hang_up()
            joined.leave()
            log.info("%s left", told.abilities.name)

    async def drain(self) -> None:
        """Answer what runs; its editor is heard on, since others' edits go through it."""
        if self._running:
            await asyncio.wait(self._running)
        self.tell(GOODBYE, {})

    async def close(self) -> None:
        """Cancel what runs."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)

    @property
    def is_gone(self) -> bool:
        """See ``EditorLink.is_gone``."""
        return self._requests.is_gone

    async def ask(self, method: str, params: Mapping[str, Any], *, patience: float) -> object:
        """See ``EditorLink.ask``."""
        return await self._requests.ask(method, params, patience=patience)

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """See ``EditorLink.tell``."""
        self._requests.tell(method, params)

    async def _read(self) -> Json | None:
        line = await self._channel.read_line()
        return None if line is None else as_object(decoded(line))

    def _send(self, message: Mapping[str, Any]) -> None:
        self._channel.write_now(encode(message))

    def _take(self, message: Json, joined: Joined) -> None:
        method = message.get("method")
        if not isinstance(method, str):
            self._requests.deliver(message)
        elif "id" in message:
            self._start(self._answer(message["id"], method, as_object(message.get("params"))))
        else:
            joined.documents.take(method, message.get("params"))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _answer(self, number: object, method: str, params: Json) -> None:
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
        try:
            answer["result"] = await self._perform(method, params)
        except CoeditorError as error:
            answer["error"] = error_object(error)
        except _NoMethodError:
            answer["error"] = {"code": METHOD_NOT_FOUND, "message": f"There is no method {method[:80]!r}."}
        except Exception:
            log.exception("%s failed", method)
            problem = CoeditorError(
                Code.INTERNAL, "The call failed inside Coeditor; the server's log has more."
            )
            answer["error"] = error_object(problem)
        self._send(answer)

    async def _perform(self, method: str, params: Json) -> object:
        """Errors: _NoMethodError."""
        work: Mapping[str, Callable[[], Coroutine[Any, Any, object]]] = {
            CALL: lambda: self._host.call(
                as_text(params.get("tool")), as_object(params.get("arguments")), self._context(params)
            ),
            OUTCOME: lambda: self._host.outcome_of(
                as_text(params.get("session")), as_text(params.get("call_id"))
            ),
            FILE_VERSIONS: lambda: self._host.file_versions(EditId(as_text(params.get("edit_id")))),
        }
        if method not in work:
            raise _NoMethodError
        return await work[method]()

    def _context(self, params: Json) -> CallContext:
        def text(name: str) -> str | None:
            return as_text(params.get(name)) or None

        scope = ScopeKey(text("session") or f"lsp-{self._hello.pid}", text("scope") or "main")
        caller = Caller(scope, text("call_id"), text("turn"), text("agent"))
        return CallContext(caller, "lsp", text("cwd"), person=params.get("person") is True)


def call_params(tool: str, arguments: Mapping[str, Any], context: CallContext) -> Json:
    """The params of ``coeditor/call``."""
    caller = context.caller
    return {
        "tool": tool,
        "arguments": dict(arguments),
        "session": caller.scope.session,
        "scope": caller.scope.scope,
        "call_id": caller.call_id,
        "turn": caller.turn,
        "agent": caller.agent,
        "cwd": context.cwd,
        "person": context.person,
    }


def decoded(line: bytes) -> object:
    """The JSON value of one line, halves of characters allowed; None when it is none."""
    try:
        return cast(object, orjson.loads(line))
    except ValueError:
        try:
            return cast(object, json.loads(line))
        except (ValueError, RecursionError):
            log.warning("an editor's server sent what is no JSON (%d bytes)", len(line))
            return None


def _document(buffer: Buffer) -> Json:
    found: dict[str, object] = {
        "uri": buffer.uri,
        "version": buffer.version,
        "text": buffer.text,
        "sound": buffer.sound,
    }
    if buffer.state is not None:
        found["state"] = {"uri": buffer.uri, **asdict(buffer.state)}
    return found
