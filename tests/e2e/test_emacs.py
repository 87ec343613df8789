"""Emacs with eglot and the README's recipe, the server and agents, all real."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.e2e.agents import Place, agent, until
from tests.e2e.emacs.person import CLIENT, EMACS, person

pytestmark = [
    pytest.mark.skipif(EMACS is None or CLIENT is None, reason="Emacs is not installed (emacs-nox)"),
    pytest.mark.timeout(300),
]

BEFORE, AFTER = "one\ntwo\nthree\n", "one\n2\nthree\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    found = Place(tmp_path, {"side_effects": {"diagnostics": False}})
    subprocess.run(["git", "init", "-q"], cwd=found.folder, check=True)
    return found


async def test_typing_counts_and_edits_are_one_undo_step_in_the_buffer(place: Place) -> None:
    place.write("a.txt", BEFORE)
    place.write("closed.txt", BEFORE)
    async with person(place) as editor, agent(place) as one:
        await editor.open("a.txt")
        await until(one, lambda seen: seen["authority"] == "editor")
        seen = await one.call("read", file_path="a.txt")
        assert (seen["authority"], seen["unsaved"]) == ("editor", False)
        await editor.type("a.txt", "typed 😀 ")
        await until(one, lambda seen: seen["unsaved"])
        refused = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert refused["code"] == "FS_UNSAVED_CHANGES", refused
        assert "+typed 😀 one" in refused["data"]["diff"]
        done = await one.call("edit", file_path="a.txt", old_string="two", new_string="2")
        assert done["ok"], done
        assert done["changed_files"][0]["saved"] is False
        assert await editor.text("a.txt") == "typed 😀 " + AFTER
        assert place.text("a.txt") == BEFORE
        await editor.undo("a.txt")
        assert await editor.text("a.txt") == "typed 😀 " + BEFORE

        await editor.save("a.txt")
        seen = await one.call("read", file_path="a.txt", refresh=True)
        assert seen["unsaved"] is False
        done = await one.call("edit", file_path="a.txt", old_string="three", new_string="3")
        assert done["changed_files"][0]["saved"] is False
        assert any("not saved" in warning for warning in done["warnings"])
        assert await editor.is_modified("a.txt")
        await editor.save("a.txt")
        assert place.text("a.txt") == "typed 😀 one\ntwo\n3\n"

        await one.call("read", file_path="closed.txt")
        done = await one.call("edit", file_path="closed.txt", old_string="two", new_string="2")
        assert (done["changed_files"][0]["authority"], done["changed_files"][0]["saved"]) == ("disk", True)
        assert place.text("closed.txt") == AFTER


async def test_an_open_file_is_deleted_and_moved_on_disk_and_its_buffer_stays(place: Place) -> None:
    for name in ("gone.txt", "old.txt"):
        place.write(name, BEFORE)
    async with person(place) as editor, agent(place) as one:
        for name in ("gone.txt", "old.txt"):
            await editor.open(name)
            await until(one, lambda seen: seen["authority"] == "editor", name)
            await one.call("read", file_path=name)
        patch = "*** Delete File: gone.txt\n*** Move File: old.txt -> new.txt"
        done = await one.call("apply_patch", patch=f"*** Begin Patch\n{patch}\n*** End Patch\n")
        assert done["ok"], done
        assert sorted(path.name for path in place.folder.glob("*.txt")) == ["new.txt"]
        assert place.text("new.txt") == BEFORE
        for name in ("gone.txt", "old.txt"):
            assert await editor.text(name) == BEFORE
            assert not await editor.is_modified(name)


async def test_the_person_is_asked_in_the_minibuffer(place: Place) -> None:
    place.write("a.txt", BEFORE)
    async with person(place) as editor, agent(place) as one:
        await editor.open("a.txt")
        await editor.type("a.txt", "typed ")
        await until(one, lambda seen: seen["unsaved"])
        await one.call("read", file_path="a.txt")
        await editor.answers("Overwrite Anyway")
        done = await one.call("write", file_path="a.txt", content="whole\n")
        assert "a.txt, which has changes that you have not saved" in await editor.asked()
        assert done["ok"], done
        assert (await editor.text("a.txt"), place.text("a.txt")) == ("whole\n", BEFORE)
        await editor.undo("a.txt")
        assert await editor.text("a.txt") == "typed " + BEFORE

        await until(one, lambda seen: seen["text"].startswith("1\ttyped"))
        await one.call("read", file_path="a.txt")
        await editor.answers("Keep My Changes")
        refused = await one.call("write", file_path="a.txt", content="whole\n")
        assert (refused["code"], refused["data"]["answer"]) == ("FS_DENIED", "no"), refused
        assert (await editor.text("a.txt"), place.text("a.txt")) == ("typed " + BEFORE, BEFORE)

        # Settled otherwise, it stays where it is asked, and what is answered then changes nothing.
        await editor.type("a.txt", "more ")
        await until(one, lambda seen: seen["text"].startswith("1\tmore"))
        await one.call("read", file_path="a.txt")
        await editor.answers("Overwrite Anyway", undoes="a.txt")
        refused = await one.call("write", file_path="a.txt", content="whole\n")
        assert refused["code"] in ("FS_STALE_VERSION", "FS_UNSAVED_CHANGES"), refused
        assert (await editor.text("a.txt"), place.text("a.txt")) == ("typed " + BEFORE, BEFORE)
