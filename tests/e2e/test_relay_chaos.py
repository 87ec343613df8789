"""Servers that die all the time, agents that write all the time: nothing twice, nothing without an answer."""

from __future__ import annotations

import os
import random
import signal
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from tests.lsp_server.agents.harness import Agent, Place, agents, until

KILLS = 6


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "ended"])
def test_each_write_is_applied_once_or_says_that_it_was_not(place: Place, number: int) -> None:
    choose = random.Random(7)
    with agents(place, 3) as three:
        sent: list[tuple[Agent, int, str]] = []

        def write_some(count: int) -> None:
            for _ in range(count):
                agent = choose.choice(three)
                name = f"file{len(sent)}"
                sent.append((agent, agent.start_call("write", file_path=name), name))

        for _ in range(KILLS):
            pid = place.server_pid()
            write_some(choose.randrange(1, 12))
            with suppress(ProcessLookupError):
                os.kill(pid, number)
            write_some(choose.randrange(1, 6))
            # A server that is told to end may answer all of it first: then nobody needs the next one yet.
            until(lambda pid=pid: (found := place.record()) is None or found.pid != pid, "the server's end")  # type: ignore[misc]
            write_some(1)
        write_some(5)

        results = {name: agent.result(message_id) for agent, message_id, name in sent}
        applied = Counter(note["file"] for note in place.service.notes() if note["state"] == "applied")
        begun = Counter(note["file"] for note in place.service.notes() if note["state"] == "intended")
        assert max(begun.values()) == 1
        for name, result in results.items():
            if result["ok"]:
                assert applied[name] == 1, name
            elif result["code"] == "FS_CANCELLED":
                assert begun[name] == 0, name
            else:
                assert result["code"] == "FS_UNCONFIRMED", f"{result['message']} {place.log()}"
                assert applied[name] <= 1, name
        if number == signal.SIGTERM:
            assert [each for each in results.items() if not each[1]["ok"]] == []
