"""MCP in the server process: one agent's connection, its calls and their answers.

The relay answers the handshake from the same table (``wire.handshake``); what comes here are calls and what
surrounds them. Calls start in the order in which they come; the service serialises what must not run side by
side. Questions to the agent's person go out as ``elicitation`` says.

Never: what a tool does, or how messages travel.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, Final

from ledger.errors import Code, CoeditorError
from lsp_server.agents.callers import caller_of
from lsp_server.agents.elicitation import Elicitation, Round
from lsp_server.agents.link import settle
from lsp_server.agents.watching import Watching
from lsp_server.asking.asker import DeferredError
from lsp_server.news import NewsService
from lsp_server.service import CallContext
from lsp_server.wire import handshake, resources
from lsp_server.wire.arguments import decode_arguments, did_you_mean
from lsp_server.wire.handshake import HandshakeState, envelope_of, error_message, params_of, result_message
from lsp_server.wire.stream_steps import HOOK
from lsp_server.wire.texts import content_text, error_text
from lsp_server.wire.tools import BY_NAME

Send = Callable[[Mapping[str, Any]], Awaitable[None]]

SLOW_AFTER: Final = 1.0
"""Seconds after which a call that is not answered yet reports progress for the first time."""
PROGRESS_EVERY: Final = 10.0
"""Seconds between reports; agents' patience starts at 15."""

log = logging.getLogger(__name__)


class McpConnection:
    """One agent. Lives in one event loop; nothing here blocks."""

    def __init__(
        self,
        service: NewsService,
        hello: Mapping[str, Any],
        send: Send,
        *,
        slow_after: float = SLOW_AFTER,
        progress_every: float = PROGRESS_EVERY,
    ) -> None:
        """``hello``: session, cwd, pid, env of the client, and mcp, what it said of itself (``to_hello``)."""
        self._service = service
        self._hello = hello
        self._send = send
        told = hello.get("mcp")
        self._state = HandshakeState.from_hello(told if isinstance(told, Mapping) else {})
        self._elicitation = Elicitation(self._state, send)
        self._watching = Watching(service, hello, self._state, send)
        self._slow_after = slow_after
        self._progress_every = progress_every
        self._running: dict[object, asyncio.Task[None]] = {}

    async def receive(self, message: Mapping[str, Any]) -> None:
        """Take one message; returns when its answer is sent. Several may run at once.

        A call that the client cancels has no answer. Notifications that mean nothing here are dropped.
        """
        method = message.get("method")
        if not isinstance(method, str):
            self._elicitation.take_answer(message)
            return
        if "id" not in message:
            if method == "notifications/cancelled":
                self._cancel(params_of(message).get("requestId"))
                self._watching.cancel(params_of(message).get("requestId"))
            return
        answer = handshake.answer(message, self._state)
        if answer is not None:
            await self._send(answer)
        elif method == "tools/call":
            await self._run(message, self._answer)
        elif method.startswith("resources/") or method == resources.LISTEN:
            await self._watching.take(method, message)
        elif method == "logging/setLevel":
            await self._send(result_message(message["id"], {}, self._state))
        else:
            text = f"There is no method {method[:80]}"
            await self._send(error_message(message["id"], handshake.METHOD_NOT_FOUND, text))

    async def receive_lost(self, message: Mapping[str, Any]) -> None:
        """Answer a ``tools/call`` whose answer was lost with a server, from the journal; it is not run."""
        handshake.answer(message, self._state)
        await self._run(message, self._answer_lost)

    async def close(self) -> None:
        """The agent is gone: what runs is cancelled."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await self._watching.close()
        await asyncio.gather(*running, return_exceptions=True)

    def _cancel(self, request_id: object) -> None:
        """Cancel a call that still runs. A late one, for a call that is done, means nothing."""
        task = self._running.get(request_id) if isinstance(request_id, str | int) else None
        if task is not None:
            task.cancel()

    async def _run(
        self,
        message: Mapping[str, Any],
        work: Callable[[object, str, Mapping[str, Any]], Coroutine[Any, Any, None]],
    ) -> None:
        request_id, params = message["id"], params_of(message)
        name = params.get("name")
        if name == HOOK.name:
            await self._send(result_message(request_id, await self._hear(params), self._state))
            return
        if not isinstance(name, str) or name not in BY_NAME:
            text = f"Unknown tool: {str(name)[:80]}.{did_you_mean(name, BY_NAME)}"
            await self._send(error_message(request_id, handshake.INVALID_PARAMS, text))
            return
        task = asyncio.create_task(work(request_id, name, params))
        self._running[request_id] = task
        try:
            await task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                raise
        finally:
            if self._running.get(request_id) is task:
                del self._running[request_id]

    async def _hear(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The agent's hook tells by this connection whose call of a tool comes next; it takes words for orders."""
        told = params.get("arguments")
        event = {**(told if isinstance(told, Mapping) else {}), "kind": "before", "action": "own"}
        try:
            caller = caller_of({}, self._hello, self._state.client)
            context = CallContext(caller, "hook", self._hello.get("cwd"), pid=self._hello.get("pid"))
            await self._service.call(HOOK.name, {"event": event}, context)
        except CoeditorError as error:
            return error_result(error)
        return {"content": [], "isError": False}

    async def _answer(self, request_id: object, name: str, params: Mapping[str, Any]) -> None:
        again = self._elicitation.again(name, params)
        if again is None:
            result = await self._result(name, params, None)
        else:
            # However often a call comes with the answer to our question, it is carried out once.
            if again.outcome is None or again.outcome.cancelled():
                again.outcome = asyncio.ensure_future(self._result(name, params, again))
            result = await _followed(again.outcome)
        await self._send(result_message(request_id, result, self._state))

    async def _result(self, name: str, params: Mapping[str, Any], again: Round | None) -> dict[str, Any]:
        """The result of one call, or the question with which it ends for now."""
        state = self._state
        meta = envelope_of({"params": params})
        progress = _Progress(self._send, meta.get("progressToken"), name)
        ticker = progress.start(self._slow_after, self._progress_every)
        try:
            found = await self._call(name, params.get("arguments"), meta, progress, again)
            return success_result(name, found, structured=state.client.structured)
        except DeferredError as error:
            return self._elicitation.input_required(error, name, params.get("arguments"))
        except CoeditorError as error:
            return error_result(error)
        except Exception:
            log.exception("%s failed", name)
            return error_result(_internal(name))
        finally:
            ticker()

    async def _call(
        self, name: str, arguments: object, meta: Mapping[str, Any], progress: _Progress, again: Round | None
    ) -> dict[str, Any]:
        # The service decodes; here only what is no object at all is turned away.
        sent = arguments if isinstance(arguments, Mapping) else decode_arguments(name, arguments)
        context = CallContext(
            caller_of(meta, self._hello, self._state.client),
            "mcp",
            self._hello.get("cwd"),
            connection=self._hello.get("session"),
            pid=self._hello.get("pid"),
            images=self._state.client.images,
            progress=progress.report if progress.wanted else None,
            prompt=self._elicitation.prompt(again),
        )
        return await self._service.call(name, sent, context)

    async def _answer_lost(self, request_id: object, name: str, params: Mapping[str, Any]) -> None:
        state = self._state
        try:
            caller = caller_of(envelope_of({"params": params}), self._hello, state.client)
            known = None
            if caller.call_id is not None:
                known = await self._service.outcome_of(caller.scope.session, caller.call_id)
            result = success_result(name, settle(known), structured=state.client.structured)
        except CoeditorError as error:
            result = error_result(error)
        await self._send(result_message(request_id, result, state))


