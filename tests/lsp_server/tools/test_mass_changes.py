"""What changes many files is one event: waited for, told once, and only where a content really differs."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest

from lsp_server.effects.bursts import MANY, QUIET, Burst
from tests.lsp_server.tools.conftest import MakeWalk, Walk
from tests.lsp_server.tools.git import Git, repository

FILES = 15


@pytest.fixture
async def git(walk: Walk) -> Git:
    """On topic all but two of the files are others; the agent and a second one have read them all on main."""
    git = repository(walk.root)
    for number in range(FILES):
        walk.put(f"src/{number:02}", "main\n")
    git.commit("base")
    git("checkout", "-q", "-b", "topic")
    for number in range(2, FILES):
        walk.put(f"src/{number:02}", "topic\n")
    git.commit("topic")
    git("checkout", "-q", "main")
    for session in ("s", "other"):
        for number in range(FILES):
            await walk.read(f"src/{number:02}", session=session)
    return git


async def told(walk: Walk, session: str = "s") -> list[dict[str, Any]]:
    """The first notices that the session is given."""
    async with asyncio.timeout(30):
        while True:
            found = await walk.call("history", session=session)
            if "notices" in found:
                return list(found["notices"])
            await walk.app.workspace.notices.burst.settled(10)


async def test_a_checkout_is_told_once_to_each_session_with_what_git_did(walk: Walk, git: Git) -> None:
    git("checkout", "-q", "topic")
    for session in ("s", "other"):
        (notice,) = await told(walk, session)
        assert notice["moved_by"] == "git:checkout"
        assert notice["file_path"] == str(walk.root / "src")
        assert notice["message"].startswith(
            "Git checkout from main to topic changed 13 files below it that you know"
        )
        assert "02, 03, 04, 05, 06 and 8 more" in notice["message"]
        assert "notices" not in await walk.call("history", session=session)


async def test_only_what_really_differs_is_stale(walk: Walk, git: Git) -> None:
    git("checkout", "-q", "topic")
    await walk.call("history")
    assert (await walk.edit("src/00", "main", "mine"))["ok"]
    refused = await walk.edit("src/02", "main", "mine")
    assert (refused["code"], refused["data"]["moved_by"]) == ("FS_STALE_VERSION", "git:checkout")


async def test_there_and_back_is_no_change(walk: Walk, git: Git) -> None:
    git("checkout", "-q", "topic")
    git("checkout", "-q", "main")
    assert "notices" not in await walk.call("history")
    assert (await walk.edit("src/02", "main", "mine"))["ok"]


async def test_a_rebase_of_several_commits_is_one_event(walk: Walk, git: Git) -> None:
    git("checkout", "-q", "-b", "side")
    for number in range(3):
        walk.put(f"new{number}", "x\n")
        git.commit(f"new {number}")
    git("rebase", "-q", "topic")
    (notice,) = await told(walk)
    assert (notice["moved_by"], "13 files" in notice["message"]) == ("git:rebase", True)


async def test_a_write_waits_until_git_is_done(walk: Walk, git: Git) -> None:
    lock = walk.root / ".git/index.lock"
    lock.touch()
    edit = asyncio.create_task(walk.edit("src/02", "main", "mine"))
    done, _ = await asyncio.wait({edit}, timeout=0.1)
    assert not done
    assert "notices" not in await walk.call("history"), "reading goes on"
    walk.put("src/02", "topic\n")
    lock.unlink()
    assert (await edit)["code"] == "FS_STALE_VERSION"
    assert walk.text("src/02") == "topic\n"


async def test_a_lock_that_stays_holds_up_one_write_and_no_other(make_walk: MakeWalk) -> None:
    walk = make_walk({"limits": {"settle_ms": 30}})
    repository(walk.root)
    walk.put("f", "1\n")
    await walk.read("f")
    lock = walk.root / ".git/index.lock"
    lock.touch()
    done = await walk.edit("f", "1", "2")
    assert done["ok"]
    assert any("still at work" in sentence for sentence in done["warnings"])
    assert (await walk.edit("f", "2", "3"))["warnings"] == []
    lock.unlink()
    lock.write_text("another")
    assert (await walk.edit("f", "3", "4"))["warnings"] != []


async def test_a_lock_from_long_ago_is_nobodys(walk: Walk, git: Git) -> None:
    lock = walk.root / ".git/index.lock"
    lock.touch()
    os.utime(lock, (time.time() - 3_600,) * 2)
    assert (await walk.edit("src/00", "main", "mine"))["warnings"] == []


async def test_a_rebase_between_two_steps_is_waited_for_and_one_that_stopped_is_not(
    walk: Walk, git: Git
) -> None:
    steps = walk.root / ".git/rebase-merge"
    steps.mkdir()
    done = steps / "done"
    done.write_text("pick 1\n")
    for name in (".git/index", ".git/logs/HEAD"):
        os.utime(walk.root / name, (time.time() - 60,) * 2)
    events = walk.app.workspace.git
    os.utime(done, (time.time() + 60,) * 2)
    assert events.is_at_work()
    os.utime(done, (time.time() - 60,) * 2)
    assert not events.is_at_work()
    assert (await walk.edit("src/00", "main", "mine"))["warnings"] == []


async def test_a_generator_over_many_seen_files_is_one_event_too(walk: Walk) -> None:
    names = [f"gen/{number:02}" for number in range(FILES)]
    for name in names:
        walk.put(name, "old\n")
        await walk.read(name)
    for name in names:
        walk.put(name, "new\n")
    notices = walk.app.workspace.notices
    notices.touched(str(walk.root / name) for name in names)
    edit = asyncio.create_task(walk.edit(names[0], "old", "mine"))
    assert "notices" not in await walk.call("history")
    refused = await edit
    assert (refused["code"], refused["data"]["moved_by"]) == ("FS_STALE_VERSION", "external")
    assert not notices.burst.is_on()
    assert [row["moved_by"] for row in await told(walk) if "message" in row] == ["external"]


class TestBurst:
    """The count itself, with a clock of its own."""

    def burst(self) -> Burst:
        self.now = 100.0
        return Burst(lambda: self.now)

    def test_few_files_are_none(self) -> None:
        burst = self.burst()
        burst.touched(f"/w/{number}" for number in range(MANY))
        assert not burst.is_on()

    def test_many_within_a_moment_are_one_until_it_is_quiet(self) -> None:
        burst = self.burst()
        for number in range(MANY + 1):
            self.now += QUIET / 2
            burst.touched([f"/w/{number}"])
        assert burst.is_on()
        self.now += QUIET
        assert not burst.is_on()

    def test_a_pause_begins_anew(self) -> None:
        burst = self.burst()
        for number in range(MANY + 1):
            self.now += QUIET
            burst.touched([f"/w/{number}"])
        assert not burst.is_on()

    def test_our_own_writes_do_not_count(self) -> None:
        burst = self.burst()
        paths = [f"/w/{number}" for number in range(MANY * 3)]
        burst.wrote(paths)
        self.now += QUIET / 2
        burst.touched(paths)
        assert not burst.is_on()
        self.now += 60
        burst.touched(paths)
        assert burst.is_on()

    async def test_the_wait_has_an_end(self) -> None:
        burst = Burst(lambda: 100.0)  # a clock that stands still: it never gets quiet
        burst.touched(f"/w/{number}" for number in range(MANY + 1))
        assert not await burst.settled(0.02)


async def test_what_changed_while_no_server_ran_is_told_after_a_restart(
    make_walk: MakeWalk, tmp_path: Path
) -> None:
    first = make_walk()
    first.put("a", "1\n")
    first.put("b", "1\n")
    for name in ("a", "b"):
        await first.read(name)
    await first.app.close()
    first.put("b", "2\n")
    second = make_walk()
    (notice,) = (await second.call("history"))["notices"]
    assert (notice["file_path"], notice["lines"]) == (str(second.root / "b"), [[1, 1]])
    assert "notices" not in await second.call("history")
    assert (await second.edit("a", "1", "2"))["ok"]
