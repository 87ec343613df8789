"""Resources over real relays and servers, by the SDK's client of both eras."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types
import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters

from tests.e2e.agents import PATIENCE, Agent, Place, agent, killed

QUIET = {"side_effects": {"diagnostics": False}}
ERAS = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
LEDGER, HISTORY = "coeditor://session/ledger", "coeditor://session/history"
CHANGES, PROBLEMS = "coeditor://session/diff", "coeditor://session/diagnostics"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, QUIET)


@asynccontextmanager
async def sdk(place: Place, mode: Any) -> AsyncIterator[tuple[Client, asyncio.Queue[str]]]:
    """A client, and the resources that it was told of."""
    updated: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: object) -> None:
        if isinstance(message, mcp_types.ResourceUpdatedNotification):
            updated.put_nowait(str(message.params.uri))

    command = StdioServerParameters(
        command=sys.executable, args=["-m", "lsp_server", "mcp"], env=place.environment, cwd=place.folder
    )
    async with Client(command, mode=mode, read_timeout_seconds=PATIENCE, message_handler=hear) as client:
        yield client, updated


async def read(client: Client, uri: str) -> dict[str, Any]:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, mcp_types.TextResourceContents)
    assert (str(content.uri), content.mime_type) == (uri, "application/json")
    found: dict[str, Any] = json.loads(content.text)
    return found


async def edit(client: Client) -> None:
    await client.call_tool("read", {"file_path": "a.py"})
    wish = {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}
    assert not (await client.call_tool("edit", wish)).is_error


@ERAS
async def test_ledger_history_and_problems_can_be_read(place: Place, mode: str) -> None:
    path = place.write("a.py", "x = 1\n")
    async with sdk(place, mode) as (client, _):
        if mode == "legacy":  # by the other the SDK asks for none
            resources = client.server_capabilities.resources
            assert resources is not None
            assert resources.subscribe
        listed = (await client.list_resources()).resources
        assert [str(one.uri) for one in listed] == [LEDGER, HISTORY, CHANGES, PROBLEMS]
        assert len((await client.list_resource_templates()).resource_templates) == 4
        assert (await read(client, HISTORY))["edits"] == []
        await edit(client)
        (scope,) = (await read(client, LEDGER))["scopes"]
        assert [row["file_path"] for row in scope["files"]] == [str(path)]
        assert len((await read(client, HISTORY))["edits"]) == 1
        assert "+x = 2" in (await read(client, CHANGES))["diff"]
        assert (await read(client, f"{HISTORY}/{place.folder}/b.py"))["edits"] == []
        assert len((await read(client, f"{HISTORY}/a.py"))["edits"]) == 1
        assert (await read(client, PROBLEMS))["items"] == []
        with pytest.raises(MCPError, match="no resource"):
            await client.read_resource("coeditor://session/secrets")


async def test_a_reader_of_resources_takes_no_notice_from_the_model(place: Place) -> None:
    place.write("a.py", "x = 1\n")
    async with agent(place) as one:
        await one.call("read", file_path="a.py")
        found: dict[str, Any] = {}
        async with asyncio.timeout(PATIENCE):
            while "notices" not in found:  # when the watcher has seen it
                place.write("a.py", place.text("a.py") + "\n")
                answer = await one.request("resources/read", {"uri": HISTORY})
                assert "notices" not in json.loads(answer["result"]["contents"][0]["text"])
                found = await one.call("history")
        assert [notice["file_path"] for notice in found["notices"]] == [str(place.folder / "a.py")]


async def test_a_subscriber_of_the_old_era_is_told(place: Place) -> None:
    place.write("a.py", "x = 1\n")
    async with sdk(place, "legacy") as (client, updated):
        await client.session.send_request(
            mcp_types.SubscribeRequest(params=mcp_types.SubscribeRequestParams(uri=HISTORY)),
            mcp_types.EmptyResult,
        )
        await edit(client)
        assert await asyncio.wait_for(updated.get(), PATIENCE) == HISTORY
        assert updated.empty()


async def test_a_listener_of_the_new_era_is_told(place: Place) -> None:
    place.write("a.py", "x = 1\n")
    async with sdk(place, "2026-07-28") as (client, _):
        wanted = [LEDGER, HISTORY, "coeditor://session/none"]
        async with client.listen(resource_subscriptions=wanted, tools_list_changed=True) as heard:
            assert heard.honored.resource_subscriptions == [LEDGER, HISTORY]
            assert not heard.honored.tools_list_changed
            await edit(client)
            told = set()
            async with asyncio.timeout(PATIENCE):
                async for event in heard:
                    told.add(getattr(event, "uri", None))
                    if told == {LEDGER, HISTORY}:
                        break


async def subscribed(one: Agent) -> None:
    answer = await one.request("resources/subscribe", {"uri": HISTORY})
    assert answer["result"] == {}


async def test_a_subscription_outlives_the_server(place: Place) -> None:
    place.write("a.py", "x = 1\n")
    async with agent(place) as one:
        await subscribed(one)
        (pid,) = place.server_pids()
        await killed(pid)
        await one.call("read", file_path="a.py")
        # Told once by the relay, since nobody knows what happened meanwhile; then of the edit.
        assert (await one.heard("notifications/resources/updated"))["params"] == {"uri": HISTORY}
        await one.call("edit", file_path="a.py", old_string="1", new_string="2")
        assert (await one.heard("notifications/resources/updated"))["params"] == {"uri": HISTORY}


async def test_listening_outlives_the_server_until_it_is_cancelled(place: Place) -> None:
    place.write("a.py", "x = 1\n")
    asked = {"notifications": {"resourceSubscriptions": [HISTORY]}}
    listen = {"jsonrpc": "2.0", "id": "l1", "method": "subscriptions/listen", "params": asked}
    async with agent(place) as one:
        await one.send(listen)
        await one.heard("notifications/subscriptions/acknowledged")
        (pid,) = place.server_pids()
        await killed(pid)
        again = await one.heard("notifications/subscriptions/acknowledged")
        assert again["params"]["_meta"] == {"io.modelcontextprotocol/subscriptionId": "l1"}
        await one.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "l1"}})
        await subscribed(one)
        await one.call("write", file_path="b.py", content="y = 1\n")
        told = await one.heard("notifications/resources/updated")
        assert told["params"] == {"uri": HISTORY}


async def test_another_sessions_edits_are_not_told(place: Place) -> None:
    async with agent(place) as one, agent(place) as other:
        await subscribed(one)
        await other.call("write", file_path="b.py", content="y = 1\n")
        await one.call("write", file_path="c.py", content="y = 1\n")
        await one.heard("notifications/resources/updated")
        answer = await one.request("resources/read", {"uri": HISTORY})
        (entry,) = json.loads(answer["result"]["contents"][0]["text"])["edits"]
        assert entry["files"][0]["file_path"].endswith("c.py")
