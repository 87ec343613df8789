"""Requests of ours to an editor, from sending them to their answers.

Never: how messages travel.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping
from typing import Any

from lsprotocol import types as lsp

from editor_clients.editor_link import AnswerError, SilentEditorError

log = logging.getLogger(__name__)


class OpenRequests:
    """Those of one connection that have no answer yet."""

    def __init__(self, send: Callable[[Mapping[str, Any]], None], name: Callable[[int], int | str]) -> None:
        """``send`` takes a message; ``name`` makes the id of the n-th request."""
        self._send = send
        self._name = name
        self._count = 0
        self._asked: dict[object, asyncio.Future[object]] = {}
        self.is_gone = False
        """See ``EditorLink.is_gone``."""

    async def ask(self, method: str, params: Mapping[str, Any], *, patience: float) -> object:
        """The editor's answer as plain JSON. Errors: SilentEditorError, AnswerError."""
        if self.is_gone:
            raise SilentEditorError("the editor is gone")
        self._count += 1
        number = self._name(self._count)
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._asked[number] = future
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        try:
            async with asyncio.timeout(patience if math.isfinite(patience) else None):
                return await future
        except TimeoutError:
            self.tell(lsp.CANCEL_REQUEST, {"id": number})
            raise SilentEditorError(f"{method} was not answered within {patience:g} s") from None
        except asyncio.CancelledError:
            self.tell(lsp.CANCEL_REQUEST, {"id": number})
            raise
        finally:
            self._asked.pop(number, None)

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification as plain JSON."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def deliver(self, message: Mapping[str, Any]) -> None:
        """An answer came; one that nobody waits for any more is dropped."""
        number = message.get("id")
        future = self._asked.get(number) if isinstance(number, int | str) else None
        if future is None or future.done():
            log.info("an answer came too late")
        elif "error" in message:
            error = message["error"]
            told = error.get("message") if isinstance(error, Mapping) else None
            future.set_exception(AnswerError(str(told)[:500]))
        else:
            future.set_result(message.get("result"))

    def hang_up(self) -> None:
        """The editor is gone: nobody waits for its answers any more."""
        self.is_gone = True
        for future in self._asked.values():
            if not future.done():
                future.set_exception(SilentEditorError("the editor is gone"))
