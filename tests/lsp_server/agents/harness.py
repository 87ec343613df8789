"""Agents and servers as real processes, for tests."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from lsp_server import paths
from lsp_server.agents.owner import Record, read_record
from tests.lsp_server.agents.serving import FileService

SOURCES = Path(__file__).parents[3]
DEADLINE = 30.0
"""Seconds that a condition may take on a machine that is busy with other things."""
_T = TypeVar("_T")


def until(condition: Callable[[], _T | None], what: str = "the condition") -> _T:
    """The first true value of ``condition``."""
    deadline = time.monotonic() + DEADLINE
    while not (found := condition()):
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.005)
    return found


def is_running(pid: int) -> bool:
    """Whether the process does anything: a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


class Place:
    """A workspace with its own state and run-time folders."""

    def __init__(self, base: Path) -> None:
        self.root = base / "ws"
        self.root.mkdir()
        self.env = {**os.environ, "PYTHONPATH": str(SOURCES), "LINGER": "0.3"}
        for name in ("COEDITOR_SESSION", "COEDITOR_SETTINGS"):
            self.env.pop(name, None)
        for name in ("STATE_HOME", "RUNTIME_DIR", "CONFIG_HOME", "CACHE_HOME", "DATA_HOME"):
            self.env["XDG_" + name] = str(base / name.lower())
            (base / name.lower()).mkdir(mode=0o700)
        self.folder = paths.folder_of(str(self.root), self.env)
        self.service = FileService(str(self.root))

    def record(self) -> Record | None:
        """What the discovery file says."""
        return read_record(self.folder)

    def server_pid(self) -> int:
        """The running server's, once there is one."""
        return until(self.record, "a server").pid

    def kill_server(self, number: int = signal.SIGKILL) -> int:
        """End the running server; gives which it was, once it does nothing any more."""
        pid = self.server_pid()
        os.kill(pid, number)
        until(lambda: not is_running(pid), "the server's end")
        return pid

    def noted(self, state: str, name: str | None = None) -> dict[str, Any]:
        """The first note of the service in this state, once there is one."""
        return until(
            lambda: next(
                (
                    note
                    for note in self.service.notes()
                    if note["state"] == state and name in (None, note["file"])
                ),
                None,
            ),
            f"{state} {name or ''}",
        )

    def open(self, name: str) -> None:
        """Let calls for ``name`` go on."""
        (self.root / name).touch()

    def log(self) -> str:
        """What the servers of this workspace said."""
        return Path(self.folder.log).read_text() if Path(self.folder.log).exists() else ""


class Agent:
    """A relay, and the agent's end of its pipes."""

    def __init__(
        self, place: Place, *arguments: str, env: Mapping[str, str] | None = None, listen: bool = True
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.lsp_server.agents.serving", "mcp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**place.env, **(env or {})},
            cwd=place.root,
        )
        self._in = cast(IO[bytes], self.process.stdin)
        self.out = cast(IO[bytes], self.process.stdout)
        self._heard: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        self._last_id = 0
        self._ended = False
        self._listener = threading.Thread(target=self._listen, daemon=True)
        if listen:
            self._listener.start()

    def listen(self) -> None:
        """Begin to read what the relay says."""
        self._listener.start()

    def send(self, message: Mapping[str, Any]) -> None:
        """One line."""
        self.send_line(json.dumps(message).encode())

    def send_line(self, line: bytes) -> None:
        """One line, whatever it is."""
        self._in.write(line + b"\n")
        self._in.flush()

    def start(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        """Send a request; gives its id."""
        self._last_id += 1
        self.send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params or {}})
        return self._last_id

    def start_call(self, tool: str, meta: Mapping[str, Any] | None = None, /, **arguments: Any) -> int:
        """Send a tools/call; gives its id."""
        return self.start(
            "tools/call", {"name": tool, "arguments": arguments, **({"_meta": meta} if meta else {})}
        )

    def answer(self, message_id: object) -> dict[str, Any]:
        """The answer to a request."""
        return self.hear(lambda heard: "method" not in heard and heard.get("id") == message_id)

    def call(self, tool: str, meta: Mapping[str, Any] | None = None, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool; gives the object of its result."""
        return self.result(self.start_call(tool, meta, **arguments))

    def result(self, message_id: object) -> dict[str, Any]:
        """The object of the result of a tools/call."""
        return cast(dict[str, Any], self.answer(message_id)["result"]["structuredContent"])

    def hear(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message that is wanted."""
        found: dict[str, Any] = {}

        def is_there() -> bool:
            found.update(next((heard for heard in self._heard if wanted(heard)), {}))
            return bool(found) or self._ended

        with self._changed:
            assert self._changed.wait_for(is_there, timeout=DEADLINE), "waited in vain for a message"
        assert found, "the relay ended"
        return found

    def heard(self) -> list[dict[str, Any]]:
        """Everything so far."""
        with self._changed:
            return list(self._heard)

    def greet(self) -> dict[str, Any]:
        """The handshake; gives its answer."""
        info = {"name": "test", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "clientInfo": info, "capabilities": {}}
        found = self.answer(self.start("initialize", params))
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return found

    def leave(self) -> int:
        """Hang up; gives the relay's exit status."""
        self._in.close()
        return self.process.wait(timeout=DEADLINE)

    def end(self) -> None:
        """Whatever happened, let nothing of it stay."""
        with suppress(OSError):
            self._in.close()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=2)
        self.process.kill()
        self.process.wait()
        if self._listener.ident is not None:
            self._listener.join(timeout=DEADLINE)
        self.out.close()

    def _listen(self) -> None:
        for line in self.out:
            with self._changed:
                self._heard.append(json.loads(line))
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()


@contextmanager
def agents(place: Place, count: int = 1) -> Iterator[list[Agent]]:
    """Agents that have shaken hands; afterwards neither they nor their server run."""
    found: list[Agent] = []
    try:
        while len(found) < count:
            found.append(Agent(place))
        for agent in found:
            agent.greet()
        yield found
    finally:
        for agent in found:
            agent.end()
        end_servers(place)


def end_servers(place: Place) -> None:
    """Afterwards no server of the workspace runs."""
    record = place.record()
    if record is not None:
        with suppress(ProcessLookupError):
            os.kill(record.pid, signal.SIGCONT)
            os.kill(record.pid, signal.SIGTERM)
        until(lambda: not is_running(record.pid), "the server's end")
