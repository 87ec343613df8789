"""Notebook cells through the whole walk: the ledger's word, bytes on disk, and what the outcome says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.lsp_server.tools.conftest import MakeWalk, Walk


def cell(name: str, source: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": 1,
        "id": name,
        "metadata": {},
        "outputs": [{"data": {"text/plain": "1"}, "metadata": {}, "output_type": "display_data"}],
        "source": [source],
    }


def text_of(*cells: dict[str, Any]) -> str:
    whole = {"cells": list(cells), "metadata": {"lang": "é"}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1)


TEXT = text_of(cell("a", "x = 1"), cell("b", "y = 1"))


async def change(walk: Walk, **arguments: Any) -> dict[str, Any]:
    return await walk.call("edit_notebook", file_path="n.ipynb", **arguments)


async def test_a_cell_is_replaced_and_its_results_go(walk: Walk) -> None:
    walk.put("n.ipynb", TEXT)
    await walk.read("n.ipynb")
    found = await change(walk, cell_id="b", new_source="y = 2\nprint(y)")
    assert found["ok"], found
    wanted = cell("b", "y = 2\n") | {"outputs": [], "execution_count": None}
    wanted["source"].append("print(y)")
    assert walk.text("n.ipynb") == text_of(cell("a", "x = 1"), wanted)
    assert found["warnings"] == ["Cleared in cell b, which changed: its outputs and its execution count."]
    assert found["match"] == {"level": "exact", "count": 1, "lines": [[21, 38]]}
    assert '+    "print(y)"' in found["diff"]
    assert (await walk.call("rewind", to=found["edit_id"]))["ok"]
    assert walk.text("n.ipynb") == TEXT


async def test_insert_and_delete_follow_each_other_without_a_read(walk: Walk) -> None:
    walk.put("n.ipynb", TEXT)
    await walk.read("n.ipynb")
    assert (await change(walk, mode="insert", cell_id="a", new_source="m = 1", cell_type="markdown"))["ok"]
    assert [one["cell_type"] for one in json.loads(walk.text("n.ipynb"))["cells"]] == [
        "code",
        "markdown",
        "code",
    ]
    assert (await change(walk, mode="delete", cell_id="#2"))["ok"]
    assert walk.text("n.ipynb") == TEXT
    assert (await change(walk, mode="insert", new_source="first"))["ok"]
    assert (await change(walk, mode="delete", cell_id="#1"))["ok"]
    assert walk.text("n.ipynb") == TEXT


async def test_an_unseen_notebook_shows_the_cell_and_then_takes_the_edit(walk: Walk) -> None:
    walk.put("n.ipynb", TEXT)
    found = await change(walk, cell_id="b", new_source="y = 2")
    assert (found["code"], walk.text("n.ipynb")) == ("FS_NOT_OBSERVED", TEXT)
    assert "y = 1" in found["data"]["lines"]
    assert (await change(walk, cell_id="b", new_source="y = 2"))["ok"]


async def test_a_cell_that_was_not_shown_is_edited_with_a_warning(walk: Walk) -> None:
    walk.put("n.ipynb", TEXT)
    await walk.read("n.ipynb", limit=5)
    found = await change(walk, cell_id="b", new_source="y = 2")
    assert any("not shown" in warning for warning in found["warnings"])


async def test_a_notebook_that_moved_is_stale(walk: Walk) -> None:
    walk.put("n.ipynb", TEXT)
    await walk.read("n.ipynb")
    late = text_of(cell("a", "late"), cell("b", "y = 1"))
    walk.put("n.ipynb", late)
    found = await change(walk, cell_id="b", new_source="y = 2")
    assert (found["code"], walk.text("n.ipynb")) == ("FS_STALE_VERSION", late)
    assert (await change(walk, cell_id="b", new_source="y = 2"))["ok"]
    assert json.loads(walk.text("n.ipynb"))["cells"][0]["source"] == ["late"]


@pytest.mark.parametrize(
    ("settings", "late", "ok"),
    [
        ({"on_conflict": "merge"}, cell("a", "late"), True),
        ({"on_conflict": "merge"}, cell("b", "y = 9"), False),
        ({"staleness": "on-miss"}, cell("a", "late"), False),
    ],
)
async def test_what_settings_let_pass(
    make_walk: MakeWalk, settings: dict[str, Any], late: dict[str, Any], ok: bool
) -> None:
    walk = make_walk(settings)
    cells = {one["id"]: one for one in (cell("a", "x = 1"), cell("gap", "z"), cell("b", "y = 1"))}
    walk.put("n.ipynb", text_of(*cells.values()))
    await walk.read("n.ipynb")
    moved = text_of(*(cells | {late["id"]: late}).values())
    walk.put("n.ipynb", moved)
    found = await change(walk, cell_id="b", new_source="y = 2")
    assert found.get("code") == (None if ok else "FS_STALE_VERSION")
    if ok:
        sources = [one["source"] for one in json.loads(walk.text("n.ipynb"))["cells"]]
        assert sources == [["late"], ["z"], ["y = 2"]]
    else:
        assert walk.text("n.ipynb") == moved


@pytest.mark.parametrize(
    ("content", "arguments", "code"),
    [
        (None, {"cell_id": "a", "new_source": "x"}, "FS_NOT_FOUND"),
        (None, {"mode": "insert", "new_source": "x"}, "FS_NOT_FOUND"),
        (TEXT, {"cell_id": "c", "new_source": "x"}, "INVALID_ARGUMENT"),
        (TEXT, {"cell_id": "a", "new_source": "x = 1"}, "FS_NO_CHANGE"),
        (TEXT, {"mode": "delete"}, "INVALID_ARGUMENT"),
        ("print(1)\n", {"cell_id": "a", "new_source": "x"}, "INVALID_ARGUMENT"),
        (b"\x00\x01", {"cell_id": "a", "new_source": "x"}, "FS_NOT_TEXT"),
    ],
)
async def test_refusals_leave_the_file(
    walk: Walk, content: str | bytes | None, arguments: dict[str, Any], code: str
) -> None:
    if content is not None:
        walk.put("n.ipynb", content)
    await walk.read("n.ipynb")
    before = walk.there()
    found = await change(walk, **arguments)
    assert found["code"] == code, found
    if code != "INVALID_ARGUMENT" or "cell_id" in arguments:
        assert found["file_path"] == str(walk.root / "n.ipynb")
    assert walk.there() == before


async def test_crlf_and_a_mark_stay(walk: Walk) -> None:
    walk.put("n.ipynb", b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    await walk.read("n.ipynb")
    assert (await change(walk, mode="insert", cell_id="a", new_source="q\r\nr"))["ok"]
    data = (walk.root / "n.ipynb").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.count(b"\n") == data.count(b"\r\n")
    assert json.loads(data.decode("utf-8-sig"))["cells"][1]["source"] == ["q\n", "r"]


async def test_the_type_alone_changes(walk: Walk) -> None:
    walk.put("n.ipynb", TEXT)
    await walk.read("n.ipynb")
    assert (await change(walk, cell_id="a", cell_type="markdown"))["ok"]
    note = {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["x = 1"]}
    assert walk.text("n.ipynb") == text_of(note, cell("b", "y = 1"))
