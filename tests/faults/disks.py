"""``python -m tests.faults.disks SCENARIO FOLDER``: one trouble with a real disk, in mounts of its own.

Prints one JSON object: ``faults`` survived and what was ``lost``.

Never: imported by tests; it mounts over folders.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import resource
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.e2e.agents import Agent, Place, agent, killed
from tests.faults.account import Account
from tests.faults.namespace import mount

LINES = "first\nsecond\n" + "".join(f"line{number}\n" for number in range(12_000))
NAMES = [f"f{number}.txt" for number in range(4)]
FULL = "ENOSPC"
BROKEN = [
    *(("write", errno.EIO), ("fsync", errno.EIO), ("create", errno.EIO), ("read", errno.EIO)),
    *(("rename", errno.ESTALE), ("getattr", errno.ETIMEDOUT), ("lookup", errno.EIO)),
]


@asynccontextmanager
async def at_work(place: Place) -> AsyncIterator[tuple[Account, Agent]]:
    """An agent that read four files of 100 KB and made an edit."""
    async with agent(place) as one:
        account = Account(place, one)
        for name in NAMES:
            await account.add(name, LINES)
        assert (await account.edit(NAMES[0], "first", "1st"))["ok"]
        yield account, one


def fill(folder: Path) -> Path:
    """A file that leaves no room."""
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4_096)):
                pass
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
    return filler


async def full_workspace(base: Path) -> Account:
    """A file system of 2 MiB for the files, filled to the last byte."""
    place = quiet(base)
    mount("-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place.folder))
    async with at_work(place) as (account, _):
        filler = fill(place.folder)
        await account.refused(await account.edit(NAMES[1], "first", "1st"), FULL)
        await account.refused(await account.write("new/deep/n.txt", LINES), FULL)
        await account.refused(await account.patch("second", "2nd", *NAMES), FULL)
        filler.write_bytes(bytes(filler.stat().st_size - 150_000))  # room for one of four
        await account.refused(await account.patch("second", "2nd", *NAMES), FULL)
        filler.unlink()
        assert (await account.patch("second", "2nd", *NAMES))["ok"]
        assert (await account.write("new/deep/n.txt", LINES))["ok"]
        assert await account.all_listed()
    return account


async def no_inodes(base: Path) -> Account:
    """A file system that has no room for one more name."""
    place = quiet(base)
    mount("-t", "tmpfs", "-o", "nr_inodes=12", "tmpfs", str(place.folder))
    async with at_work(place) as (account, _):
        fillers = [place.folder / f"filler{number}" for number in range(7)]
        for one in fillers:
            one.touch()
        await account.refused(await account.write("n.txt", "new\n"), FULL)
        await account.refused(await account.patch("second", "2nd", *NAMES), FULL)
        for one in fillers:
            one.unlink()
        assert (await account.patch("second", "2nd", *NAMES))["ok"]
    return account


async def full_state(base: Path) -> Account:
    """A file system of 3 MiB for the history, filled to the last byte."""
    place = quiet(base)
    mount("-t", "tmpfs", "-o", "size=3m,mode=700", "tmpfs", str(base / "state"))
    async with at_work(place) as (account, one):
        filler = fill(base / "state")
        for number in range(6):
            noise = os.urandom(40_000).hex()
            found = await account.write(f"n{number}.txt", noise)
            if not found["ok"]:
                await account.refused(found, "store cannot be used", FULL)
        assert account.faults
        assert (await one.call("read", file_path=NAMES[2]))["ok"], "reading goes on"
        filler.unlink()
        assert (await account.patch("second", "2nd", *NAMES))["ok"]
        assert await account.all_listed()
        assert (await one.call("rewind", to=account.edits[-1]))["ok"]
        for name in NAMES:
            account.wanted[name] = (account.wanted[name] or "").replace("2nd", "second", 1)
    return account


async def read_only(base: Path) -> Account:
    """A workspace that is mounted read-only in the middle of the work, as after an error of its disk."""
    place = quiet(base)
    mount("--bind", str(place.folder), str(place.folder))
    async with at_work(place) as (account, _):
        mount("-o", "remount,bind,ro", str(place.folder))
        closed = "EROFS"
        await account.refused(await account.edit(NAMES[1], "first", "1st"), closed)
        await account.refused(await account.write("new/n.txt", "new\n"), closed)
        await account.refused(await account.patch("second", "2nd", *NAMES), closed)
        mount("-o", "remount,bind,rw", str(place.folder))
        assert (await account.patch("second", "2nd", *NAMES))["ok"]
        assert await account.all_listed()
    return account


async def no_watches(base: Path) -> Account:
    """Not one watch of inotify is left: who else writes is found all the same."""
    place = quiet(base)
    for name in ("max_inotify_instances", "max_inotify_watches"):
        with open(f"/proc/sys/user/{name}", "w") as file:  # noqa: ASYNC230 - a system's switch, which is at once
            file.write("0")
    async with at_work(place) as (account, one):
        for name in NAMES[1:3]:
            account.wanted[name] = (account.wanted[name] or "") + "somebody else's\n"
            place.write(name, account.wanted[name] or "")
            found = await account.edit(name, "first", "1st")
            assert found["code"] == "FS_STALE_VERSION", found
            assert "+somebody else's" in found["data"]["diff"]
            assert (await account.edit(name, "first", "1st"))["ok"]
        assert (await one.call("status"))["ok"]
    return account


async def no_memory(base: Path) -> Account:
    """The server may take 16 MiB more than it has, and is to edit a file of 24 MiB; then it may again."""
    place = quiet(base)
    async with at_work(place) as (account, one):
        await account.add("big.txt", "first\n" + "0123456789abcde\n" * (3 << 19))
        (pid,) = place.server_pids()
        before = resource.prlimit(pid, resource.RLIMIT_AS)
        resource.prlimit(pid, resource.RLIMIT_AS, (room_of(pid) + (16 << 20), before[1]))
        found = await account.edit("big.txt", "first", "1st")
        await account.refused(found, "ENOMEM")
        for now in place.server_pids():
            resource.prlimit(now, resource.RLIMIT_AS, before)
        assert (await one.call("read", file_path="big.txt", limit=5, refresh=True))["ok"]
        assert (await account.edit("big.txt", "first", "1st"))["ok"]
        assert await account.all_listed()
    return account


def room_of(pid: int) -> int:
    """Bytes of addresses that the process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def quiet(base: Path, **settings: object) -> Place:
    """A place where no language server is asked."""
    return Place(base, {"side_effects": {"diagnostics": False}, **settings})


