"""A process with several agents, each of which edits overlapping sets of files over and over.

Usage: hammer_driver.py NAME AGENTS TURNS WORKSPACE STATE. Each edit appends to its files one line that names the
edit with all of its files, and the text that it was made from.
Prints the names of the edits that were confirmed, one a line, as they happen.

Never: imported.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from editor_clients.disk import read_bytes
from editor_clients.disk_changes import ABSENT, DiskChange, WriteBytes
from editor_clients.locks import TargetLocks
from editor_clients.recovery import recover
from editor_clients.transaction import publish
from editor_clients.walls import Walls
from ledger.types import TargetKey

FILES = 6


class Agent:
    """One thread with a loop and locks of its own, as if it were a process."""

    def __init__(self, name: str, turns: int, workspace: str, state: str) -> None:
        self._name, self._turns, self._workspace = name, turns, workspace
        self._journals = os.path.join(state, "journals")
        self._locks = os.path.join(state, "locks")
        self._walls = Walls([workspace])
        self._chance = random.Random(name)

    async def run(self) -> None:
        locks = TargetLocks(self._locks, on_dead_owner=self._look_after)
        for turn in range(self._turns):
            numbers = self._chance.sample(range(FILES), self._chance.randint(1, 3))
            keys = [TargetKey(os.path.join(self._workspace, f"file-{number}")) for number in numbers]
            edit = f"{self._name}.{turn}:{'+'.join(map(str, sorted(numbers)))}"
            async with locks.hold(keys, deadline=asyncio.get_running_loop().time() + 60):
                publish(
                    [self._change(edit, key) for key in keys],
                    journal_dir=self._journals,
                    walls=self._walls,
                    durability="fast",
                )
                # Confirmed while the locks are held: whoever is killed later cannot take it back.
                os.write(1, f"{edit} {' '.join(os.path.basename(key) for key in keys)}\n".encode())

    async def _look_after(self, key: TargetKey) -> None:
        await asyncio.to_thread(recover, self._journals, self._walls, awaited=[key])

    def _change(self, edit: str, key: TargetKey) -> DiskChange:
        found = read_bytes(self._walls, key, 1 << 30)
        before = b"" if found is None else found.data
        line = f"{edit} {hashlib.sha256(before).hexdigest()}\n".encode()
        return WriteBytes(key, before + line, ABSENT if found is None else before)


def main() -> None:
    """Run the agents and wait for them."""
    name, agents, turns, workspace, state = sys.argv[1:]
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            asyncio.run(Agent(f"{name}{number}", int(turns), workspace, state).run())
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(int(agents))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


if __name__ == "__main__":
    main()
