"""What the relay says to an agent while no server is there. With servers: tests/e2e/test_relay_*."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lsp_server.agents.link import Seeker
from lsp_server.agents.outlet import Outlet
from lsp_server.agents.relaying import Relay

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
