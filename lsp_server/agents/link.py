"""The clients' side of the socket: find the server for a folder, or start one, and say hello.

Blocking, for the relay, the command line and hooks. Never: asyncio, or imports that cost time.

Which server: an editor's whose workspace folders hold the current folder, the deepest; else the headless one
of the git top level (else of the current folder), which is started when it does not run. A headless server of
a folder further up is not taken: what a relative path means must not hang on what else is running.
"""

from __future__ import annotations

import json
import os
import sys
import time

from ledger.errors import Code, CoeditorError
from lsp_server import paths, platforms
from lsp_server.agents.inflight import MUTATING
from lsp_server.agents.owner import (
    PROTOCOL,
    Lock,
    Record,
    discard_stale,
    editor_returns,
    read_record,
    read_token,
)
from lsp_server.agents.socket_link import Link, LostError, dial
from lsp_server.agents.socket_methods import CALL, OUTCOME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Final

    from lsp_server.paths import Folder

IDENTITY_VARIABLES: Final = (
    "COEDITOR_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDECODE",
    "CLAUDE_PID",
    "AI_AGENT",
    "COPILOT_AGENT_SESSION_ID",
    "GEMINI_CLI",
    "GEMINI_SESSION_ID",
    "OPENCODE",
    "OPENCODE_PID",
    "AGENT",
    "CLINE_CONNECTOR_CLI_LAUNCH",
    "TERM_PROGRAM",
)
"""What a hello may tell of the client's environment: who it is, never a secret."""

NOT_OWNER: Final = 75
"""Exit status of a server that found the folder owned."""
START_SECONDS: Final = 30.0
"""For a server to be there, on a machine that is busy with everything else."""
_ANSWER_SECONDS: Final = 10.0
"""For the answer to a hello."""
_KILLED: Final = 10
"""Starts that may end by a signal before the next is not tried."""
_LOG_BYTES: Final = 1 << 20


