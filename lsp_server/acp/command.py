"""``coeditor acp -- COMMAND``: stands between a host and the agent that it starts.

The two speak the Agent Client Protocol; a host (an editor, say) is configured with this command in place of the
agent's own. Never: a shell.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress

from lsp_server.acp.proxy import Proxy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import IO, Final

_USAGE: Final = (
    "coeditor acp: name the agent's command after --, for example `coeditor acp -- gemini --acp`. "
    "`coeditor acp --print FOLDER` shows our MCP server as a host puts it into session/new."
)
_ENDING: Final = 5.0
"""Seconds for an agent to end by itself when its host has left, and once more when it is asked to."""


def main(argv: Sequence[str]) -> int:
    """Stand between until one of the two ends; gives the agent's exit status."""
    if len(argv) == 2 and argv[0] == "--print":
        return _print_entry(argv[1])
    words = list(argv[1:] if argv and argv[0] == "--" else argv)
    if not words or words[0].startswith("-"):
        sys.stderr.write(_USAGE + "\n")
        return 0 if words in (["-h"], ["--help"]) else 2
    try:
        agent = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        sys.stderr.write(f"coeditor acp: {words[0]} cannot be started ({error.strerror}).\n")
        return 127
    assert agent.stdin is not None
    assert agent.stdout is not None
    proxy = Proxy(_way_out(sys.stdout.buffer), _way_out(agent.stdin))

    def apart(target: Callable[..., None], *words: object) -> None:
        threading.Thread(target=target, args=words, daemon=True).start()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda _number, _frame: apart(_end, agent, proxy))
    apart(_from_host, sys.stdin.buffer, proxy, agent)
    for line in agent.stdout:
        proxy.from_agent(line)
    _leave(agent.wait(), proxy)
    return 0


def _from_host(host: IO[bytes], proxy: Proxy, agent: subprocess.Popen[bytes]) -> None:
    for line in host:
        proxy.from_host(line)
    assert agent.stdin is not None
    with suppress(OSError):  # it may have ended already
        agent.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        agent.wait(_ENDING)
    _end(agent, proxy)


def _end(agent: subprocess.Popen[bytes], proxy: Proxy) -> None:
    """End the agent with all that it started, and this process with it.

    Some are two processes, of which the first does not take SIGTERM for an end (Gemini CLI).
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        if agent.poll() is not None:
            break
        for pid in (agent.pid, *below(agent.pid)):
            with suppress(OSError):  # it may have ended already
                os.kill(pid, number)
        with suppress(subprocess.TimeoutExpired):
            agent.wait(_ENDING)
    _leave(agent.wait(), proxy)


def _leave(status: int, proxy: Proxy) -> None:
    proxy.close()
    # The threads that read may be in the middle of a read, which nothing ends.
    os._exit(status if status >= 0 else 128 - status)


def below(pid: int) -> list[int]:
    """The processes that ``pid`` and those below it started; none where the system does not tell (outside of Linux)."""
    parents: dict[int, int] = {}
    with suppress(OSError):
        for name in filter(str.isdecimal, os.listdir("/proc")):
            with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]


def _way_out(pipe: IO[bytes]) -> Callable[[bytes], None]:
    """Writes whole lines, from any thread; to somebody who has left, nothing."""
    lock = threading.Lock()

    def put(line: bytes) -> None:
        with lock:
            try:
                pipe.write(line)
                pipe.flush()
            except (OSError, ValueError):
                return

    return put


def _print_entry(folder: str) -> int:
    import json

    from lsp_server.acp.messages import server_entry
    from lsp_server.acp.names import name_from

    name = name_from(os.urandom(8).hex(), hosted=False)
    entry = server_entry(os.path.abspath(folder), name, 1, os.environ)
    print(json.dumps(entry, indent=2))
    return 0
