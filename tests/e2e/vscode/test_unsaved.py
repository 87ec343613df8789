"""What a person typed and did not save is never lost, and never a surprise."""

from __future__ import annotations

import asyncio
import subprocess

import pytest

from tests.e2e.agents import agent
from tests.e2e.vscode.workbench import Workbench, server_sees

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]


async def test_unsaved_typing_is_told_kept_and_built_upon(bench: Workbench) -> None:
    path = bench.place.write("notes.md", "one\ntwo\nthree\n")
    await bench.open("notes.md")
    async with agent(bench.place) as one:
        assert (await one.call("read", file_path="notes.md"))["unsaved"] is False
        await bench.type("typed_")
        await bench.until("notes.md", contains="typed_one", dirty=True)
        await server_sees(one, "notes.md", "typed_one")

        refused = await one.call("edit", file_path="notes.md", old_string="three", new_string="THREE")
        assert refused["code"] == "FS_UNSAVED_CHANGES", refused
        assert "+typed_one" in refused["data"]["diff"]
        assert refused["data"]["moved_by"] == "user-unsaved"
        assert await bench.text("notes.md") == "typed_one\ntwo\nthree\n"
        assert path.read_text() == "one\ntwo\nthree\n"

        seen = await one.call("read", file_path="notes.md", refresh=True)
        assert seen["unsaved"] is True
        assert seen["authority"] == "editor"
        assert "typed_one" in seen["text"]
        done = await one.call("edit", file_path="notes.md", old_string="three", new_string="THREE")
        assert done["ok"] is True, done
        assert done["changed_files"][0]["saved"] is False
        assert await bench.text("notes.md") == "typed_one\ntwo\nTHREE\n"
        assert path.read_text() == "one\ntwo\nthree\n"

    await bench.press("Control+Z")
    await bench.until("notes.md", text="typed_one\ntwo\nthree\n", dirty=True)
    await bench.press("Control+Z")
    await bench.until("notes.md", text="one\ntwo\nthree\n", dirty=False)


async def test_saved_file_stays_saved(bench: Workbench) -> None:
    path = bench.place.write("saved.md", "alpha\nbeta\n")
    git = ["git", "-C", str(bench.place.folder)]
    await asyncio.to_thread(subprocess.run, [*git, "add", "saved.md"], check=True)
    await bench.open("saved.md")
    async with agent(bench.place) as one:
        await one.call("read", file_path="saved.md")
        done = await one.call("edit", file_path="saved.md", old_string="beta", new_string="gamma")
    assert done["ok"] is True, done
    (row,) = done["changed_files"]
    assert (row["saved"], row["authority"]) == (True, "editor")
    assert path.read_text() == "alpha\ngamma\n"
    state = await bench.until("saved.md", text="alpha\ngamma\n", dirty=False)
    assert state["tab"]
    shown = await asyncio.to_thread(
        subprocess.run, [*git, "diff", "saved.md"], check=True, capture_output=True
    )
    assert b"+gamma" in shown.stdout
    await bench.press("Control+Z")
    await bench.until("saved.md", text="alpha\nbeta\n", dirty=True)
    assert path.read_text() == "alpha\ngamma\n"


async def test_closed_file_changes_on_disk_without_a_tab(bench: Workbench) -> None:
    path = bench.place.write("closed.md", "alpha\n")
    bench.place.write("other.md", "other\n")
    await bench.open("other.md")
    async with agent(bench.place) as one:
        await one.call("read", file_path="closed.md")
        done = await one.call("edit", file_path="closed.md", old_string="alpha", new_string="beta")
        assert done["ok"] is True, done
        (row,) = done["changed_files"]
        assert (row["saved"], row["authority"]) == (True, "disk")
        made = await one.call("write", file_path="made.md", content="new\n")
        assert made["ok"] is True, made
    assert path.read_text() == "beta\n"
    assert bench.place.text("made.md") == "new\n"
    for name in ("closed.md", "made.md"):
        state = await bench.state(name)
        assert not state["tab"]
        assert not state["dirty"]
    assert (await bench.state("other.md"))["active"]


async def test_typing_undone_again_is_no_conflict(bench: Workbench) -> None:
    bench.place.write("again.md", "alpha\n")
    await bench.open("again.md")
    async with agent(bench.place) as one:
        await one.call("read", file_path="again.md")
        await bench.type("x")
        await server_sees(one, "again.md", "xalpha")
        await bench.press("Backspace")
        await server_sees(one, "again.md", "\talpha")
        done = await one.call("edit", file_path="again.md", old_string="alpha", new_string="beta")
    assert done["ok"] is True, done


