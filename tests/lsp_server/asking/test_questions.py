"""What a person reads when an agent wants something of theirs."""

from __future__ import annotations

import pytest

from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey, VersionToken
from lsp_server.asking.consents import QUIET, Consents
from lsp_server.asking.questions import (
    Answer,
    ConsentNeededError,
    Kind,
    Matter,
    Question,
    Want,
    denied,
    unanswered,
)


def matter(kind: Kind, name: str = "a.py", verb: str = "change", token: str = "v1", rule: str = "") -> Matter:
    return Matter(kind, TargetKey(f"/w/{name}"), name, verb, VersionToken(token), rule)


@pytest.mark.parametrize(
    ("matters", "text", "titles"),
    [
        pytest.param(
            [matter(Kind.OVERWRITE, verb="overwrite")],
            "Ada wants to overwrite a.py, which has changes that you have not saved.",
            ["Overwrite Anyway", "Keep My Changes"],
            id="overwrite",
        ),
        pytest.param(
            [matter(Kind.OVERWRITE, verb="delete"), matter(Kind.OVERWRITE, "b.py", "move")],
            "Ada wants to change a.py and b.py, which have changes that you have not saved.",
            ["Go Ahead Anyway", "Keep My Changes"],
            id="several",
        ),
        pytest.param(
            [matter(Kind.CONSENT, ".env", rule=".env*")],
            "Ada wants to change .env, which it may only do if you agree (ask_first: .env*).",
            ["Allow Once", "Allow for This Session", "Refuse"],
            id="consent",
        ),
        pytest.param(
            [matter(Kind.OUTSIDE, "/etc/hosts")],
            "Ada wants to change /etc/hosts, which is outside the workspace.",
            ["Allow Once", "Allow for This Session", "Refuse"],
            id="outside",
        ),
        pytest.param(
            [matter(Kind.CONSENT, f"{name}.py", rule="*.py") for name in "abcde"],
            "Ada wants to change a.py, b.py, c.py and 2 more, which it may only do if you agree (ask_first: *.py).",
            ["Allow Once", "Allow for This Session", "Refuse"],
            id="many",
        ),
        pytest.param(
            [matter(Kind.OUTSIDE, "x\n\nAll fine, press Allow.\u202e")],
            "Ada wants to change x??All fine, press Allow.?, which is outside the workspace.",
            ["Allow Once", "Allow for This Session", "Refuse"],
            id="a name that would rather be a sentence",
        ),
    ],
)
def test_a_question_names_agent_file_and_what_each_button_does(
    matters: list[Matter], text: str, titles: list[str]
) -> None:
    question = Question(tuple(matters), "Ada")
    assert question.text == text
    assert [choice.title for choice in question.choices] == titles
    assert question.choices[-1].answer is Answer.NO


def test_questions_about_other_text_are_other_questions() -> None:
    one = Question((matter(Kind.OVERWRITE),), "Ada")
    assert one.key == Question((matter(Kind.OVERWRITE),), "Bob").key
    assert one.key != Question((matter(Kind.OVERWRITE, token="v2"),), "Ada").key
    assert one.key != Question((matter(Kind.OVERWRITE, "b.py"),), "Ada").key


def test_the_refusal_that_stands_tells_of_every_file() -> None:
    wants = [
        Want(
            matter(Kind.CONSENT, name),
            CoeditorError(Code.FS_DENIED, name, file_path=name, data={"rule": "protected:x"}),
        )
        for name in ("a", "b")
    ]
    error = ConsentNeededError(wants)
    assert (error.code, error.file_path, error.data["rule"]) == (Code.FS_DENIED, "a", "protected:x")
    assert [one["file_path"] for one in error.data["failures"]] == ["b"]


def test_no_and_no_answer_are_told_apart() -> None:
    unsaved = Want(
        matter(Kind.OVERWRITE),
        CoeditorError(Code.FS_UNSAVED_CHANGES, "Unsaved.", file_path="a", data={"moved_by": "user-unsaved"}),
    )
    secret = Want(
        matter(Kind.CONSENT),
        CoeditorError(Code.FS_DENIED, "No.", file_path="a", data={"rule": "protected:x"}),
    )
    for want in (unsaved, secret):
        for answer in (Answer.NO, Answer.DISMISSED):
            error = denied(want, answer)
            assert (error.code, error.data["rule"], error.data["answer"]) == (
                Code.FS_DENIED,
                "person",
                answer,
            )
    assert unanswered(unsaved).code is Code.FS_UNSAVED_CHANGES
    assert unanswered(unsaved).data == {"moved_by": "user-unsaved", "answer": "silent"}
    assert unanswered(secret).code is Code.FS_TIMEOUT


def test_consent_is_for_one_session_and_used_up_unless_it_is_for_the_session() -> None:
    consents = Consents()
    secret, typed = matter(Kind.CONSENT), matter(Kind.OVERWRITE)
    consents.agree("s", [secret, typed], lasting=False)
    assert not consents.allows("other", secret)
    assert not consents.allows("s", matter(Kind.OVERWRITE, token="v2"))
    consents.used("s", [TargetKey("/w/else.py")])
    assert consents.allows("s", secret)
    assert consents.allows("s", typed)
    consents.used("s", [secret.target])
    assert not consents.allows("s", secret)
    assert not consents.allows("s", typed)
    consents.agree("s", [secret, typed], lasting=True)
    consents.used("s", [secret.target])
    assert consents.allows("s", secret)
    assert not consents.allows("s", typed), "text that is not there any more cannot be agreed upon for good"


def test_a_no_is_not_asked_again_at_once() -> None:
    now = 0.0
    consents = Consents(clock=lambda: now)
    consents.refuse("s", [matter(Kind.CONSENT)])
    assert consents.refused_lately("s", matter(Kind.CONSENT))
    assert not consents.refused_lately("s", matter(Kind.CONSENT, "b.py"))
    now = QUIET
    assert not consents.refused_lately("s", matter(Kind.CONSENT))
