"""MCP over HTTP: the checks at the door by hand, the rest by the SDK's client."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import mcp_types
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.e2e.agents import PATIENCE, Place, killed

QUIET = {"side_effects": {"diagnostics": False}}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "by-hand", "version": "1"},
    },
}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, QUIET)


@dataclass
class Endpoint:
    url: str
    token: str
    path: Path

    @property
    def headers(self) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {self.token}",
            "Accept": "application/json, text/event-stream",
        }


def _record(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@asynccontextmanager
async def endpoint(place: Place, **environment: str) -> AsyncIterator[Endpoint]:
    """``coeditor serve --headless --http``, until the end."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "lsp_server", "serve", "--headless", "--http"),
        cwd=place.folder,
        env=place.environment | environment,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    line = await asyncio.wait_for(process.stderr.readline(), PATIENCE)
    assert b"MCP over HTTP" in line, line + await process.stderr.read()
    path = Path(line.decode().strip().rpartition(" ")[2])
    found = _record(path)
    try:
        yield Endpoint(found["url"], found["token"], path)
    finally:
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), PATIENCE) == 0


@asynccontextmanager
async def sdk(at: Endpoint, **options: Any) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=at.headers, timeout=PATIENCE) as http,
        Client(
            streamable_http_client(at.url, http_client=http),
            read_timeout_seconds=PATIENCE,
            **options,
        ) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_an_sdk_client_reads_is_refused_and_edits(place: Place, mode: Any) -> None:
    place.write("a.py", "x = 1\n")
    async with endpoint(place) as at, sdk(at, mode=mode) as one, sdk(at, mode=mode) as other:
        wish = {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}
        await one.call_tool("read", {"file_path": "a.py"})
        refused = await other.call_tool("edit", wish)
        assert refused.structured_content is not None
        assert refused.structured_content["code"] == "FS_NOT_OBSERVED"
        assert not (await one.call_tool("edit", wish)).is_error
        assert len((await one.list_resources()).resources) == 4
    assert place.text("a.py") == "x = 2\n"


async def test_an_address_with_a_name_is_one_agent(place: Place) -> None:
    place.write("a.py", "x = 1\n")
    async with endpoint(place) as at:
        named = Endpoint(f"{at.url}/ada", at.token, at.path)
        async with sdk(named, mode="2026-07-28") as one:
            await one.call_tool("read", {"file_path": "a.py"})
        wish = {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}
        async with sdk(named, mode="2026-07-28") as again:
            assert not (await again.call_tool("edit", wish)).is_error


@pytest.mark.parametrize(
    ("changed", "status", "code"),
    [
        ({}, 200, None),
        ({"Mcp-Method": "tools/call"}, 400, -32020),
        ({"MCP-Protocol-Version": "2031-01-01"}, 400, -32600),
    ],
    ids=["as it is", "another method", "a version that is not there"],
)
async def test_without_a_session_every_request_says_all(
    place: Place, changed: Mapping[str, str], status: int, code: int | None
) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"_meta": meta}}
    told = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list", **changed}
    async with endpoint(place) as at, httpx2.AsyncClient(headers=at.headers, timeout=PATIENCE) as http:
        url = f"{at.url}/ada"
        answer = await http.post(url, json=message, headers=told)
        assert answer.status_code == status
        assert (answer.json().get("error") or {}).get("code") == code
        gone = await http.get(url, headers={"MCP-Protocol-Version": "2026-07-28"})
        assert gone.status_code == 405


async def test_the_standing_stream_tells_of_changed_resources(place: Place) -> None:
    updated: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: object) -> None:
        if isinstance(message, mcp_types.ResourceUpdatedNotification):
            updated.put_nowait(str(message.params.uri))

    history = "coeditor://session/history"
    async with endpoint(place) as at, sdk(at, mode="legacy", message_handler=hear) as one:
        await one.session.send_request(
            mcp_types.SubscribeRequest(params=mcp_types.SubscribeRequestParams(uri=history)),
            mcp_types.EmptyResult,
        )
        await one.call_tool("write", {"file_path": "a.py", "content": "x = 1\n"})
        assert await asyncio.wait_for(updated.get(), PATIENCE) == history


async def test_a_session_outlives_the_server(place: Place) -> None:
    place.write("a.py", "x = 1\n")
    async with endpoint(place) as at, sdk(at, mode="legacy") as one:
        await one.call_tool("read", {"file_path": "a.py"})
        (pid,) = place.server_pids()
        await killed(pid)
        wish = {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}
        assert not (await one.call_tool("edit", wish)).is_error


async def raw(at: Endpoint, request: bytes) -> bytes:
    """What comes back for these bytes, to the end."""
    port = int(at.url.rpartition(":")[2].partition("/")[0])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    found = await asyncio.wait_for(reader.read(), PATIENCE)
    writer.close()
    return found