async def test_saved_by_the_person_is_stale_and_told_so(bench: Workbench) -> None:
    bench.place.write("bysave.md", "alpha\n")
    await bench.open("bysave.md")
    async with agent(bench.place) as one:
        await one.call("read", file_path="bysave.md")
        await bench.type("mine ")
        await bench.press("Control+S")
        await bench.until("bysave.md", text="mine alpha\n", dirty=False)
        await server_sees(one, "bysave.md", "mine alpha", unsaved=False)
        refused = await one.call("edit", file_path="bysave.md", old_string="alpha", new_string="beta")
        assert refused["code"] == "FS_STALE_VERSION", refused
        assert refused["data"]["moved_by"] == "user-saved"
        done = await one.call("edit", file_path="bysave.md", old_string="alpha", new_string="beta")
    assert done["ok"] is True, done
    assert bench.place.text("bysave.md") == "mine beta\n"


async def test_untitled_document_is_read_and_edited(bench: Workbench) -> None:
    uri = await bench.host("untitled", text="draft\n")
    async with agent(bench.place) as one:
        seen = await one.call("read", file_path=uri)
        assert seen["ok"] is True, seen
        assert "draft" in seen["text"]
        done = await one.call("edit", file_path=uri, old_string="draft", new_string="better draft")
    assert done["ok"] is True, done
    assert done["changed_files"][0]["saved"] is False
    assert await bench.text(uri) == "better draft\n"


async def test_several_files_are_one_step(bench: Workbench) -> None:
    for name in ("m1.md", "m2.md"):
        bench.place.write(name, "same\n")
    closed = bench.place.write("m3.md", "same\n")
    await bench.open("m1.md")
    await bench.open("m2.md")
    patch = "*** Begin Patch\n"
    for name in ("m1.md", "m2.md", "m3.md"):
        patch += f"*** Update File: {name}\n@@\n-same\n+{name}\n"
    async with agent(bench.place) as one:
        for name in ("m1.md", "m2.md", "m3.md"):
            await one.call("read", file_path=name)
        done = await one.call("apply_patch", patch=patch + "*** End Patch\n")
    assert done["ok"] is True, done
    assert [row["saved"] for row in done["changed_files"]] == [True, True, True]
    assert closed.read_text() == "m3.md\n"
    for name in ("m1.md", "m2.md"):
        assert bench.place.text(name) == f"{name}\n"
    await bench.press("Control+Z")
    await bench.until("m1.md", text="same\n")
    await bench.until("m2.md", text="same\n")


async def test_format_on_save_is_part_of_the_edit(bench: Workbench) -> None:
    path = bench.place.write("formatted.json", '{\n  "a": 1\n}\n')
    await bench.host("setting", name="editor.formatOnSave", value=True)
    try:
        await bench.open("formatted.json")
        async with agent(bench.place) as one:
            await one.call("read", file_path="formatted.json")
            done = await one.call(
                "edit", file_path="formatted.json", old_string='"a": 1', new_string='"a":    [1,2]'
            )
            assert done["ok"] is True, done
            assert done["changed_files"][0]["saved"] is True
            text = await bench.text("formatted.json")
            assert path.read_text() == text
            assert '"a":    [' not in text
            assert "formatted" in done, done
            again = await one.call("edit", file_path="formatted.json", old_string='"a"', new_string='"b"')
            assert again["ok"] is True, again
    finally:
        await bench.host("setting", name="editor.formatOnSave", value=False)


async def test_a_name_with_the_colon_of_a_drive_is_that_file(bench: Workbench) -> None:
    """VS Code escapes the colon in its addresses; agents do not."""
    path = bench.place.write("d:/p/i #1.html", "one\ntwo\n")
    name = "file://" + str(bench.place.folder) + "/d%3A/p/i%20%231.html"
    await bench.open(name)
    await bench.type("typed ")
    await bench.until(name, text="typed one\ntwo\n", dirty=True)
    async with agent(bench.place) as one:
        for spelled in ("d:/p/i #1.html", path.as_uri(), str(path)):
            await server_sees(one, spelled, "typed one", unsaved=True)
        await one.call("read", file_path=str(path))
        done = await one.call("edit", file_path=path.as_uri(), old_string="two", new_string="2")
        assert done["changed_files"][0]["saved"] is False
    await bench.until(name, text="typed one\n2\n", dirty=True)
    assert path.read_text() == "one\ntwo\n"


async def test_a_document_without_a_tab_is_edited_in_the_editor(bench: Workbench) -> None:
    path = bench.place.write("behind.md", "one\n")
    await bench.host("openBehind", path=str(path))
    async with agent(bench.place) as one:
        await server_sees(one, "behind.md", "one", authority="editor")
        await one.call("read", file_path="behind.md")
        done = await one.call("edit", file_path="behind.md", old_string="one", new_string="two")
        assert (done["changed_files"][0]["authority"], done["changed_files"][0]["saved"]) == ("editor", True)
    await bench.until("behind.md", text="two\n", dirty=False)
    assert path.read_text() == "two\n"
