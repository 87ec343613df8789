"""The scripted editor connected to a real ``coeditor serve`` over pipes."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from editor_clients.editor_link import AnswerError
from tests.fakes.editor import DEADLINE, Json, ScriptedEditor


class EditorProcess:
    """The editor connected to a server process over its pipes."""

    def __init__(self, editor: ScriptedEditor, root: Path, env: Mapping[str, str]) -> None:
        self.editor = editor
        self._root = root
        self._env = env
        self._count = 0
        self._asked: dict[int, asyncio.Future[Json]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._answering: dict[object, asyncio.Task[None]] = {}
        self._news = asyncio.Event()
        self.process: asyncio.subprocess.Process | None = None
        self.server: Json = {}
        self.log = b""

    async def start(
        self, *, settings: Mapping[str, Any] | None = None, roots: tuple[Path, ...] = (), **ours: Any
    ) -> None:
        """Start the server, introduce the editor, and tell of every open document."""
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "lsp_server", "serve", "--stdio", "--root", str(self._root),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env=dict(self._env), limit=1 << 26,
        )  # fmt: skip
        self._start(self._listen(self.process))
        self._start(self._drain(self.process))
        self.editor.send = self.notify
        params = self.editor.initialize_params(*(roots or (self._root,)), settings=settings, **ours)
        self.server = await self.request("initialize", params)
        self.notify("initialized", {})
        self.editor.announce()

    async def request(self, method: str, params: Json) -> Any:
        """The result. Errors: ServerError."""
        self._count += 1
        number = self._count
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        async with asyncio.timeout(DEADLINE):
            answer = await future
        if "error" in answer:
            raise ServerError(answer["error"])
        return answer["result"]

    def notify(self, method: str, params: Json) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    async def told(self, method: str, condition: Callable[[Json], bool] = lambda _: True) -> Json:
        """The first notification of this kind for which ``condition`` holds."""
        async with asyncio.timeout(DEADLINE):
            while True:
                for name, params in self.editor.told:
                    if name == method and condition(params):
                        return params
                self._news.clear()
                await self._news.wait()

    async def stop(self) -> int:
        """Shut the server down as editors do; gives its exit status."""
        assert self.process is not None
        await self.request("shutdown", {})
        self.notify("exit", {})
        return await self._ended()

    async def crash(self) -> None:
        """The editor dies: the pipes close."""
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.close()
        await self._ended()

    async def go_deaf(self) -> None:
        """The editor reads no more, though it could still write."""
        assert self.process is not None
        self.process._transport.get_pipe_transport(1).close()  # type: ignore[attr-defined]
        await self._ended()

    async def kill(self) -> None:
        """The server dies by SIGKILL."""
        assert self.process is not None
        self.process.kill()
        await self._ended()

    async def gone(self) -> None:
        """Return when a server that is ending, or was killed by somebody, has ended."""
        await self._ended()

    async def _ended(self) -> int:
        assert self.process is not None
        async with asyncio.timeout(DEADLINE):
            status = await self.process.wait()
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=5)
        for task in self._tasks:
            task.cancel()
        for future in self._asked.values():
            if not future.done():
                future.cancel()
        self._asked.clear()
        self.editor.send = lambda method, params: None
        return status

    def _start(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _drain(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while data := await process.stderr.read(1 << 16):
            self.log += data

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while header := await process.stdout.readline():
            length = 0
            while header.strip():
                if header.lower().startswith(b"content-length:"):
                    length = int(header.split(b":")[1])
                header = await process.stdout.readline()
            self._take(json.loads(await process.stdout.readexactly(length)))

    def _take(self, message: Json) -> None:
        if "method" not in message:
            future = self._asked.pop(message["id"], None)
            if future is not None and not future.done():
                future.set_result(message)
        elif "id" in message:
            self._answering[message["id"]] = self._start(self._answer(message))
        elif message["method"] == "$/cancelRequest":
            answering = self._answering.get(message["params"]["id"])
            if answering is not None:
                answering.cancel()
        else:
            self.editor.told.append((message["method"], message.get("params") or {}))
            self._news.set()

    async def _answer(self, message: Json) -> None:
        answer: Json = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            answer["result"] = await self.editor.answer(message["method"], message["params"])
        except AnswerError as error:
            answer["error"] = {"code": -32601, "message": str(error)}
        except asyncio.CancelledError:
            answer["error"] = {"code": -32800, "message": "cancelled"}
        if message["method"] == "workspace/applyEdit" and self.editor.manners.cuts:
            self._hang_up(answer)
        self._write(answer)
        self.editor.flush()

    def _hang_up(self, message: Json) -> None:
        """The editor dies over half of a message; what it held and had not saved is gone."""
        assert self.process is not None
        assert self.process.stdin is not None
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body[: len(body) // 2])
        self.die()

    def die(self) -> None:
        """The editor is gone from one moment to the next, and its documents with it; the server is on its own."""
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.editor.documents.clear()

    def _write(self, message: Json) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        if self.process.returncode is None and not self.process.stdin.is_closing():
            body = json.dumps(message).encode()
            self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)


class ServerError(Exception):
    """An error answer of the server."""

    def __init__(self, error: Json) -> None:
        super().__init__(error.get("message"))
        self.code: int = error["code"]
        self.data: Json = error.get("data") or {}
