from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lsp_server.agents.inflight import MUTATING, TRIES, InFlight, Pending, key_of, name_of_call
from lsp_server.wire.results import OUTCOME
from lsp_server.wire.tools import STEPS, TOOLS


def call(tool: str, message_id: object = 1, /, **arguments: Any) -> Pending:
    params = {"name": tool, "arguments": arguments, "_meta": {"coeditor/session": "s"}}
    message = {"jsonrpc": "2.0", "id": message_id, "method": "tools/call", "params": params}
    return Pending(message, b"line", "c")


def test_every_tool_that_writes_is_known_to_be_one() -> None:
    writers = {tool.name for tool in TOOLS if not tool.annotations()["readOnlyHint"]}
    assert {tool.name for tool in TOOLS} | set(STEPS) >= MUTATING
    assert writers - {"context_event"} <= MUTATING
    assert {tool.name for tool in (*TOOLS, *STEPS.values()) if tool.result is OUTCOME} <= MUTATING


@pytest.mark.parametrize(
    ("pending", "asked"),
    [
        (call("read"), False),
        (call("edit"), True),
        (call("apply_patch", validate_only=True), False),
        (call("apply_patch", validate_only=False), True),
        (call("rewind", dry_run=True), False),
        (Pending({"id": 1, "method": "resources/read", "params": {"name": "edit"}}, b"", "c"), False),
        (Pending({"id": 1, "method": "tools/call"}, b"", "c"), False),
        (Pending({"id": 1, "method": "tools/call", "params": {"name": ["edit"]}}, b"", "c"), False),
    ],
)
@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize(
    ("ordinal", "received", "reached"),
    [(0, None, False), (3, None, True), (3, 2, False), (3, 3, True), (0, 9, False)],
)
def test_only_a_change_that_a_server_has_begun_is_asked_for(
    pending: Pending, asked: bool, begun: bool, ordinal: int, received: int | None, reached: bool
) -> None:
    pending.ordinal, pending.begun, pending.asked, pending.losses = ordinal, begun, False, 0
    table = InFlight()
    table.add(pending)
    table.lost(received)
    assert pending.asked is (asked and begun)
    assert pending.losses == int(reached)
    assert pending.ordinal == 0


def test_once_asked_for_it_is_never_sent_again() -> None:
    table, pending = InFlight(), call("write")
    table.add(pending)
    pending.ordinal, pending.begun = 1, True
    table.lost(None)
    pending.ordinal, pending.begun = 5, False
    table.lost(4)
    assert pending.asked


def test_a_request_is_hopeless_after_it_was_lost_a_few_times() -> None:
    table, pending = InFlight(), call("read")
    table.add(pending)
    for _ in range(TRIES):
        assert not pending.hopeless
        pending.ordinal = 1
        table.lost(None)
    assert pending.hopeless


def test_the_question_leaves_the_text_out() -> None:
    question = call("write", "id", content="long").question
    assert question is not None
    assert question["id"] == "id"
    assert question["params"] == {"name": "write", "_meta": {"coeditor/session": "s"}}


json_ids = st.one_of(st.integers(), st.text(), st.none(), st.floats(allow_nan=False))


@given(json_ids, json_ids)
def test_ids_are_equal_only_as_json(one: object, other: object) -> None:
    same = type(one) is type(other) and one == other and str(one) == str(other)
    assert (key_of(one) == key_of(other)) is same


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans())))
def test_a_request_is_in_flight_from_add_to_take(steps: list[tuple[int, bool]]) -> None:
    table, model = InFlight(), set[int]()
    for message_id, adds in steps:
        if adds:
            table.add(call("read", message_id))
            model.add(message_id)
        else:
            assert (table.take(message_id) is not None) is (message_id in model)
            model.discard(message_id)
        assert len(table) == len(model)
        assert {pending.message_id for pending in table.all()} == model
        assert all(table.find(each) is not None for each in model)


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        (None, "new"),
        ("no object", "new"),
        ({}, "new"),
        ({"coeditor/call_id": ""}, "new"),
        ({"coeditor/call_id": 7, "callId": "c"}, "c"),
        ({"claudecode/toolUseId": "t", "callId": "c"}, "t"),
        ({"coeditor/call_id": "o", "claudecode/toolUseId": "t"}, "o"),
    ],
)
def test_a_call_keeps_the_name_it_was_given(meta: object, expected: str) -> None:
    assert name_of_call({"params": {"_meta": meta}}, "new") == expected
