"""Resources of one MCP connection: reading them, and telling the client when they have changed.

Up to 2025-11-25 a client subscribes to one resource after the other; from 2026-07-28 on it listens, by a request
that is never answered while it goes on. Never: the same change told twice within a moment.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ledger.errors import Code, CoeditorError
from ledger.types import Caller
from lsp_server.agents.callers import caller_of
from lsp_server.news import News, NewsService
from lsp_server.service import CallContext
from lsp_server.wire import handshake, resources
from lsp_server.wire.handshake import HandshakeState, envelope_of, error_message, params_of, result_message

_MOMENT: Final = 0.05
"""Seconds in which changes are gathered, so that the answer of the call that made them goes first."""
_MOST: Final = 200
"""Resources watched by one connection."""
_INTERNAL: Final = -32603
_SUBSCRIPTION: Final = "io.modelcontextprotocol/subscriptionId"

Send = Callable[[Mapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class _Watch:
    uri: str
    name: str
    session: str
    listen: object = None
    """Id of the request by which the client listens; None for a subscription."""


class _RefusedError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Watching:
    """The resources of one client, and which of them it watches."""

    def __init__(
        self, service: NewsService, hello: Mapping[str, Any], state: HandshakeState, send: Send
    ) -> None:
        self._service = service
        self._hello = hello
        self._state = state
        self._send = send
        self._watches: list[_Watch] = []
        self._changed: dict[_Watch, None] = {}
        self._telling: asyncio.Task[None] | None = None
        self._end: Callable[[], None] | None = None

    async def take(self, method: str, message: Mapping[str, Any]) -> None:
        """Do what is asked of resources (but for the lists); returns when the answer is sent."""
        request_id = message["id"]
        try:
            caller = caller_of(envelope_of(message), self._hello, self._state.client)
            if method == resources.LISTEN:
                await self._listen(message, caller.scope.session)
                return
            result = await self._perform(method, params_of(message).get("uri"), caller)
        except _RefusedError as error:
            await self._send(error_message(request_id, error.code, str(error)))
        except CoeditorError as error:
            mistake = error.code is Code.INVALID_ARGUMENT
            code = handshake.INVALID_PARAMS if mistake else _INTERNAL
            await self._send(error_message(request_id, code, error.message, error.to_object()))
        else:
            await self._send(result_message(request_id, result, self._state))

    async def _perform(self, method: str, uri: object, caller: Caller) -> dict[str, Any]:
        if method == "resources/unsubscribe":
            self._keep(lambda watch: watch.listen is not None or watch.uri != uri)
            return {}
        if method not in ("resources/read", "resources/subscribe"):
            raise _RefusedError(handshake.METHOD_NOT_FOUND, f"There is no method {method[:80]}")
        found = resources.find(uri)
        if found is None or not isinstance(uri, str):
            code = handshake.INVALID_PARAMS if self._state.enveloped else handshake.NO_RESOURCE
            told = f"There is no resource {str(uri)[:200]}; resources/list names those that there are."
            raise _RefusedError(code, told)
        if method == "resources/subscribe":
            if not self._add(uri, caller.scope.session, None):
                raise _RefusedError(_INTERNAL, f"One connection may watch {_MOST} resources.")
            return {}
        context = CallContext(
            caller,
            "mcp",
            self._hello.get("cwd"),
            connection=self._hello.get("session"),
            pid=self._hello.get("pid"),
            quiet=True,
        )
        text = json.dumps(await self._service.call(*found, context), ensure_ascii=False, indent=1)
        fresh = {"ttlMs": 0, "cacheScope": "private"} if self._state.enveloped else {}
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": text}], **fresh}

    async def _listen(self, message: Mapping[str, Any], session: str) -> None:
        """Acknowledge a ``subscriptions/listen`` with what is watched for it; it has no answer."""
        listen = message["id"]
        self.cancel(listen)
        asked = params_of(message).get("notifications")
        wanted = asked.get("resourceSubscriptions") if isinstance(asked, Mapping) else None
        uris = (
            dict.fromkeys(one for one in wanted if isinstance(one, str)) if isinstance(wanted, list) else {}
        )
        honored = [uri for uri in uris if self._add(uri, session, listen)]
        params = {
            "notifications": {"resourceSubscriptions": honored} if honored else {},
            "_meta": {_SUBSCRIPTION: listen},
        }
        await self._send(_notification("notifications/subscriptions/acknowledged", params))

    def cancel(self, listen: object) -> None:
        """The client listens no more."""
        self._keep(lambda watch: watch.listen is None or watch.listen != listen)

    async def close(self) -> None:
        """The client is gone."""
        self._keep(lambda _: False)
        if self._telling is not None:
            self._telling.cancel()
            await asyncio.gather(self._telling, return_exceptions=True)

    def _add(self, uri: str, session: str, listen: object) -> bool:
        found = resources.find(uri)
        if found is None or len(self._watches) >= _MOST:
            return False
        watch = _Watch(uri, found[0], session, listen)
        if watch not in self._watches:
            self._watches.append(watch)
        if self._end is None:
            self._end = self._service.hear(self._hear)
        return True

    def _keep(self, wanted: Callable[[_Watch], bool]) -> None:
        self._watches = [watch for watch in self._watches if wanted(watch)]
        if not self._watches and self._end is not None:
            self._end()
            self._end = None

    def _hear(self, news: News) -> None:
        for watch in self._watches:
            if resources.NEWS_OF.get(watch.name, watch.name) == news.what and news.session in (
                None,
                watch.session,
            ):
                self._changed[watch] = None
        if self._changed and self._telling is None:
            self._telling = asyncio.create_task(self._tell())

    async def _tell(self) -> None:
        try:
            while self._changed:
                await asyncio.sleep(_MOMENT)
                changed, self._changed = self._changed, {}
                for watch in changed:
                    if watch in self._watches:
                        await self._send(_updated(watch))
        except ConnectionError:
            return  # the client is gone
        finally:
            self._telling = None


def _updated(watch: _Watch) -> dict[str, Any]:
    params: dict[str, Any] = {"uri": watch.uri}
    if watch.listen is not None:
        params["_meta"] = {_SUBSCRIPTION: watch.listen}
    return _notification(resources.UPDATED, params)


def _notification(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}
