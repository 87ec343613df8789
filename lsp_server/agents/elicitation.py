"""Questions to the person at an agent's own client, where it offered that (MCP elicitation).

::

    up to 2025-11-25    a request of ours on the connection: ``elicitation/create``
    from 2026-07-28     no request of ours can be sent: the call ends with ``input_required``, and the client sends it
                        again with ``inputResponses`` and our ``requestState``

A call that is sent again with an answer is the same call: however often it comes, it is carried out once.
Never: a question to a client that did not offer it; some never answer.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from lsp_server.asking.asker import DeferredError
from lsp_server.asking.questions import Answer, Question
from lsp_server.wire.handshake import HandshakeState

Send = Callable[[Mapping[str, Any]], Awaitable[None]]

ELICIT: Final = "elicitation/create"
_FIELD: Final = "decision"
_NAME: Final = "decision"
"""Our question among ``inputRequests``; there is one at a time."""
_MOST: Final = 64
_KEPT: Final = 900.0
"""Seconds for which a question that ended a call can be answered."""
_WITH_MODE: Final = ("2025-11-25", "2026-07-28")
"""Versions that know more kinds of elicitation than the form, and have it named."""


@dataclass(slots=True)
class Round:
    """A call that ended with a question, and what became of it when it came again."""

    state: str
    call: str
    """Fingerprint of tool and arguments."""
    question: Question
    until: float
    answer: Answer | None = None
    outcome: asyncio.Future[dict[str, Any]] | None = field(default=None)
    """The result of the call that brought the answer, once one did."""


class _EndsCallError(DeferredError):
    def __init__(self, question: Question) -> None:
        super().__init__(question.text)
        self.question = question


class Elicitation:
    """One connection's questions."""

    def __init__(
        self, state: HandshakeState, send: Send, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._state = state
        self._send = send
        self._clock = clock
        self._count = 0
        self._waiting: dict[object, asyncio.Future[Mapping[str, Any]]] = {}
        self._rounds: OrderedDict[str, Round] = OrderedDict()

    @property
    def offered(self) -> bool:
        """Whether the client said that it can show a form to its person."""
        told = self._state.capabilities.get("elicitation")
        return isinstance(told, dict) and (not told or "form" in told)

    def prompt(self, again: Round | None) -> _Now | _Later | None:
        """The way to ask within a call; ``again`` is what the call answers. None where nobody can be asked."""
        if not self.offered:
            return None
        return _Later(again) if self._state.enveloped else _Now(self)

    def take_answer(self, message: Mapping[str, Any]) -> None:
        """An answer of the client to a request; one to a question that was taken back is dropped."""
        future = self._waiting.get(message.get("id"))
        if future is not None and not future.done():
            future.set_result(message)

    # The older eras: ask on the connection.

    async def ask(self, question: Question) -> Answer:
        """Send the question and wait for its answer. Cancelled, it is taken back."""
        self._count += 1
        name = f"ask-{self._count}"
        future = self._waiting[name] = asyncio.get_running_loop().create_future()
        try:
            await self._send(
                {"jsonrpc": "2.0", "id": name, "method": ELICIT, "params": self._params(question)}
            )
            found = await future
        except ConnectionError:
            return Answer.UNREACHABLE
        except asyncio.CancelledError:
            params = {"requestId": name, "reason": "The question is settled, or its time is over."}
            with suppress(ConnectionError):
                await self._send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
            raise
        finally:
            del self._waiting[name]
        return _answer_from(found.get("result"), question) if "result" in found else Answer.UNREACHABLE

    # The newer era: end the call with the question, and know it again.

    def again(self, tool: str, params: Mapping[str, Any]) -> Round | None:
        """The round that this call goes on with, its answer noted; None for a call of its own."""
        state = params.get("requestState")
        self._drop_old()
        found = self._rounds.get(state) if isinstance(state, str) else None
        if found is None or found.call != _fingerprint(tool, params.get("arguments")):
            return None
        responses = params.get("inputResponses")
        if found.answer is None:
            told = responses.get(_NAME) if isinstance(responses, Mapping) else None
            found.answer = _answer_from(told, found.question)
        return found

    def input_required(self, error: DeferredError, tool: str, arguments: object) -> dict[str, Any]:
        """The result that ends a call with a question. Errors: the same, where it is none of ours."""
        if not isinstance(error, _EndsCallError):
            raise error
        state = secrets.token_urlsafe(24)
        self._rounds[state] = Round(
            state, _fingerprint(tool, arguments), error.question, self._clock() + _KEPT
        )
        while len(self._rounds) > _MOST:
            self._rounds.popitem(last=False)
        return {
            "resultType": "input_required",
            "inputRequests": {_NAME: {"method": ELICIT, "params": self._params(error.question)}},
            "requestState": state,
        }

    def _drop_old(self) -> None:
        now = self._clock()
        while self._rounds and next(iter(self._rounds.values())).until < now:
            self._rounds.popitem(last=False)

    def _params(self, question: Question) -> dict[str, Any]:
        titles = [choice.title for choice in question.choices]
        form = {
            "type": "object",
            "properties": {_FIELD: {"type": "string", "title": "Decision", "enum": titles}},
            "required": [_FIELD],
        }
        found: dict[str, Any] = {"message": question.text, "requestedSchema": form}
        return {"mode": "form", **found} if self._state.version in _WITH_MODE else found


class _Now:
    """Asks while the call waits."""

    def __init__(self, elicitation: Elicitation) -> None:
        self._elicitation = elicitation

    async def show(self, question: Question) -> Answer:
        return await self._elicitation.ask(question)


class _Later:
    """Has the answer if this call brought it; else the call has to end with the question."""

    def __init__(self, again: Round | None) -> None:
        self._again = again

    async def show(self, question: Question) -> Answer:
        again, self._again = self._again, None
        if again is not None and again.answer is not None and again.question.key == question.key:
            return again.answer
        raise _EndsCallError(question)


def _answer_from(found: object, question: Question) -> Answer:
    """What the person chose; anything that is not clearly a choice changes nothing."""
    told = found if isinstance(found, Mapping) else {}
    if told.get("action") == "decline":
        return Answer.NO
    content = told.get("content")
    if told.get("action") != "accept" or not isinstance(content, Mapping):
        return Answer.DISMISSED
    title = content.get(_FIELD)
    return next((one.answer for one in question.choices if one.title == title), Answer.DISMISSED)


def _fingerprint(tool: str, arguments: object) -> str:
    text = json.dumps([tool, arguments], sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
