"""The relay and its servers, as real processes: who is started, who is found, what a lost server costs."""

from __future__ import annotations

import json
import os
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.lsp_server.agents.harness import Agent, Place, agents, end_servers, is_running, until


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_ten_relays_at_once_share_one_server(place: Place) -> None:
    with agents(place, 10) as ten:
        with ThreadPoolExecutor(10) as pool:
            found = list(pool.map(lambda agent: agent.call("read", file_path="a"), ten))
        assert len({each["pid"] for each in found}) == 1
        assert place.log().count("serving") == 1


def test_a_discovery_file_whose_owner_is_gone_is_ignored(place: Place) -> None:
    place.folder.make()
    dead = {
        "pid": 1,
        "kind": "headless",
        "address": place.folder.run("socket"),
        "version": "0",
        "protocol": 1,
    }
    Path(place.folder.run("server.json")).write_text(json.dumps({**dead, "roots": [str(place.root)]}))
    Path(place.folder.run("token")).write_text("old")
    Path(place.folder.run("socket")).touch()
    with agents(place) as [agent]:
        assert agent.call("read", file_path="a")["pid"] == place.server_pid()


def test_both_agents_go_on_after_their_server_was_killed(place: Place) -> None:
    with agents(place, 2) as both:
        before = {agent.call("read", file_path="a")["pid"] for agent in both}
        killed = place.kill_server()
        after = {agent.call("write", file_path="b")["pid"] for agent in both}
        assert before == {killed}
        assert len(after) == 1
        assert killed not in after
        sessions = {note["session"] for note in place.service.notes()}
        assert len(sessions) == 2  # each kept its own


def test_a_read_in_flight_is_answered_by_the_next_server(place: Place) -> None:
    with agents(place) as [agent]:
        asked = agent.start_call("read", file_path="x.gate")
        killed = place.noted("asked")["pid"]
        place.kill_server()
        place.open("x.gate")
        assert agent.result(asked)["pid"] != killed


@pytest.mark.parametrize(
    ("name", "reached", "expected"),
    [
        pytest.param("x.after", "applied", {"ok": True, "text": "recorded"}, id="applied, answer lost"),
        pytest.param("x.gate", "intended", {"ok": False, "code": "FS_UNCONFIRMED"}, id="half way"),
    ],
)
def test_a_write_in_flight_is_answered_from_the_journal(
    place: Place, name: str, reached: str, expected: dict[str, object]
) -> None:
    with agents(place) as [agent]:
        written = agent.start_call("write", file_path=name)
        place.noted(reached)
        place.kill_server()
        assert agent.result(written).items() >= expected.items()
        assert len([note for note in place.service.notes() if note["state"] == "intended"]) == 1


def test_a_write_that_no_server_began_is_not_lost(place: Place) -> None:
    with agents(place) as [agent]:
        agent.call("read", file_path="a")
        pid = place.server_pid()
        os.kill(pid, signal.SIGSTOP)
        written = agent.start_call("write", file_path="b")
        agent.answer(agent.start("ping"))  # the relay has passed on what came before
        os.kill(pid, signal.SIGKILL)
        assert agent.result(written)["pid"] != pid
        assert [note["state"] for note in place.service.notes() if note["tool"] == "write"] == [
            "intended",
            "applied",
        ]


def test_a_write_that_was_begun_and_left_no_trace_is_cancelled_not_repeated(place: Place) -> None:
    with agents(place) as [agent]:
        written = agent.start_call("write", file_path="x.before")
        agent.call("read", file_path="a")  # begun after the write
        place.kill_server()
        place.open("x.before")
        assert agent.result(written)["code"] == "FS_CANCELLED"
        assert all(note["tool"] != "write" for note in place.service.notes())


def test_a_request_that_ends_each_server_is_given_up(place: Place) -> None:
    with agents(place) as [agent]:
        asked = agent.start_call("read", file_path="x.gate")
        killed: set[int] = set()
        for _ in range(3):
            note = until(
                lambda: next((n for n in place.service.notes() if n["pid"] not in killed), None), "a try"
            )
            os.kill(note["pid"], signal.SIGKILL)
            killed.add(note["pid"])
        assert agent.result(asked)["code"] == "NO_SERVER"


def test_a_server_told_to_end_answers_what_runs_and_loses_nothing(place: Place) -> None:
    with agents(place) as [agent]:
        running = agent.start_call("write", file_path="x.gate")
        first = place.noted("intended")["pid"]
        os.kill(first, signal.SIGTERM)
        until(lambda: place.record() is None or place.record().pid != first, "the server's retreat")  # type: ignore[union-attr]
        later = agent.start_call("write", file_path="later")
        place.open("x.gate")
        assert agent.result(running)["pid"] == first
        assert agent.result(later)["pid"] != first
        applied = [note["file"] for note in place.service.notes() if note["state"] == "applied"]
        assert sorted(applied) == ["later", "x.gate"]


def test_the_server_outlives_the_relay_and_then_ends(place: Place) -> None:
    with agents(place) as [agent]:
        pid = agent.call("read", file_path="a")["pid"]
        assert agent.leave() == 0
        until(lambda: not is_running(pid), "the idle server's end")
        assert place.record() is None
        assert not Path(place.folder.run("socket")).exists()


def test_the_next_agent_finds_the_lingering_server(place: Place) -> None:
    place.env["LINGER"] = "60"
    with agents(place) as [agent]:
        pid = agent.call("read", file_path="a")["pid"]
        assert agent.leave() == 0
        later = Agent(place)
        try:
            later.greet()
            assert later.call("read", file_path="a")["pid"] == pid
        finally:
            later.end()


def test_a_lingering_server_whose_folders_are_removed_ends_quietly(place: Place, tmp_path: Path) -> None:
    with agents(place) as [agent]:
        pid = agent.call("read", file_path="a")["pid"]
        log = os.open(place.folder.log, os.O_RDONLY)
        agent.leave()
        for each in tmp_path.iterdir():
            shutil.rmtree(each)
        until(lambda: not is_running(pid), "the server's end")
        said = os.read(log, 1 << 20)
        os.close(log)
        assert b"Traceback" not in said
        assert list(tmp_path.iterdir()) == []


def test_a_server_that_cannot_start_is_an_error_that_names_the_log(place: Place) -> None:
    broken = Agent(place, env={"LINGER": "not a number"})
    try:
        broken.greet()
        found = broken.call("read", file_path="a")
        assert found["code"] == "NO_SERVER"
        assert found["data"]["log"] == place.folder.log
        assert "not a number" in place.log()
    finally:
        broken.end()
        end_servers(place)


def test_a_killed_relay_leaves_its_server_to_the_others(place: Place) -> None:
    with agents(place, 2) as [first, second]:
        waiting = second.start_call("read", file_path="x.gate")
        pid = place.noted("asked")["pid"]
        first.process.kill()
        first.process.wait()
        place.open("x.gate")
        assert second.result(waiting)["pid"] == pid
