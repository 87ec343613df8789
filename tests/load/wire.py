"""An agent as one raw connection to a running server's socket, without a process of its own."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from lsp_server.agents.owner import PROTOCOL

PATIENCE = 600.0
"""Seconds; fifty agents on a busy machine wait for each other."""


class Wire:
    """One client of the server whose run-time folders are below ``run``."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, session: str) -> None:
        self._reader, self._writer, self.session = reader, writer, session
        self._next = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.answered = 0
        self.is_welcome = False
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def connect(cls, run: Path, session: str, *, welcome: bool = True) -> Wire:
        """A client that was welcomed."""
        address, token = _server_below(run)
        reader, writer = await asyncio.open_unix_connection(address, limit=1 << 28)
        hello = {"token": token, "door": "cli", "pid": 1, "cwd": None, "env": {}, "session": session}
        writer.write(json.dumps({"hello": {**hello, "protocol": PROTOCOL}}).encode() + b"\n")
        async with asyncio.timeout(PATIENCE):
            line = await reader.readline()
        one = cls(reader, writer, session)
        one.is_welcome = b"welcome" in line
        assert one.is_welcome or not welcome, line
        return one

    def begin(self, method: str, params: dict[str, Any]) -> asyncio.Future[dict[str, Any]]:
        """Send a request; its whole answer is still to come."""
        self._next += 1
        answer = self._waiting[self._next] = asyncio.get_running_loop().create_future()
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        self._writer.write(json.dumps(message).encode() + b"\n")
        return answer

    def begin_call(self, tool: str, **arguments: Any) -> asyncio.Future[dict[str, Any]]:
        params = {"tool": tool, "arguments": arguments, "session": self.session}
        return self.begin("coeditor/call", params)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result object, or the error object."""
        async with asyncio.timeout(PATIENCE):
            answer = await self.begin_call(tool, **arguments)
        found: dict[str, Any] = answer["result"] if "result" in answer else answer["error"]["data"]
        return found

    async def tasks(self) -> int:
        """How many tasks run in the server."""
        async with asyncio.timeout(PATIENCE):
            return int((await self.begin("coeditor/ping", {}))["result"]["tasks"])

    async def close(self) -> None:
        self._writer.close()
        await self._reading

    async def _read(self) -> None:
        while line := await self._reader.readline():
            answer = json.loads(line)
            self.answered += 1
            waiting = self._waiting.pop(answer.get("id"), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(answer)


def _server_below(run: Path) -> tuple[str, str]:
    """Address and token of the only server there."""
    (found,) = run.glob("coeditor/*/server.json")
    return json.loads(found.read_text())["address"], (found.parent / "token").read_text().strip()
