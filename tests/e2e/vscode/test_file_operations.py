"""An agent deletes and renames files that are open in VS Code: tabs go along, and imports follow."""

from __future__ import annotations

import asyncio

import pytest

from tests.e2e.agents import agent
from tests.e2e.vscode.workbench import Workbench

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_moved_edited_and_deleted_in_one_patch(bench: Workbench) -> None:
    old, gone = bench.place.write("files/old.md", "one\ntwo\n"), bench.place.write("files/gone.md", "gone\n")
    closed = bench.place.write("files/closed.md", "closed\n")
    await bench.open("files/gone.md")
    await bench.open("files/old.md")
    async with agent(bench.place) as one:
        for name in ("old", "gone", "closed"):
            await one.call("read", file_path=f"files/{name}.md")
        patch = (
            "*** Begin Patch\n*** Update File: files/old.md\n*** Move to: files/inner/new.md\n@@\n-one\n+1\n two\n"
            "*** Delete File: files/gone.md\n*** Update File: files/closed.md\n@@\n-closed\n+changed\n*** End Patch"
        )
        done = await one.call("apply_patch", patch=patch)
        assert done["ok"], done
        assert [row["saved"] for row in done["changed_files"]] == [True, True, True], done
        assert done["changed_files"][0]["authority"] == "editor", done
    await bench.until("files/inner/new.md", text="1\ntwo\n", dirty=False, tab=True)
    await bench.until("files/old.md", tab=False)
    await bench.until("files/gone.md", tab=False)
    assert (old.exists(), gone.exists(), closed.read_text()) == (False, False, "changed\n")
    left = sorted(path.name for path in old.parent.rglob("*"))
    assert left == ["closed.md", "inner", "new.md"]


async def test_imports_follow_a_rename(bench: Workbench) -> None:
    bench.place.write("follow/old.md", "old\n")
    user = bench.place.write("follow/user.md", "import old\n")
    await bench.open("follow/old.md")
    await bench.host("followRenames", path=str(user), old="old", new="new")
    try:
        async with agent(bench.place) as one:
            await one.call("read", file_path="follow/old.md")
            patch = "*** Begin Patch\n*** Move File: follow/old.md -> follow/new.md\n*** End Patch"
            call = asyncio.create_task(one.call("apply_patch", patch=patch))
            button = '.monaco-dialog-box .monaco-button:has-text("OK")'  # VS Code's own question
            await bench.wait(button)
            await bench.click(button)
            done = await call
            assert done["ok"], done
            assert any("user.md" in text for text in done["warnings"]), done
    finally:
        await bench.host("followRenames")
    await bench.until("follow/new.md", text="old\n", dirty=False, tab=True)
    await bench.until("follow/user.md", text="import new\n", dirty=True)
    assert user.read_text() == "import old\n"


async def test_typing_that_is_on_its_way_keeps_the_file(bench: Workbench) -> None:
    path = bench.place.write("kept.md", "one\n")
    await bench.open("kept.md")
    await bench.wait(".editor-group-container.active .monaco-editor.focused")
    async with agent(bench.place) as one:
        await one.call("read", file_path="kept.md")
        await bench.type("typed ")
        # In the window; whether the server has heard of it is left open.
        await bench.wait('.editor-group-container.active .view-line:has-text("typed")')
        patch = "*** Begin Patch\n*** Delete File: kept.md\n*** End Patch"
        found = await one.call("apply_patch", patch=patch)
        assert found["code"] in ("FS_STALE_VERSION", "FS_UNSAVED_CHANGES"), found
    await bench.until("kept.md", text="typed one\n", dirty=True)
    assert path.read_text() == "one\n"
