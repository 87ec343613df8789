"""The other doors for end-to-end tests: the command line, and LSP requests to ``coeditor serve``.

Never: a shortcut into the server.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from tests.e2e.agents import PATIENCE, Place
from tests.shapes import check_shape


async def command_line(place: Place, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """One ``coeditor TOOL --json`` process; its object, success or error."""
    words: list[str] = []
    for name, value in arguments.items():
        flag = "--" + name.replace("_", "-")
        words += [flag] if value is True else [flag, str(value)]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "lsp_server",
        tool.replace("_", "-"),
        *words,
        "--json",
        "--session",
        "doors",
        cwd=place.folder,
        env=place.environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, error = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert out, error.decode()
    found: dict[str, Any] = json.loads(out)
    assert process.returncode == (0 if found["ok"] else 1)
    return check_shape(tool, found)


class Connection:
    """A bare LSP client."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._next = 0

    async def request(self, method: str, params: Any) -> dict[str, Any]:
        """The whole answer; other messages in between are passed over."""
        self._next += 1
        await self.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        while True:
            message = await asyncio.wait_for(self._receive(), PATIENCE)
            if message.get("id") == self._next and "method" not in message:
                return message

    async def send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        body = json.dumps(message).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        await self._process.stdin.drain()

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """A tool's result object, or its error object."""
        first, *rest = tool.split("_")
        method = "coeditor/" + first + "".join(word.capitalize() for word in rest)
        answer = await self.request(method, {**arguments, "session": "doors"})
        if "result" in answer:
            return check_shape(tool, answer["result"])
        assert answer["error"]["code"] == -32803, answer
        assert answer["error"]["message"] == answer["error"]["data"]["message"]
        return check_shape(tool, {"ok": False, **answer["error"]["data"]})

    async def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        length = 0
        while True:
            line = await self._process.stdout.readline()
            assert line, "the server hung up"
            if line == b"\r\n":
                break
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        found: dict[str, Any] = json.loads(await self._process.stdout.readexactly(length))
        return found


@asynccontextmanager
async def editor(place: Place) -> AsyncIterator[Connection]:
    """A plain editor that started ``coeditor serve`` and opened the place's folder."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "lsp_server",
        "serve",
        cwd=place.folder,
        env=place.environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=256 << 20,
    )
    connection = Connection(process)
    uri = place.folder.as_uri()
    answer = await connection.request(
        "initialize",
        {
            "processId": None,
            "rootUri": uri,
            "capabilities": {},
            "workspaceFolders": [{"uri": uri, "name": "ws"}],
        },
    )
    assert "result" in answer, answer
    await connection.send({"jsonrpc": "2.0", "method": "initialized", "params": {}})
    yield connection
    await connection.request("shutdown", None)
    await connection.send({"jsonrpc": "2.0", "method": "exit"})
    assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
