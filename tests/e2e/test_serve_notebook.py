"""Notebooks that an editor has open: agents read and change the cells that the person sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Place, agent
from tests.e2e.editors import serving
from tests.fakes.editor import Manners
from tests.fakes.notebooks import NotebookEditor

pytestmark = pytest.mark.timeout(300)

OUTPUT = {"name": "stdout", "output_type": "stream", "text": ["1\n"]}


def notebook_text(**more: Any) -> str:
    cells = [
        {"cell_type": "markdown", "id": "intro", "metadata": {}, "source": ["# Title\n", "text"]},
        {
            "cell_type": "code",
            "execution_count": 1,
            "id": "first",
            "metadata": {"tags": ["é"]},
            "outputs": [OUTPUT],
            "source": ["x = 1\n", "print(x)"],
        },
        {
            "cell_type": "code",
            "execution_count": None,
            "id": "last",
            "metadata": {},
            "outputs": [],
            "source": [],
        },
    ]
    found = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(found | more, indent=2) + "\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, {"side_effects": {"diagnostics": False}})


def sources(path: Path) -> dict[str, str]:
    return {cell["id"]: "".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]}


def cell_of(path: Path, cell_id: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in json.loads(path.read_text())["cells"] if one["id"] == cell_id)
    return found


@pytest.mark.parametrize("order", ["answer-first", "change-first"])
async def test_a_cell_is_changed_in_the_editor_and_saved(place: Place, order: Any) -> None:
    path = place.write("a.ipynb", notebook_text())
    editor = NotebookEditor(manners=Manners(order=order))
    book = editor.open_notebook(path)
    async with serving(place, editor), agent(place) as one:
        seen = await one.call("read", file_path="a.ipynb")
        assert (seen["authority"], seen["unsaved"]) == ("editor", False)
        assert '"x = 1\\n"' in seen["text"]
        done = await one.call(
            "edit_notebook", file_path="a.ipynb", cell_id="first", new_source="x = 2\nprint(x)"
        )
        assert done["ok"] is True, done
        row = done["changed_files"][0]
        assert (row["saved"], row["authority"]) == (True, "editor")
        assert '+        "x = 2\\n"' in done["diff"]
        assert any("outputs" in warning for warning in done["warnings"])
        assert book.sources()[1] == "x = 2\nprint(x)"
        assert not book.dirty
        assert book.cells[1].outputs == []
        assert sources(path)["first"] == "x = 2\nprint(x)"
        # What the editor wrote in its own way is what the agent's next edit is held against.
        again = await one.call("edit_notebook", file_path="a.ipynb", cell_id="intro", new_source="# Other")
        assert again["ok"] is True, again
        assert (await one.call("read", file_path="a.ipynb"))["version"] == again["changed_files"][0][
            "version"
        ]
        assert sources(path)["intro"] == book.sources()[0] == "# Other"


async def test_opening_a_notebook_changes_no_version(place: Place) -> None:
    path = place.write("a.ipynb", notebook_text())
    editor = NotebookEditor()
    async with serving(place, editor), agent(place) as one:
        before = await one.call("read", file_path="a.ipynb")
        book = editor.open_notebook(path, ids=False)
        after = await one.call("read", file_path="a.ipynb", refresh=True)
        assert (before["authority"], after["authority"]) == ("disk", "editor")
        assert (after["version"], after["text"]) == (before["version"], before["text"])
        editor.close_notebook(book)
        assert (await one.call("read", file_path="a.ipynb", refresh=True))["authority"] == "disk"


async def test_unsaved_typing_in_a_cell_is_a_conflict_until_it_is_read(place: Place) -> None:
    text = notebook_text()
    path = place.write("a.ipynb", text)
    editor = NotebookEditor()
    book = editor.open_notebook(path)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.ipynb")
        editor.type(book.cells[0].document, 0, "typed ")
        edit: dict[str, Any] = {"file_path": "a.ipynb", "cell_id": "first", "new_source": "y = 1"}
        refused = await one.call("edit_notebook", **edit)
        assert refused["code"] == "FS_UNSAVED_CHANGES", refused
        assert refused["data"]["moved_by"] == "user-unsaved"
        assert '+        "typed # Title\\n"' in refused["data"]["diff"]
        assert path.read_text() == text
        seen = await one.call("read", file_path="a.ipynb", refresh=True)
        assert seen["unsaved"] is True
        assert "typed # Title" in seen["text"]
        done = await one.call("edit_notebook", **edit)
        assert done["ok"] is True, done
        assert done["changed_files"][0]["saved"] is False
        assert book.sources() == ["typed # Title\ntext", "y = 1", ""]
        assert path.read_text() == text
        # Taken back by the person, the notebook is the file again.
        editor.save_notebook(book)
        assert sources(path)["first"] == "y = 1"


async def test_a_notebook_that_the_editor_spells_its_own_way_is_that_file(place: Place) -> None:
    """With the colon of a drive escaped, in its own address and in those of its cells."""
    text = notebook_text()
    path = place.write("c:/n.ipynb", text)
    editor = NotebookEditor()
    book = editor.open_notebook(path)
    assert "c%3A/n.ipynb" in book.uri
    assert all("c%3A/n.ipynb#" in cell.document.uri for cell in book.cells)
    async with serving(place, editor), agent(place) as one:
        for name in ("c:/n.ipynb", path.as_uri(), str(path)):
            assert (await one.call("read", file_path=name))["authority"] == "editor"
        editor.type(book.cells[1].document, 0, "typed = 1\n")
        call: dict[str, Any] = {"cell_id": "intro", "new_source": "# Other"}
        refused = await one.call("edit_notebook", file_path=path.as_uri(), **call)
        assert refused["code"] == "FS_UNSAVED_CHANGES", refused
        refused = await one.call("edit", file_path=str(path), old_string="# Title", new_string="# T")
        assert refused["code"] in ("FS_UNSAVED_CHANGES", "INVALID_ARGUMENT"), refused
        assert path.read_text() == text
        assert (await one.call("edit_notebook", file_path=path.as_uri(), **call))["ok"]
        assert book.sources()[:2] == ["# Other", "typed = 1\nx = 1\nprint(x)"]
        assert (await one.call("status"))["open_documents"] == [str(path)]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("edit", {"file_path": "a.ipynb", "old_string": "x = 1", "new_string": "x = 2"}),
        ("edit", {"file_path": "a.ipynb", "start_line": 3, "end_line": 3, "new_string": "{"}),
        ("edit", {"file_path": "a.ipynb", "old_string": "nowhere", "new_string": "x"}),
        ("write", {"file_path": "a.ipynb", "content": "{}\n"}),
        (
            "apply_patch",
            {"patch": "*** Begin Patch\n*** Update File: a.ipynb\n@@\n-{\n+{ \n*** End Patch\n"},
        ),
    ],
)
async def test_text_edits_of_an_open_notebook_are_refused_with_the_reason(
    place: Place, tool: str, arguments: dict[str, Any]
) -> None:
    text = notebook_text()
    path = place.write("a.ipynb", text)
    editor = NotebookEditor()
    book = editor.open_notebook(path)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.ipynb")
        refused = await one.call(tool, **arguments)
        assert refused["code"] == "INVALID_ARGUMENT", refused
        assert refused["data"]["reason"] == "open_notebook"
        assert "edit_notebook" in refused["message"]
        assert path.read_text() == text
        editor.close_notebook(book)
        if tool == "edit" and arguments.get("old_string") == "x = 1":
            assert (await one.call(tool, **arguments))["ok"] is True


async def test_cells_are_inserted_deleted_and_retyped(place: Place) -> None:
    path = place.write("a.ipynb", notebook_text())
    editor = NotebookEditor()
    book = editor.open_notebook(path)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.ipynb")
        made = await one.call(
            "edit_notebook", file_path="a.ipynb", cell_id="intro", new_source="z = 0", mode="insert"
        )
        assert made["ok"] is True, made
        assert book.sources() == ["# Title\ntext", "z = 0", "x = 1\nprint(x)", ""]
        assert book.cells[2].outputs == [OUTPUT]  # of a cell that nobody changed
        (new,) = set(sources(path)) - {"intro", "first", "last"}
        gone = await one.call("edit_notebook", file_path="a.ipynb", cell_id="last", mode="delete")
        assert gone["ok"] is True, gone
        kind = await one.call("edit_notebook", file_path="a.ipynb", cell_id=new, cell_type="markdown")
        assert kind["ok"] is True, kind
        assert [cell.kind for cell in book.cells] == [1, 1, 2]
        assert list(sources(path)) == ["intro", new, "first"]
        assert cell_of(path, new)["cell_type"] == "markdown"


async def test_a_rewind_gives_the_cells_back(place: Place) -> None:
    path = place.write("a.ipynb", notebook_text())
    editor = NotebookEditor()
    book = editor.open_notebook(path)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.ipynb")
        done = await one.call("edit_notebook", file_path="a.ipynb", cell_id="intro", new_source="new")
        back = await one.call("rewind", to=done["edit_id"])
        assert back["ok"] is True, back
        assert sources(path)["intro"] == book.sources()[0] == "# Title\ntext"


async def test_results_come_back_from_the_disk_with_a_rewind(place: Place) -> None:
    """No notification carries results: a saved notebook is written below the editor, which reloads it."""
    path = place.write("a.ipynb", notebook_text())
    editor = NotebookEditor()
    book = editor.open_notebook(path)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.ipynb")
        done = await one.call("edit_notebook", file_path="a.ipynb", cell_id="first", new_source="y")
        assert cell_of(path, "first")["outputs"] == []
        back = await one.call("rewind", to=done["edit_id"])
        assert back["ok"] is True, back
        assert cell_of(path, "first")["outputs"] == [OUTPUT]
        editor.reload_notebook(book)
        assert book.sources()[1] == "x = 1\nprint(x)"
        assert (await one.call("read", file_path="a.ipynb", refresh=True))["unsaved"] is False


async def test_typing_at_the_very_moment_wins(place: Place) -> None:
    text = notebook_text()
    path = place.write("a.ipynb", text)
    editor = NotebookEditor()
    book = editor.open_notebook(path)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.ipynb")
        editor.manners.before_apply = lambda: editor.type(book.cells[1].document, 0, "z")
        refused = await one.call("edit_notebook", file_path="a.ipynb", cell_id="first", new_source="y")
        assert refused["code"] == "FS_UNSAVED_CHANGES", refused
        assert book.sources()[1] == "zx = 1\nprint(x)"
        assert path.read_text() == text


async def test_typing_right_after_is_not_saved_along(place: Place) -> None:
    path = place.write("a.ipynb", notebook_text())
    editor = NotebookEditor(manners=Manners(order="change-first"))
    book = editor.open_notebook(path)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.ipynb")
        editor.manners.after_apply = lambda: editor.type(book.cells[0].document, 0, "z")
        done = await one.call("edit_notebook", file_path="a.ipynb", cell_id="first", new_source="y")
        assert done["ok"] is True, done
        assert done["changed_files"][0]["saved"] is False
        assert sources(path)["intro"] == "# Title\ntext"
        refused = await one.call("edit_notebook", file_path="a.ipynb", cell_id="first", new_source="w")
        assert refused["code"] == "FS_UNSAVED_CHANGES", refused


async def test_results_that_are_not_saved_stay_so(place: Place) -> None:
    text = notebook_text()
    path = place.write("a.ipynb", text)
    editor = NotebookEditor()
    book = editor.open_notebook(path)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.ipynb")
        editor.run_cell(book, 2, "done\n")
        done = await one.call("edit_notebook", file_path="a.ipynb", cell_id="intro", new_source="new")
        assert done["ok"] is True, done
        assert done["changed_files"][0]["saved"] is False
        assert path.read_text() == text
        assert book.dirty
        patch = "*** Begin Patch\n*** Delete File: a.ipynb\n*** End Patch\n"
        await one.call("read", file_path="a.ipynb", refresh=True)
        assert (await one.call("apply_patch", patch=patch))["code"] == "FS_UNSAVED_CHANGES"


async def test_results_that_were_saved_are_told(place: Place) -> None:
    path = place.write("a.ipynb", notebook_text())
    editor = NotebookEditor()
    book = editor.open_notebook(path)
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.ipynb")
        editor.run_cell(book, 1, "later\n")
        editor.save_notebook(book)
        refused = await one.call("edit_notebook", file_path="a.ipynb", cell_id="intro", new_source="new")
        assert (refused["code"], refused["data"]["moved_by"]) == ("FS_STALE_VERSION", "user-saved")
        assert "later" in refused["data"]["diff"]
        done = await one.call("edit_notebook", file_path="a.ipynb", cell_id="intro", new_source="new")
        assert done["ok"] is True, done


async def test_cells_that_a_person_makes_and_removes_are_seen(place: Place) -> None:
    path = place.write("a.ipynb", notebook_text())
    editor = NotebookEditor()
    book = editor.open_notebook(path)
    async with serving(place, editor), agent(place) as one:
        editor.insert_cell(book, 1, "made by hand")
        editor.delete_cell(book, 3)
        seen = await one.call("read", file_path="a.ipynb")
        assert seen["unsaved"] is True
        assert "made by hand" in seen["text"]
        assert '"last"' not in seen["text"]
        assert '"x = 1\\n"' in seen["text"]


async def test_an_editor_that_knows_only_lsp_takes_new_text_for_its_cells(place: Place) -> None:
    text = notebook_text()
    path = place.write("a.ipynb", text)
    editor = NotebookEditor(extras=False)
    book = editor.open_notebook(path)
    async with serving(place, editor), agent(place) as one:
        seen = await one.call("read", file_path="a.ipynb")
        assert seen["authority"] == "editor"
        done = await one.call("edit_notebook", file_path="a.ipynb", cell_id="first", new_source="y = 1")
        assert done["ok"] is True, done
        assert done["changed_files"][0]["saved"] is False
        assert book.sources()[1] == "y = 1"
        assert any("keeps the results" in warning for warning in done["warnings"])
        assert path.read_text() == text
        refused = await one.call("edit_notebook", file_path="a.ipynb", cell_id="last", mode="delete")
        assert (refused["code"], refused["data"]["reason"]) == ("FS_EDITOR_REFUSED", "notebook")
        editor.save_notebook(book)
        await one.call("read", file_path="a.ipynb", refresh=True)
        done = await one.call("edit_notebook", file_path="a.ipynb", cell_id="last", mode="delete")
        assert done["ok"] is True, done
        assert list(sources(path)) == ["intro", "first"]
