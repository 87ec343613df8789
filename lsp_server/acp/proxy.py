"""What is done with each message between a host and its agent.

Lines that mean nothing here are passed on as they came. Threads: one reads the host (``from_host``), one the agent
(``from_agent``), one for each session its server. Never: a message held back, or answered twice.
"""

from __future__ import annotations

import json
import os
import threading

from ledger.errors import Code, CoeditorError
from lsp_server.acp import messages
from lsp_server.acp.known import keep_name, known_name
from lsp_server.acp.messages import table
from lsp_server.acp.names import is_hosted, name_from
from lsp_server.acp.sessions import Session
from lsp_server.wire.error_texts import error_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Put = Callable[[bytes], None]


class Proxy:
    """One host and one agent."""

    def __init__(self, to_host: Put, to_agent: Put) -> None:
        """Each takes one line with its end, whole, from any thread."""
        self._to_host = to_host
        self._to_agent = to_agent
        self._lock = threading.Lock()
        """Guards what follows."""
        self._asked: dict[str, Callable[[dict[str, Any]], None]] = {}
        """Our own questions to the host."""
        self._awaited: dict[str, tuple[str, Session | None]] = {}
        """The host's requests whose answers we look into: method, and the session that begins."""
        self._sessions: dict[str, Session] = {}
        self._beginning: list[Session] = []
        """Those that the agent has not named yet."""
        self._holds_files = False
        self._version = 1
        self._host = "the agent's host"
        self._agent = "an agent"

    def from_host(self, line: bytes) -> None:
        """One line of the host."""
        message = _object(line)
        if message is None:
            self._to_agent(line)
            return
        method = message.get("method")
        if method is None:
            with self._lock:
                waiting = self._asked.pop(str(message.get("id")), None)
            if waiting is not None:
                waiting(message)
                return
        elif method == "initialize":
            self._note_host(message)
            message = messages.with_files(message)
            self._await(message, None)
            line = _line(message)
        elif method in messages.BEGINNING and isinstance(table(message, "params").get("cwd"), str):
            session = self._begin(str(method), table(message, "params"))
            message = messages.with_server(message, session.name, self._version)
            self._await(message, session)
            line = _line(message)
        elif method in messages.ENDING:
            self._end(table(message, "params").get("sessionId"))
        self._to_agent(line)

    def from_agent(self, line: bytes) -> None:
        """One line of the agent."""
        message = _object(line)
        if message is None:
            self._to_host(line)
            return
        if message.get("method") in messages.FILES and "id" in message:
            self._use_file(message)
            return
        if "method" not in message:
            with self._lock:
                awaited = self._awaited.pop(_key(message.get("id")), None)
            if awaited is not None:
                self._note_answer(*awaited, table(message, "result"))
        self._to_host(line)

    def close(self) -> None:
        """Host or agent are gone."""
        with self._lock:
            sessions = [*self._sessions.values(), *self._beginning]
        for session in sessions:
            session.close()

    # Who they are, and their sessions.

    def _note_host(self, message: Mapping[str, Any]) -> None:
        self._holds_files = messages.holds_files(message)
        self._host = messages.name_of(table(message, "params", "clientInfo"), self._host)

    def _await(self, message: Mapping[str, Any], session: Session | None) -> None:
        if "id" in message:
            with self._lock:
                self._awaited[_key(message["id"])] = (str(message["method"]), session)

    def _begin(self, method: str, params: Mapping[str, Any]) -> Session:
        """The session that a request begins; one that the agent had before has the name that it had."""
        told = params.get("sessionId") if method in ("session/load", "session/resume") else None
        name = known_name(told) if isinstance(told, str) else None
        if name is None or is_hosted(name) != self._holds_files:
            name = name_from(os.urandom(8).hex(), hosted=self._holds_files)
        session = Session(
            name, params["cwd"], self._host, self._agent, files=self._holds_files, ask=self._ask_host
        )
        if isinstance(told, str):
            self._name(session, told)
        else:
            with self._lock:
                self._beginning.append(session)
        return session

    def _note_answer(self, method: str, session: Session | None, result: Mapping[str, Any]) -> None:
        if session is None:
            version = result.get("protocolVersion")
            self._version = version if isinstance(version, int) else 1
            self._agent = messages.name_of(table(result, "agentInfo"), self._agent)
            return
        told = result.get("sessionId")
        with self._lock:
            unnamed = session in self._beginning
        if unnamed and isinstance(told, str):
            self._name(session, told)
        elif unnamed:
            with self._lock:
                self._beginning.remove(session)
            session.close()

    def _name(self, session: Session, told: str) -> None:
        session.told = told
        with self._lock:
            if session in self._beginning:
                self._beginning.remove(session)
            before = self._sessions.get(told)
            self._sessions[told] = session
        if before is not None:
            before.close()
        keep_name(told, session.name)

    def _end(self, told: object) -> None:
        with self._lock:
            session = self._sessions.pop(str(told), None)
        if session is not None:
            session.close()

    # The agent's files.

    def _use_file(self, message: dict[str, Any]) -> None:
        params = table(message, "params")
        session = self._session_of(params.get("sessionId"))
        path, writes = params.get("path"), message["method"] == messages.FILES[1]
        if session is None or not isinstance(path, str):
            text = "There is no such session, or no path."
            self._answer(message, CoeditorError(Code.INVALID_ARGUMENT, text))
            return
        arguments: dict[str, Any] = {"file_path": path}
        if writes:
            arguments |= {"content": params.get("content")}
            if not messages.is_text(params.get("content")):
                text = "The content is no text that a file can hold (half of a character)."
                self._answer(message, CoeditorError(Code.INVALID_ARGUMENT, text, file_path=path))
                return
        else:
            arguments |= {name: params[name] for name in ("line", "limit") if params.get(name) is not None}
        session.call(
            "host_write" if writes else "host_read", arguments, lambda found: self._answer(message, found)
        )

    def _session_of(self, told: object) -> Session | None:
        """The session; one that is asked about before it is named is the one that begins."""
        with self._lock:
            known = self._sessions.get(str(told))
            unnamed = self._beginning[0] if len(self._beginning) == 1 else None
        if known is None and unnamed is not None and isinstance(told, str):
            self._name(unnamed, told)
            return unnamed
        return known

    def _answer(self, request: Mapping[str, Any], found: dict[str, Any] | CoeditorError) -> None:
        """What the agent is told; the sentence has all that its model needs."""
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        if isinstance(found, CoeditorError):
            told = found.to_object()
            code = messages.NOT_FOUND if found.code is Code.FS_NOT_FOUND else messages.FAILED
            answer["error"] = {"code": code, "message": error_text(told), "data": told}
        else:
            answer["result"] = {"content": found["content"]} if "content" in found else {}
        self._to_agent(_line(answer))

    def _ask_host(
        self, method: str, params: dict[str, Any], answered: Callable[[dict[str, Any]], None]
    ) -> None:
        name = f"coeditor-{os.urandom(6).hex()}"

        def checked(answer: dict[str, Any]) -> None:
            content = table(answer, "result").get("content", "")
            if not messages.is_text(content):
                answer = {"error": {"code": messages.FAILED, "message": "the file is no text"}}
            answered(answer)

        with self._lock:
            self._asked[name] = checked
        self._to_host(_line({"jsonrpc": "2.0", "id": name, "method": method, "params": params}))


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def _key(message_id: object) -> str:
    return json.dumps(message_id)
