"""What the relay says to an agent without a server, and with one that is played here.

With real servers: tests/e2e/test_relay_*.
"""

from __future__ import annotations

import fcntl
import json
import os
import queue
import socket
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lsp_server.agents.link import Seeker
from lsp_server.agents.outlet import Outlet
from lsp_server.agents.relaying import Relay
from lsp_server.agents.socket_link import Link

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.floats()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0"),
        "id": values,
        "method": st.one_of(
            values,
            st.sampled_from(
                [
                    "initialize",
                    "tools/call",
                    "tools/list",
                    "ping",
                    "notifications/cancelled",
                    "server/discover",
                ]
            ),
        ),
        "params": st.one_of(
            values,
            st.fixed_dictionaries(
                {}, optional={"name": values, "_meta": values, "arguments": values, "requestId": values}
            ),
        ),
        "result": values,
    },
)


def said_to(relay_lines: list[bytes]) -> list[dict[str, Any]]:
    """What a relay without a server answers to these lines."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1 << 20)  # all answers: they are read at the end
    outlet = Outlet(writing, lambda: None)
    relay = Relay(Seeker("/"), "session", outlet)
    for line in relay_lines:
        relay.take(line)
    assert outlet.finish(10)
    os.close(writing)
    with open(reading, "rb") as heard:
        return [json.loads(line) for line in heard]


@given(st.lists(messages, max_size=5), st.booleans())
def test_no_message_ends_the_relay(sent: list[dict[str, Any]], batched: bool) -> None:
    whole = [sent] if batched else sent
    for answer in said_to([json.dumps(each).encode() for each in whole]):
        assert answer["jsonrpc"] == "2.0"
        assert ("result" in answer) != ("error" in answer)


@given(st.binary(max_size=60).filter(lambda data: b"\n" not in data))
def test_no_bytes_end_the_relay(line: bytes) -> None:
    for answer in said_to([line]):
        assert answer["jsonrpc"] == "2.0"


def test_an_outlet_keeps_order_and_tells_of_a_reader_that_left(tmp_path: Path) -> None:
    assert [each["id"] for each in said_to([b'{"id":%d,"method":"ping"}' % n for n in range(200)])] == list(
        range(200)
    )
    reading, writing = os.pipe()
    left: list[bool] = []
    outlet = Outlet(writing, lambda: left.append(True))
    os.close(reading)
    outlet.put(b"x\n")
    assert outlet.finish(0.5) is False
    os.close(writing)
    assert left == [True]


class Played:
    """The server's end of one link."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._lines = end.makefile("rb")

    def say(self, message: object) -> None:
        self._end.sendall(json.dumps(message).encode() + b"\n")

    def hear(self) -> Any:
        return json.loads(self._lines.readline())

    def end(self) -> None:
        self._lines.close()
        self._end.close()


class Stage(Seeker):
    """Finds the servers that the test puts there."""

    def __init__(self) -> None:
        super().__init__("/")
        self.links: queue.Queue[Link] = queue.Queue()

    def play(self) -> Played:
        ours, theirs = socket.socketpair()
        self.links.put(Link(theirs))
        return Played(ours)

    def reach(self, greeting: Mapping[str, Any], *, patience: float = 30) -> Link:
        return self.links.get(timeout=patience)

    def look(self, greeting: Mapping[str, Any]) -> Link | None:
        return None if self.links.empty() else self.links.get()


def test_a_servers_question_is_answered_to_that_server_alone() -> None:
    reading, writing = os.pipe()
    stage = Stage()
    relay = Relay(stage, "session", Outlet(writing, lambda: None))
    threading.Thread(target=relay.run, daemon=True).start()
    with open(reading, "rb") as agent:
        first = stage.play()
        for number in (1, 2):
            first.say({"jsonrpc": "2.0", "id": number, "method": "elicitation/create", "params": {}})
        asked = [json.loads(agent.readline()) for _ in range(2)]
        assert [each["method"] for each in asked] == ["elicitation/create"] * 2
        relay.take(json.dumps({"jsonrpc": "2.0", "id": asked[0]["id"], "result": {"x": 1}}).encode())
        assert first.hear() == [{}, {"jsonrpc": "2.0", "id": 1, "result": {"x": 1}}]
        first.end()
        # The second question went with its server.
        gone = json.loads(agent.readline())
        assert gone["method"] == "notifications/cancelled"
        assert gone["params"]["requestId"] == asked[1]["id"]
        second = stage.play()
        second.say({"jsonrpc": "2.0", "id": 2, "method": "roots/list"})
        again = json.loads(agent.readline())
        assert again["id"] not in {each["id"] for each in asked}
        relay.take(json.dumps({"jsonrpc": "2.0", "id": asked[1]["id"], "result": {"late": True}}).encode())
        relay.take(json.dumps({"jsonrpc": "2.0", "id": again["id"], "result": {"roots": []}}).encode())
        assert second.hear() == [{}, {"jsonrpc": "2.0", "id": 2, "result": {"roots": []}}]
        relay.leave()
        second.end()
        os.close(writing)


def test_what_the_agent_says_before_there_is_a_server_comes_first_and_in_order() -> None:
    reading, writing = os.pipe()
    stage = Stage()
    relay = Relay(stage, "session", Outlet(writing, lambda: None))
    greeting = {"protocolVersion": "2025-06-18", "clientInfo": {"name": "n"}, "capabilities": {}}
    call = {"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": {"name": "read"}}
    dropped = {**call, "id": "d"}
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "d"}}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting}
    for message in (hello, ready, call, dropped, cancel):
        relay.take(json.dumps(message).encode())
    threading.Thread(target=relay.run, daemon=True).start()
    server = stage.play()
    assert server.hear() == [{"client": greeting}]
    assert server.hear() == [{}, ready]
    head, message = server.hear()
    assert message == call
    assert head["call_id"]
    server.say({"jsonrpc": "2.0", "id": "d", "result": "nobody waits for this"})
    server.say({"id": "c", "result": {}, "jsonrpc": "2.0"})
    with open(reading, "rb") as agent:
        assert [json.loads(agent.readline())["id"] for _ in range(2)] == [1, "c"]
        relay.leave()
        server.end()
        os.close(writing)


def test_what_is_neither_request_nor_answer_is_told() -> None:
    lines = [b'{"jsonrpc":"2.0","id":1,"method":5}', b'{"jsonrpc":"2.0","id":"two"}', b"{}"]
    found = said_to(lines)
    assert [(one["id"], one["error"]["code"]) for one in found] == [
        (1, -32600),
        ("two", -32600),
        (None, -32600),
    ]
