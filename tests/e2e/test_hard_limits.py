"""A real server that runs into limits of the system, or sleeps: it says so, and goes on when they are lifted."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.e2e.agents import Agent, Place, agent

TEXT = "one\n" + "line\n" * 400_000


@asynccontextmanager
async def at_work(base: Path) -> AsyncIterator[tuple[Place, Agent, int]]:
    """A folder, an agent that has read a file of it, and the server's process."""
    place = Place(base, {"side_effects": {"diagnostics": False}})
    place.write("a.txt", TEXT)
    place.write("b.txt", "b\n")
    async with agent(place) as one:
        assert (await one.call("read", file_path="a.txt", limit=10))["ok"]
        (pid,) = place.server_pids()
        yield place, one, pid


def limit(pid: int, which: int, most: int) -> tuple[int, int]:
    """Set the soft limit of a process; gives the limits before."""
    before = resource.prlimit(pid, which)
    resource.prlimit(pid, which, (most, before[1]))
    return before


@pytest.mark.parametrize(
    ("which", "number"), [(resource.RLIMIT_NOFILE, errno.EMFILE), (resource.RLIMIT_FSIZE, errno.EFBIG)]
)
async def test_out_of_descriptors_or_of_room_is_an_error_and_no_end(
    tmp_path: Path, which: int, number: int
) -> None:
    async with at_work(tmp_path) as (place, one, pid):
        here = max(int(name) for name in os.listdir(f"/proc/{pid}/fd"))
        before = limit(pid, which, here + 1 if which == resource.RLIMIT_NOFILE else 1 << 20)
        refused = await one.call("edit", file_path="a.txt", old_string="one", new_string="two")
        assert refused["ok"] is False
        assert refused["code"] in ("FS_IO", "FS_TRANSACTION_FAILED"), refused
        assert errno.errorcode[number] in str(refused) or os.strerror(number) in str(refused)
        assert place.text("a.txt") == TEXT
        assert sorted(os.listdir(place.folder)) == ["a.txt", "b.txt"]
        resource.prlimit(pid, which, before)
        done = await one.call("edit", file_path="a.txt", old_string="one", new_string="two")
        assert done["ok"], done
        assert place.text("a.txt") == TEXT.replace("one", "two")
        assert place.server_pids() == [pid]
        undone = await one.call("rewind", to=done["edit_id"])
        assert (undone["ok"], place.text("a.txt")) == (True, TEXT)


async def test_a_server_that_slept_answers_what_came_meanwhile(tmp_path: Path) -> None:
    async with at_work(tmp_path) as (place, one, pid):
        os.kill(pid, signal.SIGSTOP)
        calls = [
            asyncio.create_task(one.call("edit", file_path="a.txt", old_string="one", new_string="two")),
            asyncio.create_task(one.call("read", file_path="b.txt")),
        ]
        place.write("c.txt", "somebody else's\n")
        os.kill(pid, signal.SIGCONT)
        assert [found["ok"] for found in await asyncio.gather(*calls)] == [True, True]
        assert place.text("a.txt") == TEXT.replace("one", "two")
        assert place.server_pids() == [pid]
