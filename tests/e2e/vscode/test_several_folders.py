"""A workspace of two folders: one server for both, whichever an agent starts in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.agents import Place, agent
from tests.e2e.vscode.install import install, missing_program, packaged_extension
from tests.e2e.vscode.workbench import server_sees, workbench

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]


async def test_typing_counts_in_each_folder_and_each_is_edited(tmp_path: Path) -> None:
    reason = missing_program()
    if reason is not None:
        pytest.skip(reason)
    place = Place(tmp_path)
    second = place.base / "second"
    second.mkdir()
    place.write("first.md", "one\ntwo\n")
    (second / "second.md").write_text("one\ntwo\n")
    workspace = tmp_path / "both.code-workspace"
    workspace.write_text(json.dumps({"folders": [{"path": str(place.folder)}, {"path": str(second)}]}))
    async with (
        workbench(install(), packaged_extension(), place, workspace=workspace) as bench,
        agent(place) as one,
        agent(place, cwd=second) as two,
    ):
        path = str(second / "second.md")
        await bench.open(path)
        await bench.type("typed ")
        for each, name in ((one, path), (two, "second.md")):
            await server_sees(each, name, "typed one", unsaved=True)
            pid = (await each.call("status"))["server"]["pid"]
            assert pid == await bench.server_pid()
        await two.call("read", file_path="second.md")
        done = await two.call("edit", file_path="second.md", old_string="two", new_string="2")
        assert done["ok"] is True, done
        await bench.until(path, text="typed one\n2\n", dirty=True)
        assert (second / "second.md").read_text() == "one\ntwo\n"

        first = str(place.folder / "first.md")
        await two.call("read", file_path=first)
        done = await two.call("edit", file_path=first, old_string="two", new_string="2")
        assert done["ok"] is True, done
        assert place.text("first.md") == "one\n2\n"
        await bench.command("coeditor.openChanges")
        for name in ("first.md", "second.md"):
            await bench.wait(f'.monaco-list-row[aria-label^="{name}"]')
        await bench.picture("several-folders", upper=True)
