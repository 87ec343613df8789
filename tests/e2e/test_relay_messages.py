"""The relay and what passes through it, as real processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lsp_server.agents.harness import SOURCES, Agent, Place, agents, end_servers, until

MIB = 1 << 20


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_the_relay_loads_the_standard_library_alone(place: Place) -> None:
    """Also after the handshake, a call and an error; and little of it."""
    code = (
        "import sys, threading\n"
        "from tests.lsp_server.agents.serving import SERVER\n"
        "before = set(sys.modules)\n"
        "ours = ('asyncio', 'lsp_server', 'editor_clients', 'ledger')\n"
        "for name in [n for n in before if n.split('.')[0] in ours]: "
        "del sys.modules[name]\n"
        "from lsp_server.relay import main\n"
        "main([], server=SERVER)\n"
        "print('loaded', *sorted(sys.modules))\n"
    )
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "read", "arguments": {}}},
        {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "\ud800", "arguments": {}}},
    ]
    ran = subprocess.run(
        [sys.executable, "-S", "-c", code],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
        cwd=place.root,
        env=place.env,
    )
    end_servers(place)
    loaded = ran.stdout.rpartition("loaded")[2].split()
    tops = {name.split(".")[0] for name in loaded}
    ours = {"lsp_server", "ledger", "tests"}
    assert tops - ours <= sys.stdlib_module_names | {"__main__"}
    assert "lsp_server.agents.relaying" in loaded
    assert not {"lsp_server.agents.gate", "lsp_server.agents.mcp", "editor_clients"} & set(loaded)


def test_the_handshake_needs_no_server(place: Place) -> None:
    agent = Agent(place, env={"LINGER": "such a server does not start"})
    try:
        assert agent.greet()["result"]["serverInfo"]["name"] == "coeditor"
        assert agent.answer(agent.start("tools/list"))["result"]["tools"]
        assert agent.answer(agent.start("ping"))["result"] == {}
    finally:
        agent.end()


def test_calls_before_the_handshake_are_answered(place: Place) -> None:
    agent = Agent(place)
    try:
        assert agent.call("read", file_path="a")["ok"]
    finally:
        agent.end()
        end_servers(place)


@pytest.mark.parametrize("size", [1, 70_000, 3 * MIB, 64 * MIB])
def test_big_messages_pass_both_ways(place: Place, size: int) -> None:
    with agents(place) as [agent]:
        found = agent.call("read", file_path="a" * size, limit=size)
        assert len(found["text"]) == size


def test_a_message_that_is_too_long_is_refused_and_the_next_one_is_not(place: Place) -> None:
    with agents(place) as [agent]:
        asked = agent.start_call("read", file_path="a" * (128 * MIB))
        found = agent.result(asked)
        assert (found["code"], found["data"]["limit_name"]) == ("FS_TOO_LARGE", "message_bytes")
        assert agent.call("read", file_path="a")["ok"]


def test_an_agent_that_reads_late_misses_nothing(place: Place) -> None:
    agent = Agent(place, listen=False)
    try:
        asked = [agent.start_call("read", file_path="a", limit=200_000) for _ in range(100)]
        until(lambda: len(place.service.notes()) == 100, "all calls")
        agent.listen()
        assert all(len(agent.result(each)["text"]) == 200_000 for each in asked)
    finally:
        agent.end()
        end_servers(place)


def test_calls_run_side_by_side(place: Place) -> None:
    with agents(place) as [agent]:
        slow = agent.start_call("read", file_path="x.gate")
        place.noted("asked", "x.gate")
        assert agent.call("read", file_path="a")["ok"]
        place.open("x.gate")
        assert agent.result(slow)["ok"]


def test_a_cancelled_call_has_no_answer(place: Place) -> None:
    with agents(place) as [agent]:
        slow = agent.start_call("read", file_path="x.gate")
        place.noted("asked", "x.gate")
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": slow}}
        agent.send(cancel)
        place.open("x.gate")
        assert agent.call("read", file_path="a")["ok"]
        agent.send(cancel)  # a late one
        assert agent.call("read", file_path="a")["ok"]
        assert all(heard.get("id") != slow for heard in agent.heard())


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({"coeditor/call_id": "mine"}, "mine"),
        ({"claudecode/toolUseId": "theirs"}, "theirs"),
        ({"callId": "call_7", "sessionId": "s"}, "call_7"),
    ],
)
def test_the_agents_own_name_of_a_call_is_kept(place: Place, meta: dict[str, str], expected: str) -> None:
    with agents(place) as [agent]:
        assert agent.call("read", meta, file_path="a")["call_id"] == expected


def test_a_call_without_a_name_is_given_one(place: Place) -> None:
    with agents(place) as [agent]:
        first, second = (agent.call("read", file_path="a")["call_id"] for _ in range(2))
        assert first
        assert second
        assert first != second


@pytest.mark.parametrize(
    ("arguments", "env"), [(["--session", "mine"], {}), ([], {"COEDITOR_SESSION": "mine"})]
)
def test_a_session_can_be_given(place: Place, arguments: list[str], env: dict[str, str]) -> None:
    agent = Agent(place, *arguments, env=env)
    try:
        agent.call("read", file_path="a")
        assert place.noted("asked")["session"] == "mine"
    finally:
        agent.end()
        end_servers(place)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"no JSON", -32700),
        (b'{"id": "\xff"}', -32700),
        (b"[" * 5000, -32700),
        (b"7", -32600),
    ],
)
def test_what_is_no_message_is_answered_and_passed_over(place: Place, line: bytes, code: int) -> None:
    with agents(place) as [agent]:
        agent.send_line(line)
        assert agent.hear(lambda heard: "error" in heard)["error"]["code"] == code
        assert agent.call("read", file_path="a")["ok"]


def test_half_a_character_is_refused_by_name(place: Place) -> None:
    with agents(place) as [agent]:
        assert agent.call("write", file_path="a\ud800")["code"] == "INVALID_ARGUMENT"
        assert agent.call("write", file_path="a\U0001f600")["ok"]


def test_a_batch_is_taken_apart(place: Place) -> None:
    with agents(place) as [agent]:
        call = {"name": "read", "arguments": {"file_path": "a"}}
        batch = [
            {"jsonrpc": "2.0", "id": "p", "method": "ping"},
            {"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": call},
        ]
        agent.send_line(json.dumps(batch).encode())
        assert agent.answer("p")["result"] == {}
        assert agent.result("c")["ok"]


def test_ids_one_and_the_string_one_are_two(place: Place) -> None:
    with agents(place) as [agent]:
        for message_id, name in ((1000, "x.gate"), ("1000", "a")):
            params = {"name": "read", "arguments": {"file_path": name}}
            agent.send({"jsonrpc": "2.0", "id": message_id, "method": "tools/call", "params": params})
        assert agent.result("1000")["ok"]
        place.open("x.gate")
        assert agent.result(1000)["ok"]


def test_questions_sent_before_hanging_up_are_answered(place: Place) -> None:
    call = {"name": "read", "arguments": {"file_path": "a"}}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}) + "\n"
    with agents(place) as [agent]:
        agent.call("read", file_path="a")  # a server is there
        ran = subprocess.run(
            [sys.executable, "-m", "tests.lsp_server.agents.serving", "mcp"],
            input=line.encode(),
            stdout=subprocess.PIPE,
            env=place.env,
            cwd=place.root,
            check=True,
        )
        assert json.loads(ran.stdout)["result"]["structuredContent"]["ok"]


def test_hanging_up_cancels_what_runs(place: Place) -> None:
    with agents(place, 2) as [first, second]:
        first.start_call("write", file_path="x.gate")
        place.noted("intended", "x.gate")
        assert first.leave() == 0
        second.call("read", file_path="a")
        place.open("x.gate")
        second.call("read", file_path="a")
        assert all(note["state"] != "applied" for note in place.service.notes())


@pytest.mark.parametrize("argument", ["--nonsense", "serve"])
def test_an_unknown_argument_is_a_usage_error(place: Place, argument: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.lsp_server.agents.serving", "mcp", argument],
        capture_output=True,
        text=True,
        env=place.env,
        cwd=SOURCES,
        check=False,
    )
    assert ran.returncode == 2
    assert argument in ran.stderr
