"""A person agrees to each change before it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from lsp_server.asking.asker import Asker
from lsp_server.asking.questions import Answer, Matter, Question
from tests.lsp_server.tools.conftest import MakeWalk, Walk, make_walk

__all__ = ["make_walk"]


@dataclass
class Person:
    """Answers in order; the last answer again and again."""

    answers: list[Answer]
    asked: list[Matter] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None
    """What happens while they think."""

    async def show(self, question: Question) -> Answer:
        self.asked += question.matters
        self.meanwhile()
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def approving(make: MakeWalk, *answers: Answer) -> tuple[Walk, Person]:
    walk, person = make({"approval": "always", "read_first": False}), Person(list(answers))
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
