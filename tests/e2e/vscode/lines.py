"""Requests and answers as JSON, one object a line: how tests speak with the browser's driver and the companion.

Never: the meaning of a request.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any


class Lines:
    """One connection; several requests may be under way."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str) -> None:
        self._writer = writer
        self._name = name
        self._next = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._reading = asyncio.create_task(self._read(reader))

    async def ask(self, op: str, *, patience: float, **params: Any) -> Any:
        """The result. Errors: AssertionError with what the other side said, TimeoutError."""
        self._next += 1
        number = self._next
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        self._writer.write(json.dumps({"id": number, "op": op, **params}).encode() + b"\n")
        await self._writer.drain()
        found = await asyncio.wait_for(answer, patience)
        assert "error" not in found, f"{self._name} {op}: {found['error']}"
        return found["result"]

    async def ended(self) -> None:
        """Return when the other side has hung up."""
        await asyncio.shield(self._reading)

    async def close(self) -> None:
        self._writer.close()
        await asyncio.wait_for(self._reading, 30)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            found = json.loads(line)
            waiting = self._waiting.pop(found["id"], None)
            if waiting is not None and not waiting.done():
                waiting.set_result(found)
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_result({"error": "the connection ended"})
