"""``AsyncCoeditor``: the Python client that is awaited; calls run side by side, and can be cancelled.

Never: a tool's parameters, which ``requests`` has, or a thread while a call runs.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Coroutine, Mapping
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

from ledger.errors import Code, CoeditorError
from lsp_server.agents.inflight import MUTATING
from lsp_server.agents.link import Seeker, error_of, hello, settle
from lsp_server.agents.socket_link import Link, LostError
from lsp_server.agents.socket_methods import CALL, OUTCOME
from lsp_server.client import requests
from lsp_server.client.blocking import folder, session_name
from lsp_server.client.requests import Path, Request

P = ParamSpec("P")
R = TypeVar("R")

_LINE_BYTES = 1 << 28
"""Of one answer."""


def _calls(
    make: Callable[P, Request[R]],
) -> Callable[Concatenate[AsyncCoeditor, P], Coroutine[Any, Any, R]]:
    """The method that makes a request and carries it out."""

    async def method(self: AsyncCoeditor, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self.run(make(*args, **kwargs))

    method.__name__ = make.__name__
    method.__doc__ = make.__doc__
    return method


class AsyncCoeditor:
    """One scope of one session, connected with the first call; belongs to one event loop."""

    def __init__(
        self,
        root: Path | None = None,
        *,
        session: str | None = None,
        scope: str | None = None,
        agent: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """As ``Coeditor``, but that no server is looked for yet. Errors: OSError for a missing folder."""
        self.session = session_name(session)
        self.turn: str | None = None
        """Goes with each call; ``diff`` and ``rewind`` take it."""
        self._meta = {"scope": scope, "agent": agent}
        self._seeker = Seeker(folder(root), env=environment)
        self._connecting = asyncio.Lock()
        self._line: _Line | None = None
        self._reaching: asyncio.Task[Link] | None = None

    async def run(self, request: Request[R], *, call_id: str | None = None) -> R:
        """Carry out a request of ``requests``; ``call_id`` names it for a later ``context_event``.

        Cancelling it cancels the call; what was applied by then stays and is in the history. When the server
        dies meanwhile, a call that may change something is not sent again: its outcome is asked for.
        Errors: CoeditorError.
        """
        call_id = call_id or os.urandom(8).hex()
        meta = {**self._meta, "turn": self.turn, "session": self.session, "call_id": call_id}
        params = {
            "tool": request.tool,
            "arguments": request.arguments,
            "cwd": self._seeker.cwd,
            **{name: value for name, value in meta.items() if value is not None},
        }
        try:
            found = await (await self._connected()).request(CALL, params)
        except LostError:
            if request.tool in MUTATING:
                asked = {"session": self.session, "call_id": call_id}
                found = settle(await self._again(OUTCOME, asked))
            else:
                found = await self._again(CALL, params)
        return cast(R, found)

    read = _calls(requests.read)
    edit = _calls(requests.edit)
    write = _calls(requests.write)
    apply_patch = _calls(requests.apply_patch)
    edit_notebook = _calls(requests.edit_notebook)
    glob = _calls(requests.glob)
    grep = _calls(requests.grep)
    diagnostics = _calls(requests.diagnostics)
    history = _calls(requests.history)
    diff = _calls(requests.diff)
    rewind = _calls(requests.rewind)
    status = _calls(requests.status)
    context_event = _calls(requests.context_event)

    async def close(self) -> None:
        """Hang up; calls that still run are cancelled."""
        line, self._line = self._line, None
        if line is not None:
            await line.close()
        reaching = self._reaching
        if reaching is not None and not self._connecting.locked():
            self._reaching = None
            await asyncio.wait({reaching})
            if reaching.exception() is None:
                reaching.result().close()

    async def __aenter__(self) -> Self:
        await self._connected()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _connected(self) -> _Line:
        """The line to a server. Errors: CoeditorError (NO_SERVER, UNAUTHORIZED)."""
        async with self._connecting:
            if self._line is None or self._line.lost:
                if self._line is not None:
                    await self._line.close()
                link = await self._reached()
                streams = await asyncio.open_connection(sock=link.hand_out(), limit=_LINE_BYTES)
                self._line = _Line(*streams)
            return self._line

    async def _reached(self) -> Link:
        """A new connection; a call that is cancelled meanwhile leaves it to the next one."""
        if self._reaching is None:
            greeting = hello("cli", self._seeker.cwd, self.session)
            self._reaching = asyncio.create_task(asyncio.to_thread(self._seeker.reach, greeting))
        found = self._reaching
        await asyncio.wait({found})
        self._reaching = None
        return found.result()

    async def _again(self, method: str, params: Mapping[str, Any]) -> Any:
        try:
            return await (await self._connected()).request(method, params)
        except LostError:
            text = "The server ended twice while it answered; its log tells why."
            raise CoeditorError(Code.NO_SERVER, text) from None


class _Line:
    """One connection that was welcomed, its requests by number."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._last_id = 0
        self.lost = False
        """The server hung up."""
        self._reading = asyncio.create_task(self._read())

    async def request(self, method: str, params: Mapping[str, Any]) -> Any:
        """One request, its result. Errors: CoeditorError, LostError."""
        if self.lost:
            raise LostError(unsent=True)
        self._last_id += 1
        number = self._last_id
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            self._send({"id": number, "method": method, "params": params})
            found = await answer
        except asyncio.CancelledError:
            self._send({"method": "$/cancelRequest", "params": {"id": number}})
            raise
        finally:
            self._waiting.pop(number, None)
        if "error" in found:
            raise error_of(found["error"].get("data") or {"message": found["error"].get("message")})
        return found.get("result")

    async def close(self) -> None:
        """Hang up."""
        self._writer.close()
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        self._end()

    def _send(self, message: Mapping[str, Any]) -> None:
        self._writer.write(json.dumps({"jsonrpc": "2.0", **message}).encode("ascii") + b"\n")

    async def _read(self) -> None:
        try:
            while (line := await self._reader.readline()).endswith(b"\n"):
                answer = json.loads(line)
                waiting = self._waiting.get(answer.get("id"))
                if waiting is not None and not waiting.done():
                    waiting.set_result(answer)
        except (OSError, ValueError):
            pass  # hung up in the middle
        finally:
            self._end()

    def _end(self) -> None:
        self.lost = True
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(LostError())
