"""Nonsense on the agents' socket: JSON-RPC of the command line and hooks, and MCP behind the relay's head."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.agents.gate import Gate
from lsp_server.agents.owner import PROTOCOL
from lsp_server.app import App, build
from lsp_server.settings import Settings, merge
from lsp_server.wire.tools import BY_NAME, STEP_METHODS
from tests.fuzz.nonsense import BROKEN_LINES, FEWER, ODD, ODD_TEXT, line_of, objects

PATIENCE = 60.0
TOOLS = {tool.name: [param.name for param in tool.params] for tool in BY_NAME.values()}
HOOKS = ["PreToolUse", "PostToolUse", "SessionStart", "SubagentStop", "beforeReadFile", "tool.execute.before"]


def arguments_of(tool: str) -> st.SearchStrategy[Any]:
    return objects(**dict.fromkeys(TOOLS[tool], ODD_TEXT)) | ODD


CALLS = st.sampled_from(sorted(TOOLS)).flatmap(
    lambda tool: st.fixed_dictionaries({"tool": st.just(tool), "arguments": arguments_of(tool)})
)
CONTEXT = objects(
    **dict.fromkeys(["session", "scope", "turn", "call_id", "agent", "cwd", "person"], ODD_TEXT)
)
HOOK = st.fixed_dictionaries(
    {
        "tool": st.just("hook"),
        "arguments": objects(
            event=st.sampled_from(HOOKS), agent=ODD_TEXT, action=ODD_TEXT, files=ODD, body=ODD_TEXT
        ),
    }
)
PARAMS = st.builds(lambda call, more: {**more, **call}, CALLS | HOOK, CONTEXT) | ODD
REQUESTS = st.fixed_dictionaries(
    {
        "method": st.sampled_from(["coeditor/call", "coeditor/outcome", "coeditor/ping", *STEP_METHODS])
        | ODD_TEXT,
        "params": PARAMS,
    }
)
NAMED = CALLS.map(lambda call: {"name": call["tool"], "arguments": call["arguments"]})
META = st.fixed_dictionaries(
    {}, optional={"_meta": objects(**{"coeditor/session": ODD_TEXT, "progressToken": ODD})}
)
MCP = st.fixed_dictionaries(
    {
        "method": st.sampled_from(
            [
                "tools/call",
                "tools/list",
                "initialize",
                "resources/read",
                "resources/subscribe",
                "logging/setLevel",
                "ping",
            ]
        )
        | ODD_TEXT,
        "params": st.builds(lambda call, meta: {**call, **meta}, NAMED, META) | ODD,
    }
)
HEADS = objects(call_id=ODD_TEXT, ack=st.just(False), client=ODD)


class Bench:
    """A whole service behind its gate, and a client of each door."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.numbers = itertools.count(1_000)
        self.app: App
        self.gate: Gate
        self._ends: dict[str, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}

    async def start(self) -> None:
        root = self.base / "ws"
        (root / "d").mkdir(parents=True)
        (root / "a.txt").write_text("x\n")
        quiet = {
            "side_effects": {"diagnostics": False},
            "durability": "fast",
            "limits": {"search_seconds": 2},
        }
        self.app = build(str(root), settings=merge(Settings(), quiet, "user"))
        self.gate = Gate(self.app, token="t", about={})
        await self.gate.listen(str(self.base / "socket"))

    async def stop(self) -> None:
        for _, writer in self._ends.values():
            writer.close()
        await self.gate.close()
        await self.app.close()

    async def survives(self, door: str, lines: list[bytes], awaited: set[int]) -> list[dict[str, Any]]:
        """The answers to ``awaited``; everything is sent, and the server goes on."""
        reader, writer = await self._end(door)
        last = next(self.numbers)
        ping: Any = {"jsonrpc": "2.0", "id": last, "method": "ping" if door == "mcp" else "coeditor/ping"}
        for line in (*lines, line_of([{}, ping] if door == "mcp" else ping)):
            writer.write(line + b"\n")
        missing, found = awaited | {last}, []
        async with asyncio.timeout(PATIENCE):
            while missing:
                line = await reader.readline()
                assert line, "the server hung up"
                answer = json.loads(line)
                number = answer.get("id")
                if isinstance(number, int) and number in missing and "method" not in answer:
                    missing.discard(number)
                    found.append(answer)
        return found

    async def _end(self, door: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if door not in self._ends:
            reader, writer = await asyncio.open_unix_connection(str(self.base / "socket"), limit=1 << 26)
            hello = {
                "token": "t",
                "door": door,
                "pid": 1,
                "cwd": str(self.base / "ws"),
                "env": {},
                "session": "s",
            }
            writer.write(line_of({"hello": {**hello, "protocol": PROTOCOL}}) + b"\n")
            assert b"welcome" in await reader.readline()
            self._ends[door] = reader, writer
        return self._ends[door]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Bench, asyncio.Runner]]:
    base = tmp_path_factory.mktemp("fuzz")
    with pytest.MonkeyPatch.context() as patch:
        for name, folder in (
            ("XDG_RUNTIME_DIR", "run"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CONFIG_HOME", "config"),
        ):
            (base / folder).mkdir(mode=0o700)
            patch.setenv(name, str(base / folder))
        one = Bench(base)
        with asyncio.Runner() as runner:
            runner.run(one.start())
            yield one, runner
            runner.run(one.stop())


def is_clear(answer: dict[str, Any]) -> bool:
    """Whether a person or a model learns what was wrong, if something was."""
    told = answer.get("error", {}).get("data") or (answer.get("result") or {})
    told = told.get("structuredContent", told) if isinstance(told, dict) else {}
    return answer.get("error", {}).get("code") != -32603 and told.get("code") != "INTERNAL"


@FEWER
@given(st.lists(REQUESTS | BROKEN_LINES, min_size=1, max_size=6))
def test_json_rpc(bench: tuple[Bench, asyncio.Runner], messages: list[Any]) -> None:
    one, runner = bench
    numbered = [
        (number, {"jsonrpc": "2.0", "id": number, **message})
        for message in messages
        if isinstance(message, dict) and (number := next(one.numbers))
    ]
    lines = [message for message in messages if isinstance(message, bytes)]
    # Text that no file can hold is refused with its line, so an answer without the id is all that can come.
    whole = [(number, line) for number, message in numbered if b"\\ud8" not in (line := line_of(message))]
    answers = runner.run(
        one.survives("cli", [*lines, *(line for _, line in whole)], {number for number, _ in whole})
    )
    assert [answer for answer in answers if not is_clear(answer)] == []


@FEWER
@given(st.lists(st.tuples(HEADS, MCP) | BROKEN_LINES, min_size=1, max_size=6))
def test_mcp(bench: tuple[Bench, asyncio.Runner], messages: list[Any]) -> None:
    one, runner = bench
    lines = [message for message in messages if isinstance(message, bytes)]
    awaited = set()
    for each in messages:
        if isinstance(each, tuple):
            head, message = each
            number = next(one.numbers)
            line = line_of([head, {"jsonrpc": "2.0", "id": number, **message}])
            if b"\\ud8" not in line and b"call_id" not in line:
                awaited.add(number)
            lines.append(line)
    answers = runner.run(one.survives("mcp", lines, awaited))
    assert [answer for answer in answers if not is_clear(answer)] == []
