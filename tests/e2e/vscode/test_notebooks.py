"""A notebook that is open in the window: agents see and change its cells, not the text of its file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Agent, agent
from tests.e2e.vscode.workbench import PATIENCE, Workbench

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

OUTPUT = {"name": "stdout", "output_type": "stream", "text": ["1\n"]}
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": ["# Title\n", "text"]},
        {
            "cell_type": "code",
            "execution_count": 1,
            "id": "first",
            "metadata": {},
            "outputs": [OUTPUT],
            "source": ["x = 1\n", "print(x)"],
        },
        {"cell_type": "raw", "id": "raw", "metadata": {}, "source": ["as it is"]},
        {
            "cell_type": "code",
            "execution_count": None,
            "id": "last",
            "metadata": {},
            "outputs": [],
            "source": [],
        },
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


async def notebook_until(
    bench: Workbench, name: str, holds: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await bench.host("notebook", path=bench.path(name))
            if found is not None and holds(found):
                return dict(found)
            await asyncio.sleep(0.05)


async def read_until(one: Agent, name: str, holds: Callable[[dict[str, Any]], bool]) -> None:
    """Another session reads, until the server knows."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await one.call("read", {"session": "onlooker"}, file_path=name, refresh=True)
            if holds(found):
                return
            await asyncio.sleep(0.05)


def texts(found: dict[str, Any]) -> list[str]:
    return [cell["text"] for cell in found["cells"]]


def on_disk(path: Path) -> list[tuple[str, str]]:
    found = json.loads(path.read_text())
    return [(cell.get("id"), "".join(cell["source"])) for cell in found["cells"]]


async def test_cells_are_read_and_changed_where_the_person_sees_them(bench: Workbench) -> None:
    name = "cells.ipynb"
    path = bench.place.write(name, json.dumps(NOTEBOOK, indent=1) + "\n")
    async with agent(bench.place) as one:
        before = await one.call("read", file_path=name)
        await bench.host("openNotebook", path=str(path))
        await read_until(one, name, lambda seen: seen["authority"] == "editor")
        seen = await one.call("read", file_path=name, refresh=True)
        assert (seen["unsaved"], seen["version"]) == (False, before["version"])

        done = await one.call("edit_notebook", file_path=name, cell_id="first", new_source="x = 2\nprint(x)")
        assert done["ok"] is True, done
        (row,) = done["changed_files"]
        assert (row["saved"], row["authority"]) == (True, "editor"), done
        shown = await notebook_until(bench, name, lambda found: not found["dirty"])
        assert texts(shown) == ["# Title\ntext", "x = 2\nprint(x)", "as it is", ""]
        assert shown["cells"][1]["outputs"] == 0
        assert on_disk(path)[1] == ("first", "x = 2\nprint(x)")

        refused = await one.call("edit", file_path=name, old_string="as it is", new_string="as it was")
        assert refused["data"]["reason"] == "open_notebook", refused

        made = await one.call(
            "edit_notebook", file_path=name, cell_id="intro", new_source="z = 0", mode="insert"
        )
        assert made["ok"] is True, made
        gone = await one.call("edit_notebook", file_path=name, cell_id="raw", mode="delete")
        assert gone["ok"] is True, gone
        kind = await one.call("edit_notebook", file_path=name, cell_id="last", cell_type="markdown")
        assert kind["ok"] is True, kind
        shown = await notebook_until(bench, name, lambda found: not found["dirty"])
        assert texts(shown) == ["# Title\ntext", "z = 0", "x = 2\nprint(x)", ""]
        assert [cell["kind"] for cell in shown["cells"]] == ["markdown", "code", "code", "markdown"]
        ids = [cell["id"] for cell in shown["cells"]]
        assert (ids[0], ids[2], ids[3]) == ("intro", "first", "last")
        assert [cell_id for cell_id, _ in on_disk(path)] == ids
        assert json.loads(path.read_text())["cells"][3]["cell_type"] == "markdown"


async def test_what_was_typed_into_a_cell_is_told_kept_and_not_saved(bench: Workbench) -> None:
    name = "typed.ipynb"
    text = json.dumps(NOTEBOOK, indent=1) + "\n"
    path = bench.place.write(name, text)
    await bench.host("openNotebook", path=str(path))
    async with agent(bench.place) as one:
        await read_until(one, name, lambda seen: seen["authority"] == "editor")
        await one.call("read", file_path=name)
        cell = (await bench.host("notebook", path=str(path)))["cells"][3]["uri"]
        await bench.edit(cell, ((0, 0, 0, 0), "typed = True"))
        await read_until(one, name, lambda seen: "typed = True" in seen["text"])
        edit: dict[str, Any] = {"file_path": name, "cell_id": "first", "new_source": "y = 1"}
        refused = await one.call("edit_notebook", **edit)
        assert refused["code"] == "FS_UNSAVED_CHANGES", refused
        assert "typed = True" in refused["data"]["diff"]
        done = await one.call("edit_notebook", **edit)
        assert done["ok"] is True, done
        assert done["changed_files"][0]["saved"] is False
        shown = await notebook_until(bench, name, lambda found: found["dirty"])
        assert texts(shown) == ["# Title\ntext", "y = 1", "as it is", "typed = True"]
        assert path.read_text() == text
        assert await bench.host("saveNotebook", path=str(path))
        await read_until(one, name, lambda seen: seen["unsaved"] is False)
        again = await one.call("edit_notebook", file_path=name, cell_id="intro", new_source="# Both")
        if again["ok"] is False:  # the editor wrote the file in its own way, which the agent has not seen
            assert again["code"] == "FS_STALE_VERSION", again
            again = await one.call("edit_notebook", file_path=name, cell_id="intro", new_source="# Both")
        assert again["ok"] is True, again
        assert on_disk(path) == [
            ("intro", "# Both"), ("first", "y = 1"), ("raw", "as it is"), ("last", "typed = True"),
        ]  # fmt: skip


async def test_one_undo_takes_back_what_the_agent_did(bench: Workbench) -> None:
    name = "undone.ipynb"
    path = bench.place.write(name, json.dumps(NOTEBOOK, indent=1) + "\n")
    await bench.host("openNotebook", path=str(path))
    async with agent(bench.place) as one:
        await read_until(one, name, lambda seen: seen["authority"] == "editor")
        await one.call("read", file_path=name)
        done = await one.call("edit_notebook", file_path=name, cell_id="first", new_source="y = 1")
        assert done["ok"] is True, done
        await bench.command("undo")
        shown = await notebook_until(bench, name, lambda found: texts(found)[1] == "x = 1\nprint(x)")
        assert shown["cells"][1]["outputs"] == 1


async def test_a_file_written_below_a_saved_notebook_is_taken_up(bench: Workbench) -> None:
    name = "below.ipynb"
    path = bench.place.write(name, json.dumps(NOTEBOOK, indent=1) + "\n")
    await bench.host("openNotebook", path=str(path))
    async with agent(bench.place) as one:
        await read_until(one, name, lambda seen: seen["authority"] == "editor")
        await one.call("read", file_path=name)
        path.write_text(path.read_text().replace("as it is", "from outside"))
        refused = await one.call("edit_notebook", file_path=name, cell_id="intro", new_source="# New")
        assert refused["code"] == "FS_STALE_VERSION", refused
        await notebook_until(bench, name, lambda found: "from outside" in texts(found))
        done = await one.call("edit_notebook", file_path=name, cell_id="intro", new_source="# New")
        assert done["ok"] is True, done
        assert on_disk(path)[0::2] == [("intro", "# New"), ("raw", "from outside")]