async def test_who_may_not_come_in_is_refused(place: Place) -> None:
    async with endpoint(place) as at, httpx2.AsyncClient(headers=at.headers) as http:
        netloc = at.url.removeprefix("http://").removesuffix("/mcp")
        port = netloc.rpartition(":")[2]

        async def status(change: Mapping[str, str], url: str = at.url, **options: Any) -> int:
            body: dict[str, Any] = {"json": HELLO, **options}
            return (await http.post(url, headers=dict(change), **body)).status_code

        # A name that somebody's DNS gives for this address.
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1.evil.example:{port}"):
            assert await status({"Host": host}) == 403
        assert await status({"Host": f"localhost:{port}"}) == 200
        for origin in ("http://evil.example", "null", "https://127.0.0.1", "http://localhost:3000"):
            assert await status({"Origin": origin}) == 403
        assert await status({"Origin": f"http://{netloc}"}) == 200
        for told in ("", "Bearer", "Bearer x", f"Bearer {at.token}x", f"Basic {at.token}", at.token):
            assert await status({"Authorization": told}) == 401
        assert await status({"Authorization": f"bearer {at.token}"}) == 200
        assert await status({}, at.url + "/ada/more") == 404
        assert await status({"MCP-Protocol-Version": "2026-07-28"}) == 400
        assert await status({"Content-Type": "text/plain"}) == 415
        assert await status({}, json=[HELLO]) == 400
        assert await status({}, json={**HELLO, "method": "tools/list"}) == 400
        assert await status({"Mcp-Session-Id": "x"}, json={**HELLO, "method": "tools/list"}) == 404
        for method in ("GET", "DELETE"):
            assert (await http.request(method, at.url)).status_code == 400
        assert (await http.request("PUT", at.url)).status_code == 405
        preflight = await http.request("OPTIONS", at.url, headers={"Origin": "http://evil.example"})
        assert preflight.status_code == 403
        assert not any(name.startswith("access-control") for name in preflight.headers)


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        (b"GET\r\n\r\n", 400),
        (b"POST /mcp HTTP/1.0\r\n\r\n", 400),
        (b"POST /mcp HTTP/1.1\r\nHost : x\r\n\r\n", 400),
        (b"POST /mcp HTTP/1.1\r\nHOST\r\nContent-Length: 5\r\ncontent-length: 6\r\n\r\n", 400),
        (b"POST /mcp HTTP/1.1\r\nHOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411),
        (b"POST /mcp HTTP/1.1\r\nHOST\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST /mcp HTTP/1.1\r\nHOST\r\nContent-Length: 999999999999\r\n\r\n", 413),
        (b"POST /mcp HTTP/1.1\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", 431),
    ],
)
async def test_a_malformed_request_is_refused(place: Place, request_text: bytes, status: int) -> None:
    async with endpoint(place) as at:
        host = at.url.removeprefix("http://").removesuffix("/mcp")
        lines = f"Host: {host}\r\nAuthorization: Bearer {at.token}".encode()
        found = await raw(at, request_text.replace(b"HOST", lines))
        assert found.startswith(b"HTTP/1.1 %d " % status)


async def test_a_session_ends_when_it_is_told(place: Place) -> None:
    async with endpoint(place) as at, httpx2.AsyncClient(headers=at.headers, timeout=PATIENCE) as http:
        began = await http.post(at.url, json=HELLO)
        assert '"serverInfo"' in began.text
        session = {"Mcp-Session-Id": began.headers["mcp-session-id"]}
        noted = await http.post(
            at.url, json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=session
        )
        assert noted.status_code == 202
        # A body of several lines is one message all the same.
        pretty = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}, indent=2)
        listed = await http.post(
            at.url, content=pretty, headers={**session, "Content-Type": "application/json"}
        )
        assert '"apply_patch"' in listed.text
        assert (await http.delete(at.url, headers=session)).status_code == 200
        assert (await http.post(at.url, json=HELLO | {"method": "ping"}, headers=session)).status_code == 404


async def test_an_editors_server_has_it_beside(place: Place) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "lsp_server", "serve", "--http"),
        cwd=place.folder,
        env=place.environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stderr is not None
    line = await asyncio.wait_for(process.stderr.readline(), PATIENCE)
    path = Path(line.decode().strip().rpartition(" ")[2])
    at = Endpoint(**{"path": path, **{k: v for k, v in _record(path).items() if k != "pid"}})
    async with sdk(at, mode="legacy") as one:
        assert len((await one.list_tools()).tools) == 13
    process.stdin.close()
    await asyncio.wait_for(process.communicate(), PATIENCE)
    assert not at.path.exists()


async def test_the_token_is_this_users_own(place: Place) -> None:
    token = "a-token-of-my-own-choice"
    async with endpoint(place, COEDITOR_HTTP_TOKEN=token) as at:
        assert at.token == token
        assert at.path.stat().st_mode & 0o777 == 0o600
        assert at.url.startswith("http://127.0.0.1:")
    assert not at.path.exists()


async def test_a_weak_token_is_refused(place: Place) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "lsp_server", "serve", "--headless", "--http"),
        cwd=place.folder,
        env=place.environment | {"COEDITOR_HTTP_TOKEN": "short"},
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == 2
    assert b"COEDITOR_HTTP_TOKEN" in said
    assert not list((place.base / "run").glob("coeditor/*/http.json")), os.listdir(place.base)
