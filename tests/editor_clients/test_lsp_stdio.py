"""Framing, requests and the end of a child process, against children that break the rules."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path

import pytest
import pytest_asyncio

from editor_clients.loose_json import Json
from editor_clients.lsp_stdio import ConnectionLostError, ResponseError, StdioConnection

PREAMBLE = """
    import json, sys, time
    out = sys.stdout.buffer
    def send(message, head="Content-Length: %d\\r\\n\\r\\n"):
        body = json.dumps(message).encode()
        out.write((head % len(body)).encode() + body); out.flush()
    def receive():
        size = 0
        while (line := sys.stdin.buffer.readline()).strip():
            size = int(line.split(b":")[1])
        return json.loads(sys.stdin.buffer.read(size)) if line else sys.exit()
"""

Open = Callable[[str], Coroutine[None, None, StdioConnection]]


class Heard:
    """What the child said to us."""

    def __init__(self) -> None:
        self.notifications: list[tuple[str, Json]] = []
        self.came = asyncio.Event()

    def notified(self, method: str, params: Json) -> None:
        self.notifications.append((method, params))
        self.came.set()

    def asked(self, method: str, params: Json) -> object:
        return {"double": {"answer": 2}}[method]


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest_asyncio.fixture
async def connect(tmp_path: Path, heard: Heard) -> AsyncIterator[Open]:
    """Starts a child from its source; it is killed at the end."""
    made: list[StdioConnection] = []

    async def start(source: str) -> StdioConnection:
        program = textwrap.dedent(PREAMBLE) + textwrap.dedent(source)
        command = (sys.executable, "-c", program)
        made.append(
            await StdioConnection.start(
                command, cwd=str(tmp_path), notified=heard.notified, asked=heard.asked
            )
        )
        return made[-1]

    yield start
    for connection in made:
        await connection.kill()


ECHO = """
    while True:
        message = receive()
        if "id" in message:
            send({"id": message["id"], "result": message.get("params")})
"""


async def test_requests_in_parallel_get_their_own_answers(connect: Open) -> None:
    connection = await connect(ECHO)
    answers = await asyncio.gather(*(connection.request("echo", {"n": n, "s": "é😀\n"}) for n in range(50)))
    assert answers == [{"n": n, "s": "é😀\n"} for n in range(50)]


async def test_a_large_message_goes_both_ways(connect: Open) -> None:
    connection = await connect(ECHO)
    text = "x" * 5_000_000
    assert await connection.request("echo", {"text": text}) == {"text": text}


async def test_an_error_is_raised_with_its_code(connect: Open) -> None:
    connection = await connect(
        'send({"id": receive()["id"], "error": {"code": -32802, "message": "no"}}); receive()'
    )
    with pytest.raises(ResponseError, match="no") as caught:
        await connection.request("x", {})
    assert caught.value.code == -32802


async def test_the_servers_own_requests_are_answered(connect: Open, heard: Heard) -> None:
    await connect(
        """
        send({"id": "a", "method": "double", "params": {}})
        send({"id": 7, "method": "unheard", "params": []})
        send({"method": "log", "params": {"got": [receive(), receive()]}})
        receive()
        """
    )
    await heard.came.wait()
    (method, params), *_ = heard.notifications
    assert method == "log"
    assert params == {
        "got": [
            {"jsonrpc": "2.0", "id": "a", "result": {"answer": 2}},
            {"jsonrpc": "2.0", "id": 7, "error": {"code": -32601, "message": "unheard is not supported."}},
        ]
    }


async def test_headers_in_any_order_and_case(connect: Open, heard: Heard) -> None:
    await connect('send({"method": "x"}, "Content-Type: a; b\\r\\ncontent-length:%d\\r\\n\\r\\n"); receive()')
    await heard.came.wait()
    assert heard.notifications == [("x", {})]


async def test_lone_surrogates_in_an_answer_do_no_harm(connect: Open, heard: Heard) -> None:
    await connect('send({"method": "x", "params": {"text": "\\ud800"}}); receive()')
    await heard.came.wait()
    assert heard.notifications == [("x", {"text": "\ud800"})]


@pytest.mark.parametrize(
    "output",
    [
        'b"hello world\\n\\n"',
        'b"Content-Length: twelve\\r\\n\\r\\n"',
        'b"Content-Length: -5\\r\\n\\r\\n"',
        'b"Content-Length: 999999999999\\r\\n\\r\\n"',
        'b"Content-Length: 5\\r\\n\\r\\n{nope"',
        'b"x" * 200_000',
        'b"a: b\\r\\n" * 5_000',
    ],
)
async def test_what_is_no_lsp_ends_the_connection(connect: Open, output: str) -> None:
    connection = await connect(f"out.write({output}); out.flush(); time.sleep(600)")
    with pytest.raises(ConnectionLostError):
        await connection.request("initialize", {})
    await connection.ended.wait()
    with pytest.raises(ConnectionLostError):
        await connection.request("again", {})
    connection.notify("too late", {})


async def test_whoever_waits_hears_of_the_end(connect: Open) -> None:
    connection = await connect('receive(); print("first\\nlast words", file=sys.stderr); sys.exit(3)')
    with pytest.raises(ConnectionLostError):
        await connection.request("x", {})
    await connection.kill()
    assert connection.stderr_tail() in ("last words", "")


async def test_a_cancelled_request_is_cancelled_at_the_server(connect: Open, heard: Heard) -> None:
    connection = await connect('send({"method": "log", "params": [receive(), receive()][1]}); receive()')
    asking = asyncio.create_task(connection.request("slow", {}))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await heard.came.wait()
    method, params = heard.notifications[0]
    assert (method, params["method"], params["params"]) == ("log", "$/cancelRequest", {"id": 1})


async def test_an_orderly_stop(connect: Open) -> None:
    connection = await connect(
        """
        while True:
            message = receive()
            if message["method"] == "shutdown":
                send({"id": message["id"], "result": None})
            if message["method"] == "exit":
                sys.exit(0)
        """
    )
    await connection.stop(10.0)
    assert connection.ended.is_set()


async def test_a_stop_that_is_ignored_ends_all_the_same(connect: Open) -> None:
    connection = await connect("while True: time.sleep(600)")
    await connection.stop(0.05)
    assert connection.ended.is_set()


async def test_a_program_that_is_not_there(tmp_path: Path, heard: Heard) -> None:
    with pytest.raises(FileNotFoundError):
        await StdioConnection.start(
            (str(tmp_path / "none"),), cwd=str(tmp_path), notified=heard.notified, asked=heard.asked
        )
