"""VS Code saves by itself, formats, undoes: the person's text and the agent's edit both survive it."""

from __future__ import annotations

import os
import signal

import pytest

from tests.e2e.agents import agent, killed
from tests.e2e.vscode.workbench import Workbench, server_sees

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]


@pytest.mark.parametrize("when", ["afterDelay", "onFocusChange"])
async def test_auto_save_keeps_the_edit_and_the_key_after_it(bench: Workbench, when: str) -> None:
    path = bench.place.write("deck.md", "# A\n# C\n")
    bench.place.write("elsewhere.md", "\n")
    await bench.host("setting", name="files.autoSaveDelay", value=100)
    await bench.host("setting", name="files.autoSave", value=when)
    try:
        await bench.open("deck.md")
        async with agent(bench.place) as one:
            await one.call("read", file_path="deck.md")
            done = await one.call("edit", file_path="deck.md", old_string="# C", new_string="# B\n# C")
            assert done["ok"] is True, done
            await bench.press("End")
            await bench.type("!")
            await bench.until("deck.md", text="# A!\n# B\n# C\n")
            if when == "onFocusChange":
                await bench.open("elsewhere.md")
            await bench.until("deck.md", text="# A!\n# B\n# C\n", dirty=False)
            assert path.read_text() == "# A!\n# B\n# C\n"
            await server_sees(one, "deck.md", "# A!", unsaved=False)
            again = await one.call("edit", file_path="deck.md", old_string="# B", new_string="# b")
            assert again["code"] == "FS_STALE_VERSION", again
            assert again["data"]["conflict"]["kind"] == "saved"
            again = await one.call("edit", file_path="deck.md", old_string="# B", new_string="# b")
            assert again["ok"] is True, again
            await bench.until("deck.md", text="# A!\n# b\n# C\n", dirty=False)
    finally:
        await bench.host("setting", name="files.autoSave", value="off")


async def test_another_unsaved_document_stays_unsaved(bench: Workbench) -> None:
    bench.place.write("edited.md", "one\n")
    other = bench.place.write("draft.md", "old\n")
    await bench.open("edited.md")
    await bench.open("draft.md")
    await bench.type("draft ")
    await bench.until("draft.md", text="draft old\n", dirty=True)
    async with agent(bench.place) as one:
        await one.call("read", file_path="edited.md")
        done = await one.call("edit", file_path="edited.md", old_string="one", new_string="two")
        assert done["changed_files"][0]["saved"] is True
    assert (await bench.state("draft.md"))["dirty"]
    assert other.read_text() == "old\n"


async def test_what_was_undone_does_not_come_back(bench: Workbench) -> None:
    path = bench.place.write("hue.md", "red\ngreen\nblue\n")
    await bench.open("hue.md")
    async with agent(bench.place) as one:
        await one.call("read", file_path="hue.md")
        assert (await one.call("edit", file_path="hue.md", old_string="green", new_string="grey"))["ok"]
        await bench.press("Control+Z")
        await bench.until("hue.md", text="red\ngreen\nblue\n", dirty=True)
        await bench.press("Control+S")
        await bench.until("hue.md", dirty=False)
        await server_sees(one, "hue.md", "green", unsaved=False)
        await one.call("read", file_path="hue.md")
        assert (await one.call("edit", file_path="hue.md", old_string="blue", new_string="black"))["ok"]
    await bench.until("hue.md", text="red\ngreen\nblack\n", dirty=False)
    assert path.read_text() == "red\ngreen\nblack\n"


async def test_the_encoding_of_a_setting_is_the_files(bench: Workbench) -> None:
    path = bench.place.folder / "c.prg"
    path.write_bytes('? "ação"\r\n'.encode("cp1252"))
    await bench.host("setting", name="files.encoding", value="windows1252")
    try:
        await bench.open("c.prg")
        assert await bench.text("c.prg") == '? "ação"\r\n'
        async with agent(bench.place) as one:
            await one.call("read", file_path="c.prg")
            for old, new in (("? ", "?? "), ("?? ", "??? ")):
                done = await one.call("edit", file_path="c.prg", old_string=old, new_string=new)
                assert done["ok"] is True, done
                assert done["changed_files"][0]["saved"] is True
        assert path.read_bytes() == '??? "ação"\r\n'.encode("cp1252")
    finally:
        await bench.host("setting", name="files.encoding", value="utf8")


async def test_a_rewind_keeps_what_the_person_added_also_after_a_restart(bench: Workbench) -> None:
    path = bench.place.write("work.md", "a\nb\nc\n")
    await bench.open("work.md")
    async with agent(bench.place) as one:
        await one.call("read", file_path="work.md")
        done = await one.call("edit", file_path="work.md", old_string="b", new_string="B")
        await bench.press("Control+End")
        await bench.type("d\n")
        await bench.press("Control+S")
        await bench.until("work.md", text="a\nB\nc\nd\n", dirty=False)
        old = await bench.server_pid()
        os.kill(old, signal.SIGKILL)
        await bench.server_pid(other_than=old)
        await server_sees(one, "work.md", "d", unsaved=False)
        back = await one.call("rewind", to=done["edit_id"])
        assert back["ok"] is True, back
    await bench.until("work.md", text="a\nb\nc\nd\n", dirty=False)
    assert path.read_text() == "a\nb\nc\nd\n"


async def test_what_was_kept_stays_when_session_and_server_end(bench: Workbench) -> None:
    path = bench.place.write("kept.md", "a\nb\n")
    await bench.open("kept.md")
    async with agent(bench.place) as one:
        await one.call("read", file_path="kept.md")
        assert (await one.call("edit", file_path="kept.md", old_string="b", new_string="B"))["ok"] is True
        await bench.command("coeditor.refreshReview")
        await bench.command("coeditor.keepAll")
        await one.call("context_event", event="sessionEnded")
    await killed(await bench.server_pid())
    async with agent(bench.place) as other:
        await server_sees(other, "kept.md", "B", unsaved=False, authority="editor")
    await bench.until("kept.md", text="a\nB\n", dirty=False)
    assert path.read_text() == "a\nB\n"
