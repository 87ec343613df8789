"""Which call is whose: by id, by tool and arguments from one process, or nobody's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ledger.types import Caller, ScopeKey
from lsp_server.hooks.events import HookEvent
from lsp_server.native.joins import SECONDS, Joins

PARENTS = {
    # agent 100 started relay 101 and, by a shell, hook 103; agent 200 did the same
    101: 100,
    102: 100,
    103: 102,
    100: 50,
    201: 200,
    202: 200,
    203: 202,
    200: 50,
    50: 1,
}
READ: Mapping[str, Any] = {"file_path": "/ws/a.py"}


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def joins(clock: Clock) -> Joins:
    return Joins(clock=clock, parent=PARENTS.get)


def announce(
    joins: Joins,
    session: str,
    scope: str = "main",
    *,
    agent: str = "gemini",
    call_id: str | None = None,
    pid: int = 103,
    arguments: Mapping[str, Any] = READ,
) -> None:
    event = HookEvent(agent, "before", session, scope=scope, tool="read", action="own", arguments=arguments)
    joins.announce(event, Caller(ScopeKey(session, scope), call_id, "turn", agent), pid)


def caller(agent: str | None = "gemini", call_id: str | None = None) -> Caller:
    return Caller(ScopeKey("connection"), call_id, None, agent)


def test_nothing_announced_changes_nothing(joins: Joins) -> None:
    assert joins.caller_of(caller(), "read", READ, 101) == caller()


def test_an_id_tells_the_sub_agent_and_goes_on_telling(joins: Joins) -> None:
    announce(joins, "S", "A", agent="claude-code", call_id="toolu_1")
    announce(joins, "S", agent="claude-code", call_id="toolu_2")
    for _ in range(2):  # a question's answer comes as the same call again
        found = joins.caller_of(caller("claude-code", "toolu_1"), "read", READ, 101)
        assert (found.scope, found.turn, found.call_id) == (ScopeKey("S", "A"), "turn", "toolu_1")
    assert joins.caller_of(caller("claude-code", "toolu_2"), "read", READ, 101).scope == ScopeKey("S")


def test_behind_an_editors_host_the_session_is_the_connections(joins: Joins) -> None:
    announce(joins, "S", "A", agent="claude-code", call_id="toolu_1")
    hosted = Caller(ScopeKey("acp-files-1"), "toolu_1", None, "claude-code")
    assert joins.caller_of(hosted, "read", READ, 101).scope == ScopeKey("acp-files-1", "A")


def test_an_agent_with_ids_is_never_joined_by_arguments(joins: Joins) -> None:
    announce(joins, "S", "A", agent="claude-code", call_id="toolu_1")
    assert joins.caller_of(caller("claude-code", "toolu_9"), "read", READ, 101).scope.session == "connection"


def test_arguments_are_used_up_in_order(joins: Joins) -> None:
    announce(joins, "S", "A")
    announce(joins, "S", "B")
    scopes = [joins.caller_of(caller(), "read", READ, 101).scope.scope for _ in range(3)]
    assert scopes == ["A", "B", "main"]


def test_arguments_are_equal_whatever_their_order_and_what_is_left_out(joins: Joins) -> None:
    announce(joins, "S", arguments={"file_path": "a", "offset": 1, "limit": None})
    sent = {"offset": 1, "file_path": "a", "wait_for_previous": False}
    assert joins.caller_of(caller(), "read", sent, 101).scope.session == "S"


@pytest.mark.parametrize(
    ("tool", "arguments", "agent"),
    [("read", {"file_path": "/ws/b.py"}, "gemini"), ("edit", READ, "gemini"), ("read", READ, "opencode")],
)
def test_another_call_is_another(joins: Joins, tool: str, arguments: Mapping[str, Any], agent: str) -> None:
    announce(joins, "S")
    assert joins.caller_of(caller(agent), tool, arguments, 101).scope.session == "connection"


def test_two_agents_with_one_call_are_told_apart_by_their_process(joins: Joins) -> None:
    announce(joins, "one", pid=103)
    announce(joins, "two", pid=203)
    assert joins.caller_of(caller(), "read", READ, 201).scope.session == "two"
    assert joins.caller_of(caller(), "read", READ, 101).scope.session == "one"


def test_where_two_fit_equally_nobody_is_assumed(joins: Joins) -> None:
    announce(joins, "one", pid=999)
    announce(joins, "two", pid=998)
    assert joins.caller_of(caller(), "read", READ, 101).scope.session == "connection"


def test_an_announcement_does_not_wait_for_ever(joins: Joins, clock: Clock) -> None:
    announce(joins, "S")
    clock.now = SECONDS + 1
    assert joins.caller_of(caller(), "read", READ, 101).scope.session == "connection"


def test_a_client_that_is_not_known_by_name_is_joined_too(joins: Joins) -> None:
    announce(joins, "S", agent="cursor")
    assert joins.caller_of(caller("cursor-vscode"), "read", READ, 101).agent == "cursor"


def test_the_relays_call_id_is_kept_so_that_a_lost_answer_is_found(joins: Joins) -> None:
    announce(joins, "S", call_id="call_1")
    assert joins.caller_of(caller(call_id="relay-made"), "read", READ, 101).call_id == "relay-made"
