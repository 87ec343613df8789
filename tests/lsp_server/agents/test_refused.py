from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.agents import refused
from lsp_server.wire.handshake import HandshakeState

ids = st.one_of(st.integers(-(10**9), 10**9), st.text(max_size=20))
nested = st.recursive(
    st.one_of(st.none(), st.text(max_size=5), st.integers()),
    lambda inner: st.dictionaries(st.sampled_from(["id", "params", "x"]), inner, max_size=3),
    max_leaves=8,
)


@given(ids, st.permutations(["jsonrpc", "id", "method"]), nested, st.booleans())
def test_the_id_of_a_long_request_is_the_right_one_or_none(
    message_id: object, order: list[str], params: object, spaced: bool
) -> None:
    values = {"jsonrpc": "2.0", "id": message_id, "method": "tools/call"}
    first = {name: values[name] for name in order[: order.index("id") + 1]}
    message = {**first, "params": params, **{name: values[name] for name in order if name not in first}}
    line = json.dumps(message, separators=None if spaced else (",", ":")).encode()
    for start, end in ((line[:64], b""), (b"", line[-64:])):
        assert refused.id_around(start, end) in (None, message_id)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call"', b"", 7),
        (b'{"id": "a\\"b", "method"', b"", 'a"b'),
        (b'{"method":"tools/call","params":{', b'"}},"jsonrpc":"2.0","id":12}\n', 12),
        (b'{"method":"x","params":{"id":1', b'"id":1}}', None),
    ],
)
def test_the_id_is_looked_for_where_clients_put_it(start: bytes, end: bytes, expected: object) -> None:
    assert refused.id_around(start, end) == expected


@pytest.mark.parametrize(
    ("text", "half"), [("\ud800", True), ("\U0001f600", False), ("\\ud800", False), ("plain", False)]
)
def test_half_a_character_is_told_from_a_whole_one(text: str, half: bool) -> None:
    line = json.dumps({"a": [text]}).encode()
    assert refused.has_half_character(line, json.loads(line)) is half


def test_a_refused_call_is_a_tool_result_and_anything_else_a_protocol_error() -> None:
    state = HandshakeState()
    tool = refused.error_answer(1, "tools/call", refused.ENDED, state)
    other = refused.error_answer(1, "resources/read", refused.ENDED, state)
    assert tool["result"]["isError"] is True
    assert tool["result"]["structuredContent"]["code"] == "NO_SERVER"
    assert "NO_SERVER" in tool["result"]["content"][0]["text"]
    assert other["error"]["data"]["code"] == "NO_SERVER"
