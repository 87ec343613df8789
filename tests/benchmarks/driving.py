"""One running contestant: started, asked, weighed, ended.

Every MCP server is spoken to by the same client, the official one. Never: an edit that is believed; who counts
compares the bytes on the disk.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import time
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import Implementation

from tests.benchmarks import processes
from tests.benchmarks.contestants import Call, Contestant, Edit, patch_text

CALLER = Implementation(name="claude-code", version="2.0.0")
"""Whom the client says to be: an agent that all of them know, as their users' does."""
PATIENCE = 120.0
"""Seconds for one answer."""
_SILENCE = open(os.devnull, "w")  # noqa: SIM115 (for as long as this process lives)
_SETTLE = 0.02
"""Seconds after an answer whose CPU counts as well: what is put off is not saved."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What one or several calls brought."""

    seconds: float
    """From the call to the parsed answer."""
    text: str
    failed: bool = False
    structured: int = 0
    """Bytes of structured content beside the text."""
    cpu: float = 0.0
    """Seconds of CPU of all its processes, where they were counted."""

    def __add__(self, other: Reply) -> Reply:
        return Reply(
            self.seconds + other.seconds,
            self.text + other.text,
            self.failed or other.failed,
            self.structured + other.structured,
            self.cpu + other.cpu,
        )


class Running:
    """A contestant at work in a folder of its own, from ``start`` to ``close``."""

    _count = 0

    def __init__(
        self, contestant: Contestant, cache: Path, base: Path, *, like: Running | None = None
    ) -> None:
        """``like`` is one whose folder and home are shared, and with them a server that runs."""
        self.contestant = contestant
        Running._count += 1
        self.mark = f"{os.getpid()}-{Running._count}"
        self.base: Path = (
            like.base if like else base / f"{contestant.name.replace(', ', '-')}-{Running._count}"
        )
        self.root = self.base / "workspace"
        self.command = contestant.command(cache, self.root)
        self._cache = cache
        self._shares = like is not None
        self._done = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._client: Client | None = None
        self._ended_cpu = 0.0
        self._peak_kib = 0

    @property
    def environment(self) -> dict[str, str]:
        """The same for all, but for what is their own."""
        home = self.base / "home"
        return {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(home / "run"),
            "CODEX_HOME": str(home),
            processes.MARK: self.mark,
            **{
                name: value.replace("{cache}", str(self._cache)).replace("{PATH}", os.environ["PATH"])
                for name, value in self.contestant.environment.items()
            },
        }

    async def start(self) -> Self:
        """Afterwards it takes calls. Errors: whatever its start brings."""
        self._lay()
        if not self.contestant.is_process_a_call:
            ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._converse(ready))
            self._client = await asyncio.wait_for(ready, PATIENCE)
        return self

    async def close(self) -> None:
        """Hang up, and end what is left of it."""
        self._done.set()
        if self._task is not None:
            with suppress(Exception):
                await asyncio.wait_for(self._task, 15)
        processes.send(self.pids(), signal.SIGKILL)

    async def __aenter__(self) -> Self:
        return await self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # What it costs.

    def pids(self) -> list[int]:
        """Its processes now, the one that speaks to the client first."""
        return processes.bearing(self.mark)

    def cpu_seconds(self) -> float:
        """Of all its processes so far."""
        return self._ended_cpu + processes.cpu_seconds(self.pids())

    async def counted(self, work: Awaitable[Reply]) -> Reply:
        """The reply, with the CPU that it took."""
        pids = self.pids()
        before = self._ended_cpu + processes.cpu_seconds(pids)
        reply = await work
        await asyncio.sleep(_SETTLE)
        return replace(reply, cpu=self._ended_cpu + processes.cpu_seconds(pids) - before)

    def peaks(self) -> list[float]:
        """MiB of each of its processes at its worst."""
        if self.contestant.is_process_a_call:
            return [self._peak_kib / 1024]
        return [processes.memory_mib(pid) for pid in self.pids()]

    # What it is asked.

    async def read(self, path: Path, first: int = 1, count: int = 1_000_000) -> Reply:
        """The text of a file, or these lines of it."""
        assert self.contestant.read is not None
        return await self._call(self.contestant.read(path, first, count))

    async def edit(self, edit: Edit) -> Reply:
        """One edit, with what its protocol wants right before it."""
        if self.contestant.hashes_first:
            return await self._edit_by_hash(edit)
        if self.contestant.edit is None:
            return await self.edit_all([edit])
        return await self._call(self.contestant.edit(edit))

    async def edit_all(self, edits: Sequence[Edit]) -> Reply:
        """Edits of several files: one call where it has one for that, else one after the other."""
        if self.contestant.is_process_a_call:
            return await asyncio.to_thread(self._run, patch_text(edits, self.root))
        if self.contestant.patch is not None:
            return await self._call(self.contestant.patch(edits, self.root))
        found = await self.edit(edits[0])
        for each in edits[1:]:
            found += await self.edit(each)
        return found

    async def _call(self, call: Call) -> Reply:
        assert self._client is not None
        started = time.perf_counter()
        result = await asyncio.wait_for(self._client.call_tool(*call), PATIENCE)
        seconds = time.perf_counter() - started
        text = "".join(getattr(block, "text", "") for block in result.content)
        structured = result.structured_content
        weight = len(json.dumps(structured, ensure_ascii=False).encode()) if structured else 0
        return Reply(seconds, text, bool(result.is_error), weight)

    async def _edit_by_hash(self, edit: Edit) -> Reply:
        path = str(edit.path)
        window = {"start": edit.line, "end": edit.line}
        asked = await self._call(
            ("get_text_file_contents", {"files": [{"file_path": path, "ranges": [window]}]})
        )
        found = json.loads(asked.text)[path]
        change = {**window, "contents": edit.new + "\n", "range_hash": found["ranges"][0]["range_hash"]}
        arguments = {"file_path": path, "file_hash": found["file_hash"], "patches": [change]}
        return asked + await self._call(("patch_text_file_contents", arguments))

    def _run(self, patch: str) -> Reply:
        started = time.perf_counter()
        process = subprocess.Popen(
            ["apply_patch", *self.command[1:], patch],
            executable=self.command[0],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.root,
            env=self.environment,
        )
        assert process.stdout is not None
        with process.stdout:
            output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        self._ended_cpu += used.ru_utime + used.ru_stime
        self._peak_kib = max(self._peak_kib, used.ru_maxrss)
        return Reply(seconds, output.decode("utf-8", "replace"), process.returncode != 0)

    def _lay(self) -> None:
        if self._shares:
            return
        self.root.mkdir(parents=True)
        (self.base / "home" / "run").mkdir(parents=True, mode=0o700)
        (self.root / "hello.py").write_text("x = 1\n")
        for name, text in self.contestant.home.items():
            path = self.base / "home" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("{root}", str(self.root)))

    async def _converse(self, ready: asyncio.Future[Client]) -> None:
        """The connection, opened and closed in one task, as the client wants it."""
        program, *arguments = self.command
        how = StdioServerParameters(command=program, args=arguments, env=self.environment, cwd=str(self.root))
        try:
            stream = stdio_client(how, errlog=_SILENCE)
            options: dict[str, Any] = {
                "mode": "legacy",
                "read_timeout_seconds": PATIENCE,
                "client_info": CALLER,
            }
            async with Client(stream, **options) as client:
                ready.set_result(client)
                await self._done.wait()
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(error)
