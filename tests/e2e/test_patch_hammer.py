"""Ten agents on two servers patch overlapping sets of files: each file's history is a chain of compare-and-swaps.

Every patch adds one line to each of its files, with the version that it was made from. ``COEDITOR_FAULTS=full`` goes on
for a minute; by default every agent makes a few patches.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from ledger.types import token_of
from tests.e2e.agents import Agent, Place, agent

FULL = os.environ.get("COEDITOR_FAULTS") == "full"
FILES, AGENTS, PATCHES, SECONDS = 8, 10, 3, 60.0
LOST_RACES = ("FS_STALE_VERSION", "FS_NOT_OBSERVED", "FS_TRANSACTION_FAILED")
pytestmark = pytest.mark.timeout(900 if FULL else 300)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, {"side_effects": {"diagnostics": False}, "limits": {"lock_seconds": 60}})


class Hammer:
    """One agent: which of its patches were applied, with the versions that they went from and to."""

    def __init__(self, one: Agent, name: str, folder: Path) -> None:
        self._agent, self._name, self._folder = one, name, folder
        self._chance = random.Random(name)
        self.steps: list[tuple[str, str, str, str]] = []
        """File, edit, version before, version after."""
        self.refused = 0

    async def run(self, until: float) -> None:
        number = 0
        while time.monotonic() < until if FULL else number < PATCHES:
            await self._patch(f"{self._name}.{number}")
            number += 1

    async def _patch(self, edit: str) -> None:
        """Read, patch, and again for as long as others are faster."""
        names = self._chance.sample([f"f{number}.txt" for number in range(FILES)], self._chance.randint(2, 4))
        while True:
            before = {}
            for name in names:
                path = str(self._folder / name)
                before[path] = str((await self._agent.call("read", file_path=path, refresh=True))["version"])
            lines = ["*** Begin Patch"]
            for path, version in before.items():
                lines += [f"*** Update File: {path}", "@@", f"+{edit} {version}"]
            found = await self._agent.call("apply_patch", patch="\n".join([*lines, "*** End Patch"]))
            if found["ok"]:
                rows = {row["file_path"]: row["version"] for row in found["changed_files"]}
                self.steps += [(Path(path).name, edit, before[path], rows[path]) for path in before]
                return
            assert found["code"] in LOST_RACES, found
            self.refused += 1


async def test_every_history_is_a_chain(place: Place) -> None:
    inner = place.folder / "inner"
    (inner / ".git").mkdir(parents=True)
    for number in range(FILES):
        place.write(f"inner/f{number}.txt", "start\n")
    async with AsyncExitStack() as stack:
        above = [await stack.enter_async_context(agent(place)) for _ in range(AGENTS // 2)]
        below = [await stack.enter_async_context(agent(place, cwd=inner)) for _ in range(AGENTS // 2)]
        hammers = [Hammer(one, f"a{number}", inner) for number, one in enumerate(above + below)]
        until = time.monotonic() + SECONDS
        await asyncio.gather(*(hammer.run(until) for hammer in hammers))
        assert len(set(place.server_pids())) == 2
    steps = [step for hammer in hammers for step in hammer.steps]
    assert len({edit for _, edit, _, _ in steps}) >= (AGENTS if FULL else AGENTS * PATCHES)
    for number in range(FILES):
        name = f"f{number}.txt"
        mine = {edit: (before, after) for file, edit, before, after in steps if file == name}
        text = "start\n"
        lines = place.text(f"inner/{name}").removeprefix(text).splitlines(keepends=True)
        # Every confirmed patch is there once, and each was made from exactly what the one before left.
        assert sorted(line.split()[0] for line in lines) == sorted(mine)
        for line in lines:
            edit, version = line.split()
            assert (version, mine[edit][0]) == (token_of(text), token_of(text))
            text += line
            assert mine[edit][1] == token_of(text)
    assert not list(place.folder.rglob(".coeditor-*"))
    assert not [path.name for path in (place.base / "run").glob("coeditor/locks/*")]
