"""What VS Code's own language servers say of an edit comes back with the edit."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.e2e.agents import Agent, agent
from tests.e2e.vscode.workbench import Workbench

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]


async def brought(one: Agent, **arguments: Any) -> dict[str, Any]:
    """What an edit did to the problems: with its own answer, or on a slow machine with a later one."""
    done = await one.call("edit", **arguments)
    assert done["ok"] is True, done
    found: dict[str, Any] = done["diagnostics"]
    async with asyncio.timeout(100):
        while found["state"] != "fresh":
            await asyncio.sleep(0.1)
            later = await one.call("status")
            rows = [row for row in later.get("notices", ()) if row.get("edit_id") == done["edit_id"]]
            found = rows[0]["diagnostics"] if rows else found
    return found


async def test_json_broken_and_repaired(bench: Workbench) -> None:
    bench.place.write("data.json", '{\n  "a": 1,\n  "b": 2\n}\n')
    await bench.open("data.json")
    async with agent(bench.place) as one:
        await one.call("read", file_path="data.json")
        # The first question starts VS Code's server for this language.
        await bench.edit("data.json", ((1, 8, 1, 8), ","))
        await bench.until("data.json", problems=["Property expected"])
        await bench.press("Control+Z")
        await bench.until("data.json", problems_count=0, dirty=False)

        broken = await one.call("edit", file_path="data.json", old_string='"b": 2', new_string='"b": ')
        assert broken["ok"] is True, broken
        assert len(broken["diagnostics"]["new"]) == 1, broken
        (new,) = broken["diagnostics"]["new"]
        assert (new["severity"], new["message"]) == ("error", "Value expected")
        assert new["line"] in (3, 4)
        assert broken["diagnostics"]["resolved"] == []

        repaired = await one.call("edit", file_path="data.json", old_string='"b": ', new_string='"b": 3')
        assert repaired["ok"] is True, repaired
        assert repaired["diagnostics"]["new"] == []
        (gone,) = repaired["diagnostics"]["resolved"]
        assert gone["message"] == "Value expected"


async def test_typescript_broken_shifted_and_repaired(bench: Workbench) -> None:
    wrong = "".join(f"export const e{number}: number = 'text';\n" for number in range(5))
    bench.place.write("main.ts", "export const first: number = 1;\n" + wrong)
    await bench.open("main.ts")
    await bench.until("main.ts", problems_count=5)
    async with agent(bench.place) as one:
        await one.call("read", file_path="main.ts")
        shifted = await one.call(
            "edit",
            file_path="main.ts",
            old_string="export const first: number = 1;",
            new_string="// One.\n// Two.\n// Three.\nexport const first: number = 1;",
        )
        assert shifted["ok"] is True, shifted
        assert shifted["diagnostics"]["new"] == []
        assert shifted["diagnostics"]["resolved"] == []
        assert shifted["diagnostics"]["remaining"]["error"] == 5, shifted

        broken = await brought(
            one, file_path="main.ts", old_string="first: number = 1", new_string="first: number = 'x'"
        )
        (new,) = broken["new"]
        assert (new["line"], new["code"], new["source"]) == (4, "2322", "ts")
        assert broken["remaining"]["error"] == 5

        repaired = await brought(
            one, file_path="main.ts", old_string="first: number = 'x'", new_string="first: number = 2"
        )
        assert repaired["new"] == []
        (gone,) = repaired["resolved"]
        assert gone["code"] == "2322"
        # Where TypeScript has nothing new to say, what stands is told, and that it is no more than that.
        calm = await one.call("edit", file_path="main.ts", old_string="// One.", new_string="// Two.")
        assert (calm["diagnostics"]["new"], calm["diagnostics"]["resolved"]) == ([], [])
        assert calm["diagnostics"]["state"] != "fresh" or calm["diagnostics"]["remaining"]["error"] == 5, calm
        asked = await one.call("diagnostics", file_path="main.ts")
        assert len(asked["items"]) == 5