class FarDisk:
    """Another machine's file system in ``folder``."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "tests.faults.network_disk", str(folder)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
        )
        self._heard()

    def tell(self, **told: object) -> dict[str, int]:
        """What happens there; how often which operation was refused so far."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(told) + "\n")
        self._process.stdin.flush()
        failed: dict[str, int] = self._heard()["failed"]
        return failed

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)

    def _heard(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found


@asynccontextmanager
async def far(base: Path, **manners: object) -> AsyncIterator[tuple[Account, Agent, FarDisk]]:
    """Work in a folder of another machine's, which begins to have these manners then."""
    place = quiet(base, **({"durability": "fast"} if manners.get("late") else {}))
    disk = FarDisk(place.folder)
    try:
        async with at_work(place) as (account, one):
            disk.tell(manners=manners)
            yield account, one, disk
            account.close()
    finally:
        disk.close()


async def far_unwatched(base: Path) -> Account:
    """Others write files of the same size in the same second on their machine, and the system here knows nothing."""
    async with far(base, remembers=60) as (account, _, disk):
        for name in NAMES:
            theirs = (account.wanted[name] or "").replace("second", "SECOND")
            disk.tell(write=[name, theirs])
            account.wanted[name] = theirs
            found = await account.edit(name, "line7\n", "line 7\n")
            assert found["code"] == "FS_STALE_VERSION", found
            assert "+SECOND" in found["data"]["diff"]
        theirs = (account.wanted[NAMES[0]] or "") + "and longer\n"
        disk.tell(write=[NAMES[0], theirs])
        account.wanted[NAMES[0]] = theirs
        found = await account.patch("SECOND", "2nd", *NAMES)
        assert found["ok"] is False
        assert (await account.patch("SECOND", "2nd", *NAMES))["ok"]
    return account


async def far_plain(base: Path) -> Account:
    """Neither hard links nor exclusive renames nor extended attributes."""
    async with far(base, plain=True) as (account, one, _):
        assert (await account.write("new/deep/n.txt", "first\nsecond\n"))["ok"]
        assert (await account.patch("second", "2nd", *NAMES, "new/deep/n.txt"))["ok"]
        moved = f"*** Begin Patch\n*** Update File: {NAMES[3]}\n*** Move to: moved/m.txt\n*** End Patch"
        assert (await one.call("apply_patch", patch=moved))["ok"]
        account.wanted["moved/m.txt"], account.wanted[NAMES[3]] = account.wanted[NAMES[3]], None
        assert (await account.edit("moved/m.txt", "first", "1st"))["ok"]
    return account


async def far_held_open(base: Path) -> Account:
    """A file that a program has open cannot be renamed over: it is written in its place."""
    async with far(base, keeps_open_names=True, plain=True) as (account, _, disk):
        with (account.place.folder / NAMES[1]).open("rb") as held:
            assert (await account.edit(NAMES[1], "first", "1st"))["ok"]
            assert (await account.patch("second", "2nd", *NAMES))["ok"]
            assert held.read(3) == b"1st"
        assert disk.tell()["rename over open"]
    return account


async def far_quota(base: Path) -> Account:
    """The quota is used up, and a write says so."""
    return await _quota(base, late=False)


async def far_late_quota(base: Path) -> Account:
    """The quota is used up, and only the close says so."""
    return await _quota(base, late=True)


async def _quota(base: Path, *, late: bool) -> Account:
    async with far(base, quota=500_000, late=late) as (account, _, disk):
        await account.refused(await account.write("n.txt", LINES), "EDQUOT")
        await account.refused(await account.patch("second", "2nd", *NAMES), "EDQUOT")
        assert disk.tell()["quota"]
        disk.tell(manners={"quota": 1 << 30})
        assert (await account.patch("second", "2nd", *NAMES))["ok"]
        assert (await account.write("n.txt", LINES))["ok"]
        assert await account.all_listed()
    return account


async def far_broken(base: Path) -> Account:
    """Each operation answers with an error for a while, as when the connection is bad."""
    async with far(base) as (account, _, disk):
        for number, (operation, wrong) in enumerate(BROKEN):
            disk.tell(manners={"broken": {operation: wrong}})
            edited = await account.edit(NAMES[0], f"line1{number}0\n", "new\n", look=False)
            patched = await account.patch(f"line{number}", f"LINE{number}", *NAMES, look=False)
            disk.tell(manners={"broken": {}})
            assert disk.tell().get(operation), operation
            assert account.lost() == [], (operation, edited, patched)
            for found in (edited, patched):
                await account.refused(found, errno.errorcode[wrong])
        assert (await account.patch("second", "2nd", *NAMES))["ok"]
        disk.tell(manners={"broken": {"unlink": errno.EIO}})
        assert (await account.patch("line3", "LINE3", *NAMES, look=False))["ok"], (
            "only what is left cannot go"
        )
        disk.tell(manners={"broken": {}})
        await killed(account.place.server_pids()[0])
        assert (await account.patch("line4", "LINE4", *NAMES))["ok"], "the next server tidies up"
    return account


SCENARIOS: dict[str, Callable[[Path], Coroutine[Any, Any, Account]]] = {
    one.__name__: one
    for one in (
        *(full_workspace, no_inodes, full_state, read_only, no_watches, no_memory),
        *(far_unwatched, far_plain, far_held_open, far_quota, far_late_quota, far_broken),
    )
}


def main() -> int:
    account = asyncio.run(SCENARIOS[sys.argv[1]](Path(sys.argv[2])))
    print(json.dumps({"faults": account.faults, "lost": account.lost_at_last()}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
