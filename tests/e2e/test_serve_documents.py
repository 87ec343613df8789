"""What editors have open beside plain files, and under which names: it counts, or is left alone, and is never lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Place, agent, until
from tests.e2e.editors import serving
from tests.fakes.editor import ScriptedEditor, uri_of

BEFORE, AFTER = "one\ntwo\nthree\n", "one\n2\nthree\n"


def change(name: str) -> dict[str, Any]:
    return {"file_path": name, "old_string": "two", "new_string": "2"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, {"side_effects": {"diagnostics": False}})


async def test_each_way_to_spell_an_open_file_is_that_file(place: Place) -> None:
    """Escaped characters, a colon as of a drive, a linked folder: the editor's own spelling is used for its edits."""
    editor = ScriptedEditor()
    odd = place.write("d:/p/i ü#1.html", BEFORE)
    linked = place.write("real/l.txt", BEFORE)
    (place.folder / "link").symlink_to("real")
    uris = {
        odd: "file://" + str(place.folder) + "/d%3A/p/i%20%C3%BC%231.html",
        linked: uri_of(place.folder / "link" / "l.txt"),
    }
    documents = {path: editor.open(path, uri=uri) for path, uri in uris.items()}
    names = {odd: ("d:/p/i ü#1.html", odd.as_uri(), str(odd)), linked: ("real/l.txt", "link/l.txt")}
    async with serving(place, editor), agent(place) as one:
        for path, document in documents.items():
            editor.type(document, 0, "typed ")
            for name in names[path]:
                seen = await until(one, lambda seen: seen["unsaved"], name)
                assert seen["text"].startswith("1\ttyped one")
            await one.call("read", file_path=names[path][0])
            assert (await one.call("edit", **change(names[path][-1])))["ok"]
            assert document.text == "typed " + AFTER
            edited = [params for method, params in editor.asked if method == "workspace/applyEdit"][-1]
            assert edited["edit"]["documentChanges"][0]["textDocument"]["uri"] == uris[path]
            assert path.read_text() == BEFORE


async def test_a_workspace_that_was_opened_by_a_link_is_the_folder_behind_it(place: Place) -> None:
    link = place.base / "linked"
    link.symlink_to(place.folder)
    path = place.write("a.txt", BEFORE)
    editor = ScriptedEditor()
    document = editor.open(path, uri=uri_of(link / "a.txt"))
    async with serving(place, editor, roots=(link,)), agent(place) as one, agent(place, cwd=link) as two:
        editor.type(document, 0, "typed ")
        for each in (one, two):
            assert "typed" in (await until(each, lambda seen: seen["unsaved"]))["text"]


async def test_what_is_no_file_is_named_or_left_alone(place: Place) -> None:
    """Untitled documents can be edited; other schemes cannot even be named; neither becomes a file."""
    editor = ScriptedEditor()
    draft = editor.open_untitled("Untitled-1", "draft\n")
    strange = [
        editor.open(place.folder / name, uri=uri, text=BEFORE)
        for name, uri in (
            ("v", "vscode-vfs://github/o/r/v"),
            ("o", "output:extension-output-1"),
            ("g", "git:/w/a.txt?%7B%22ref%22%3A%22HEAD%22%7D"),
            ("n", f"vscode-notebook-cell:{place.folder}/n.ipynb#W0sZmlsZQ%3D%3D"),
            ("h", "file://elsewhere/w/a.txt"),
        )
    ]
    before = sorted(path.name for path in place.folder.iterdir())
    async with serving(place, editor), agent(place) as one:
        for document in strange:
            editor.type(document, 0, "x")
        status = await one.call("status")
        assert status["open_documents"] == ["untitled:Untitled-1"]
        await one.call("read", file_path="untitled:Untitled-1")
        done = await one.call("edit", file_path="untitled:Untitled-1", old_string="draft", new_string="final")
        assert (done["changed_files"][0]["saved"], draft.text) == (False, "final\n")
        for uri in ("untitled:Untitled-7", "vscode-vfs://github/o/r/v", "output:extension-output-1"):
            refused = await one.call("read", file_path=uri)
            assert refused["code"] in ("FS_NOT_FOUND", "INVALID_ARGUMENT"), (uri, refused)
        assert all(document.text == "x" + BEFORE for document in strange)
    assert sorted(path.name for path in place.folder.iterdir()) == before


async def test_a_document_whose_file_nobody_here_can_see_is_held_to_its_buffer(place: Place) -> None:
    """As in a container: the path names nothing on this disk, and that never stands for "unchanged"."""
    editor = ScriptedEditor()
    elsewhere = place.folder / "workspaces" / "x" / "a.py"
    document = editor.open(elsewhere, text=BEFORE)
    async with serving(place, editor), agent(place) as one, agent(place) as two:
        name = "workspaces/x/a.py"
        for each in (one, two):
            seen = await each.call("read", file_path=name)
            assert (seen["authority"], seen["text"]) == ("editor", "1\tone\n2\ttwo\n3\tthree")
        assert (await two.call("edit", file_path=name, old_string="three", new_string="3"))["ok"]
        refused = await one.call("edit", **change(name))
        assert refused["code"] in ("FS_STALE_VERSION", "FS_UNSAVED_CHANGES"), refused
        editor.type(document, 0, "typed ")
        await until(one, lambda seen: "typed" in seen["text"], name)
        refused = await one.call("edit", **change(name))
        assert refused["code"] in ("FS_STALE_VERSION", "FS_UNSAVED_CHANGES"), refused
        assert document.text == "typed one\ntwo\n3\n"
        assert (await one.call("edit", **change(name)))["ok"]
        assert document.text == "typed one\n2\n3\n"
        assert list(place.folder.iterdir()) == []


