"""A question to the person in the editor, as any LSP editor can show it: ``window/showMessageRequest``.

To clients of ours the params also carry ``coeditor`` with what the question is about, so that they can show it better.
Never: an answer that is none of the buttons taken for a yes.
"""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from editor_clients.editor_link import ASK, WITHDRAW, AnswerError, EditorLink, SilentEditorError
from editor_clients.loose_json import as_list, as_object, as_text
from editor_clients.lsp_diagnostics import path_to_uri
from editor_clients.lsp_wire import PROTOCOL
from ledger.types import TargetKey
from lsp_server.asking.questions import Amended, Answer, Kind, Matter, Question, Reply
from lsp_server.handlers.methods import SHOW_MESSAGE_REQUEST
from lsp_server.handlers.telling import UriOf

_WARNING = 2
"""LSP, MessageType."""


_LARGEST = 1 << 20
"""Characters of a text that goes along with a question."""

Ways = Callable[[Collection[TargetKey]], Iterable[tuple[EditorLink, UriOf]]]
"""The ways to the editors, best first, for a question about unsaved text of targets."""


class EditorPrompt:
    """The way to the person at the editors of one folder."""

    def __init__(self, ways: Ways) -> None:
        self._ways = ways

    async def show(self, question: Question) -> Reply:
        """See ``Prompt.show``. Cancelled, the request is cancelled too, so that editors that can take it away."""
        for link, uri_of in self._ways(question.unsaved):
            try:
                found = await _ask(link, question, uri_of)
            except (AnswerError, SilentEditorError):
                continue
            return _reply(as_object(found), question, uri_of)
        return Answer.UNREACHABLE


def _reply(found: Mapping[str, Any], question: Question, uri_of: UriOf) -> Reply:
    """The button, and the texts of the person's own, where they changed one that they may change."""
    title = found.get("title")
    answer = next((one.answer for one in question.choices if one.title == title), Answer.DISMISSED)
    rows = [as_object(row) for row in as_list(as_object(found.get("coeditor")).get("files"))]
    if answer not in (Answer.YES, Answer.SESSION) or not rows:
        return answer
    editable = {_uri(one, uri_of): one for one in question.matters if one.editable}
    texts: dict[TargetKey, str] = {}
    for row in rows:
        one, after = editable.get(as_text(row.get("uri"))), row.get("after")
        if one is None or not isinstance(after, str) or not _can_be_kept(after):
            return Answer.DISMISSED  # a yes to something that cannot be made
        if after != one.after:
            texts[one.target] = after
    return Amended(answer, texts) if texts else answer


def _can_be_kept(text: str) -> bool:
    """Whether it can be a file's text at all."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return len(text) <= _LARGEST


async def _ask(link: EditorLink, question: Question, uri_of: UriOf) -> object:
    """What the editor answers. Errors: AnswerError, SilentEditorError."""
    if not link.abilities.questions:
        is_ours = link.abilities.checked_apply or link.abilities.document_state
        params = _params(question) | (_ours(question, uri_of) if is_ours else {})
        return await link.ask(SHOW_MESSAGE_REQUEST, params, patience=math.inf)
    number = secrets.token_hex(8)
    titles = [one.title for one in question.choices]
    params = {"id": number, "choices": titles, **_ours(question, uri_of)["coeditor"]}
    try:
        return await link.ask(ASK, params, patience=math.inf)
    except asyncio.CancelledError:
        # Not every editor says which request a cancellation is about.
        link.tell(WITHDRAW, {"id": number})
        raise


def _params(question: Question) -> dict[str, Any]:
    """What LSP has; some editors fail on a field that they do not know."""
    return {
        "type": _WARNING,
        "message": f"Coeditor: {question.text}",
        "actions": [{"title": one.title} for one in question.choices],
    }


def _texts(one: Matter) -> dict[str, Any]:
    """What a change that waits for approval is about, so that it can be shown; not of a huge file."""
    if one.kind is not Kind.APPROVAL or max(len(one.before or ""), len(one.after or "")) > _LARGEST:
        return {}
    editable = {"editable": True} if one.editable else {}
    return {"before": one.before, "after": one.after} | editable


def _uri(one: Matter, uri_of: UriOf) -> str:
    """As the editor knows it."""
    return uri_of(one.target) or (
        one.target if one.target.startswith("untitled:") else path_to_uri(one.target)
    )


def _ours(question: Question, uri_of: UriOf) -> dict[str, Any]:
    rows = [
        {
            "uri": _uri(one, uri_of),
            "kind": str(one.kind),
            "verb": one.verb,
        }
        | _texts(one)
        for one in question.matters
    ]
    return {
        "coeditor": {
            "protocol": PROTOCOL,
            "question": question.key,
            "agent": question.agent,
            "text": question.text,
            "files": rows,
            "answers": {one.title: str(one.answer) for one in question.choices},
        }
    }
