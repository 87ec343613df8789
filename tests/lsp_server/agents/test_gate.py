from __future__ import annotations

import asyncio
import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ledger.types import TargetKey
from lsp_server.agents.channel import Room
from lsp_server.agents.gate import Gate, GateLimits
from lsp_server.agents.owner import PROTOCOL
from tests.lsp_server.agents.harness import DEADLINE
from tests.lsp_server.agents.serving import FileService

TOKEN = "a token"


class Client:
    """One raw connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer

    async def say(self, *lines: object) -> None:
        for line in lines:
            self.writer.write((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")
        await self.writer.drain()

    async def hear(self) -> Any:
        """The next line; None when the gate hung up."""
        try:
            async with asyncio.timeout(DEADLINE):
                line = await self._reader.readline()
        except ConnectionResetError:  # what was sent last was not read any more
            return None
        return json.loads(line) if line else None

    async def greet(self, **changes: object) -> Any:
        await self.say({"hello": hello(**changes)})
        return await self.hear()

    async def call(self, message_id: int, tool: str, **arguments: object) -> None:
        params = {"tool": tool, "arguments": arguments, "session": "s"}
        await self.say({"jsonrpc": "2.0", "id": message_id, "method": "coeditor/call", "params": params})


def hello(**changes: object) -> dict[str, object]:
    found = {"token": TOKEN, "door": "cli", "pid": 1, "cwd": "/w", "env": {}, "session": "s"}
    return {**found, "protocol": PROTOCOL, **changes}


class Served:
    """A gate that listens, and ways into it."""

    def __init__(self, gate: Gate, path: Path, service: FileService) -> None:
        self.gate, self.path, self.service = gate, path, service
        self.asked = 0
        self._clients: list[Client] = []

    async def connect(self) -> Client:
        client = Client(*await asyncio.open_unix_connection(self.path, limit=1 << 27))
        self._clients.append(client)
        return client

    async def client(self, **changes: object) -> Client:
        """A client that was welcomed."""
        client = await self.connect()
        assert "welcome" in await client.greet(**changes)
        return client

    async def noted(self, state: str) -> None:
        await reached(lambda: any(note["state"] == state for note in self.service.notes()))

    async def close(self) -> None:
        for client in self._clients:
            client.writer.close()
        async with asyncio.timeout(DEADLINE):
            await self.gate.close()


async def reached(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE):
        while not condition():  # noqa: ASYNC110 - what is waited for happens elsewhere
            await asyncio.sleep(0.005)


@asynccontextmanager
async def serving(base: Path, **limits: Any) -> AsyncIterator[Served]:
    service = FileService(str(base))
    asked = []

    def hand_over() -> bool:
        asked.append(True)
        return True

    about = {"kind": "headless", "roots": ["/w"], "version": "1"}
    gate = Gate(service, token=TOKEN, about=about, hand_over=hand_over, limits=GateLimits(**limits))
    served = Served(gate, base / "socket", service)
    await gate.listen(str(served.path))
    try:
        yield served
    finally:
        await served.close()
        served.asked = len(asked)


async def test_the_socket_is_this_users_alone(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        assert stat.S_IMODE(served.path.stat().st_mode) == 0o600


async def test_a_stale_socket_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "socket").touch()
    async with serving(tmp_path) as served:
        await served.client()


async def test_the_welcome_says_who_the_server_is(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        client = await served.connect()
        welcome = (await client.greet())["welcome"]
        assert welcome["pid"] == os.getpid()
        assert (welcome["kind"], welcome["protocol"]) == ("headless", PROTOCOL)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"", "UNAUTHORIZED"),
        (b"no JSON", "UNAUTHORIZED"),
        (b"[]", "UNAUTHORIZED"),
        ({"hello": 7}, "UNAUTHORIZED"),
        ({"hello": {}}, "UNAUTHORIZED"),
        ({"jsonrpc": "2.0", "id": 1, "method": "coeditor/call"}, "UNAUTHORIZED"),
        ({"hello": hello(token="another")}, "UNAUTHORIZED"),
        ({"hello": hello(token="")}, "UNAUTHORIZED"),
        ({"hello": hello(token=None)}, "UNAUTHORIZED"),
        ({"hello": hello(token="\xe9")}, "UNAUTHORIZED"),
        ({"hello": hello(door="window")}, "UNAUTHORIZED"),
        ({"hello": hello(protocol=PROTOCOL + 1)}, "NO_SERVER"),
        (b"x" * 300_000, "UNAUTHORIZED"),
    ],
)
async def test_who_is_not_welcome_is_told_so_and_hung_up_on(tmp_path: Path, line: object, code: str) -> None:
    async with serving(tmp_path) as served:
        client = await served.connect()
        await client.say(line, {"jsonrpc": "2.0", "id": 1, "method": "coeditor/ping"})
        assert (await client.hear())["refused"]["code"] == code
        assert await client.hear() is None
        assert served.service.notes() == []


async def test_who_says_nothing_is_hung_up_on(tmp_path: Path) -> None:
    async with serving(tmp_path, hello_seconds=0.05) as served:
        client = await served.connect()
        assert (await client.hear())["refused"]["code"] == "UNAUTHORIZED"
        assert await client.hear() is None


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
async def test_another_user_is_refused_whatever_it_shows(tmp_path: Path) -> None:
    """The socket and its folder are opened up first, since they alone keep others out."""
    async with serving(tmp_path) as served:
        for folder in (tmp_path, *tmp_path.parents):
            if folder.stat().st_mode & 0o001 == 0:
                folder.chmod(folder.stat().st_mode | 0o011)
        served.path.chmod(0o666)
        code = (
            "import os, socket, sys\n"
            "s = socket.socket(socket.AF_UNIX); os.setuid(65534); s.connect(sys.argv[1])\n"
            "s.sendall(sys.argv[2].encode() + b'\\n'); print(s.recv(65536).decode())\n"
        )
        command = [sys.executable, "-c", code, str(served.path), json.dumps({"hello": hello()})]
        ran = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)
        assert json.loads(ran.stdout)["refused"]["code"] == "UNAUTHORIZED"


async def test_a_call_is_made_as_whom_it_says(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        client = await served.client(session="from hello")
        for params in ({"call_id": "c"}, {"session": "own", "cwd": "/other"}, {"cwd": "relative"}):
            await client.say(
                {
                    "jsonrpc": "2.0",
                    "id": 1,
                    "method": "coeditor/call",
                    "params": {"tool": "read", "arguments": {}, **params},
                }
            )
        found = [(await client.hear())["result"] for _ in range(3)]
        assert {each["cwd"] for each in found} == {"/w", "/other"}
        assert {each["call_id"] for each in found} == {"c", None}
        assert {note["session"] for note in served.service.notes()} == {"from hello", "own"}


@pytest.mark.parametrize(
    ("message", "code", "data_code"),
    [
        ({"id": 1}, -32600, None),
        ({"id": 1, "method": "coeditor/nonsense"}, -32601, None),
        ({"id": 1, "method": "coeditor/call", "params": {"tool": 7, "arguments": {}}}, -32600, None),
        ({"id": 1, "method": "coeditor/call", "params": {"tool": "read"}}, -32600, None),
        ({"id": 1, "method": "coeditor/call", "params": []}, -32600, None),
        (
            {
                "id": 1,
                "method": "coeditor/call",
                "params": {"tool": "read", "arguments": {"file_path": "refused"}},
            },
            -32803,
            "FS_NOT_FOUND",
        ),
        (
            {
                "id": 1,
                "method": "coeditor/call",
                "params": {"tool": "read", "arguments": {"file_path": "broken"}},
            },
            -32803,
            "INTERNAL",
        ),
        (b'{"id": 1, "method": "coeditor/call", "params": "\\ud800"}', -32803, "INVALID_ARGUMENT"),
    ],
)
async def test_what_fails_is_answered_and_the_next_call_works(
    tmp_path: Path, message: object, code: int, data_code: str | None
) -> None:
    async with serving(tmp_path) as served:
        client = await served.client()
        await client.say(message)
        answer = await client.hear()
        assert (answer["id"], answer["error"]["code"]) == (1, code)
        assert answer["error"].get("data", {}).get("code") == data_code
        assert "bug" not in json.dumps(answer)
        await client.say({"jsonrpc": "2.0", "id": 2, "method": "coeditor/ping"})
        assert (await client.hear())["result"]["tasks"] > 0


async def test_the_outcome_of_a_lost_call_can_be_asked_for(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        client = await served.client()
        params = {"tool": "write", "arguments": {}, "session": "s", "call_id": "c"}
        await client.say({"jsonrpc": "2.0", "id": 1, "method": "coeditor/call", "params": params})
        await client.hear()
        for call_id, state in (("c", "applied"), ("other", None)):
            asked = {"session": "s", "call_id": call_id}
            await client.say({"jsonrpc": "2.0", "id": 2, "method": "coeditor/outcome", "params": asked})
            found = (await client.hear())["result"]
            assert (found and found["state"]) == state


async def test_a_cancelled_call_says_so(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        client = await served.client()
        await client.call(7, "write", file_path="x.gate")
        await served.noted("intended")
        await client.say({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 7}})
        answer = await client.hear()
        assert (answer["id"], answer["error"]["data"]["code"]) == (7, "FS_CANCELLED")


@pytest.mark.parametrize("door", ["cli", "mcp"])
async def test_a_call_that_is_cancelled_before_its_turn_never_begins(tmp_path: Path, door: str) -> None:
    async with serving(tmp_path, room=Room(at_once=1)) as served:
        client = await served.client(door=door)

        def asked(number: int, name: str) -> object:
            arguments = {"file_path": name, "content": "x"}
            if door == "cli":
                params = {"tool": "write", "arguments": arguments, "session": "s"}
                return {"id": number, "method": "coeditor/call", "params": params}
            return [
                {},
                {"id": number, "method": "tools/call", "params": {"name": "write", "arguments": arguments}},
            ]

        await client.say(asked(1, "x.gate"), asked(2, "second"), asked(3, "third"))
        await served.noted("intended")
        if door == "cli":
            await client.say({"method": "$/cancelRequest", "params": {"id": 2}})
            assert (await client.hear())["error"]["data"]["code"] == "FS_CANCELLED"
        else:
            await client.say([{}, {"method": "notifications/cancelled", "params": {"requestId": 2}}])
            (relay,) = served.gate._connections
            await reached(lambda: len(relay._running) == 2)  # type: ignore[attr-defined]
        (tmp_path / "x.gate").touch()
        assert [(await client.hear())["id"] for _ in range(2)] == [1, 3]
        assert [note["file"] for note in served.service.notes() if note["state"] == "applied"] == [
            "x.gate",
            "third",
        ]


async def test_more_connections_than_the_limit_are_refused(tmp_path: Path) -> None:
    async with serving(tmp_path, clients=2) as served:
        first, _ = await served.client(), await served.client()
        third = await served.connect()
        assert (await third.hear())["refused"]["code"] == "NO_SERVER"
        assert await third.hear() is None
        first.writer.close()
        await reached(lambda: served.gate.clients == 1)
        await served.client()


async def test_a_client_that_hangs_up_cancels_what_it_asked_for(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        client = await served.client()
        await client.call(1, "write", file_path="x.gate")
        await served.noted("intended")
        client.writer.close()
        await reached(lambda: served.gate.clients == 0)
        (tmp_path / "x.gate").touch()
        assert served.gate.call_left is not None
        assert [note["state"] for note in served.service.notes()] == ["intended"]


async def test_a_message_over_the_limit_ends_that_connection_alone(tmp_path: Path) -> None:
    async with serving(tmp_path, message_bytes=10_000) as served:
        client, other = await served.client(), await served.client()
        await client.call(1, "read", file_path="a" * 9_000)
        assert (await client.hear())["result"]["ok"]
        client.writer.write(b"x" * 10_001)
        refused = (await client.hear())["refused"]
        assert (refused["code"], refused["data"]["limit"]) == ("FS_TOO_LARGE", 10_000)
        assert await client.hear() is None
        await other.call(1, "read")
        assert (await other.hear())["result"]["ok"]


@pytest.mark.parametrize("door", ["cli", "mcp"])
async def test_a_client_that_does_not_read_holds_up_nobody(tmp_path: Path, door: str) -> None:
    async with serving(tmp_path) as served:
        stuck, other = await served.client(door=door), await served.client()
        arguments = {"limit": 300_000}
        for number in range(300):
            if door == "cli":
                params = {"tool": "read", "arguments": arguments, "session": "stuck"}
                stuck.writer.write(line({"id": number, "method": "coeditor/call", "params": params}))
            else:
                call = {"name": "read", "arguments": arguments}
                stuck.writer.write(line([{}, {"id": number, "method": "tools/call", "params": call}]))
        for number in range(50):
            await other.call(number, "read")
            assert (await other.hear())["result"]["ok"]
        # It was given what fits on the way, not all that it asked for.
        assert sum(note["session"] == "stuck" for note in served.service.notes()) < 300 or door == "mcp"
        answers = [await stuck.hear() for _ in range(300)]
        assert {answer["id"] for answer in answers} == set(range(300))


async def test_no_client_has_more_calls_in_flight_than_the_limit(tmp_path: Path) -> None:
    async with serving(tmp_path, room=Room(calls=3)) as served:
        client = await served.client()
        for number in range(10):
            await client.call(number, "read", file_path="x.gate")
        await reached(lambda: len(served.service.notes()) >= 3)
        other = await served.client()
        await other.call(1, "read")
        await other.hear()
        assert len(served.service.notes()) == 4
        (tmp_path / "x.gate").touch()
        assert {(await client.hear())["id"] for _ in range(10)} == set(range(10))


@pytest.mark.parametrize("door", ["cli", "mcp"])
async def test_cancellations_behind_more_calls_than_the_limit_are_heard(tmp_path: Path, door: str) -> None:
    def asked(number: int) -> object:
        arguments = {"file_path": f"x{number}.gate", "content": "x"}
        if door == "cli":
            params = {"tool": "write", "arguments": arguments, "session": "s"}
            return {"id": number, "method": "coeditor/call", "params": params}
        call = {"name": "write", "arguments": arguments}
        return [{"ack": True}, {"id": number, "method": "tools/call", "params": call}]

    def cancelled(number: int) -> object:
        if door == "cli":
            return {"method": "$/cancelRequest", "params": {"id": number}}
        return [{}, {"method": "notifications/cancelled", "params": {"requestId": number}}]

    async with serving(tmp_path, room=Room(calls=2)) as served:
        client = await served.client(door=door)
        await client.say(*map(asked, (1, 2, 3, 4, 5)), cancelled(4), cancelled(1))
        if door == "cli":
            answers = [await client.hear() for _ in range(2)]
            assert [(each["id"], each["error"]["data"]["code"]) for each in answers] == [
                (4, "FS_CANCELLED"),
                (1, "FS_CANCELLED"),
            ]
        else:
            (relay,) = served.gate._connections
            await reached(lambda: (relay._received, len(relay._running)) == (7, 3))  # type: ignore[attr-defined]
        for number in (2, 3, 5):
            (tmp_path / f"x{number}.gate").touch()
        heard = [await client.hear() for _ in range(3 if door == "cli" else 7)]
        assert [each["begun"] for each in heard if "begun" in each] == [1, 2, 3, 5] * (door == "mcp")
        assert {each["id"] for each in heard if "result" in each} == {2, 3, 5}
        applied = {note["file"] for note in served.service.notes() if note["state"] == "applied"}
        assert applied == {"x2.gate", "x3.gate", "x5.gate"}


async def test_what_a_host_answers_is_heard_behind_more_calls_than_the_limit(tmp_path: Path) -> None:
    async with serving(tmp_path, room=Room(calls=1)) as served:
        client = await served.client(door="host")
        await client.say({"id": 0, "method": "coeditor/host", "params": {"name": "a host", "files": True}})
        await client.hear()
        (connection,) = served.gate._connections
        reading = asyncio.ensure_future(connection.read(TargetKey("/w/a")))  # type: ignore[attr-defined]
        question = await client.hear()
        for number in (1, 2):
            await client.call(number, "read", file_path="x.gate")
        await client.say({"id": question["id"], "result": {"content": "text"}})
        async with asyncio.timeout(DEADLINE):
            assert await reading == "text"
        (tmp_path / "x.gate").touch()
        assert {(await client.hear())["id"] for _ in range(2)} == {1, 2}


async def test_a_cancellation_does_not_take_back_an_answer_that_waits_to_be_read(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        client = await served.client()
        for number in range(40):
            await client.call(number, "read", limit=1 << 20)
        await reached(lambda: len(served.service.notes()) == 40)
        for number in range(40):
            await client.say({"method": "$/cancelRequest", "params": {"id": number}})
        other = await served.client()
        await other.call(1, "read")
        await other.hear()
        answers = [await client.hear() for _ in range(40)]
        assert all("result" in answer for answer in answers)
        assert {answer["id"] for answer in answers} == set(range(40))


async def test_a_gate_that_closes_answers_what_runs_and_says_how_far_it_read(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        relay, caller = await served.client(door="mcp"), await served.client()
        params = {"name": "write", "arguments": {"file_path": "x.gate"}}
        await relay.say([{"client": {}}], [{}, {"id": 1, "method": "tools/call", "params": params}])
        await served.noted("intended")
        await caller.call(1, "read", file_path="x.gate")
        await served.noted("asked")
        closing = asyncio.create_task(served.gate.close())
        assert (await relay.hear()) == {"goodbye": {"received": 2}}
        await relay.say([{}, {"id": 2, "method": "tools/call", "params": params}])
        (tmp_path / "x.gate").touch()
        assert (await relay.hear())["id"] == 1
        assert (await caller.hear())["id"] == 1
        assert await relay.hear() is None
        assert await caller.hear() is None
        await closing
        assert len(served.service.notes()) == 3


@pytest.mark.parametrize("door", ["mcp", "cli"])
async def test_a_call_that_was_read_but_waits_for_its_turn_is_answered_too(tmp_path: Path, door: str) -> None:
    async with serving(tmp_path, room=Room(calls=1)) as served:
        client = await served.client(door=door)
        calls: list[object] = []
        for number in (1, 2):
            if door == "cli":
                params: object = {
                    "tool": "write",
                    "arguments": {"file_path": f"x{number}.gate"},
                    "session": "s",
                }
                calls.append({"jsonrpc": "2.0", "id": number, "method": "coeditor/call", "params": params})
            else:
                params = {"name": "write", "arguments": {"file_path": f"x{number}.gate"}}
                calls.append([{"ack": True}, {"id": number, "method": "tools/call", "params": params}])
        await client.say("\n".join(map(json.dumps, calls)).encode())  # at once, so that both are read
        await served.noted("intended")
        closing = asyncio.create_task(served.gate.close())
        (tmp_path / "x1.gate").touch()
        heard = []
        while (message := await client.hear()) is not None:
            heard.append(message)
            if message.get("id") == 1:
                await reached(lambda: len(served.service.notes()) == 3)
                (tmp_path / "x2.gate").touch()
        assert [each["state"] for each in served.service.notes()] == ["intended", "applied"] * 2
        assert [each["id"] for each in heard if "id" in each] == [1, 2]
        assert [each for each in heard if "goodbye" in each] == [{"goodbye": {"received": 2}}] * (
            door == "mcp"
        )
        await closing


async def test_who_says_hello_to_a_gate_that_closes_is_not_welcomed(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        busy, late = await served.client(), await served.connect()
        await busy.call(1, "write", file_path="x.gate")
        await served.noted("intended")
        await reached(lambda: served.gate.clients == 2)
        closing = asyncio.create_task(served.gate.close())
        await asyncio.sleep(0)
        assert await late.greet(door="mcp") is None
        (tmp_path / "x.gate").touch()
        assert (await busy.hear())["id"] == 1
        await closing


async def test_a_call_that_does_not_end_does_not_keep_the_gate_open(tmp_path: Path) -> None:
    async with serving(tmp_path, drain_seconds=0.05) as served:
        client = await served.client()
        await client.call(1, "write", file_path="x.gate")
        await served.noted("intended")
        await served.gate.close()
        answer = await client.hear()
        assert answer["error"]["data"]["code"] == "FS_CANCELLED"


async def test_a_hand_over_is_asked_for_by_whoever_has_the_token(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        client = await served.client()
        await client.say({"jsonrpc": "2.0", "id": 1, "method": "coeditor/handOver"})
        assert (await client.hear())["result"] == {"accepted": True}
    assert served.asked == 1


@pytest.mark.parametrize(
    "message",
    [b"no JSON", [], [1, 2], [{}], {"jsonrpc": "2.0", "id": 1, "method": "ping"}, 7, [{}, {"id": 1}]],
)
async def test_a_relay_that_talks_nonsense_keeps_its_connection(tmp_path: Path, message: object) -> None:
    async with serving(tmp_path) as served:
        client = await served.client(door="mcp")
        await client.say(message, [{}, {"jsonrpc": "2.0", "id": 5, "method": "ping"}])
        answer = await client.hear()
        if answer["id"] != 5:
            assert answer["error"]["code"] == -32600
            answer = await client.hear()
        assert answer["id"] == 5


async def test_without_unix_sockets_a_loopback_port_serves_as_well(tmp_path: Path) -> None:
    service = FileService(str(tmp_path))
    gate = Gate(service, token=TOKEN, about={})
    host, _, port = (await gate.listen_on_loopback()).partition(":")
    client = Client(*await asyncio.open_connection(host, int(port)))
    try:
        assert "welcome" in await client.greet()
        await client.call(1, "read")
        assert (await client.hear())["result"]["ok"]
        assert client.writer.get_extra_info("socket").family == socket.AF_INET
    finally:
        client.writer.close()
        await gate.close()


def line(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"