async def test_restored_text_counts_from_the_moment_that_it_is_told(place: Place) -> None:
    """Hot exit brings unsaved text back when the editor starts, or only when its tab is shown."""
    at_once, later = place.write("a.txt", BEFORE), place.write("b.txt", BEFORE)
    editor = ScriptedEditor()
    here = editor.open(at_once, text="restored " + BEFORE)
    async with serving(place, editor), agent(place) as one:
        seen = await one.call("read", file_path="a.txt")
        assert (seen["unsaved"], seen["text"].startswith("1\trestored one")) == (True, True)
        assert (await one.call("read", file_path="b.txt"))["authority"] == "disk"
        assert (await one.call("edit", **change("b.txt")))["ok"]
        there = editor.open(later, text="restored " + BEFORE)
        await until(one, lambda seen: seen["authority"] == "editor", "b.txt")
        refused = await one.call("edit", file_path="b.txt", old_string="three", new_string="3")
        assert refused["code"] in ("FS_UNSAVED_CHANGES", "FS_STALE_VERSION"), refused
        assert (here.text, there.text) == ("restored " + BEFORE, "restored " + BEFORE)
        assert (place.text("a.txt"), place.text("b.txt")) == (BEFORE, AFTER)


async def test_read_only_documents_are_not_edited_and_background_ones_are(place: Place) -> None:
    editor = ScriptedEditor()
    locked = editor.open(place.write("locked.txt", BEFORE))
    hidden = editor.open(place.write("hidden.txt", BEFORE))  # as an extension opens it, without a tab
    async with serving(place, editor) as process, agent(place) as one:
        state = {"uri": locked.uri, "version": locked.version, "dirty": False, "readonly": True}
        process.notify("coeditor/documentState", state)
        for name in ("locked.txt", "hidden.txt"):
            await one.call("read", file_path=name)
        refused = await one.call("edit", **change("locked.txt"))
        assert (refused["code"], refused["data"]["reason"]) == ("FS_EDITOR_REFUSED", "readonly")
        assert (await one.call("edit", **change("hidden.txt")))["ok"]
        assert (locked.text, hidden.text, place.text("hidden.txt")) == (BEFORE, AFTER, AFTER)


async def test_a_deleted_open_file_stays_deleted_and_a_moved_one_is_where_it_went(place: Place) -> None:
    editor = ScriptedEditor()
    old, moved = editor.open(place.write("old.rs", BEFORE)), editor.open(place.write("moved.rs", BEFORE))
    dirty = editor.open(place.write("dirty.rs", BEFORE))
    patch = "*** Begin Patch\n*** Delete File: old.rs\n*** Move File: moved.rs -> there.rs\n*** End Patch\n"
    async with serving(place, editor), agent(place) as one:
        for name in ("old.rs", "moved.rs", "dirty.rs"):
            await one.call("read", file_path=name)
        done = await one.call("apply_patch", patch=patch)
        assert [row["operation"] for row in done["changed_files"]] == ["delete", "move"]
        assert (old.dirty, moved.dirty) == (False, False)
        assert not (place.folder / "old.rs").exists()
        assert (place.text("there.rs"), (place.folder / "moved.rs").exists()) == (BEFORE, False)
        editor.type(dirty, 0, "typed ")
        await until(one, lambda seen: seen["unsaved"], "dirty.rs")
        await one.call("read", file_path="dirty.rs", refresh=True)
        refused = await one.call(
            "apply_patch", patch="*** Begin Patch\n*** Delete File: dirty.rs\n*** End Patch\n"
        )
        assert refused["code"] == "FS_UNSAVED_CHANGES"
        assert (dirty.text, place.text("dirty.rs")) == ("typed " + BEFORE, BEFORE)


async def test_workspace_folders_come_and_go_while_agents_are_connected(place: Place) -> None:
    more = place.base / "more"
    more.mkdir()
    (more / "only.txt").write_text(BEFORE)
    (more / "both.txt").write_text(BEFORE)
    place.write("both.txt", BEFORE)
    editor = ScriptedEditor()
    document = editor.open(more / "only.txt")
    async with serving(place, editor) as process, agent(place) as one:
        refused = await one.call("read", file_path=str(more / "only.txt"))
        assert (refused["code"], refused["data"]["rule"]) == ("FS_DENIED", "workspace")
        folder = {"uri": uri_of(more), "name": "more"}
        event = {"event": {"added": [folder], "removed": []}}
        process.notify("workspace/didChangeWorkspaceFolders", event)
        seen = await until(one, lambda seen: "text" in seen, str(more / "only.txt"))
        assert seen["authority"] == "editor"
        assert (await one.call("status"))["workspace_folders"] == [str(place.folder), str(more)]
        await one.call("read", file_path=str(more / "only.txt"))
        assert (await one.call("edit", **change(str(more / "only.txt"))))["ok"]
        assert document.text == AFTER
        process.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
        await until(one, lambda seen: seen.get("code") == "FS_DENIED", str(more / "only.txt"))
