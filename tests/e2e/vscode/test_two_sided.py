"""Acts of a person at the window, an agent and another process: nothing typed, acknowledged or refused is amiss."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.e2e.agents import Agent, agent
from tests.e2e.vscode.workbench import PATIENCE, Workbench

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(900)]

STEPS = 200 if os.environ.get("COEDITOR_FAULTS") == "full" else 60
SLOTS = 8
NAME = "sides.md"
TYPED = re.compile(r"<\d+>")
MOVED = {"FS_UNSAVED_CHANGES", "FS_STALE_VERSION", "FS_NO_MATCH", "FS_EDITOR_REFUSED"}
ACTS = ["type"] * 5 + ["agent"] * 6 + ["stale"] * 2 + ["undo", "save", "save", "write", "reopen"]


class Sides:
    """The file, and what must be in it: a person's tokens, and each slot at its last acknowledged version."""

    def __init__(self, bench: Workbench, one: Agent, path: Path) -> None:
        self.bench = bench
        self.one = one
        self.path = path
        self.random = Random(7)
        self.count = 0
        self.steps: list[str] = []
        self.text = path.read_text()
        """What counts, by this test's own reckoning."""
        self.undo: list[str] = []
        self.dirty = False
        self.done = self.refused = 0

    async def step(self) -> None:
        act = self.random.choice(ACTS)
        self.steps.append(act)
        await getattr(self, f"_{act}")()
        state = await self.bench.until(NAME, text=self.text, dirty=self.dirty)
        assert state["open"], self.steps[-9:]
        on_disk = self.path.read_text()
        assert self.dirty or on_disk == self.text, self.steps[-9:]

    async def _type(self) -> None:
        self.count += 1
        token = f"<{self.count}>"
        await self.bench.press("Control+Home")
        await self.bench.type(token)
        self._becomes(token + self.text)

    async def _undo(self) -> None:
        """By an edit of the other extension's, so that it is one step whatever VS Code joins."""
        found = TYPED.match(self.text)
        if found is not None:
            await self.bench.edit(NAME, ((0, 0, 0, found.end()), ""))
            self._becomes(self.text[found.end() :])

    async def _save(self) -> None:
        assert await self.bench.save(NAME)
        self.dirty = False

    async def _reopen(self) -> None:
        """Closed without saving: what was unsaved is gone, as the person wanted."""
        await self.bench.reset()
        self.text, self.dirty = self.path.read_text(), False
        await self.bench.open(NAME)

    async def _write(self) -> None:
        """Another process, below saved text only: else the person is asked about two texts."""
        if not self.dirty:
            self.count += 1
            self.text += f"(other {self.count})\n"
            self.path.write_text(self.text)

    async def _agent(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while True:
                seen = await self.one.call("read", file_path=NAME, refresh=True)
                shown = "".join(line.split("\t", 1)[1] + "\n" for line in seen["text"].split("\n"))
                if shown == self.text:
                    break
                await asyncio.sleep(0.02)
        assert await self._edit(), self.steps[-9:]

    async def _stale(self) -> None:
        """From whatever it saw last."""
        await self._edit()

    async def _edit(self) -> bool:
        number = self.random.randrange(SLOTS)
        found = re.search(rf"slot {number} v\d+;", self.text)
        assert found is not None
        self.count += 1
        new = f"slot {number} v{self.count};"
        # Typed and taken back is no unsaved text, though VS Code still calls the document changed.
        unsaved = self.dirty and self.text != self.path.read_text()
        answer: dict[str, Any] = await self.one.call(
            "edit", file_path=NAME, old_string=found[0], new_string=new
        )
        if not answer["ok"]:
            self.refused += 1
            assert answer["code"] in MOVED, answer
            return False
        self.done += 1
        assert answer["changed_files"][0]["saved"] is not unsaved, (answer, self.steps[-9:])
        self.dirty = unsaved
        self.text = self.text.replace(found[0], new)
        return True

    def _becomes(self, text: str) -> None:
        self.text, self.dirty = text, True


async def test_acts_of_all_three_lose_nothing(bench: Workbench) -> None:
    slots = "".join(f"slot {number} v0;\n\n" for number in range(SLOTS))
    path = bench.place.write(NAME, f"\n\n{slots}")
    await bench.open(NAME)
    async with agent(bench.place) as one:
        await one.call("read", file_path=NAME)
        sides = Sides(bench, one, path)
        for _ in range(STEPS):
            await sides.step()
        assert sides.done > STEPS / 8, (sides.done, sides.refused)
