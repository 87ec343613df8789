"""Neovim's own remote calls (MessagePack) over the pipes of an embedded Neovim.

Never: a wait without a deadline.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgpack  # type: ignore[import-untyped]

from tests.e2e.agents import PATIENCE

REQUEST, RESPONSE, NOTIFICATION = 0, 1, 2
_CHUNK = 1 << 16


class NeovimError(Exception):
    """Neovim answered a call with an error."""


class Rpc:
    """One connection."""

    def __init__(self, process: asyncio.subprocess.Process, heard: Callable[[str, list[Any]], None]) -> None:
        """``heard`` gets each notification."""
        self._process = process
        self._heard = heard
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._reading = asyncio.create_task(self._read())

    async def call(self, method: str, *arguments: Any, patience: float = PATIENCE) -> Any:
        """The result. Errors: NeovimError; TimeoutError while Neovim waits for a person."""
        self._number += 1
        answer = self._waiting[self._number] = asyncio.get_running_loop().create_future()
        assert self._process.stdin is not None
        self._process.stdin.write(msgpack.packb([REQUEST, self._number, method, list(arguments)]))
        await self._process.stdin.drain()
        return await asyncio.wait_for(answer, patience)

    async def ended(self, patience: float = PATIENCE) -> None:
        """The process is gone, and all that it said was read."""
        await asyncio.wait_for(self._process.wait(), patience)
        await self._reading

    async def _read(self) -> None:
        assert self._process.stdout is not None
        unpacker = msgpack.Unpacker(raw=False, unicode_errors="surrogateescape", strict_map_key=False)
        while chunk := await self._process.stdout.read(_CHUNK):
            unpacker.feed(chunk)
            for message in unpacker:
                self._take(message)
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(NeovimError("Neovim is gone"))

    def _take(self, message: list[Any]) -> None:
        if message[0] == NOTIFICATION:
            self._heard(message[1], message[2])
            return
        _, number, error, result = message
        waiting = self._waiting.pop(number)
        if waiting.done():
            return
        if error is not None:
            waiting.set_exception(NeovimError(error[1] if isinstance(error, list) else str(error)))
        else:
            waiting.set_result(result)