def hello(door: str, cwd: str, session: str | None, mcp: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Who this process is."""
    return {
        "door": door,
        "pid": os.getpid(),
        "ppid": os.getppid(),
        "cwd": cwd,
        "env": {name: os.environ[name] for name in IDENTITY_VARIABLES if name in os.environ},
        "session": session,
        "protocol": PROTOCOL,
        "mcp": mcp,
    }


def find(cwd: str, env: Mapping[str, str] | None = None) -> list[tuple[Folder, Record]]:
    """The servers that would do for ``cwd``, best first; a discovery file is not yet a server that lives."""
    state, runtime = paths.state_home(env), paths.runtime_home(env)
    own = paths.workspace_root(cwd)
    editors, headless = [], []
    for root in paths.upwards(paths.canonical(cwd)):
        folder = paths.Folder(root, state, runtime)
        record = read_record(folder)
        if record is None or root not in record.roots:
            continue
        if record.kind == "editor":
            editors.append((folder, record))
        elif root == own:
            headless.append((folder, record))
    return editors + headless


def connect(folder: Folder, record: Record, greeting: Mapping[str, Any]) -> Link | None:
    """Say hello to the server of ``record``; None when nobody answers there.

    Errors: what the server refuses with (UNAUTHORIZED, NO_SERVER for another protocol).
    """
    token = read_token(folder)
    if token is None:
        return None
    try:
        link = Link(dial(record.address, _ANSWER_SECONDS))
    except OSError:
        return None
    try:
        link.set_timeout(_ANSWER_SECONDS)
        link.send(json.dumps({"hello": {**greeting, "token": token}}).encode(), b"\n")
        answer = json.loads(link.receive())
        link.set_timeout(None)
    except (LostError, ValueError):
        link.close()
        return None
    if "refused" in answer:
        link.close()
        if read_token(folder) != token:
            return None  # a new owner came in between
        raise error_of(answer["refused"])
    link.welcome = answer["welcome"]
    return link


class Seeker:
    """Finds the server for one folder, again and again; starts a headless one where there is none."""

    __slots__ = ("_child", "_children", "_command", "_env", "_killed", "cwd")

    def __init__(
        self, cwd: str, *, env: Mapping[str, str] | None = None, command: Sequence[str] | None = None
    ) -> None:
        self.cwd = cwd
        self._env = dict(os.environ if env is None else env)
        self._command = command
        """Starts a server when ``--root R`` is added; for tests."""
        self._child: int | None = None
        """The server that is being started."""
        self._children: set[int] = set()
        """Those that were, and may still run."""
        self._killed = 0

    def look(self, greeting: Mapping[str, Any]) -> Link | None:
        """A connection to a server that runs already, if one does. Errors: as ``connect``."""
        for folder, record in find(self.cwd, self._env):
            link = connect(folder, record, greeting)
            if link is not None:
                return link
            discard_stale(folder)
        return None

    def reach(self, greeting: Mapping[str, Any], *, patience: float = START_SECONDS) -> Link:
        """A connection, to a server started for it if need be. Errors: as ``connect``, NO_SERVER."""
        deadline = time.monotonic() + patience
        self._child, self._killed = None, 0
        self.reap()
        starter: Lock | None = None
        folder: Folder | None = None
        next_start, pause = 0.0, 0.002
        try:
            while True:
                link = self.look(greeting)
                if link is not None:
                    self._child = None
                    return link
                if folder is None:
                    folder = paths.folder_of(paths.workspace_root(self.cwd), self._env)
                    folder.make()
                now = time.monotonic()
                if now > deadline:
                    raise _no_server(folder, f"did not answer within {patience:.0f} s")
                if starter is None:
                    starter = Lock.take(folder.run("start.lock"), patience=0)
                # An owner that does not answer is about to be there, or about to be gone.
                if (
                    starter is not None
                    and self._ended(folder)
                    and now >= next_start
                    and discard_stale(folder)
                    and not self._editor_returns()
                ):
                    self._start(folder)
                    next_start = now + 0.25
                time.sleep(pause)
                pause = min(pause * 1.2, 0.03)
        finally:
            if starter is not None:
                starter.release()

    def reap(self) -> None:
        """Let go of servers that were started here and have ended since."""
        ended = {child for child in self._children if platforms.exit_status(child) is not None}
        self._children -= ended

    def _editor_returns(self) -> bool:
        """Whether an editor's server for this folder was killed and has not had its time to come back."""
        state, runtime = paths.state_home(self._env), paths.runtime_home(self._env)
        upwards = paths.upwards(paths.canonical(self.cwd))
        return any(editor_returns(paths.Folder(root, state, runtime)) for root in upwards)

    def _ended(self, folder: Folder) -> bool:
        if self._child is None:
            return True
        status = platforms.exit_status(self._child)
        if status is None:
            return False
        self._children.discard(self._child)
        self._child = None
        # One that was killed says nothing about the next.
        self._killed += status < 0
        if status not in (0, NOT_OWNER) and (status > 0 or self._killed > _KILLED):
            raise _no_server(folder, f"ended at once (status {status})")
        return True

    def _start(self, folder: Folder) -> None:
        command = self._command or (sys.executable, "-P", "-m", "lsp_server", "serve", "--headless")
        try:
            if os.path.exists(folder.log) and os.path.getsize(folder.log) > _LOG_BYTES:
                os.replace(folder.log, folder.log + ".1")
            self._child = platforms.start_detached(
                [*command, "--root", folder.root], server_env(self._env), folder.log
            )
            self._children.add(self._child)
        except OSError as error:
            raise _no_server(folder, f"cannot be started ({error.strerror})") from error


class Caller:
    """The command line's connection: calls of one process, one after the other."""

    def __init__(self, seeker: Seeker, session: str, door: str = "cli") -> None:
        self._seeker = seeker
        self._session = session
        self._greeting = hello(door, seeker.cwd, session)
        self._link = seeker.reach(self._greeting)
        self._last_id = 0

    @property
    def welcome(self) -> dict[str, Any]:
        """What the server told about itself."""
        return self._link.welcome

    def call(self, tool: str, arguments: Mapping[str, Any], **meta: Any) -> dict[str, Any]:
        """Run one tool; ``meta`` may hold scope, turn, call_id, agent, person.

        When the server dies meanwhile, a call that may change something is not sent again: its outcome is
        asked for. Errors: CoeditorError.
        """
        call_id = meta.setdefault("call_id", os.urandom(8).hex())
        params = {
            "tool": tool,
            "arguments": arguments,
            "session": self._session,
            "cwd": self._seeker.cwd,
            **meta,
        }
        try:
            found = self.request(CALL, params)
        except LostError as lost:
            self._link.close()
            self._link = self._seeker.reach(self._greeting)
            if tool in MUTATING and not lost.unsent:
                return self._outcome(str(meta.get("session") or self._session), call_id)
            found = self._request_again(CALL, params)
        return dict(found)

    def request(self, method: str, params: Mapping[str, Any]) -> Any:
        """One request, its result. Errors: CoeditorError, LostError."""
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        self._link.send(json.dumps(message).encode(), b"\n")
        while True:
            answer = json.loads(self._link.receive())
            if "refused" in answer:
                raise error_of(answer["refused"])
            if answer.get("id") == self._last_id:
                break
        if "error" in answer:
            raise error_of(answer["error"].get("data") or {"message": answer["error"].get("message")})
        return answer.get("result")

    def close(self) -> None:
        """Hang up."""
        self._link.close()

    def _request_again(self, method: str, params: Mapping[str, Any]) -> Any:
        try:
            return self.request(method, params)
        except LostError:
            raise CoeditorError(
                Code.NO_SERVER, "The server ended twice while it answered; its log tells why."
            ) from None

    def _outcome(self, session: str, call_id: str) -> dict[str, Any]:
        found = self._request_again(OUTCOME, {"session": session, "call_id": call_id})
        return settle(found)


def settle(found: Mapping[str, Any] | None) -> dict[str, Any]:
    """The answer to a call that was lost, from what the journal knows of it (``Service.outcome_of``).

    Errors: FS_CANCELLED when nothing was applied, FS_UNCONFIRMED when nobody can tell.
    """
    if found is None or found.get("state") == "refused":
        raise CoeditorError(
            Code.FS_CANCELLED, "The server ended before this call changed anything; send the call again."
        )
    result = found.get("result")
    if found.get("state") == "applied" and isinstance(result, dict):
        return result
    raise CoeditorError(
        Code.FS_UNCONFIRMED,
        "The server ended during this call, and whether it was applied in full is not known; read the files "
        "again before going on.",
    )


def connect_cli(cwd: str, session: str) -> Caller:
    """The command line's connection for ``cwd``. Errors: NO_SERVER, UNAUTHORIZED."""
    return Caller(Seeker(cwd), session)


def error_of(found: Mapping[str, Any]) -> CoeditorError:
    """The error that an error object tells of; a code that is not known here is INTERNAL."""
    code = found.get("code")
    known = Code(code) if code in list(Code) else Code.INTERNAL
    return CoeditorError(
        known, str(found.get("message")), file_path=found.get("file_path"), data=found.get("data")
    )


def _no_server(folder: Folder, what: str) -> CoeditorError:
    return CoeditorError(
        Code.NO_SERVER,
        f"The Coeditor server for {folder.root} {what}; its log is {folder.log}. `coeditor doctor` finds "
        "what is wrong.",
        data={"log": folder.log},
    )


def server_env(env: Mapping[str, str]) -> dict[str, str]:
    """The environment of a server that one with ``env`` starts; with the way to our own packages where they are run
    from a source folder."""
    found = platforms.with_large_texts(env)
    for name in IDENTITY_VARIABLES:
        found.pop(name, None)  # a server has many clients
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if sys.path and not sys.flags.safe_path and os.path.realpath(sys.path[0] or ".") == here:
        known = found.get("PYTHONPATH")
        found["PYTHONPATH"] = os.pathsep.join([here, known]) if known else here
    return found
