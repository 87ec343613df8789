"""What the relay does with each message, and what it does when a server is lost.

The handshake is answered here at once; everything else goes to the server of the workspace folder, which is
looked for, or started, meanwhile. The agent's connection outlives servers: what was not answered when one was
lost is sent again to the next, or, where it may have changed something, its outcome is asked for. A server says
when it begins with a call that changes something, so that one sent to a dying server is not taken for lost.

One thread reads the agent (``take``), one reads the server (``run``), one writes to the agent (``Outlet``).
Never: a tool, or anything but bytes passed on for a call.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time

from ledger.errors import Code, CoeditorError
from lsp_server.agents import refused
from lsp_server.agents.inflight import InFlight, Pending, name_of_call
from lsp_server.agents.link import hello
from lsp_server.agents.socket_link import LostError
from lsp_server.wire import handshake
from lsp_server.wire.resources import UPDATED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from lsp_server.agents.http_sessions import HttpSession
    from lsp_server.agents.link import Seeker
    from lsp_server.agents.outlet import Outlet
    from lsp_server.agents.socket_link import Link

_LAST_ANSWERS: Final = 1.0
"""Seconds for calls in flight when the agent hangs up: it may have sent all its questions at once."""
_SHORT_LIFE: Final = 5.0
"""A server that was lost sooner is not started again before it is needed."""
_NOTICES: Final = 100
"""Notifications kept for the next server."""
_ANSWER: Final = re.compile(rb'\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|-?\d+),"(?:result|error)":')
"""How the server's answers begin, so that big ones need not be parsed."""


