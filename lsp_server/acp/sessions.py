"""The sessions of one agent behind ``coeditor acp``, each with its line to the server of its folder.

Threads: one for each session reads what its server says. Never: a message of the protocol itself.
"""

from __future__ import annotations

import json
import os
import threading

from ledger.errors import Code, CoeditorError
from lsp_server.agents.link import Seeker, error_of, hello, settle
from lsp_server.agents.socket_link import LostError
from lsp_server.agents.socket_methods import CALL, HOST, OUTCOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Final

    from lsp_server.agents.socket_link import Link

    Answered = Callable[[dict[str, Any] | CoeditorError], None]
    Ask = Callable[[str, dict[str, Any], Callable[[dict[str, Any]], None]], None]

_TRIES: Final = 3


class _Call:
    __slots__ = ("answered", "asked", "call_id", "params", "tries")

    def __init__(self, params: dict[str, Any], answered: Answered) -> None:
        self.params = params
        self.answered = answered
        self.call_id = str(params["call_id"])
        self.asked = False
        """It may have been applied: only its outcome is asked for now."""
        self.tries = 0


class Session:
    """One session: its files by the server, and its host's by us. ``name`` is ours, ``told`` the protocol's."""

    def __init__(self, name: str, cwd: str, host: str, agent: str, *, files: bool, ask: Ask) -> None:
        """``ask`` puts a request to the host: method, params, and what takes the answer."""
        self.name = name
        self.cwd = cwd
        self.told: str | None = None
        self._seeker = Seeker(os.path.realpath(cwd))
        self._agent = agent
        self._about = {"name": host, "files": files}
        self._ask = ask
        self._lock = threading.Lock()
        """Guards what follows."""
        self._link: Link | None = None
        self._calls: dict[int, _Call] = {}
        self._last = 0
        self._closed = False
        self._running = False
        with self._lock:
            self._start()

    def call(self, tool: str, arguments: Mapping[str, Any], answered: Answered) -> None:
        """One step at the server; ``answered`` is called in another thread."""
        params = {
            "tool": tool,
            "arguments": dict(arguments),
            "session": self.name,
            "call_id": os.urandom(8).hex(),
            "agent": self._agent,
            "cwd": self._seeker.cwd,
        }
        with self._lock:
            self._last += 1
            self._calls[self._last] = _Call(params, answered)
            self._send_call(self._last)
            self._start()

    def close(self) -> None:
        """The session is over."""
        with self._lock:
            self._closed = True
            if self._link is not None:
                self._link.close()

    def _start(self) -> None:
        """Have a server, now or soon; ``_lock`` is held."""
        if not self._running and not self._closed:
            self._running = True
            threading.Thread(target=self._run, name="session", daemon=True).start()

    def _run(self) -> None:
        while not self._closed:
            try:
                link = self._seeker.reach(hello("host", self._seeker.cwd, self.name))
            except (CoeditorError, OSError) as error:
                self._fail(error if isinstance(error, CoeditorError) else _unreachable(error))
                return
            with self._lock:
                self._link = link
                self._send({"id": 0, "method": HOST, "params": self._about})
                for number in list(self._calls):
                    self._send_call(number)
                if self._closed:
                    link.close()
            try:
                while True:
                    self._hear(json.loads(link.receive()))
            except (LostError, ValueError):
                link.close()
            self._note_lost()

    def _hear(self, message: dict[str, Any]) -> None:
        if "method" in message:
            self._pass_question(message)
            return
        with self._lock:
            call = self._calls.pop(message.get("id") or 0, None)
        if call is None:
            return
        if "error" in message:
            told = message["error"].get("data") or {"message": message["error"].get("message")}
            call.answered(error_of(told))
            return
        try:
            call.answered(settle(message.get("result")) if call.asked else message["result"])
        except CoeditorError as error:
            call.answered(error)

    def _pass_question(self, message: dict[str, Any]) -> None:
        """The server's question to the host, about a file of this session."""

        def answered(answer: dict[str, Any]) -> None:
            found: dict[str, Any] = {name: answer[name] for name in ("result", "error") if name in answer}
            with self._lock:
                self._send({"id": message["id"], **found})

        params = {**message["params"], "path": self._spelled(str(message["params"]["path"]))}
        self._ask(str(message["method"]), {"sessionId": self.told, **params}, answered)

    def _spelled(self, path: str) -> str:
        """The path as the host knows it: below the folder that it named, whatever that is a link to."""
        below = os.path.relpath(path, self._seeker.cwd)
        return path if below.startswith(os.pardir) else os.path.join(self.cwd, below)

    def _send_call(self, number: int) -> None:
        call = self._calls[number]
        if self._link is None:
            return
        call.tries += 1
        asked = {"session": self.name, "call_id": call.call_id}
        method = OUTCOME if call.asked else CALL
        self._send({"id": number, "method": method, "params": asked if call.asked else call.params})

    def _send(self, message: Mapping[str, Any]) -> None:
        """``_lock`` is held; what does not go out is sent again to the next server."""
        if self._link is None:
            return
        try:
            self._link.send(json.dumps({"jsonrpc": "2.0", **message}).encode("ascii"), b"\n")
        except LostError:
            self._link = None

    def _note_lost(self) -> None:
        """What reads is sent again; what writes may have been done, and is asked for."""
        with self._lock:
            self._link = None
            for call in self._calls.values():
                call.asked = call.asked or call.params["tool"] == "host_write"
            hopeless = [number for number, call in self._calls.items() if call.tries >= _TRIES]
            calls = [self._calls.pop(number) for number in hopeless]
        for call in calls:
            text = "The server ended again and again while it answered; its log tells why."
            call.answered(CoeditorError(Code.NO_SERVER, text))

    def _fail(self, error: CoeditorError) -> None:
        """No server can be had; the next call tries again."""
        with self._lock:
            self._link, self._running = None, False
            calls, self._calls = list(self._calls.values()), {}
        for call in calls:
            call.answered(error)


def _unreachable(error: OSError) -> CoeditorError:
    return CoeditorError(Code.NO_SERVER, f"No server can be reached or started: {error}.")
