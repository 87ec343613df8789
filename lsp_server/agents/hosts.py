"""The door of ``coeditor acp``: one session of an agent, whose host may hold the files.

::

    coeditor/host    {name, files} -> {}: who the host is, and whether it reads and writes the files; once, first
    the rest         as the door of the command line
    server:          fs/read_text_file {path} -> {content}, fs/write_text_file {path, content} -> {}

Never: a decision about a file.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Mapping
from typing import Any, Final

from editor_clients.hosted import HostLink
from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey
from lsp_server.agents.calls import CallConnection
from lsp_server.agents.channel import Channel, Room
from lsp_server.agents.messages import Hello, encode
from lsp_server.agents.socket_methods import HOST
from lsp_server.service import Service

NOT_FOUND: Final = -32002
"""How a host says that there is no such file."""
_PATIENCE: Final = 60.0
"""Seconds for a host's answer."""

Hold = Callable[[str, HostLink], Callable[[], None]]


class HostConnection(CallConnection):
    """One session behind one ``coeditor acp``; a ``HostLink`` of the session's files."""

    def __init__(
        self,
        channel: Channel,
        hello: Hello,
        service: Service,
        hold: Hold,
        *,
        room: Room,
    ) -> None:
        super().__init__(channel, hello, service, hand_over=lambda: False, room=room)
        self.name = "the agent's host"
        self._hold = hold
        self._leave: Callable[[], None] = lambda: None
        self._numbers = itertools.count(1)
        self._asked: dict[str, asyncio.Future[Mapping[str, Any]]] = {}

    async def run(self) -> None:
        """Serve until ``coeditor acp`` hangs up. Errors: OversizeError."""
        try:
            await super().run()
        finally:
            self._part()

    async def close(self) -> None:
        """Cancel what runs."""
        self._part()
        await super().close()

    async def read(self, target: TargetKey) -> str | None:
        """See ``HostLink.read``."""
        answer = await self._ask("fs/read_text_file", {"path": target})
        error = answer.get("error")
        if isinstance(error, Mapping):
            if error.get("code") == NOT_FOUND:
                return None
            raise self._refused(target, error)
        found = answer.get("result")
        text = found.get("content") if isinstance(found, Mapping) else None
        if not isinstance(text, str):
            raise self._refused(target, {"message": "it gave no text"})
        return text

    async def write(self, target: TargetKey, text: str) -> None:
        """See ``HostLink.write``."""
        answer = await self._ask("fs/write_text_file", {"path": target, "content": text})
        error = answer.get("error")
        if isinstance(error, Mapping):
            raise self._refused(target, error)

    def _needs_slot(self, message: object) -> bool:
        """Nor is an answer of the host, for which a call may wait."""
        return super()._needs_slot(message) and not _is_answer(message)

    def _take(self, message: object) -> None:
        if not isinstance(message, dict) or not _is_answer(message):
            super()._take(message)
            return
        waiting = self._asked.pop(str(message.get("id")), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(message)

    async def _perform(self, message: object) -> object:
        if not isinstance(message, dict) or message.get("method") != HOST:
            return await super()._perform(message)
        told = message.get("params")
        told = told if isinstance(told, dict) else {}
        self.name = str(told.get("name") or self.name)[:80]
        self._leave()
        if told.get("files") is True and self._hello.session:
            self._leave = self._hold(self._hello.session, self)
        return {}

    async def _ask(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The host's answer. Errors: FS_UNCONFIRMED when it is gone, or silent for too long."""
        name = f"host-{next(self._numbers)}"
        waiting: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[name] = waiting
        try:
            await self._channel.write(
                encode({"jsonrpc": "2.0", "id": name, "method": method, "params": params})
            )
            async with asyncio.timeout(_PATIENCE):
                return await waiting
        except ConnectionResetError:
            raise self._gone() from None
        except TimeoutError:
            text = f"{self.name} did not answer within {_PATIENCE:.0f} s. Read the file again before anything else."
            raise CoeditorError(Code.FS_UNCONFIRMED, text) from None
        finally:
            self._asked.pop(name, None)

    def _part(self) -> None:
        """Nobody asks this host any more."""
        self._leave()
        for waiting in self._asked.values():
            if not waiting.done():
                waiting.set_exception(self._gone())

    def _gone(self) -> CoeditorError:
        text = f"{self.name}, which holds the files of this session, has left. Read the file again."
        return CoeditorError(Code.FS_UNCONFIRMED, text)

    def _refused(self, target: TargetKey, error: Mapping[str, Any]) -> CoeditorError:
        told = str(error.get("message") or "it gave no reason")[:500]
        return CoeditorError(
            Code.FS_EDITOR_REFUSED, f"{self.name} refused: {told}", file_path=target, data={"target": target}
        )


def _is_answer(message: object) -> bool:
    return isinstance(message, dict) and "method" not in message
