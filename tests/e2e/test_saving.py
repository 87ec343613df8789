"""What is saved, what is not, and what a formatter or an editor that saves by itself makes of an agent's edit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Place, agent, until
from tests.e2e.editors import serving
from tests.fakes.editor import Document, Manners, ScriptedEditor

DECK = "# A\n# C\n"
ADD: dict[str, Any] = {"file_path": "deck.md", "old_string": "# C", "new_string": "# B\n# C"}


def place_with(tmp_path: Path, **settings: Any) -> Place:
    return Place(tmp_path, {"side_effects": {"diagnostics": False}, **settings})


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return place_with(tmp_path)


async def test_unsaved_text_is_edited_where_it_is_and_the_disk_is_left(place: Place) -> None:
    editor = ScriptedEditor()
    document = editor.open(place.write("kiln.md", "cone 6\n"))
    editor.type(document, 7, "glaze: blue\n")
    version = document.version
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="kiln.md")
        done = await one.call("edit", file_path="kiln.md", old_string="cone 6", new_string="cone 9")
        row = done["changed_files"][0]
        assert (row["saved"], row["authority"]) == (False, "editor")
        assert any("not saved" in note for note in done["warnings"])
        assert (document.text, document.version) == ("cone 9\nglaze: blue\n", version + 1)
        assert place.text("kiln.md") == "cone 6\n"
        seen = await one.call("read", file_path="kiln.md", refresh=True)
        assert (seen["text"], seen["unsaved"]) == ("1\tcone 9\n2\tglaze: blue", True)


@pytest.mark.parametrize(
    ("save", "typed", "saved"),
    [
        ("when-clean", False, True),
        ("when-clean", True, False),
        ("never", False, False),
        ("never", True, False),
        ("always", False, True),
        ("always", True, True),
    ],
)
async def test_the_policy_says_what_is_saved(tmp_path: Path, save: str, typed: bool, saved: bool) -> None:
    place = place_with(tmp_path, save=save)
    editor = ScriptedEditor()
    document = editor.open(place.write("deck.md", DECK))
    if typed:
        editor.type(document, 3, "!")
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="deck.md")
        done = await one.call("edit", **ADD)
        assert done["changed_files"][0]["saved"] is saved
        assert document.dirty is not saved
        assert (place.text("deck.md") == document.text) is saved
        assert document.text == ("# A!" if typed else "# A") + "\n# B\n# C\n"


async def test_what_is_saved_is_the_edited_document_alone(place: Place) -> None:
    editor = ScriptedEditor()
    editor.open(place.write("deck.md", DECK))
    other = editor.open(place.write("other.md", "old\n"))
    editor.type(other, 0, "draft ")
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="deck.md")
        assert (await one.call("edit", **ADD))["changed_files"][0]["saved"] is True
        assert (other.dirty, place.text("other.md")) == (True, "old\n")
        editor.manners.refuse = "not now"
        refused = await one.call("edit", file_path="deck.md", old_string="# A", new_string="# Z")
        assert refused["code"] == "FS_EDITOR_REFUSED"
        assert (other.dirty, place.text("other.md")) == (True, "old\n")
        assert place.text("deck.md") == "# A\n# B\n# C\n"
    assert [method for method, _ in editor.asked].count("coeditor/save") == 0


When = Callable[[ScriptedEditor, Document], None]


def _right_after_the_edit(editor: ScriptedEditor, document: Document) -> None:
    editor.manners.after_apply = lambda: editor.save(document)


def _while_it_is_saved(editor: ScriptedEditor, document: Document) -> None:
    editor.manners.before_save = lambda: editor.save(document)


def _typed_and_saved_right_after(editor: ScriptedEditor, document: Document) -> None:
    def act() -> None:
        editor.type(document, 3, "!")
        editor.save(document)

    editor.manners.after_apply = act


@pytest.mark.parametrize(
    ("when", "text"),
    [
        pytest.param(_right_after_the_edit, "# A\n# B\n# C\n", id="right after the edit"),
        pytest.param(_while_it_is_saved, "# A\n# B\n# C\n", id="while it is saved"),
        pytest.param(_typed_and_saved_right_after, "# A!\n# B\n# C\n", id="with a key in between"),
    ],
)
@pytest.mark.parametrize("extras", [True, False], ids=["ours", "plain"])
async def test_an_editor_that_saves_by_itself_loses_nothing(
    place: Place, when: When, text: str, *, extras: bool
) -> None:
    editor = ScriptedEditor(extras=extras)
    document = editor.open(place.write("deck.md", DECK))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="deck.md")
        when(editor, document)
        done = await one.call("edit", **ADD)
        assert done["ok"], done
        if not extras and when is _while_it_is_saved:
            editor.save(document)  # nobody asked this editor to save, so its own time comes later
        assert (document.text, place.text("deck.md"), document.dirty) == (text, text, False)
        seen = await one.call("read", file_path="deck.md", refresh=True)
        assert seen["unsaved"] is False
        editor.type(document, 0, ">")
        editor.save(document)
        assert place.text("deck.md") == ">" + text


async def test_what_the_person_took_back_by_hand_does_not_come_back(place: Place) -> None:
    editor = ScriptedEditor()
    document = editor.open(place.write("hue.txt", "red\ngreen\nblue\n"))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="hue.txt")
        assert (await one.call("edit", file_path="hue.txt", old_string="green", new_string="grey"))["ok"]
        editor.type(document, 4, "green", delete=4)
        editor.save(document)
        await one.call("read", file_path="hue.txt")
        assert (await one.call("edit", file_path="hue.txt", old_string="blue", new_string="black"))["ok"]
        assert document.text == place.text("hue.txt") == "red\ngreen\nblack\n"


async def test_a_formatter_that_rewrites_the_whole_file_is_told_apart_and_taken_back_too(
    place: Place,
) -> None:
    legacy = "x = 0\n" + "".join(f"a{n}=  {n}\n" for n in range(30))
    formatted = legacy.replace("=  ", " = ")
    editor = ScriptedEditor(manners=Manners(formatter=lambda text: text.replace("=  ", " = ")))
    document = editor.open(place.write("legacy.py", legacy))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="legacy.py")
        done = await one.call("edit", file_path="legacy.py", old_string="x = 0", new_string="x = 1")
        assert done["changed_files"][0] | {"version": None} == {
            "file_path": str(place.folder / "legacy.py"),
            "operation": "update",
            "version": None,
            "authority": "editor",
            "saved": True,
            "added": 1,
            "removed": 1,
        }
        assert done["diff"].count("\n+") == 2, "its header, and the agent's one line"
        assert done["formatted"].count("\n+a") == 30
        assert "@@ -1,31 +1,31 @@" in done["formatted"]
        assert document.text == formatted.replace("x = 0", "x = 1")
        more = await one.call("edit", file_path="legacy.py", old_string="a7 = 7", new_string="a7 = 8")
        assert more["ok"], more
        back = await one.call("rewind", to=done["edit_id"])
        assert back["ok"], back
        assert document.text.startswith("x = 0\n")


async def test_the_formatters_lines_are_what_the_next_edit_is_about(place: Place) -> None:
    def comma(text: str) -> str:
        return text.replace("  3\n", "  3,\n").replace("  2\n", "  2,\n")

    editor = ScriptedEditor(manners=Manners(formatter=comma))
    document = editor.open(place.write("m.ts", "const a = [\n  1,\n  2\n]\n"))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="m.ts")
        first = await one.call("edit", file_path="m.ts", old_string="  2", new_string="  3")
        assert "+  3,\n" in first["formatted"]
        second = await one.call("edit", file_path="m.ts", old_string="  3,", new_string="  4,")
        assert second["ok"], second
        assert document.text == place.text("m.ts") == "const a = [\n  1,\n  4,\n]\n"
        assert len((await one.call("history"))["edits"]) == 2


async def test_the_editors_encoding_is_the_files(place: Place) -> None:
    editor = ScriptedEditor()
    words = {"cp1252": "ação", "shift_jis": "日本", "koi8_r": "где"}
    async with serving(place, editor), agent(place) as one:
        for encoding, word in words.items():
            path = place.folder / f"{encoding}.prg"
            path.write_bytes(f'? "{word}"\r\n'.encode(encoding))
            document = editor.open(path, encoding=encoding)
            seen = await until(one, lambda seen: seen["authority"] == "editor", path.name)
            assert seen["text"] == f'1\t? "{word}"'
            await one.call("read", file_path=path.name)
            for old, new in (("? ", "?? "), ("?? ", f'? "{word}", ')):
                done = await one.call("edit", file_path=path.name, old_string=old, new_string=new)
                assert done["ok"], done
                assert done["changed_files"][0]["saved"] is True
                assert path.read_bytes() == document.text.encode(encoding)
            assert path.read_bytes() == f'? "{word}", "{word}"\r\n'.encode(encoding)
            refused = await one.call("edit", file_path=path.name, old_string="? ", new_string="\U0001f600 ")
            assert refused["code"] == "FS_ENCODING"
            assert path.read_bytes() == document.text.encode(encoding)


async def test_each_edit_is_one_undo_step_and_the_persons_steps_stay(place: Place) -> None:
    editor = ScriptedEditor()
    document = editor.open(place.write("deck.md", DECK))
    async with serving(place, editor), agent(place) as one:
        editor.type(document, 3, "!")
        editor.save(document)
        await one.call("read", file_path="deck.md")
        patch = "*** Begin Patch\n*** Update File: deck.md\n@@\n-# A!\n+# One\n@@\n-# C\n+# Three\n*** End Patch\n"
        assert (await one.call("apply_patch", patch=patch))["ok"]
        assert document.text == "# One\n# Three\n"
        editor.undo(document)
        assert document.text == "# A!\n# C\n"
        editor.undo(document)
        assert document.text == DECK


async def test_an_editor_that_cannot_take_versions_is_held_to_the_text(place: Place) -> None:
    editor = ScriptedEditor(extras=False, manners=Manners(versions=False))
    document = editor.open(place.write("deck.md", DECK))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="deck.md")
        editor.manners.before_apply = lambda: editor.type(document, 0, "typed\n")
        found = await one.call("edit", **ADD)
        # The editor laid the edit over a text that nobody had checked: that is never called a success.
        assert found.get("code") in ("FS_UNCONFIRMED", "FS_UNSAVED_CHANGES", "FS_STALE_VERSION"), found
        assert document.text.startswith("typed\n")
        seen = await one.call("read", file_path="deck.md", refresh=True)
        assert "typed" in seen["text"]
        assert (await one.call("edit", file_path="deck.md", old_string="typed\n", new_string=""))["ok"]
    sent = [params["edit"] for method, params in editor.asked if method == "workspace/applyEdit"]
    assert all(set(edit) == {"changes"} for edit in sent)
