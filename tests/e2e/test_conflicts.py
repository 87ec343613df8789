"""Every kind of conflict: recognised, named, with both sides' texts; and merges where the two keep apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Place, agent
from tests.e2e.editors import serving
from tests.fakes.editor import Document, Manners, ScriptedEditor, uri_of

TEN = "".join(f"line {n}\n" for n in range(1, 11))
CHANGE: dict[str, Any] = {"file_path": "a.txt", "old_string": "line 3\n", "new_string": "three\n"}
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n line 2\n-line 3\n+three\n line 4\n*** End Patch\n"


def place_with(tmp_path: Path, **settings: Any) -> Place:
    return Place(tmp_path, {"side_effects": {"diagnostics": False}, **settings})


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return place_with(tmp_path)


def at(document: Document, line: int) -> int:
    """Where a line begins."""
    return document.text.index(f"line {line}\n")


def region(refused: Mapping[str, Any], number: int = 0) -> dict[str, tuple[list[int], str]]:
    row = refused["data"]["conflict"]["regions"][number]
    return {name: (part["lines"], part["text"]) for name, part in row.items()}


Act = Callable[[Place, ScriptedEditor, Document], None]


def _type(place: Place, editor: ScriptedEditor, document: Document) -> None:
    editor.type(document, at(document, 3), "typed ")


def _type_and_save(place: Place, editor: ScriptedEditor, document: Document) -> None:
    _type(place, editor, document)
    editor.save(document)


def _type_at_the_moment(place: Place, editor: ScriptedEditor, document: Document) -> None:
    editor.manners.before_apply = lambda: _type(place, editor, document)


def _write_outside(place: Place, editor: ScriptedEditor, document: Document) -> None:
    place.write("a.txt", TEN.replace("line 3", "typed line 3"))
    editor.reload(document)


@pytest.mark.parametrize(
    ("act", "code", "kind"),
    [
        pytest.param(_type, "FS_UNSAVED_CHANGES", "unsaved", id="unsaved and unseen"),
        pytest.param(_type_at_the_moment, "FS_UNSAVED_CHANGES", "typing", id="at the moment of the edit"),
        pytest.param(_type_and_save, "FS_STALE_VERSION", "saved", id="saved by the person"),
        pytest.param(_write_outside, "FS_STALE_VERSION", "moved", id="written by somebody else"),
    ],
)
@pytest.mark.parametrize("tool", ["edit", "apply_patch"])
async def test_a_conflict_shows_what_was_seen_what_is_there_and_what_was_wanted(
    place: Place, act: Act, code: str, kind: str, tool: str
) -> None:
    editor = ScriptedEditor()
    document = editor.open(place.write("a.txt", TEN))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        act(place, editor, document)
        arguments = CHANGE if tool == "edit" else {"patch": PATCH}
        refused = await one.call(tool, **arguments)
        assert (refused["code"], refused["data"]["conflict"]["kind"]) == (code, kind)
        assert refused["data"]["conflict"]["overlap"] is True
        assert region(refused) == {
            "base": ([3, 3], "line 3\n"),
            "theirs": ([3, 3], "typed line 3\n"),
            "yours": ([3, 3], "three\n"),
        }
        assert document.text == TEN.replace("line 3", "typed line 3")


async def test_a_conflict_far_from_the_edit_says_that_the_two_keep_apart(place: Place) -> None:
    editor = ScriptedEditor()
    document = editor.open(place.write("a.txt", TEN))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        editor.type(document, at(document, 9), "new\n")
        refused = await one.call("edit", **CHANGE)
        assert refused["data"]["conflict"]["overlap"] is False
        assert region(refused, 1) == {
            "base": ([9, 8], ""),
            "theirs": ([9, 9], "new\n"),
            "yours": ([9, 8], ""),
        }
        assert (await one.call("edit", **CHANGE))["ok"]


async def test_the_disk_below_unsaved_text_is_a_conflict_of_its_own(place: Place) -> None:
    editor = ScriptedEditor()
    document = editor.open(place.write("a.txt", TEN))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        _type(place, editor, document)
        place.write("a.txt", TEN + "more\n")
        refused = await one.call("edit", **CHANGE)
        assert (refused["code"], refused["data"]["conflict"]["kind"]) == ("FS_STALE_VERSION", "diverged")
        assert "+more" in refused["data"]["disk_diff"]
        assert region(refused)["theirs"] == ([3, 3], "typed line 3\n")


async def test_two_documents_of_one_file_that_differ_are_for_the_person(place: Place) -> None:
    path = place.write("a.txt", TEN)
    editor = ScriptedEditor()
    one_view = editor.open(path)
    other_view = editor.open(path, uri=uri_of(path).replace("a.txt", "%61.txt"))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        editor.type(one_view, 0, "here ")
        editor.type(other_view, 0, "there ")
        refused = await one.call("edit", **CHANGE)
        assert (refused["code"], refused["data"]["conflict"]["kind"]) == ("FS_UNSAVED_CHANGES", "views")
        diffs = [row["diff"] for row in refused["data"]["conflict"]["documents"]]
        assert ["+here line 1" in diffs[0], "+there line 1" in diffs[1]] == [True, True]
        assert (one_view.text, other_view.text) == ("here " + TEN, "there " + TEN)


async def test_a_whole_text_over_unsaved_typing_shows_what_would_be_lost(tmp_path: Path) -> None:
    place = place_with(tmp_path, overwrite_unsaved="refuse")
    editor = ScriptedEditor()
    document = editor.open(place.write("a.txt", TEN))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        _type(place, editor, document)
        await one.call("read", file_path="a.txt")
        refused = await one.call("write", file_path="a.txt", content="whole\n")
        assert refused["code"] == "FS_UNSAVED_CHANGES"
        conflict = refused["data"]["conflict"]
        assert (conflict["kind"], conflict["overlap"]) == ("overwrite", True)
        assert "typed line 3" in region(refused)["theirs"][1]
        assert region(refused)["yours"][1] == "whole\n"


async def test_a_conflict_over_much_text_stays_small(place: Place) -> None:
    long = "".join(f"line {n}\n" for n in range(1, 5_001))
    editor = ScriptedEditor()
    document = editor.open(place.write("a.txt", long))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        editor.type(document, 0, "x" * 10_000 + "\n" + "y\n" * 5_000, delete=len(long))
        refused = await one.call("edit", **CHANGE)
        assert refused["data"]["conflict"]["regions"]
        assert len(str(refused["data"]["conflict"])) < 8_000


# Merge.


def _insert_above(place: Place, editor: ScriptedEditor, document: Document) -> None:
    editor.type(document, 0, "above 1\nabove 2\n")


def _insert_above_and_save(place: Place, editor: ScriptedEditor, document: Document) -> None:
    _insert_above(place, editor, document)
    editor.save(document)


def _insert_at_the_moment(place: Place, editor: ScriptedEditor, document: Document) -> None:
    editor.manners.before_apply = lambda: _insert_above(place, editor, document)


@pytest.mark.parametrize(
    ("act", "mover"),
    [
        pytest.param(_insert_above, "user-unsaved", id="unsaved"),
        pytest.param(_insert_above_and_save, "user-saved", id="saved"),
        pytest.param(_insert_at_the_moment, "user-unsaved", id="at the moment of the edit"),
    ],
)
@pytest.mark.parametrize("tool", ["edit", "apply_patch", "lines"])
async def test_merge_moves_an_edit_over_what_the_person_changed_elsewhere(
    tmp_path: Path, act: Act, mover: str, tool: str
) -> None:
    place = place_with(tmp_path, on_conflict="merge")
    editor = ScriptedEditor()
    document = editor.open(place.write("a.txt", TEN))
    arguments = {
        "edit": CHANGE,
        "apply_patch": {"patch": PATCH},
        "lines": {"file_path": "a.txt", "start_line": 3, "end_line": 3, "new_string": "three\n"},
    }[tool]
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        act(place, editor, document)
        done = await one.call("apply_patch" if tool == "apply_patch" else "edit", **arguments)
        assert done["ok"], done
        assert document.text == "above 1\nabove 2\n" + TEN.replace("line 3", "three")
        assert done["merged"] == [
            {"file_path": str(place.folder / "a.txt"), "moved_by": mover, "lines": [[1, 2]]}
        ]
        assert done["changed_files"][0]["saved"] is (mover == "user-saved")
        assert "-line 3\n+three" in done["diff"]
        assert "+above" not in done["diff"], "the agent's part only"
        # What was merged is known: the next edit needs no read.
        again = await one.call("edit", file_path="a.txt", old_string="three\n", new_string="3\n")
        assert again["ok"]
        assert "merged" not in again


@pytest.mark.parametrize("tool", ["edit", "apply_patch"])
@pytest.mark.parametrize("line", [2, 3, 4], ids=["before", "same", "after"])
async def test_merge_refuses_what_touches_or_adjoins(tmp_path: Path, line: int, tool: str) -> None:
    place = place_with(tmp_path, on_conflict="merge")
    editor = ScriptedEditor()
    document = editor.open(place.write("a.txt", TEN))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        editor.type(document, at(document, line), "typed ")
        typed = document.text
        arguments = CHANGE if tool == "edit" else {"patch": PATCH}
        refused = await one.call(tool, **arguments)
        assert refused["code"] == "FS_UNSAVED_CHANGES", refused
        assert document.text == typed
        assert place.text("a.txt") == TEN


async def test_merge_keeps_trying_while_the_person_types(tmp_path: Path) -> None:
    place = place_with(tmp_path, on_conflict="merge")
    editor = ScriptedEditor()
    document = editor.open(place.write("a.txt", TEN))
    left = 7

    def keystroke() -> None:
        nonlocal left
        left -= 1
        editor.type(document, len(document.text), "x")
        editor.manners.before_apply = keystroke if left else None

    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        editor.manners.before_apply = keystroke
        done = await one.call("edit", **CHANGE)
        assert done["ok"], done
        assert document.text == TEN.replace("line 3", "three") + "x" * 7
        assert done["merged"][0]["lines"] == [[11, 11]]


async def test_somebody_who_never_stops_typing_is_never_overwritten(tmp_path: Path) -> None:
    place = place_with(tmp_path, on_conflict="merge")
    editor = ScriptedEditor()
    document = editor.open(place.write("a.txt", TEN))

    def keystroke() -> None:
        editor.type(document, len(document.text), "x")
        editor.manners.before_apply = keystroke

    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        editor.manners.before_apply = keystroke
        refused = await one.call("edit", **CHANGE)
        assert refused["code"] in ("FS_UNSAVED_CHANGES", "FS_STALE_VERSION")
        assert document.text.startswith(TEN)
        assert set(document.text[len(TEN) :]) == {"x"}


async def test_a_diverged_text_is_told_before_anything_is_merged_into_it(tmp_path: Path) -> None:
    place = place_with(tmp_path, on_conflict="merge")
    editor = ScriptedEditor(manners=Manners())
    document = editor.open(place.write("a.txt", TEN))
    async with serving(place, editor), agent(place) as one:
        await one.call("read", file_path="a.txt")
        _insert_above(place, editor, document)
        place.write("a.txt", TEN + "more\n")
        refused = await one.call("edit", **CHANGE)
        assert refused["data"]["conflict"]["kind"] == "diverged"
        done = await one.call("edit", **CHANGE)
        assert done["ok"]
        assert done["changed_files"][0]["saved"] is False
        assert place.text("a.txt") == TEN + "more\n"