class Relay:
    """Between one agent and whatever server the folder has at the moment."""

    def __init__(self, seeker: Seeker, session: str, outlet: Outlet | HttpSession) -> None:
        self._seeker = seeker
        self._session = session
        self._outlet = outlet
        self._handshake = handshake.HandshakeState()
        self._greeted = False
        self._leaving = False
        self._wanted = threading.Event()
        """A request came."""
        self._table = threading.Condition()
        """Guards what is in flight and asked; held for moments."""
        self._in_flight = InFlight()
        self._subscribed: dict[str, bytes] = {}
        """Resources that the agent watches, with what it subscribed by; for the next server."""
        self._questions: dict[str, object] = {}
        """Questions of the server to the agent: the name that the agent was given, and the server's own."""
        self._asked = 0
        self._sending = threading.Lock()
        """Guards what follows; held while lines go to the server, in the agent's order."""
        self._current: Link | None = None
        self._link: Link | None = None
        """The current one, once new lines may go to it."""
        self._ordinal = 0
        self._notices: list[bytes] = []

    # The agent's side.

    def take(self, line: bytes) -> None:
        """One line of the agent, without its end."""
        try:
            message = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            self._tell(handshake.error_message(None, -32700, "The line is not valid JSON text in UTF-8."))
            return
        if isinstance(message, list):  # a batch, which one version of MCP had
            for each in message:
                self._take(each, json.dumps(each).encode("ascii"))
        else:
            self._take(message, line)

    def take_oversize(self, start: bytes, end: bytes, limit: int) -> None:
        """A line of the agent that is too long to be passed on, of which only ``start`` and ``end`` were kept."""
        message_id = refused.id_around(start, end)
        self._tell(refused.error_answer(message_id, "tools/call", refused.oversize(limit), self._handshake))

    def leave(self) -> None:
        """The agent has hung up: answer what can be answered at once, and let go of the server."""
        with self._table:
            self._table.wait_for(lambda: not self._in_flight.awaited, timeout=_LAST_ANSWERS)
        self._leaving = True
        self._wanted.set()
        link = self._current
        if link is not None:
            link.close()
        self._outlet.finish(_LAST_ANSWERS)

    def _take(self, message: object, line: bytes) -> None:
        if not isinstance(message, dict):
            self._tell(handshake.error_message(None, -32600, "A message is an object."))
            return
        if not _is_message(message):
            self._tell(handshake.error_message(message.get("id"), -32600, "A request names a method."))
            return
        if refused.has_half_character(line, message):
            self._refuse(message, refused.HALF_CHARACTER)
            return
        answer = handshake.answer(message, self._handshake)
        if answer is not None:
            self._tell(answer)
            self._introduce(message)
        elif "method" not in message:
            self._pass_answer(message)
        elif "id" in message:
            self._pass_request(message, line)
        elif message["method"] == "notifications/cancelled":
            self._pass_cancellation(message, line)
        else:
            self._pass_notification(line)

    def _introduce(self, message: Mapping[str, Any]) -> None:
        """Tell the server who the agent said it is."""
        if message.get("method") in ("initialize", "server/discover"):
            with self._sending:
                self._greeted = True
                self._send(self._introduction())

    def _pass_request(self, message: Mapping[str, Any], line: bytes) -> None:
        pending = Pending(message, line, name_of_call(message, os.urandom(8).hex()))
        with self._sending:
            self._note_subscription(message, line)
            with self._table:
                self._in_flight.add(pending)
            if self._link is not None:
                self._send_request(pending)
        self._wanted.set()

    def _note_subscription(self, message: Mapping[str, Any], line: bytes) -> None:
        uri = handshake.params_of(message).get("uri")
        if message.get("method") == "resources/subscribe" and isinstance(uri, str):
            if len(self._subscribed) < _NOTICES:
                self._subscribed[uri] = line
        elif message.get("method") == "resources/unsubscribe" and isinstance(uri, str):
            self._subscribed.pop(uri, None)

    def _pass_cancellation(self, message: Mapping[str, Any], line: bytes) -> None:
        """A late one, for a call that is answered, means nothing to the server either."""
        with self._sending:
            with self._table:
                pending = self._in_flight.take(handshake.params_of(message).get("requestId"))
                self._table.notify_all()
            if pending is not None and pending.ordinal:
                self._send(b"[{},", line, b"]\n")

    def _pass_notification(self, line: bytes) -> None:
        with self._sending:
            if not self._send(b"[{},", line, b"]\n"):
                self._notices = [*self._notices[1 - _NOTICES :], line]

    def _pass_answer(self, message: dict[str, Any]) -> None:
        """An answer of the agent to a server's question; one to a server that is gone is dropped."""
        name = str(message.get("id"))
        with self._sending:
            with self._table:
                if name not in self._questions:
                    return
                message["id"] = self._questions.pop(name)
            self._send(b"[{},", json.dumps(message).encode("ascii"), b"]\n")

    def _refuse(self, message: Mapping[str, Any], error: CoeditorError) -> None:
        if "id" in message and "method" in message:
            method = str(message["method"])
            self._tell(refused.error_answer(message["id"], method, error, self._handshake))

    # Sending to the server; ``_sending`` is held.

    def _send(self, *parts: bytes) -> bool:
        """Send a line, if there is a server that takes it. What became of it is seen when the link is lost."""
        if self._link is None:
            return False
        self._ordinal += 1
        try:
            self._link.send(*parts)
        except LostError:
            self._link = None
            return False
        return True

    def _send_request(self, pending: Pending) -> None:
        pending.ordinal = self._ordinal + 1
        if pending.asked:
            head, line = (
                _head(call_id=pending.call_id, lost=True),
                json.dumps(pending.question).encode("ascii"),
            )
        elif pending.question is not None:
            head, line = _head(call_id=pending.call_id, ack=True), pending.line
            pending.begun = self._link is not None and not self._link.is_exact
        else:
            head, line = _head(call_id=pending.call_id), pending.line
        if not self._send(head, line, b"]\n"):
            pending.ordinal = 0  # what was not sent to its end was not looked at
            pending.begun = False

    def _introduction(self) -> bytes:
        return json.dumps([{"client": self._handshake.to_hello()}]).encode("ascii") + b"\n"

    # The server's side.

    def run(self) -> None:
        """Have a connection, and another when it is lost, for as long as the agent lives."""
        at_once = True
        while not self._leaving:
            try:
                link = self._reach(at_once)
            except (CoeditorError, OSError) as error:
                self._give_up(error)
                at_once = False
                continue
            begun = time.monotonic()
            with self._sending:
                self._current = link
            if self._leaving:
                link.close()
                return
            # In a thread of its own, since the answers must be read while the questions go out.
            threading.Thread(target=self._resume, args=(link,), name="resume", daemon=True).start()
            received = self._read(link)
            self._lose(link, received)
            at_once = received is None and time.monotonic() - begun > _SHORT_LIFE

    def _reach(self, at_once: bool) -> Link:
        """The next server's link. Where there is no hurry, none is started before it is needed.

        Errors: CoeditorError, OSError.
        """
        greeting = hello("mcp", self._seeker.cwd, self._session)
        pause = 0.02
        while not at_once:
            if self._leaving:
                raise CoeditorError(Code.FS_CANCELLED, "The agent has left.")
            with self._table:
                if len(self._in_flight):
                    break
                self._wanted.clear()
            if (link := self._seeker.look(greeting)) is not None:
                return link
            at_once = self._wanted.wait(pause)
            pause = min(pause * 2, 2.0)
        return self._seeker.reach(greeting)

    def _resume(self, link: Link) -> None:
        """Bring a new server to where the last one was lost; afterwards new lines go to it."""
        with self._sending:
            if link is not self._current:
                return  # lost already
            self._ordinal = 0
            self._link = link
            if self._greeted:
                self._send(self._introduction())
            for uri, line in self._subscribed.items():
                # Nobody waits for its answer any more. What changed without a server is not known.
                self._send(b"[{},", line, b"]\n")
                self._tell({"jsonrpc": "2.0", "method": UPDATED, "params": {"uri": uri}})
            notices, self._notices = self._notices, []
            for line in notices:
                self._send(b"[{},", line, b"]\n")
            with self._table:
                waiting = self._in_flight.all()
            for pending in waiting:
                if pending.hopeless:
                    self._drop(pending, refused.ENDED)
                else:
                    self._send_request(pending)

    def _read(self, link: Link) -> int | None:
        """Pass on what the server says until it is lost; gives how many lines it says it took, if it does."""
        received = None
        try:
            while True:
                line = link.receive()
                if found := _ANSWER.match(line):
                    self._pass_back(json.loads(found[1]), line)
                    continue
                message = json.loads(line)
                if "begun" in message:
                    self._note_begun(message["begun"])
                elif "goodbye" in message:
                    received = int(message["goodbye"]["received"])
                    link.finish_sending()
                else:
                    self._hear(message, line)
        except (LostError, ValueError):
            return received

    def _hear(self, message: dict[str, Any], line: bytes) -> None:
        """Anything of the server but a plain answer."""
        if "method" not in message:
            self._pass_back(message.get("id"), line)
        elif "id" in message:
            with self._table:
                self._asked += 1
                name = f"coeditor-{self._asked}"
                self._questions[name] = message["id"]
            self._tell({**message, "id": name})
        elif message["method"] == "notifications/cancelled":
            self._take_back(message)
        else:
            self._outlet.put(line)

    def _take_back(self, message: dict[str, Any]) -> None:
        """The server does not want to know any more: told by the name that the agent has for the question."""
        params = handshake.params_of(message)
        with self._table:
            names = [name for name, own in self._questions.items() if own == params.get("requestId")]
            for name in names:
                del self._questions[name]
        for name in names:
            self._tell({**message, "params": {**params, "requestId": name}})

    def _note_begun(self, message_id: object) -> None:
        with self._table:
            pending = self._in_flight.find(message_id)
            if pending is not None:
                pending.begun = True

    def _pass_back(self, message_id: object, line: bytes) -> None:
        """An answer; one that nobody waits for any more (cancelled) is dropped."""
        with self._table:
            waited_for = self._in_flight.find(message_id)
        if waited_for is not None:
            self._outlet.put(line)
        self._settle(message_id)

    def _lose(self, link: Link, received: int | None) -> None:
        link.close()
        with self._sending:
            self._current = self._link = None
            with self._table:
                self._in_flight.lost(received)
                questions, self._questions = list(self._questions), {}
        for name in questions:
            params = {"requestId": name, "reason": "The server was restarted."}
            self._tell({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
        self._seeker.reap()

    def _give_up(self, error: Exception) -> None:
        """No server can be had: every request is answered with that."""
        if not isinstance(error, CoeditorError):
            error = CoeditorError(Code.NO_SERVER, f"No server can be reached or started: {error}.")
        with self._table:
            waiting = self._in_flight.all()
        for pending in waiting:
            self._drop(pending, error)

    def _drop(self, pending: Pending, error: CoeditorError) -> None:
        error = refused.UNCONFIRMED if pending.asked else error
        self._tell(refused.error_answer(pending.message_id, pending.method, error, self._handshake))
        self._settle(pending.message_id)

    def _settle(self, message_id: object) -> None:
        with self._table:
            self._in_flight.take(message_id)
            self._table.notify_all()

    def _tell(self, message: Mapping[str, Any]) -> None:
        self._outlet.put(json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n")


def _is_message(message: Mapping[str, Any]) -> bool:
    """Whether it is a request, a notification or an answer."""
    if "method" in message:
        return isinstance(message["method"], str)
    return "result" in message or "error" in message


def _head(**fields: object) -> bytes:
    return b"[" + json.dumps(fields).encode("ascii") + b","
