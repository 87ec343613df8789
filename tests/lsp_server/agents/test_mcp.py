"""The MCP door, spoken to by the real SDK and, where the SDK would not, by hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import mcp_types
import pytest
from jsonschema import Draft202012Validator
from mcp import Client, MCPError
from mcp.shared.message import SessionMessage
from mcp_types import methods
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from lsp_server.agents.mcp import McpConnection
from lsp_server.wire import results
from lsp_server.wire.clients import CLIENTS
from lsp_server.wire.tools import BY_NAME, TOOLS
from tests.lsp_server.agents.small_service import SmallService

ERAS = ["legacy", "auto", "2026-07-28"]
HELLO = {"session": "relay-1", "cwd": "/w", "pid": 1, "env": {}, "mcp": {}}
ERROR = Draft202012Validator(results.closed(results.error_schema()))


@pytest.fixture
def service(tmp_path: Path) -> SmallService:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    return SmallService(tmp_path)


@asynccontextmanager
async def in_memory(service: SmallService, hello: Mapping[str, Any]) -> AsyncIterator[Any]:
    """A transport of the SDK whose other end is our connection."""
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](100)
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage](100)

    async def send(message: Mapping[str, Any]) -> None:
        parsed = mcp_types.jsonrpc_message_adapter.validate_python(dict(message))
        await to_client.send(SessionMessage(parsed))

    connection = McpConnection(service, hello, send)
    async with anyio.create_task_group() as tasks:

        async def serve() -> None:
            async for item in from_client:
                tasks.start_soon(
                    connection.receive, item.message.model_dump(exclude_unset=True, by_alias=True)
                )

        tasks.start_soon(serve)
        try:
            yield from_server, to_server
        finally:
            await connection.close()
            tasks.cancel_scope.cancel()
            for stream in (to_client, from_server, to_server, from_client):
                await stream.aclose()


@asynccontextmanager
async def sdk(
    service: SmallService, *, mode: Any = "auto", name: str = "sdk-test", hello: Mapping[str, Any] = HELLO
) -> AsyncIterator[Client]:
    info = mcp_types.Implementation(name=name, version="1")
    async with Client(
        in_memory(service, hello), mode=mode, client_info=info, read_timeout_seconds=20
    ) as client:
        yield client


def structure(result: mcp_types.CallToolResult) -> dict[str, Any]:
    found: dict[str, Any] = result.structured_content
    return found


def text_of(result: mcp_types.CallToolResult) -> str:
    assert [block.type for block in result.content] == ["text"]
    block = result.content[0]
    assert isinstance(block, mcp_types.TextContent)
    return block.text


class ByHand:
    """A client that says what it likes."""

    def __init__(self, service: SmallService, **options: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        self.arrived = asyncio.Event()
        hello = options.pop("hello", HELLO)
        self.connection = McpConnection(service, hello, self._take, **options)

    async def _take(self, message: Mapping[str, Any]) -> None:
        self.sent.append(dict(message))
        self.arrived.set()

    async def call(self, request_id: object, name: str, arguments: object = None, **meta: Any) -> None:
        params = {"name": name, "arguments": {} if arguments is None else arguments, "_meta": meta}
        await self.connection.receive(
            {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}
        )

    async def until(self, count: int) -> None:
        async with asyncio.timeout(20):
            while len(self.sent) < count:
                self.arrived.clear()
                await self.arrived.wait()


# ---------------------------------------------------------------- with the SDK


@pytest.mark.parametrize("mode", ERAS)
async def test_an_sdk_client_of_every_era_reads_is_refused_and_edits(
    service: SmallService, mode: str
) -> None:
    async with sdk(service, mode=mode) as client:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == [tool.name for tool in TOOLS]
        read = await client.call_tool("read", {"file_path": "a.py"})
        assert text_of(read) == "1\tx = 1"
        (service.root / "a.py").write_text("x = 7\n", encoding="utf-8")
        wish = {"file_path": "a.py", "old_string": "7", "new_string": "8"}
        refused = await client.call_tool("edit", wish)
        assert refused.is_error
        assert structure(refused)["code"] == "FS_STALE_VERSION"
        assert "1\tx = 7" in text_of(refused)
        ERROR.validate(structure(refused))
        await client.call_tool("read", {"file_path": "a.py"})
        edited = await client.call_tool("edit", wish)
        assert structure(edited)["ok"] is True
        Draft202012Validator(results.closed(BY_NAME["edit"].result)).validate(structure(edited))
    assert (service.root / "a.py").read_text(encoding="utf-8") == "x = 8\n"


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("name", [*CLIENTS, "unknown"])
async def test_a_client_is_given_what_its_model_is_shown(service: SmallService, name: str, mode: str) -> None:
    async with sdk(service, name=name, mode=mode) as client:
        read = await client.call_tool("read", {"file_path": "a.py"})
        missing = await client.call_tool("read", {"file_path": "nowhere"})
    assert text_of(read) == "1\tx = 1"
    assert (read.structured_content is not None) is (name == "unknown")
    assert structure(missing)["code"] == "FS_NOT_FOUND"
    assert text_of(missing).startswith("FS_NOT_FOUND: ")


@pytest.mark.parametrize("mode", ERAS)
async def test_lists_that_we_do_not_have_are_empty(service: SmallService, mode: str) -> None:
    async with sdk(service, mode=mode) as client:
        assert (await client.list_prompts()).prompts == []


async def test_wrong_arguments_are_a_result_that_names_them(service: SmallService) -> None:
    async with sdk(service) as client:
        for arguments in ({}, {"file_path": None}, {"file_path": 3}, {"path": "a.py"}):
            answer = await client.call_tool("read", arguments)
            assert answer.is_error
            assert structure(answer)["code"] == "INVALID_ARGUMENT"
            assert structure(answer)["data"]["argument"] in ("file_path", "path")


async def test_a_tool_that_is_not_there_is_a_protocol_error_with_the_nearest(service: SmallService) -> None:
    async with sdk(service) as client:
        with pytest.raises(MCPError, match="Did you mean read"):
            await client.session.call_tool("reed", {})


async def test_a_bug_is_told_without_its_insides(service: SmallService) -> None:
    async with sdk(service) as client:
        answer = await client.call_tool("history", {})
    assert structure(answer)["code"] == "INTERNAL"
    assert "/a/path" not in text_of(answer) + str(structure(answer))


async def test_a_person_who_gives_up_waiting_cancels_the_call(service: SmallService) -> None:
    async with sdk(service) as client:
        with anyio.move_on_after(20):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(client.call_tool, "status", {})
                await service.entered.wait()
                tasks.cancel_scope.cancel()
        await asyncio.wait_for(service.cancelled.wait(), 20)


# ---------------------------------------------------------------- by hand


async def test_a_cancelled_call_has_no_answer_and_a_late_cancellation_means_nothing(
    service: SmallService,
) -> None:
    client = ByHand(service)
    running = asyncio.create_task(client.call(5, "status"))
    await service.entered.wait()
    await client.connection.receive(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
    )
    await running
    assert service.cancelled.is_set()
    assert client.sent == []
    late: object
    for late in (5, 99, "5", None, {}):
        await client.connection.receive(
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": late}}
        )
    await client.call(5, "read", {"file_path": "a.py"})
    assert [message["id"] for message in client.sent] == [5]


async def test_calls_run_side_by_side_and_start_in_order(service: SmallService) -> None:
    client = ByHand(service)
    slow = asyncio.create_task(client.call(1, "status"))
    quick = [asyncio.create_task(client.call(n, "read", {"file_path": "a.py"})) for n in (2, 3)]
    await client.until(2)
    service.gate.set()
    await asyncio.gather(slow, *quick)
    assert [message["id"] for message in client.sent] == [2, 3, 1]
    assert [tool for tool, _ in service.contexts] == ["status", "read", "read"]


async def test_a_slow_call_reports_progress_until_it_is_answered(service: SmallService) -> None:
    client = ByHand(service, slow_after=0, progress_every=0.001)
    running = asyncio.create_task(client.call(1, "status", progressToken=0))
    await client.until(3)
    service.gate.set()
    await running
    *reports, answer = client.sent
    assert [report["params"]["progress"] for report in reports] == list(range(1, len(reports) + 1))
    for report in reports:
        mcp_types.ProgressNotification.model_validate(report)
        assert report["params"]["progressToken"] == 0
    assert answer["id"] == 1


@pytest.mark.parametrize("token", [None, True, 1.5, {}])
async def test_nobody_who_did_not_ask_is_told_of_progress(service: SmallService, token: object) -> None:
    client = ByHand(service, slow_after=0, progress_every=0)
    running = asyncio.create_task(client.call(1, "status", progressToken=token))
    await service.entered.wait()
    service.gate.set()
    await running
    assert [message.get("id") for message in client.sent] == [1]
    assert service.contexts[0][1].progress is None


async def test_a_client_that_leaves_cancels_what_runs(service: SmallService) -> None:
    client = ByHand(service)
    running = asyncio.create_task(client.call(1, "status"))
    await service.entered.wait()
    await client.connection.close()
    await running
    assert service.cancelled.is_set()
    assert client.sent == []


async def test_a_transport_that_ends_a_message_ends_its_call(service: SmallService) -> None:
    client = ByHand(service)
    running = asyncio.create_task(client.call(1, "status"))
    await service.entered.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert service.cancelled.is_set()


@pytest.mark.parametrize("arguments", [[], "file_path", 3])
async def test_arguments_that_are_no_object_are_refused_as_a_result(
    service: SmallService, arguments: object
) -> None:
    client = ByHand(service)
    await client.call(1, "read", arguments)
    result = client.sent[0]["result"]
    assert result["isError"] is True
    assert result["structuredContent"]["code"] == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"id": 1, "method": "resources/read", "params": {"uri": "x:"}}, -32002),
        ({"id": 1, "method": "resources/subscribe", "params": {"uri": "coeditor://session/x"}}, -32002),
        ({"id": 1, "method": "resources/read"}, -32002),
        ({"id": 1, "method": "resources/other", "params": {"uri": "x:"}}, -32601),
        ({"id": 1, "method": "no/such"}, -32601),
        ({"id": 1, "method": "tools/call", "params": {}}, -32602),
        ({"id": 1, "method": "tools/call", "params": {"name": 3}}, -32602),
        ({"id": 1, "method": "tools/call"}, -32602),
    ],
)
async def test_what_we_do_not_have_is_a_protocol_error(
    service: SmallService, message: dict[str, Any], code: int
) -> None:
    client = ByHand(service)
    await client.connection.receive({"jsonrpc": "2.0", **message})
    assert client.sent[0]["error"]["code"] == code


@pytest.mark.parametrize(
    "message",
    [
        {"id": 4, "result": {"roots": []}},
        {"id": 4, "error": {"code": -32601, "message": "no"}},
        {"method": "notifications/roots/list_changed"},
        {"method": "notifications/cancelled"},
        {"method": "notifications/cancelled", "params": []},
        {"method": 3},
        {},
    ],
)
async def test_what_means_nothing_here_is_dropped(service: SmallService, message: dict[str, Any]) -> None:
    client = ByHand(service)
    await client.connection.receive({"jsonrpc": "2.0", **message})
    assert client.sent == []


@pytest.mark.parametrize("version", KNOWN_PROTOCOL_VERSIONS)
@pytest.mark.parametrize("file_path", ["a.py", "nowhere"])
async def test_answers_fit_the_protocol_of_every_version(
    service: SmallService, version: str, file_path: str
) -> None:
    client = ByHand(service, hello={**HELLO, "mcp": {"protocolVersion": version}})
    await client.call(1, "read", {"file_path": file_path})
    result = client.sent[0]["result"]
    methods.serialize_server_result("tools/call", version, result)
    assert result["isError"] is (file_path == "nowhere")
    assert ("resultType" in result) is (version == KNOWN_PROTOCOL_VERSIONS[-1])


async def test_a_log_level_is_taken_and_changes_nothing(service: SmallService) -> None:
    client = ByHand(service)
    await client.connection.receive(
        {"jsonrpc": "2.0", "id": 1, "method": "logging/setLevel", "params": {"level": "debug"}}
    )
    assert client.sent == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


async def test_the_context_says_who_calls_and_from_where(service: SmallService) -> None:
    client = ByHand(service, hello={**HELLO, "mcp": {"clientInfo": {"name": "opencode"}}})
    await client.call(1, "read", {"file_path": "a.py"}, **{"coeditor/scope": "helper", "progressToken": "p"})
    _, context = service.contexts[0]
    assert (context.caller.scope.session, context.caller.scope.scope) == ("relay-1", "helper")
    assert (context.caller.agent, context.cwd, context.door, context.person) == (
        "opencode",
        "/w",
        "mcp",
        False,
    )
    assert context.progress is not None


@pytest.mark.parametrize("value", ["", 3, None, "x" * 300])
async def test_a_session_that_is_no_name_is_refused_or_left_out(service: SmallService, value: object) -> None:
    client = ByHand(service)
    await client.call(1, "read", {"file_path": "a.py"}, **{"coeditor/session": value})
    assert client.sent[0]["result"]["isError"] is (value is not None)


async def test_a_lost_call_is_answered_from_the_journal(service: SmallService) -> None:
    client = ByHand(service)
    meta = {"coeditor/call_id": "c1"}
    await client.call(1, "write", {"file_path": "b.py", "content": "y"}, **meta)
    for request_id, known in ((2, "c1"), (3, "c2")):
        params = {"name": "write", "_meta": {"coeditor/call_id": known}}
        lost = {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}
        await client.connection.receive_lost(lost)
    first, again, nothing = (message["result"] for message in client.sent)
    assert again == first
    assert nothing["structuredContent"]["code"] == "FS_CANCELLED"
    assert len(service.contexts) == 1


@pytest.mark.parametrize("known", [{"state": "unknown"}, {"state": "applied"}])
async def test_a_lost_call_that_nobody_can_vouch_for_is_unconfirmed(
    service: SmallService, known: dict[str, Any]
) -> None:
    client = ByHand(service)
    service.journal["relay-1", "c1"] = known
    params = {"name": "write", "_meta": {"coeditor/call_id": "c1"}}
    await client.connection.receive_lost(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    )
    assert client.sent[0]["result"]["structuredContent"]["code"] == "FS_UNCONFIRMED"
