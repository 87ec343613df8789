"""An agent whose answers are kept account of: what it was told is held against the disk.

Never: an opinion on which calls have to succeed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.e2e.agents import Agent, Place

REFUSALS = ("FS_IO", "FS_TRANSACTION_FAILED")


class Account:
    """The files of a place as they have to be, by what the agent was answered."""

    def __init__(self, place: Place, one: Agent) -> None:
        self.place, self._agent = place, one
        self.wanted: dict[str, str | None] = {}
        """The text of each file; None where there is none."""
        self.edits: list[str] = []
        """The ids of those that were applied, oldest first."""
        self.faults = 0
        self._lost: list[str] | None = None

    async def add(self, name: str, text: str) -> None:
        """A file that is there and was read."""
        self.place.write(name, text)
        self.wanted[name] = text
        assert (await self._agent.call("read", file_path=name, limit=5))["ok"]

    async def edit(self, name: str, old: str, new: str, *, look: bool = True) -> dict[str, Any]:
        """An edit; afterwards the file has to be as the answer says."""
        found = await self._agent.call("edit", file_path=name, old_string=old, new_string=new)
        if found["ok"]:
            text = self.wanted[name]
            assert text is not None
            self.wanted[name] = text.replace(old, new, 1)
        return self._told(found, look)

    async def write(self, name: str, text: str) -> dict[str, Any]:
        """A new file."""
        found = await self._agent.call("write", file_path=name, content=text)
        self.wanted[name] = text if found["ok"] else self.wanted.get(name)
        return self._told(found)

    async def patch(self, old: str, new: str, *names: str, look: bool = True) -> dict[str, Any]:
        """One line replaced in each of ``names``: in all of them or in none."""
        lines = [f"*** Update File: {name}\n@@\n-{old}\n+{new}" for name in names]
        text = "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
        found = await self._agent.call("apply_patch", patch=text)
        for name in names if found["ok"] else ():
            before = self.wanted[name]
            assert before is not None
            self.wanted[name] = before.replace(f"{old}\n", f"{new}\n", 1)
        return self._told(found, look)

    def _told(self, found: dict[str, Any], look: bool = True) -> dict[str, Any]:
        if found["ok"]:
            self.edits.append(found["edit_id"])
        else:
            self.faults += 1
        assert not look or self.lost() == [], found
        return found

    async def refused(self, found: dict[str, Any], *words: str) -> None:
        """The answer is the system's refusal in one of these words, and said as such."""
        assert found["ok"] is False, found
        assert found["code"] in REFUSALS, found
        assert any(word in json.dumps(found) for word in words), found

    def close(self) -> None:
        """The last look, before the disk goes."""
        self._lost = self.lost()

    def lost_at_last(self) -> list[str]:
        """As it was when the account was closed; else as it is now."""
        return self.lost() if self._lost is None else self._lost

    def lost(self) -> list[str]:
        """The files that are not as they have to be, and what was left beside them."""
        there = {
            str(path.relative_to(self.place.folder)): path
            for path in self.place.folder.rglob("*")
            if path.is_file()
        }
        wrong = [
            name
            for name, text in self.wanted.items()
            if (there[name].read_text() if name in there else None) != text
        ]
        return wrong + [name for name in there if Path(name).name.startswith(".coeditor-")]

    async def all_listed(self) -> bool:
        """Whether the history has every edit that was answered as applied."""
        listed = (await self._agent.call("history", limit=1_000))["edits"]
        return set(self.edits) <= {one["edit_id"] for one in listed}
