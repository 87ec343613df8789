"""An agent edits while a person types, in one document, as fast as both can."""

from __future__ import annotations

import asyncio
import os

import pytest

from tests.e2e.agents import Agent, agent
from tests.e2e.vscode.workbench import Workbench

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

FULL = os.environ.get("COEDITOR_FAULTS") == "full"
EDITS, KEYS = (200, 300) if FULL else (70, 110)
TRIES = 3
MOVED = {"FS_UNSAVED_CHANGES", "FS_STALE_VERSION", "FS_EDITOR_REFUSED"}


async def test_typing_and_editing_at_once_lose_nothing(bench: Workbench) -> None:
    slots = "".join(f"slot {number:03}\n" for number in range(EDITS))
    bench.place.write("race.md", "user:\n\n" + slots)
    await bench.open("race.md")
    await bench.press("End")
    typed = ("abcdefghij" * KEYS)[:KEYS]
    async with agent(bench.place) as one:
        await one.call("read", file_path="race.md")
        typing = asyncio.create_task(bench.type(typed, delay=20))
        done = [await _fill(one, number) for number in range(EDITS)]
        await typing
        state = await bench.until("race.md", contains=f"user:{typed}\n")
        lines = state["text"].split("\n")
        assert lines[0] == f"user:{typed}"
        for number, applied in enumerate(done):
            slot, full = f"slot {number:03}", f"done {number:03}"
            assert lines.count(full) == (1 if applied else 0), f"{full}: {applied}"
            assert lines.count(slot) == (0 if applied else 1), f"{slot}: {applied}"
        assert len(lines) == EDITS + 3
        assert sum(done) >= EDITS / 2
        # The server's mirror is the editor's text: an edit is checked against it by hash.
        await one.call("read", file_path="race.md")
        last = await one.call("edit", file_path="race.md", old_string=lines[0], new_string="user: all")
        assert last["ok"] is True, last


async def _fill(one: Agent, number: int) -> bool:
    """Whether one of the tries was answered with ok."""
    for _ in range(TRIES):
        found = await one.call(
            "edit", file_path="race.md", old_string=f"slot {number:03}", new_string=f"done {number:03}"
        )
        if found["ok"]:
            return True
        assert found["code"] in MOVED, found
    return False
