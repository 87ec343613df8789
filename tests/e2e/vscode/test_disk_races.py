"""Another program writes a file that is open here, and an agent edits it, in the same instant."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.e2e.agents import agent
from tests.e2e.vscode.workbench import Workbench, server_sees

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

ROUNDS = 20 if os.environ.get("COEDITOR_FAULTS") == "full" else 4


def _replace(path: Path, text: str) -> None:
    fresh = path.with_name(".fresh")
    fresh.write_text(text)
    os.replace(fresh, path)


@pytest.mark.parametrize("way", ["in place", "by rename"])
async def test_never_the_old_text_over_the_new(bench: Workbench, way: str) -> None:
    name = f"both-{way.replace(' ', '-')}.md"
    path = bench.place.write(name, "head\nlast 0\n")
    await bench.open(name)
    external = "head\n"
    async with agent(bench.place) as one:
        await one.call("read", file_path=name)
        for number in range(ROUNDS):
            external = f"external {number}\n"
            text = external + path.read_text()
            write = path.write_text if way == "in place" else lambda new: _replace(path, new)
            edit = one.call(
                "edit", file_path=name, old_string=f"last {number}", new_string=f"last {number + 1}"
            )
            done, _ = await asyncio.gather(edit, asyncio.to_thread(write, text))
            disk = path.read_text()
            assert disk.startswith(external), "what the other program wrote is gone"
            if done["ok"]:
                assert disk == text.replace(f"last {number}", f"last {number + 1}") or disk == text
            else:
                assert done["code"] in ("FS_STALE_VERSION", "FS_EDITOR_REFUSED"), done
            await bench.until(name, text=disk, dirty=False)
            if f"last {number + 1}" not in disk:
                await server_sees(one, name, external.strip())
                again = await one.call(
                    "edit", file_path=name, old_string=f"last {number}", new_string=f"last {number + 1}"
                )
                assert again["ok"] is True, again
            await bench.until(name, text=path.read_text(), dirty=False)


async def test_reload_is_followed(bench: Workbench) -> None:
    path = bench.place.write("reloaded.md", "old\n")
    await bench.open("reloaded.md")
    async with agent(bench.place) as one:
        await one.call("read", file_path="reloaded.md")
        path.write_text("new\nold\n")
        refused = await one.call("edit", file_path="reloaded.md", old_string="old", new_string="edited")
        assert refused["code"] == "FS_STALE_VERSION", refused
        assert "+new" in refused["data"]["diff"]
        done = await one.call("edit", file_path="reloaded.md", old_string="old", new_string="edited")
    assert done["ok"] is True, done
    assert path.read_text() == "new\nedited\n"
    await bench.until("reloaded.md", text="new\nedited\n", dirty=False)


async def test_unsaved_and_disk_moved_is_told_as_both(bench: Workbench) -> None:
    path = bench.place.write("diverged.md", "one\ntwo\n")
    await bench.open("diverged.md")
    async with agent(bench.place) as one:
        await one.call("read", file_path="diverged.md")
        await bench.type("mine ")
        await server_sees(one, "diverged.md", "mine one")
        path.write_text("one\ntwo\nfrom elsewhere\n")
        refused = await one.call("edit", file_path="diverged.md", old_string="two", new_string="TWO")
        assert refused["code"] == "FS_STALE_VERSION", refused
        assert refused["data"]["diverged"] is True
    assert path.read_text() == "one\ntwo\nfrom elsewhere\n"
    assert await bench.text("diverged.md") == "mine one\ntwo\n"
