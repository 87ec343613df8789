"""The one who asks: through the editor where there is one, else through the agent's client.

::

    the person answers              that answer
    saves, undoes or closes it      withdrawn: the question is taken back, and the call looks again
    does not answer in time         silent: what the person has stays
    the agent's call is cancelled   the question is taken back

Questions are shown one after the other, each for its own time. Never: a yes that nobody gave.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Protocol

from ledger.types import TargetKey
from lsp_server.asking.questions import Answer, Question, Reply

Progress = Callable[[str], Awaitable[None]]
Resolved = Callable[[Collection[TargetKey]], Awaitable[None]]
"""Returns when one of the targets has no unsaved text any more."""


class DeferredError(Exception):
    """The answer comes with another call, so this one ends without a result. Raised by prompts that work so."""


class Prompt(Protocol):
    """One way to a person."""

    async def show(self, question: Question) -> Reply:
        """The person's answer; UNREACHABLE where this way leads to nobody. Cancelling takes the question back."""
        ...


class Asker:
    """Asks, and waits as long as is fair to the agent."""

    def __init__(self, prompt: Prompt | None, *, patience: float, resolved: Resolved) -> None:
        """``prompt``: the editor's, if there is one; ``patience``: seconds for one answer."""
        self._prompt = prompt
        self._patience = patience
        self._resolved = resolved
        self._turn = asyncio.Lock()

    async def ask(
        self, question: Question, *, other: Prompt | None = None, progress: Progress | None = None
    ) -> Reply:
        """The answer; ``other`` is the way to take where no editor can show it.

        Whatever ``other`` raises goes through: it may have to end the call to get its answer.
        """
        if self._prompt is not None:
            answer = await self._in_turn(self._prompt, question, progress)
            if answer is not Answer.UNREACHABLE:
                return answer
        if other is not None:
            return await self._raced(other, question)
        return Answer.UNREACHABLE

    async def _in_turn(self, prompt: Prompt, question: Question, progress: Progress | None) -> Reply:
        if progress is not None:
            with suppress(ConnectionError):
                await progress("Waiting for the person's answer in the editor")
        try:
            async with asyncio.timeout(self._patience):
                await self._turn.acquire()
        except TimeoutError:
            return Answer.SILENT
        try:
            return await self._raced(prompt, question)
        finally:
            self._turn.release()

    async def _raced(self, prompt: Prompt, question: Question) -> Reply:
        """The person's answer, unless what it is about is settled before, or time runs out."""
        shown = asyncio.ensure_future(prompt.show(question))
        settled = asyncio.ensure_future(self._resolved(question.unsaved))
        try:
            await asyncio.wait({shown, settled}, timeout=self._patience, return_when=asyncio.FIRST_COMPLETED)
            if shown.done():
                return shown.result()
            return Answer.WITHDRAWN if settled.done() else Answer.SILENT
        finally:
            for task in (shown, settled):
                task.cancel()
            await asyncio.gather(shown, settled, return_exceptions=True)
