"""A host of the protocol's own SDK: what it shows of a file is its buffer, where it has one."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import acp
from acp import schema

from tests.e2e.agents import Place


@dataclass
class Host:
    """Takes the agent's requests; ``buffers`` holds what a person typed and did not save."""

    buffers: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    saves: Callable[[str, str], str | None] = lambda _, text: text
    """What becomes of a text that is written: None is an error, another one is what the host made of it."""
    said: str = ""

    def reset(self) -> None:
        """As before the first test."""
        self.buffers, self.asked, self.saves = {}, [], lambda _, text: text

    def on_connect(self, conn: Any) -> None:
        """Nothing is asked of the agent unasked."""

    async def read_text_file(
        self, session_id: str, path: str, line: int | None = None, limit: int | None = None, **_: Any
    ) -> acp.ReadTextFileResponse:
        self.asked.append(("read", path))
        if path in self.buffers:
            return acp.ReadTextFileResponse(content=self.buffers[path])
        text = _read(path)
        if text is None:
            raise acp.RequestError.resource_not_found(path)
        return acp.ReadTextFileResponse(content=text.replace("\r\n", "\n"))

    async def write_text_file(
        self, session_id: str, path: str, content: str, **_: Any
    ) -> acp.WriteTextFileResponse | None:
        self.asked.append(("write", path))
        text = self.saves(path, content)
        if text is None:
            raise acp.RequestError.internal_error({"details": "the disk is full"})
        _write(path, text.replace("\n", "\r\n") if "\r\n" in (_read(path) or "") else text)
        self.buffers.pop(path, None)
        return None

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        if isinstance(update, schema.AgentMessageChunk):
            assert isinstance(update.content, schema.TextContentBlock)
            self.said = update.content.text

    async def request_permission(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("nobody asks for permission")


def _read(path: str) -> str | None:
    return Path(path).read_bytes().decode() if os.path.exists(path) else None


def _write(path: str, text: str) -> None:
    Path(path).write_bytes(text.encode())


@dataclass
class Pair:
    """A host and its agent."""

    host: Host
    agent: Any
    process: Any

    async def begin(self, folder: Path) -> Bench:
        """A session in ``folder``."""
        begun = await self.agent.new_session(cwd=str(folder), mcp_servers=[])
        return Bench(self.host, self.agent, begun.session_id)


@dataclass
class Bench:
    """One session."""

    host: Host
    agent: Any
    session: str

    async def does(self, *steps: dict[str, Any]) -> list[Any]:
        """What came of the steps."""
        prompt = [acp.text_block(json.dumps(steps))]
        await self.agent.prompt(session_id=self.session, prompt=prompt)
        found: list[Any] = json.loads(self.host.said)
        return found


@asynccontextmanager
async def pair(place: Place, *, files: bool = True) -> AsyncIterator[Pair]:
    """A host, ``coeditor acp`` and the agent behind it. ``files``: the host reads and writes files."""
    host = Host()
    command = [sys.executable, "-m", "lsp_server", "acp", "--", sys.executable, "-m"]
    client: Any = host
    async with acp.spawn_agent_process(
        client,
        *command,
        "tests.e2e.acp.scripted_agent",
        env=place.environment,
        cwd=Path(__file__).parents[3],
    ) as (agent, process):
        offered = schema.FileSystemCapabilities(read_text_file=files, write_text_file=files)
        await agent.initialize(
            protocol_version=acp.PROTOCOL_VERSION,
            client_capabilities=schema.ClientCapabilities(fs=offered),
            client_info=schema.Implementation(name="bench", title="Bench", version="1"),
        )
        yield Pair(host, agent, process)
