"""A person changes what an agent wants before they agree to it: their text is made, and the agent is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import agent
from tests.e2e.editors import serving
from tests.e2e.test_asking import asking_editor, place_with
from tests.fakes.editor import Shown, uri_of


def answering(text: str, uri: str | None = None) -> Any:
    """Allow it with this text for the first file that the question shows."""

    def choose(shown: Shown) -> None:
        (row,) = shown.params["coeditor"]["files"]
        assert row["editable"] is True
        files = [{"uri": uri or row["uri"], "after": text}]
        shown.answer.set_result({"title": "Allow Once", "coeditor": {"files": files}})

    return choose


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
async def test_the_text_of_the_answer_is_made(tmp_path: Path, *, is_open: bool) -> None:
    place = place_with(tmp_path, approval="always")
    path = place.write("a.txt", "one\ntwo\n")
    editor = asking_editor(answering("ONE\ntwo, and mine\n"))
    document = editor.open(path) if is_open else None
    async with serving(place, editor), agent(place, name="Ada") as one:
        await one.call("read", file_path="a.txt")
        done = await one.call("edit", file_path="a.txt", old_string="one", new_string="1")
        assert "-1\n-two\n+ONE\n+two, and mine\n" in done["amended"], done
        assert path.read_text() == "ONE\ntwo, and mine\n"
        assert document is None or document.text == "ONE\ntwo, and mine\n"
        (edit,) = (await one.call("history"))["edits"]
        assert (edit["added"], edit["removed"]) == (2, 2)


@pytest.mark.parametrize(
    ("text", "uri"),
    [("lone \ud800", None), ("x" * (2 << 20), None), ("text", uri_of(Path("/elsewhere/b.txt")))],
    ids=["no text", "too large", "not asked about"],
)
async def test_a_yes_to_what_cannot_be_made_is_none(tmp_path: Path, text: str, uri: str | None) -> None:
    place = place_with(tmp_path, approval="always")
    path = place.write("a.txt", "one\n")
    async with serving(place, asking_editor(answering(text, uri))), agent(place) as one:
        await one.call("read", file_path="a.txt")
        refused = await one.call("edit", file_path="a.txt", old_string="one", new_string="1")
        assert (refused["code"], refused["data"]["rule"]) == ("FS_DENIED", "person")
        assert path.read_text() == "one\n"
