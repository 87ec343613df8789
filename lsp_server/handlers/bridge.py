"""Our editor as a further one of another server's: that server owns the folder, and asks our editor by way of us.

::

    connected    all that is open is told at once
    from then    each notification of our editor's goes on as it came; the owner's requests go to our editor
    lost         the owner ended, or died: whoever is first takes its place, the others bridge to that one

What is said is in ``joining``. Never: a text that our own mirror does not hold, or a decision about an edit.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from typing import Any

from lsprotocol import types as lsp

from editor_clients.editor_link import AnswerError, EditorLink, SilentEditorError
from editor_clients.loose_json import Json, as_int, as_list, as_object, as_text
from editor_clients.overlay import Overlay
from ledger.errors import Code, CoeditorError
from ledger.types import EditId
from lsp_server.agents.channel import Channel, OversizeError
from lsp_server.agents.link import error_of, hello
from lsp_server.agents.messages import METHOD_NOT_FOUND, encode
from lsp_server.agents.owner import Record, read_token
from lsp_server.agents.socket_methods import CALL, OUTCOME
from lsp_server.handlers.documents import Documents
from lsp_server.handlers.joining import (
    GOODBYE,
    VIEW,
    VIEWS,
    call_params,
    decoded,
    intro,
)
from lsp_server.handlers.methods import AGENTS, FILE_VERSIONS
from lsp_server.paths import Folder
from lsp_server.service import CallContext

log = logging.getLogger(__name__)

_DIAL = 10.0
"""Seconds for the owner to welcome us."""
_ANSWER = 600.0
"""Seconds for our editor to answer; the owner gives up earlier, and says so."""
_LINE = 512 << 20


class RefusedError(Exception):
    """An owner did not take our editor; says why."""


class Bridge:
    """One connection to an owner."""

    def __init__(self, channel: Channel, record: Record, editor: EditorLink, documents: Documents) -> None:
        self.record = record
        self.siblings: frozenset[int] = frozenset()
        """Processes of the other editors' servers that the owner has."""
        self.said_goodbye = False
        """The owner ended because it was told to; its editor is not coming back at once."""
        self.is_main: Callable[[], bool] = lambda: True
        """Whether the owner is the one whose agents our editor shows."""
        self._channel = channel
        self._editor = editor
        self._documents = documents
        self._count = 0
        self._asked: dict[int, asyncio.Future[object]] = {}
        self._answering: dict[int, asyncio.Task[None]] = {}

    @classmethod
    async def build(
        cls,
        folder: Folder,
        record: Record,
        editor: EditorLink,
        documents: Documents,
        overlay: Overlay,
    ) -> Bridge:
        """The bridge to the server of ``record``, which knows all that is open. Errors: RefusedError."""
        token = await asyncio.to_thread(read_token, folder)
        if token is None:
            raise RefusedError("it has left no token")
        channel = None
        try:
            async with asyncio.timeout(_DIAL):
                channel = await _dial(record.address)
                greeting = hello("editor", record.roots[0], None)
                await channel.write(encode({"hello": {**greeting, "token": token}}))
                answer = as_object(decoded(await channel.read_line() or b"null"))
        except (OSError, TimeoutError, OversizeError) as error:
            if channel is not None:
                channel.close()
            raise RefusedError(f"it does not answer ({type(error).__name__})") from None
        if "welcome" not in answer:
            channel.close()
            raise RefusedError(as_text(as_object(answer.get("refused")).get("message"), "without a reason"))
        bridge = cls(channel, record, editor, documents)
        # One step: nothing that the editor tells can come in between.
        told = intro(overlay, editor.abilities, documents.notebooks.told(), documents.diagnostics())
        bridge._send({"jsonrpc": "2.0", "method": VIEW, "params": told})
        documents.followers.append(bridge.forward)
        return bridge

    async def run(self) -> None:
        """Return when the owner hung up."""
        try:
            while (line := await self._channel.read_line()) is not None:
                self._take(as_object(decoded(line)))
        except OversizeError:
            log.error("the owner of %s sent more than fits", self.record.roots[0])
        finally:
            self.close()

    def close(self) -> None:
        """Hang up. May be called twice."""
        with suppress(ValueError):
            self._documents.followers.remove(self.forward)
        for future in self._asked.values():
            if not future.done():
                future.set_exception(_lost(self.record))
                future.exception()  # looked at: whoever asked may be gone
        for task in self._answering.values():
            task.cancel()
        self._channel.close()

    def forward(self, method: str, params: Any) -> None:
        """A notification of our editor's."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    # What our editor asks; the owner is its server.

    async def call(self, tool: str, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        """See ``Service.call``."""
        return dict(as_object(await self._ask(CALL, call_params(tool, arguments, context))))

    async def outcome_of(self, session: str, call_id: str) -> dict[str, Any] | None:
        """See ``Service.outcome_of``."""
        found = await self._ask(OUTCOME, {"session": session, "call_id": call_id})
        return None if found is None else dict(as_object(found))

    async def file_versions(self, edit_id: EditId) -> dict[str, Any]:
        """See ``EditorService.file_versions``."""
        return dict(as_object(await self._ask(FILE_VERSIONS, {"edit_id": edit_id})))

    async def _ask(self, method: str, params: Json) -> object:
        """Errors: what the owner answers with; NO_SERVER when it is gone."""
        self._count += 1
        number = self._count
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        try:
            if self._channel.lost.is_set():
                raise _lost(self.record)
            return await future
        finally:
            self._asked.pop(number, None)

    def _send(self, message: Mapping[str, Any]) -> None:
        self._channel.write_now(encode(message))

    def _take(self, message: Json) -> None:
        method, number = message.get("method"), message.get("id")
        params = as_object(message.get("params"))
        if not isinstance(method, str):
            self._deliver(message)
        elif isinstance(number, int):
            self._start(number, self._answer(number, method, params))
        elif method == VIEWS:
            if not self.said_goodbye:  # who leaves an owner that ends is still to be awaited by the next
                self.siblings = frozenset(as_int(pid) for pid in as_list(params.get("pids")))
        elif method == GOODBYE:
            self.said_goodbye = True
        elif method == lsp.CANCEL_REQUEST:
            task = self._answering.get(as_int(params.get("id")))
            if task is not None:
                task.cancel()
        elif method != AGENTS or self.is_main():
            self._editor.tell(method, params)

    def _deliver(self, message: Json) -> None:
        future = self._asked.get(as_int(message.get("id")))
        if future is None or future.done():
            return
        error = as_object(message.get("error"))
        if error:
            future.set_exception(error_of(as_object(error.get("data")) or {"message": error.get("message")}))
        else:
            future.set_result(message.get("result"))

    def _start(self, number: int, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._answering[number] = task
        task.add_done_callback(lambda _: self._answering.pop(number, None))

    async def _answer(self, number: int, method: str, params: Json) -> None:
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": number}
        try:
            answer["result"] = await self._editor.ask(method, params, patience=_ANSWER)
        except (AnswerError, SilentEditorError) as error:
            answer["error"] = {"code": METHOD_NOT_FOUND, "message": str(error)}
        self._send(answer)


async def _dial(address: str) -> Channel:
    """A connection that can send and read lines. Errors: OSError."""
    loop = asyncio.get_running_loop()

    def make() -> Channel:
        return Channel(lambda _: None, limit=_LINE)

    if os.path.isabs(address):
        _, channel = await loop.create_unix_connection(make, address)
        return channel
    host, _, port = address.rpartition(":")
    if host != "127.0.0.1" or not port.isdigit():
        raise OSError(f"not an address of this machine: {address}")
    _, channel = await loop.create_connection(make, host, int(port))
    return channel


def _lost(record: Record) -> CoeditorError:
    return CoeditorError(
        Code.NO_SERVER, f"The server of {record.roots[0]} ended before it answered; send the request again."
    )
