"""What a person is asked, in the person's words: whose request, which file, and what each answer does.

::

    overwrite   a write, delete or move over text that the person has not saved
    consent     a file that the settings let agents change only if the person agrees
    outside     a file outside the workspace folders
    approval    any change, where the person wants to agree to each

Never: a channel. How a question reaches the person is not known here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey, VersionToken

_NAMED = 3
"""Files that a text names; more are counted."""
_LONGEST = 200
"""Characters of one name."""


class Kind(StrEnum):
    """What has to be decided."""

    OVERWRITE = "overwrite"
    CONSENT = "consent"
    OUTSIDE = "outside"
    APPROVAL = "approval"


class Answer(StrEnum):
    """What came back."""

    YES = "yes"
    """This once."""
    SESSION = "session"
    """And for the rest of the agent's session."""
    NO = "no"
    DISMISSED = "dismissed"
    """The prompt was closed without a choice."""
    SILENT = "silent"
    """No answer in time."""
    WITHDRAWN = "withdrawn"
    """What was asked about is not so any more."""
    UNREACHABLE = "unreachable"
    """There is nobody to ask, or no way to."""


@dataclass(frozen=True, slots=True)
class Amended:
    """A yes to texts of the person's own, where they changed what the agent wanted before they agreed."""

    answer: Answer
    texts: Mapping[TargetKey, str]
    """The final text of each matter that was changed."""


Reply = Answer | Amended


@dataclass(frozen=True, slots=True)
class Matter:
    """One file about which a person has to decide."""

    kind: Kind
    target: TargetKey
    path: str
    """As the person knows it."""
    verb: str
    """What the agent wants to do: ``overwrite``, ``delete``, ``move``, ``change``."""
    token: VersionToken | None = None
    """The text that is at stake, where it is unsaved text; of an approval, both texts as one."""
    rule: str = ""
    """The pattern that wants consent."""
    before: str | None = None
    """Of an approval: the text now; None where there is none."""
    after: str | None = None
    """Of an approval: the text then; None where there will be none."""
    editable: bool = False
    """Of an approval: the person may change the text before they agree."""


@dataclass(frozen=True, slots=True)
class Want:
    """A matter with the refusal that stands if nobody agrees."""

    matter: Matter
    refusal: CoeditorError


class ConsentNeededError(CoeditorError):
    """A call that goes on only if a person agrees. It is the refusal that the caller gets if nobody can be asked."""

    def __init__(self, wants: Sequence[Want]) -> None:
        """``wants`` is not empty."""
        first, *others = (want.refusal for want in wants)
        data = dict(first.data)
        if others:
            data["failures"] = [error.to_object() for error in others]
        super().__init__(first.code, first.message, file_path=first.file_path, data=data)
        self.wants = tuple(wants)


@dataclass(frozen=True, slots=True)
class Choice:
    """One button."""

    title: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class Question:
    """Matters that are decided together."""

    matters: tuple[Matter, ...]
    agent: str
    """Its name for people."""

    @property
    def key(self) -> str:
        """The same for the same matters, and different for others."""
        parts = [f"{one.kind}\0{one.target}\0{one.verb}\0{one.token}" for one in self.matters]
        return hashlib.sha256("\1".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]

    @property
    def unsaved(self) -> tuple[TargetKey, ...]:
        """Targets whose unsaved text it is about: saved, undone or closed, they need no answer any more."""
        return tuple(one.target for one in self.matters if one.kind is Kind.OVERWRITE)

    @property
    def text(self) -> str:
        """Who wants what, in sentences."""
        kinds = {one.kind for one in self.matters}
        sentences = [
            _SENTENCES[kind](self.agent, [one for one in self.matters if one.kind is kind])
            for kind in Kind
            if kind in kinds
        ]
        return " ".join(sentences)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The buttons; the one that changes nothing comes last."""
        kinds = {one.kind for one in self.matters}
        if Kind.OVERWRITE not in kinds:
            return (
                Choice("Allow Once", Answer.YES),
                Choice("Allow for This Session", Answer.SESSION),
                Choice("Refuse", Answer.NO),
            )
        verbs = {one.verb for one in self.matters if one.kind is Kind.OVERWRITE}
        verb = verbs.pop().capitalize() if len(verbs) == 1 else "Go Ahead"
        return (Choice(f"{verb} Anyway", Answer.YES), Choice("Keep My Changes", Answer.NO))


def _overwrite(agent: str, matters: Sequence[Matter]) -> str:
    verbs = {one.verb for one in matters}
    verb = verbs.pop() if len(verbs) == 1 else "change"
    which = "which has" if len(matters) == 1 else "which have"
    return f"{agent} wants to {verb} {_names(matters)}, {which} changes that you have not saved."


def _consent(agent: str, matters: Sequence[Matter]) -> str:
    rules = ", ".join(dict.fromkeys(_short(one.rule) for one in matters))
    return (
        f"{agent} wants to change {_names(matters)}, which it may only do if you agree (ask_first: {rules})."
    )


def _outside(agent: str, matters: Sequence[Matter]) -> str:
    where = "which is" if len(matters) == 1 else "which are"
    return f"{agent} wants to change {_names(matters)}, {where} outside the workspace."


def _approval(agent: str, matters: Sequence[Matter]) -> str:
    verbs = {one.verb for one in matters}
    verb = verbs.pop() if len(verbs) == 1 else "change"
    return f"{agent} wants to {verb} {_names(matters)}."


_SENTENCES = {
    Kind.OVERWRITE: _overwrite,
    Kind.CONSENT: _consent,
    Kind.OUTSIDE: _outside,
    Kind.APPROVAL: _approval,
}


def _names(matters: Sequence[Matter]) -> str:
    names = list(dict.fromkeys(_short(one.path) for one in matters))
    shown = names[:_NAMED] if len(names) > _NAMED else names[:-1]
    last = names[-1] if len(names) <= _NAMED else f"{len(names) - _NAMED} more"
    return f"{', '.join(shown)} and {last}" if shown else last


def _short(name: str) -> str:
    """One line, of bounded length: a name must not look like a part of the question."""
    plain = "".join(char if char.isprintable() else "?" for char in name)
    return plain if len(plain) <= _LONGEST else f"...{plain[-_LONGEST:]}"


def denied(want: Want, answer: Answer) -> CoeditorError:
    """What the agent is told when the person did not agree."""
    path = want.refusal.file_path
    how = "closed the question about" if answer is Answer.DISMISSED else "said no to"
    return CoeditorError(
        Code.FS_DENIED,
        f"The person {how} this change of {path}. Nothing was changed; go on without it, or talk with the person.",
        file_path=path,
        data={**_kept(want.refusal), "rule": "person", "answer": str(answer)},
    )


def unanswered(want: Want) -> CoeditorError:
    """What the agent is told when nobody answered: over unsaved text that conflict, else that time ran out."""
    path = want.refusal.file_path
    data = {**_kept(want.refusal), "answer": str(Answer.SILENT)}
    if want.matter.kind is Kind.OVERWRITE:
        message = f"{want.refusal.message} The person was asked, and did not answer in time."
        return CoeditorError(want.refusal.code, message, file_path=path, data=data)
    return CoeditorError(
        Code.FS_TIMEOUT,
        f"The person was asked about this change of {path}, and did not answer in time. Nothing was changed; go on "
        "without it, or ask the person to be there and send it again.",
        file_path=path,
        data=data,
    )


def _kept(refusal: CoeditorError) -> dict[str, object]:
    """What the refusal tells of both texts, which is true whatever was answered."""
    return {name: value for name, value in refusal.data.items() if name != "failures"}
