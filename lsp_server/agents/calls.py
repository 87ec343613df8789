"""The door of the command line and of hooks: JSON-RPC, one message a line.

::

    coeditor/call      {tool, arguments, session, scope?, turn?, call_id?, agent?, cwd?, person?} -> result
    coeditor/applyPatch/begin, .../append, .../commit    {stream?, text?, validate_only?, session, ...}
    coeditor/outcome   {session, call_id} -> what the journal knows of a call whose answer was lost, or null
    coeditor/ping      -> {tasks}: how many run in the server
    coeditor/handOver  -> {accepted}: asks a headless server to end once it is idle, for an editor's
    $/cancelRequest    {id}, a notification

Never: a decision about a file.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from typing import Any, cast

from ledger.errors import Code, CoeditorError
from ledger.types import Caller, ScopeKey
from lsp_server.agents import socket_methods
from lsp_server.agents.channel import Channel, Room
from lsp_server.agents.messages import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Hello,
    UndecodableError,
    decode,
    encode,
    error_object,
)
from lsp_server.service import CallContext, Service
from lsp_server.wire.tools import STEP_METHODS

log = logging.getLogger(__name__)

_CONTEXT = frozenset({"session", "scope", "turn", "call_id", "agent", "cwd", "person"})
"""Who calls; not arguments of what is called."""
_CANCEL = "$/cancelRequest"


class CallConnection:
    """One command-line or hook process."""

    def __init__(
        self,
        channel: Channel,
        hello: Hello,
        service: Service,
        *,
        hand_over: Callable[[], bool],
        room: Room,
    ) -> None:
        self._channel = channel
        self._hello = hello
        self._service = service
        self._hand_over = hand_over
        self._readable = asyncio.Semaphore(room.calls + room.waiting)
        self._slots = asyncio.Semaphore(room.calls)
        self._turns = asyncio.Semaphore(room.at_once)
        self._running: set[asyncio.Task[None]] = set()
        self._cancellable: dict[object, asyncio.Task[None]] = {}
        """Those without an answer yet, by id."""
        self._read_all = asyncio.Event()
        """Set when no line is taken any more."""

    async def run(self) -> None:
        """Serve until the client hangs up; its unfinished calls are cancelled then. Errors: OversizeError."""
        try:
            while (line := await self._channel.read_line()) is not None:
                try:
                    message = decode(line)
                except UndecodableError as error:
                    await self._refuse(error.request_id, "The message is not valid JSON text.")
                    continue
                # What frees a slot must not wait for one.
                if self._needs_slot(message):
                    await self._readable.acquire()
                self._take(message)
                await asyncio.sleep(0)  # others' turn: a call may be done in one go, and many may wait here
        finally:
            self._read_all.set()

    async def drain(self) -> None:
        """Take no more calls, answer those that run."""
        self._channel.stop_reading()
        await self._read_all.wait()  # the last line may still wait until so many are read
        if self._running:
            await asyncio.wait(list(self._running))

    async def close(self) -> None:
        """Cancel what runs."""
        tasks = list(self._running)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _needs_slot(self, message: object) -> bool:
        """Whether it is work; a cancellation is none."""
        return not (isinstance(message, dict) and message.get("method") == _CANCEL)

    def _take(self, message: object) -> None:
        if isinstance(message, dict) and message.get("method") == _CANCEL:
            self._cancel(message.get("params"))
            return
        request_id = message.get("id") if isinstance(message, dict) else None
        task = asyncio.create_task(self._answer(request_id, message))
        self._running.add(task)
        if isinstance(request_id, str | int):
            self._cancellable.setdefault(request_id, task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._readable.release()

    def _cancel(self, params: object) -> None:
        wanted = params.get("id") if isinstance(params, dict) else None
        if isinstance(wanted, str | int) and (task := self._cancellable.get(wanted)) is not None:
            task.cancel()

    async def _answer(self, request_id: object, message: object) -> None:
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request_id}
        has_slot = False
        try:
            has_slot = await self._slots.acquire()
            async with self._turns:
                answer["result"] = await self._perform(message)
        except CoeditorError as error:
            answer["error"] = error_object(error)
        except _RequestError as error:
            answer["error"] = {"code": error.code, "message": str(error)}
        except asyncio.CancelledError:
            answer["error"] = error_object(
                CoeditorError(
                    Code.FS_CANCELLED, "The call was cancelled; what it had not applied by then is not."
                )
            )
        except Exception:
            log.exception("a call failed inside the server")
            answer["error"] = error_object(
                CoeditorError(
                    Code.INTERNAL, "The call failed inside Coeditor; the server's log has the details."
                )
            )
        self._close_to_cancelling(request_id)
        try:
            await self._channel.write(encode(answer))
        except ConnectionResetError:
            log.debug("the client left before its answer")
        finally:
            if has_slot:
                self._slots.release()

    def _close_to_cancelling(self, request_id: object) -> None:
        """The call of this task has its answer, which may wait to be taken."""
        if isinstance(request_id, str | int) and self._cancellable.get(request_id) is asyncio.current_task():
            del self._cancellable[request_id]

    async def _perform(self, message: object) -> object:
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            raise _RequestError(INVALID_REQUEST, "A request is an object with a method.")
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        match message["method"]:
            case socket_methods.CALL:
                arguments = params.get("arguments")
                if not isinstance(params.get("tool"), str) or not isinstance(arguments, dict):
                    raise _RequestError(
                        INVALID_REQUEST, "A call needs `tool`, a string, and `arguments`, an object."
                    )
                return await self._service.call(params["tool"], arguments, self._context(params))
            case step if step in STEP_METHODS:
                sent = {name: value for name, value in params.items() if name not in _CONTEXT}
                return await self._service.call(STEP_METHODS[step], sent, self._context(params))
            case socket_methods.OUTCOME:
                return await self._service.outcome_of(str(params.get("session")), str(params.get("call_id")))
            case socket_methods.PING:
                return {"tasks": len(asyncio.all_tasks())}
            case socket_methods.HAND_OVER:
                return {"accepted": self._hand_over()}
            case other:
                raise _RequestError(METHOD_NOT_FOUND, f"There is no method {other[:80]!r}.")

    def _context(self, params: Mapping[str, Any]) -> CallContext:
        cwd = _text(params, "cwd")
        caller = Caller(
            scope=ScopeKey(
                _text(params, "session") or self._hello.session or "unnamed", _text(params, "scope") or "main"
            ),
            call_id=_text(params, "call_id"),
            turn=_text(params, "turn"),
            agent=_text(params, "agent"),
        )
        return CallContext(
            caller=caller,
            door=cast(Any, self._hello.door),
            cwd=cwd if cwd and os.path.isabs(cwd) else self._hello.cwd,
            person=params.get("person") is True,
            connection=self._hello.session,
            pid=self._hello.pid,
        )

    async def _refuse(self, request_id: object, message: str) -> None:
        error = error_object(CoeditorError(Code.INVALID_ARGUMENT, message))
        await self._channel.write(encode({"jsonrpc": "2.0", "id": request_id, "error": error}))


class _RequestError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def _text(params: Mapping[str, Any], name: str) -> str | None:
    found = params.get(name)
    return found if isinstance(found, str) and found else None
