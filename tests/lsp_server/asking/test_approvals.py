"""A person agrees to each change before it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from ledger.types import TargetKey
from lsp_server.asking.asker import Asker
from lsp_server.asking.questions import Amended, Answer, Matter, Question, Reply
from tests.lsp_server.tools.conftest import MakeWalk, Walk, make_walk

__all__ = ["make_walk"]


@dataclass
class Person:
    """Answers in order; the last answer again and again."""

    answers: list[Reply]
    asked: list[Matter] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None
    """What happens while they think."""

    async def show(self, question: Question) -> Reply:
        self.asked += question.matters
        self.meanwhile()
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def approving(make: MakeWalk, *answers: Reply, read_first: bool = False) -> tuple[Walk, Person]:
    walk, person = make({"approval": "always", "read_first": read_first}), Person(list(answers))
    client = walk.app.workspace.client
    walk.app.workspace.asker = Asker(person, patience=60, resolved=client.until_resolved)
    return walk, person


async def test_each_change_is_asked_about_with_both_its_texts(make_walk: MakeWalk) -> None:
    walk, person = approving(make_walk, Answer.YES)
    path = walk.put("a.txt", "one\n")
    assert (await walk.edit("a.txt", "one", "two"))["ok"]
    assert (await walk.edit("a.txt", "two", "three"))["ok"]
    assert [(one.before, one.after, one.verb) for one in person.asked] == [
        ("one\n", "two\n", "change"),
        ("two\n", "three\n", "change"),
    ]
    made = await walk.patch("*** Add File: b.txt", "+new", "*** Delete File: a.txt")
    assert made["ok"], made
    assert {(one.verb, one.before, one.after) for one in person.asked[2:]} == {
        ("create", None, "new\n"),
        ("delete", "three\n", None),
    }
    assert not path.exists()


@pytest.mark.parametrize("answer", [Answer.NO, Answer.DISMISSED])
async def test_a_no_changes_nothing_and_is_not_asked_again(make_walk: MakeWalk, answer: Answer) -> None:
    walk, person = approving(make_walk, answer)
    path = walk.put("a.txt", "one\n")
    for _ in range(2):
        refused = await walk.edit("a.txt", "one", "two")
        assert (refused["code"], refused["data"]["rule"]) == ("FS_DENIED", "person")
    assert (path.read_text(), len(person.asked)) == ("one\n", 1)


async def test_a_session_is_agreed_to_once(make_walk: MakeWalk) -> None:
    walk, person = approving(make_walk, Answer.SESSION)
    for name in ("a.txt", "b.txt"):
        assert (await walk.write(name, "text\n"))["ok"]
    assert len(person.asked) == 1


async def test_what_was_agreed_to_is_made_of_no_other_text(make_walk: MakeWalk) -> None:
    walk, person = approving(make_walk, Answer.YES)
    path = walk.put("a.txt", "one\nend\n")
    later = iter([lambda: path.write_text("one\nEND\n")])
    person.meanwhile = lambda: next(later, lambda: None)()
    assert (await walk.edit("a.txt", "one", "two"))["ok"]
    assert [one.after for one in person.asked] == ["two\nend\n", "two\nEND\n"]
    assert path.read_text() == "two\nEND\n"


async def test_where_nobody_can_be_asked_nothing_is_changed(make_walk: MakeWalk) -> None:
    walk = make_walk({"approval": "always", "read_first": False})
    refused = await walk.write("a.txt", "text\n")
    assert (refused["code"], refused["data"]["rule"]) == ("FS_DENIED", "approval")
    assert not (walk.root / "a.txt").exists()
    planned = await walk.call(
        "apply_patch", patch="*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n", validate_only=True
    )
    assert planned["ok"], planned


def mine(walk: Walk, text: str, name: str = "a.txt", answer: Answer = Answer.YES) -> Amended:
    return Amended(answer, {TargetKey(str(walk.root / name)): text})


@pytest.mark.parametrize("answer", [Answer.YES, Answer.SESSION])
async def test_the_persons_own_text_is_made_and_the_agent_is_told(
    make_walk: MakeWalk, answer: Answer
) -> None:
    walk, person = approving(make_walk)
    path = walk.put("a.txt", "one\nmiddle\nend\n")
    person.answers = [mine(walk, "TWO\nmiddle\nEND\n", answer=answer), Answer.YES]
    done = await walk.edit("a.txt", "one", "two")
    assert path.read_text() == "TWO\nmiddle\nEND\n"
    assert "-two\n+TWO\n" in done["amended"], done
    assert "-end\n+END\n" in done["amended"], done
    assert "-one\n+TWO\n" in done["diff"], done
    (row,) = done["changed_files"]
    assert (row["added"], row["removed"]) == (2, 2)
    # What they made of it counts as seen, and is no news to the agent.
    assert (await walk.edit("a.txt", "TWO", "three"))["ok"]
    assert (await walk.call("rewind", to=done["edit_id"]))["ok"]
    assert path.read_text() == "one\nmiddle\nend\n"


async def test_a_change_that_the_person_took_out_again_is_refused_or_left_out(make_walk: MakeWalk) -> None:
    walk, person = approving(make_walk)
    path = walk.put("a.txt", "one\n")
    person.answers = [mine(walk, "one\n")]
    refused = await walk.edit("a.txt", "one", "two")
    assert (refused["code"], refused["data"]["rule"]) == ("FS_DENIED", "person")
    done = await walk.patch("*** Update File: a.txt", "@@", "-one", "+three", "*** Add File: b.txt", "+new")
    assert [row["file_path"] for row in done["changed_files"]] == [str(walk.root / "b.txt")]
    assert "-three\n+one\n" in done["amended"], done
    assert path.read_text() == "one\n"


async def test_what_could_not_come_back_as_it_was_may_not_be_changed(make_walk: MakeWalk) -> None:
    walk, person = approving(make_walk, Answer.YES)
    for name, text in (
        ("mixed.txt", "one\r\n2\n"),
        ("plain.txt", "one\r\n"),
        ("book.ipynb", '{"cells": []}'),
    ):
        assert (await walk.write(name, text))["ok"]
    assert [one.editable for one in person.asked] == [False, True, False]


async def test_a_long_text_of_the_persons_has_to_be_read(make_walk: MakeWalk) -> None:
    walk, person = approving(make_walk, read_first=True)
    long = "".join(f"line {number}\n" for number in range(4_000))
    person.answers = [mine(walk, long), Answer.YES]
    assert (await walk.write("a.txt", "new\n"))["ok"]
    refused = await walk.write("a.txt", "newer\n")
    assert refused["code"] == "FS_NOT_OBSERVED", refused
