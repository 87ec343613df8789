"""An agent of the protocol's own SDK that does what its prompt says, and answers what came of it.

    python -m tests.e2e.acp.scripted_agent

A prompt is a JSON list of steps: ``{"read": path, ...}``, ``{"write": path, "content": text}``,
``{"tool": name, "arguments": {...}}`` by the MCP server that it was given, ``{"servers": true}``.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from typing import Any

import acp
from acp import schema
from mcp import Client
from mcp.client.stdio import StdioServerParameters


class ScriptedAgent:
    """One process, any number of sessions."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack
        self._host: Any = None
        self._servers: dict[str, Any] = {}
        self._tools: dict[str, Client] = {}
        self.told: Any = None

    def on_connect(self, conn: Any) -> None:
        self._host = conn

    async def initialize(
        self, protocol_version: int, client_capabilities: Any = None, client_info: Any = None, **_: Any
    ) -> acp.InitializeResponse:
        self.told = client_capabilities
        return acp.InitializeResponse(
            protocol_version=protocol_version,
            agent_info=schema.Implementation(name="scripted", title="Scripted", version="1"),
            agent_capabilities=schema.AgentCapabilities(load_session=True),
        )

    async def new_session(self, cwd: str, mcp_servers: Any = None, **_: Any) -> acp.NewSessionResponse:
        name = f"s{len(self._servers) + 1}"
        self._servers[name] = mcp_servers
        return acp.NewSessionResponse(session_id=name)

    async def load_session(
        self, cwd: str, session_id: str, mcp_servers: Any = None, **_: Any
    ) -> acp.LoadSessionResponse:
        self._servers[session_id] = mcp_servers
        return acp.LoadSessionResponse()

    async def prompt(self, prompt: Any, session_id: str, **_: Any) -> acp.PromptResponse:
        found = [await self._done(session_id, step) for step in json.loads(prompt[0].text)]
        text = acp.update_agent_message_text(json.dumps(found))
        await self._host.session_update(session_id, text)
        return acp.PromptResponse(stop_reason="end_turn")

    async def _done(self, session: str, step: dict[str, Any]) -> Any:
        try:
            if "read" in step:
                window = {name: step[name] for name in ("line", "limit") if name in step}
                answer = await self._host.read_text_file(session_id=session, path=step["read"], **window)
                return answer.content
            if "write" in step:
                await self._host.write_text_file(
                    session_id=session, path=step["write"], content=step["content"]
                )
                return "written"
        except acp.RequestError as error:
            return {"code": error.code, "message": str(error), "data": error.data}
        if "tool" in step:
            found = await (await self._client(session)).call_tool(step["tool"], step["arguments"])
            return found.structured_content
        told = self.told.model_dump(by_alias=True)
        return {
            "fs": told["fs"],
            "servers": [one.model_dump(by_alias=True) for one in self._servers[session]],
        }

    async def _client(self, session: str) -> Client:
        if session not in self._tools:
            entry = next(one for one in self._servers[session] if one.name == "coeditor")
            variables = {one.name: one.value for one in entry.env}
            command = StdioServerParameters(command=entry.command, args=entry.args, env=variables)
            self._tools[session] = await self._stack.enter_async_context(Client(command, mode="legacy"))
        return self._tools[session]


async def main() -> None:
    async with AsyncExitStack() as stack:
        agent: Any = ScriptedAgent(stack)
        await acp.run_agent(agent)


if __name__ == "__main__":
    asyncio.run(main())
