"""One child process that speaks LSP on its standard streams: framing, requests, stderr, a sure end.

Never: what the messages mean, restarting, or a wait without an end that the caller set.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence

import orjson

from editor_clients.loose_json import Json, as_int, as_object, as_text

MAX_FRAME = 128 * 1024 * 1024
"""Bytes of one message; a server that sends more is not a language server."""
MAX_UNSENT = 128 * 1024 * 1024
"""Bytes that wait in our buffer for a server that does not read."""
_MAX_HEADER = 8 * 1024
_STDERR_KEPT = 20
_REAP = 2.0
"""Seconds until the end of a killed process must have been told."""
_METHOD_NOT_FOUND = -32601
_PR_SET_PDEATHSIG = 1

Notified = Callable[[str, Json], None]
Asked = Callable[[str, Json], object]
"""Answers a request of the server; raises KeyError for a method that it does not know."""


class ConnectionLostError(Exception):
    """The process has ended, or its stream cannot be read further; nothing more comes from it."""


class ResponseError(Exception):
    """The server answered a request with an error."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


def _parent_death() -> Callable[[], None] | None:
    """What the child does first so that it never outlives us; None where the system cannot do it."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def bind_to_parent() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)

    return bind_to_parent


class StdioConnection:
    """A running child process. Built by ``start``; ``ended`` is set once it is gone, whoever ended it."""

    def __init__(self, process: asyncio.subprocess.Process, notified: Notified, asked: Asked) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._stdin = process.stdin
        self._notified = notified
        self._asked = asked
        self._next_id = 0
        self._waiting: dict[int, asyncio.Future[object]] = {}
        self._stderr: deque[str] = deque(maxlen=_STDERR_KEPT)
        self._killed = False
        self._unsent = 0
        """Bytes that waited in our buffer at the last look at them."""
        self._unsent_since: float | None = None
        self._asked_at: float | None = None
        """When it was first asked something after it last said anything."""
        self.ended = asyncio.Event()
        self._tasks = (
            asyncio.create_task(self._read(process.stdout)),
            asyncio.create_task(self._drain(process.stderr)),
        )

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        cwd: str,
        notified: Notified,
        asked: Asked,
        environment: Mapping[str, str] | None = None,
    ) -> StdioConnection:
        """Start ``command`` in a process group of its own. Errors: OSError when it cannot be started."""
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            env=dict(environment) if environment is not None else None,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            preexec_fn=_parent_death(),
        )
        return cls(process, notified, asked)

    @property
    def pid(self) -> int:
        """The child's process id, which is its process group's too."""
        return self._process.pid

    def stderr_tail(self) -> str:
        """The last line that it wrote to its standard error, at most 200 characters."""
        return next((line for line in reversed(self._stderr) if line), "")[:200]

    def stalled_for(self) -> float:
        """Seconds in which it neither read what waits for it, nor said anything when it was asked.

        What waits is compared with what waited at the call before this one.
        """
        now = asyncio.get_running_loop().time()
        unsent = self._stdin.transport.get_write_buffer_size() if not self._stdin.is_closing() else 0
        if not unsent or unsent < self._unsent:
            self._unsent_since = None
        elif self._unsent_since is None:
            self._unsent_since = now
        self._unsent = unsent
        since = [moment for moment in (self._unsent_since, self._asked_at) if moment is not None]
        return now - min(since) if since else 0.0

    def notify(self, method: str, params: Json) -> None:
        """Send a notification; on a connection that is gone this does nothing."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def request(self, method: str, params: Json | None) -> object:
        """The server's result. Cancelling the wait cancels the request at the server.

        Errors: ResponseError; ConnectionLostError.
        """
        if self.ended.is_set():
            raise ConnectionLostError
        self._next_id += 1
        name = self._next_id
        answer: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._waiting[name] = answer
        if self._asked_at is None:
            self._asked_at = asyncio.get_running_loop().time()
        message: dict[str, object] = {"jsonrpc": "2.0", "id": name, "method": method}
        if params is not None:
            message["params"] = params
        self._send(message)
        try:
            return await answer
        except asyncio.CancelledError:
            self.notify("$/cancelRequest", {"id": name})
            raise
        finally:
            self._waiting.pop(name, None)

    async def stop(self, grace: float) -> None:
        """Ask it to shut down, and after ``grace`` seconds kill it; it is gone when this returns."""
        with contextlib.suppress(ConnectionLostError, ResponseError, TimeoutError):
            async with asyncio.timeout(grace):
                await self.request("shutdown", None)
                self._send({"jsonrpc": "2.0", "method": "exit"})
                self._stdin.close()
                await self._process.wait()
        await self.kill()

    async def kill(self) -> None:
        """Kill its whole process group and wait for the end of it and of our tasks."""
        self._signal_group()
        self._stdin.close()
        self._killed = True
        # The pipes are read to their end, else they stay open; a grandchild that left the group may hold them.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_REAP):
                await self._process.wait()
                await asyncio.wait(self._tasks)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._gone()

    def _signal_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _send(self, message: Json) -> None:
        if self.ended.is_set() or self._stdin.is_closing():
            return
        body = orjson.dumps(message)
        self._stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        if self._stdin.transport.get_write_buffer_size() > MAX_UNSENT:
            self._signal_group()

    async def _read(self, stream: asyncio.StreamReader) -> None:
        try:
            while True:
                body = await stream.readexactly(await _body_length(stream))
                if not self._killed:
                    self._dispatch(_parse(body))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError, OSError):
            # The end of the stream, or bytes that are no LSP: either way nothing more can be understood.
            self._signal_group()
            self._gone()
            with contextlib.suppress(OSError):
                while await stream.read(64 * 1024):
                    pass
        finally:
            self._gone()

    def _dispatch(self, message: Json) -> None:
        self._asked_at = None
        method = as_text(message.get("method"))
        if method and "id" in message:
            self._answer(message["id"], method, as_object(message.get("params")))
        elif method:
            self._notified(method, as_object(message.get("params")))
        else:
            self._resolve(message)

    def _resolve(self, message: Json) -> None:
        waiting = self._waiting.get(as_int(message.get("id"), -1))
        if waiting is None or waiting.done():
            return
        if "error" in message:
            error = as_object(message["error"])
            waiting.set_exception(
                ResponseError(as_int(error.get("code")), as_text(error.get("message")), error.get("data"))
            )
        else:
            waiting.set_result(message.get("result"))

    def _answer(self, name: object, method: str, params: Json) -> None:
        try:
            result = self._asked(method, params)
        except KeyError:
            error = {"code": _METHOD_NOT_FOUND, "message": f"{method} is not supported."}
            self._send({"jsonrpc": "2.0", "id": name, "error": error})
            return
        self._send({"jsonrpc": "2.0", "id": name, "result": result})

    async def _drain(self, stream: asyncio.StreamReader) -> None:
        with contextlib.suppress(OSError):
            rest = b""
            while chunk := await stream.read(64 * 1024):
                *lines, rest = (rest + chunk)[-64 * 1024 :].split(b"\n")
                self._stderr.extend(line.decode("utf-8", "replace").strip() for line in lines[-_STDERR_KEPT:])
            self._stderr.append(rest.decode("utf-8", "replace").strip())

    def _gone(self) -> None:
        self.ended.set()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ConnectionLostError())
        self._waiting.clear()


def _parse(body: bytes) -> Json:
    try:
        return as_object(orjson.loads(body))
    except orjson.JSONDecodeError:
        # Lone surrogates, NaN: the standard library is more patient.
        return as_object(json.loads(body))


async def _body_length(stream: asyncio.StreamReader) -> int:
    """Read one header block. Errors: ValueError when it is none; IncompleteReadError at the end."""
    length = -1
    size = 0
    while line := (await stream.readuntil(b"\n")).strip():
        size += len(line)
        if size > _MAX_HEADER:
            raise ValueError("The header does not end.")
        field, _, value = line.partition(b":")
        if field.strip().lower() == b"content-length":
            length = int(value)
    if not 0 <= length <= MAX_FRAME:
        raise ValueError("No usable content length.")
    return length