async def _followed(work: asyncio.Future[dict[str, Any]]) -> dict[str, Any]:
    """The result of work that others may wait for too; cancelled, it ends for all of them."""
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        work.cancel()
        await asyncio.wait([work])
        raise


class _Progress:
    """Tells a client that waits that its call is alive."""

    def __init__(self, send: Send, token: object, tool: str) -> None:
        self._send = send
        self._token = token
        self._title = BY_NAME[tool].title
        self._count = 0

    @property
    def wanted(self) -> bool:
        """Whether the client asked; zero is a token too."""
        return isinstance(self._token, str | int) and not isinstance(self._token, bool)

    async def report(self, text: str) -> None:
        """One report, with a higher number than the last."""
        self._count += 1
        params = {"progressToken": self._token, "progress": self._count, "message": text}
        await self._send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

    def start(self, slow_after: float, every: float) -> Callable[[], None]:
        """Report while the call lasts, if it lasts for long; ends by the call of what this gives."""
        if not self.wanted:
            return lambda: None
        tasks: list[asyncio.Task[None]] = []
        timer = asyncio.get_running_loop().call_later(
            slow_after, lambda: tasks.append(asyncio.create_task(self._tick(every)))
        )

        def stop() -> None:
            timer.cancel()
            for task in tasks:
                task.cancel()

        return stop

    async def _tick(self, every: float) -> None:
        """Report until cancelled, or until the client is gone."""
        try:
            while True:
                await self.report(f"{self._title}: still at work")
                await asyncio.sleep(every)
        except ConnectionError:
            return


def success_result(tool: str, found: dict[str, Any], *, structured: bool) -> dict[str, Any]:
    """The MCP result of a success: the text always, the object for clients that are given it.

    An image comes as a block of its own, and its bytes nowhere else.
    """
    content: list[dict[str, Any]] = [{"type": "text", "text": content_text(tool, found)}]
    image = found.get("image")
    if image is not None:
        content.append({"type": "image", "data": image["data"], "mimeType": image["mime_type"]})
        found = found | {"image": {name: value for name, value in image.items() if name != "data"}}
    result: dict[str, Any] = {"content": content, "isError": False}
    if structured:
        result["structuredContent"] = found
    return result


def error_result(error: CoeditorError) -> dict[str, Any]:
    """The MCP result of an error: text and object for every client, since they differ in which they show."""
    found = error.to_object()
    return {
        "content": [{"type": "text", "text": error_text(found)}],
        "structuredContent": found,
        "isError": True,
    }


def _internal(tool: str) -> CoeditorError:
    return CoeditorError(
        Code.INTERNAL,
        f"{tool} failed inside Coeditor. The server's log has the details; please report it.",
    )
