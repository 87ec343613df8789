"""Agents for end-to-end tests: each a real ``coeditor mcp`` process, spoken to over its pipes.

Never: a shortcut into the server.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.shapes import check_shape

PATIENCE = 60.0
"""Seconds that any single step may take on a loaded machine."""


@dataclass
class Place:
    """A workspace folder with its own state and run-time folders."""

    base: Path
    settings: Mapping[str, Any] | None = None
    folder: Path = field(init=False)

    def __post_init__(self) -> None:
        self.base = self.base.resolve()
        self.folder = self.base / "ws"
        for name in ("ws", "run", "state", "config"):
            (self.base / name).mkdir(mode=0o700, exist_ok=True)

    @property
    def environment(self) -> dict[str, str]:
        """What every process of this place is started with."""
        found = {name: value for name, value in os.environ.items() if not name.startswith("COEDITOR_")}
        found |= {
            "XDG_RUNTIME_DIR": str(self.base / "run"),
            "XDG_STATE_HOME": str(self.base / "state"),
            "XDG_CONFIG_HOME": str(self.base / "config"),
        }
        if self.settings is not None:
            found["COEDITOR_SETTINGS"] = json.dumps(dict(self.settings))
        return found

    def write(self, name: str, text: str) -> Path:
        """Make a file in the workspace."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
        return path

    def text(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode("utf-8")

    def server_pids(self) -> list[int]:
        """The processes that the discovery files name."""
        records = (self.base / "run").glob("coeditor/*/server.json")
        return [json.loads(path.read_text())["pid"] for path in records]


class Agent:
    """One connection."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._next = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._heard: list[dict[str, Any]] = []
        self._news = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The whole JSON-RPC answer."""
        self._next += 1
        number = self._next
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        if self._reading.done():
            raise self._death()
        await self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": dict(params)})
        return await asyncio.wait_for(answer, PATIENCE)

    async def send(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        await self.process.stdin.drain()

    async def call(
        self, tool: str, meta: Mapping[str, str] | None = None, **arguments: Any
    ) -> dict[str, Any]:
        """The result object, or the error object; ``meta`` names session, scope, turn or call_id."""
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        if meta:
            params["_meta"] = {f"coeditor/{name}": value for name, value in meta.items()}
        answer = await self.request("tools/call", params)
        assert "result" in answer, answer
        result = answer["result"]
        found: dict[str, Any] = result["structuredContent"]
        assert result.get("isError", False) is (found["ok"] is False)
        return check_shape(tool, found)

    async def heard(self, method: str) -> dict[str, Any]:
        """The next request or notification of this kind, which is taken out."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for message in self._heard:
                    if message["method"] == method:
                        self._heard.remove(message)
                        return message
                if self._reading.done():
                    raise self._death()
                self._news.clear()
                await self._news.wait()

    async def cancel(self, call: asyncio.Task[Any]) -> None:
        """Cancel the newest call, whose answer nobody waits for then."""
        await self.send(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": self._next}}
        )
        call.cancel()

    async def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        await asyncio.wait_for(self.process.wait(), PATIENCE)
        await self._reading

    async def _read(self) -> None:
        """Whoever waits when nothing comes any more is told so, and does not wait on."""
        try:
            await self._take()
        finally:
            asyncio.get_running_loop().call_soon(self._news.set)  # this task is done by then
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(self._death())

    async def _take(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            message = json.loads(line)
            if "method" in message:
                self._heard.append(message)
                self._news.set()
                continue
            waiting = self._waiting.pop(message.get("id"), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(message)

    def _death(self) -> ConnectionError:
        """Nobody answers any more; what the process said about it stands in the test's captured output."""
        return ConnectionError(f"coeditor mcp (pid {self.process.pid}) closed its output")


@asynccontextmanager
async def agent(
    place: Place, *, cwd: Path | None = None, name: str = "test-agent", **capabilities: Any
) -> AsyncIterator[Agent]:
    """An agent that has shaken hands."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "lsp_server",
        "mcp",
        cwd=cwd or place.folder,
        env=place.environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=256 << 20,
    )
    one = Agent(process)
    try:
        hello = {
            "protocolVersion": "2025-06-18",
            "capabilities": capabilities,
            "clientInfo": {"name": name, "version": "1"},
        }
        answer = await one.request("initialize", hello)
        assert answer["result"]["serverInfo"]["name"] == "coeditor"
        await one.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        yield one
    finally:
        await one.close()


async def until(one: Agent, wanted: Callable[[dict[str, Any]], bool], path: str = "a.txt") -> dict[str, Any]:
    """Ask for a file again and again, as another session, until it is as wanted."""
    async with asyncio.timeout(PATIENCE):
        while True:
            seen = await one.call("read", {"session": "onlooker"}, file_path=path, refresh=True)
            if wanted(seen):
                return seen


async def killed(pid: int) -> None:
    """Kill a server, and wait until the system has closed all that it held."""
    process = os.pidfd_open(pid)
    try:
        signal.pidfd_send_signal(process, signal.SIGKILL)
        await ended(process)
    finally:
        os.close(process)


async def ended(process: int) -> None:
    """Wait for the end of the process behind a descriptor of ``os.pidfd_open``, whoever's child it is."""
    gone = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(process, gone.set)
    try:
        await asyncio.wait_for(gone.wait(), PATIENCE)
    finally:
        loop.remove_reader(process)
