"""Locks on targets: order, waiting, and the end of whoever holds one."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from editor_clients.locks import TargetLocks
from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey

ROOT = Path(__file__).parents[2]
HOLDER = """
import asyncio, sys
from editor_clients.locks import TargetLocks

async def main():
    async with TargetLocks(sys.argv[1]).hold(sys.argv[2:]):
        print("held", flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


def key(name: str) -> TargetKey:
    return TargetKey(f"/workspace/{name}")


def soon(seconds: float) -> float:
    return asyncio.get_running_loop().time() + seconds


@pytest.fixture
def locks(tmp_path: Path) -> TargetLocks:
    return TargetLocks(str(tmp_path / "locks"))


@pytest.fixture
def other(tmp_path: Path) -> TargetLocks:
    """The same folder seen by somebody else."""
    return TargetLocks(str(tmp_path / "locks"))


def holder(tmp_path: Path, *names: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "locks"), *(key(name) for name in names)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


async def test_calls_on_one_target_follow_each_other_in_order(locks: TargetLocks) -> None:
    log: list[str] = []

    async def call(name: str) -> None:
        async with locks.hold([key("a")]):
            log.append(f"{name} in")
            await asyncio.sleep(0)
            log.append(f"{name} out")

    await asyncio.gather(*(call(str(number)) for number in range(5)))
    assert log == [f"{number} {step}" for number in range(5) for step in ("in", "out")]


async def test_disjoint_targets_are_held_at_the_same_time(
    locks: TargetLocks, other: TargetLocks, tmp_path: Path
) -> None:
    until = soon(10)
    async with (
        locks.hold([key("a"), key("b")], deadline=until),
        locks.hold([key("c")], deadline=until),
        other.hold([key("d")], deadline=until),
    ):
        assert len(os.listdir(tmp_path / "locks")) == 4


async def test_a_key_named_twice_is_locked_once(locks: TargetLocks, tmp_path: Path) -> None:
    async with locks.hold([key("a"), key("a")], deadline=soon(10)):
        assert len(os.listdir(tmp_path / "locks")) == 1


async def test_opposite_orders_do_not_deadlock(locks: TargetLocks, other: TargetLocks) -> None:
    async def call(who: TargetLocks, names: str) -> None:
        for _ in range(20):
            async with who.hold([key(name) for name in names], deadline=soon(60)):
                await asyncio.sleep(0)

    await asyncio.gather(call(locks, "abc"), call(other, "cba"), call(locks, "cab"), call(other, "bca"))


async def test_deadline_passes_inside_the_process(locks: TargetLocks) -> None:
    async with locks.hold([key("a")]):
        with pytest.raises(CoeditorError) as caught:
            async with locks.hold([key("a")], deadline=soon(0.02)):
                pass
    assert caught.value.code is Code.FS_TIMEOUT
    async with locks.hold([key("a")], deadline=soon(10)):
        pass


async def test_deadline_passes_across_processes_and_frees_the_rest(
    locks: TargetLocks, other: TargetLocks, tmp_path: Path
) -> None:
    with holder(tmp_path, "b") as process:
        with pytest.raises(CoeditorError) as caught:
            async with locks.hold([key("a"), key("b")], deadline=soon(0.05)):
                pass
        assert caught.value.code is Code.FS_TIMEOUT
        async with other.hold([key("a")], deadline=soon(10)):
            pass
        process.communicate("")
    async with locks.hold([key("a"), key("b")], deadline=soon(10)):
        pass


async def test_a_waiting_call_that_is_cancelled_leaves_nothing_locked(
    locks: TargetLocks, other: TargetLocks
) -> None:
    async def wait() -> None:
        async with other.hold([key("a"), key("b")]):
            raise AssertionError("never reached")

    async with locks.hold([key("b")]):
        task = asyncio.create_task(wait())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    async with locks.hold([key("a"), key("b")], deadline=soon(10)):
        pass


async def test_a_lock_ends_with_its_process(locks: TargetLocks, tmp_path: Path) -> None:
    with holder(tmp_path, "a", "b") as process:
        process.send_signal(signal.SIGKILL)
        async with locks.hold([key("a"), key("b")], deadline=soon(30)):
            pass


async def test_no_lock_files_pile_up(locks: TargetLocks, tmp_path: Path) -> None:
    for number in range(10):
        async with locks.hold([key(str(number))]):
            assert len(os.listdir(tmp_path / "locks")) == 1
    assert os.listdir(tmp_path / "locks") == []


async def test_lock_files_are_private(locks: TargetLocks, tmp_path: Path) -> None:
    async with locks.hold([key("a")]):
        (name,) = (tmp_path / "locks").iterdir()
        assert (name.stat().st_mode & 0o777, name.parent.stat().st_mode & 0o777) == (0o600, 0o700)


async def test_a_folder_that_is_gone_is_an_error_and_not_a_hang(locks: TargetLocks, tmp_path: Path) -> None:
    (tmp_path / "locks").rmdir()
    with pytest.raises(CoeditorError):
        async with locks.hold([key("a")], deadline=soon(10)):
            pass


async def test_the_loop_goes_on_while_a_lock_is_awaited(locks: TargetLocks, other: TargetLocks) -> None:
    async with locks.hold([key("a")]):
        waiting = asyncio.create_task(other.hold([key("a")]).__aenter__())
        turns = 0
        while turns < 1_000:
            await asyncio.sleep(0)
            turns += 1
        assert not waiting.done()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting


class Mourner:
    """Hears of dead owners; refuses the first ``failures`` times."""

    def __init__(self, failures: int = 0) -> None:
        self.heard: list[str] = []
        self._failures = failures

    async def __call__(self, target: TargetKey) -> None:
        self.heard.append(target)
        if len(self.heard) <= self._failures:
            raise OSError("the disk is full")


async def test_a_dead_owner_is_told_before_the_lock_is_given(tmp_path: Path) -> None:
    mourner = Mourner(failures=1)
    locks = TargetLocks(str(tmp_path / "locks"), on_dead_owner=mourner)
    with holder(tmp_path, "a", "b") as process:
        process.send_signal(signal.SIGKILL)
    with pytest.raises(OSError, match="full"):
        async with locks.hold([key("a")]):
            raise AssertionError("never reached")
    async with locks.hold([key("a")]):
        assert mourner.heard == [key("a"), key("a")]
    async with locks.hold([key("a"), key("b")]):
        assert mourner.heard == [key("a"), key("a"), key("b")]


async def test_an_owner_that_let_go_is_not_mourned(tmp_path: Path) -> None:
    mourner = Mourner()
    locks = TargetLocks(str(tmp_path / "locks"), on_dead_owner=mourner)
    with holder(tmp_path, "a") as process:
        process.communicate("")
    for _ in range(2):
        async with locks.hold([key("a"), key("b")]):
            pass
    assert mourner.heard == []
