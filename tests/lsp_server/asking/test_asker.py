"""A question is answered, withdrawn or given up, and never left standing."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

import pytest

from ledger.types import TargetKey
from lsp_server.asking.asker import Asker
from lsp_server.asking.questions import Answer, Kind, Matter, Question

PATIENT = 60.0
QUESTION = Question((Matter(Kind.OVERWRITE, TargetKey("/w/a"), "a", "overwrite"),), "Ada")


class Person:
    """One way to a person, with what became of each question."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.asked = 0
        self.standing = 0
        self.most = 0
        self.came = asyncio.Event()
        self.said = asyncio.Event()

    async def show(self, question: Question) -> Answer:
        self.asked += 1
        self.standing += 1
        self.most = max(self.most, self.standing)
        self.came.set()
        try:
            if not self._answers:
                await self.said.wait()
                return Answer.YES
            await asyncio.sleep(0)
            return self._answers.pop(0)
        finally:
            self.standing -= 1


class Document:
    """What is asked about."""

    def __init__(self) -> None:
        self.saved = asyncio.Event()

    async def until_resolved(self, targets: Collection[TargetKey]) -> None:
        await self.saved.wait()


def asker(person: Person | None, patience: float = PATIENT, document: Document | None = None) -> Asker:
    return Asker(person, patience=patience, resolved=(document or Document()).until_resolved)


@pytest.mark.parametrize("answer", [Answer.YES, Answer.SESSION, Answer.NO, Answer.DISMISSED])
async def test_the_persons_answer_is_the_answer(answer: Answer) -> None:
    assert await asker(Person(answer)).ask(QUESTION) is answer


async def test_without_anybody_there_is_no_answer() -> None:
    assert await asker(None).ask(QUESTION) is Answer.UNREACHABLE


async def test_an_editor_that_cannot_show_it_leaves_it_to_the_agents_own_person() -> None:
    editor, other = Person(Answer.UNREACHABLE), Person(Answer.NO)
    assert await asker(editor).ask(QUESTION, other=other) is Answer.NO
    assert (editor.asked, other.asked) == (1, 1)


async def test_an_editor_that_shows_it_is_the_only_one_that_does() -> None:
    editor, other = Person(Answer.YES), Person(Answer.NO)
    assert await asker(editor).ask(QUESTION, other=other) is Answer.YES
    assert other.asked == 0


async def test_no_answer_in_time_takes_the_question_back() -> None:
    person = Person()
    assert await asker(person, patience=0.01).ask(QUESTION) is Answer.SILENT
    assert person.standing == 0


async def test_saving_it_is_an_answer_too() -> None:
    person, document = Person(), Document()
    asking = asyncio.create_task(asker(person, document=document).ask(QUESTION))
    await person.came.wait()
    document.saved.set()
    assert await asking is Answer.WITHDRAWN
    assert person.standing == 0


async def test_a_call_that_is_cancelled_takes_its_question_back() -> None:
    person = Person()
    asking = asyncio.create_task(asker(person).ask(QUESTION))
    await person.came.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert person.standing == 0


async def test_questions_come_one_after_the_other() -> None:
    person = Person(*[Answer.YES] * 3)
    one = asker(person)
    assert await asyncio.gather(*(one.ask(QUESTION) for _ in range(3))) == [Answer.YES] * 3
    assert (person.asked, person.most) == (3, 1)


async def test_the_agent_hears_that_the_person_is_asked() -> None:
    heard = []

    async def progress(text: str) -> None:
        heard.append(text)

    await asker(Person(Answer.YES)).ask(QUESTION, progress=progress)
    assert heard == ["Waiting for the person's answer in the editor"]
