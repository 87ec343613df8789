"""``coeditor mcp``: MCP on standard input and output, for one agent.

Standard library only, and little of it: agents give a server a second to be there. Never: a tool; see
``agents.relaying`` for what is done with a message.
"""

from __future__ import annotations

import os
import sys
import threading

from lsp_server.agents.link import Seeker
from lsp_server.agents.outlet import Outlet
from lsp_server.agents.relaying import Relay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import BinaryIO, Final

LINE_BYTES: Final = 128 << 20
"""Of one message; the server takes no longer ones."""
_KEPT: Final = 4096
"""Bytes of the start and the end of a longer one, to find its id."""


def main(argv: Sequence[str], *, server: Sequence[str] | None = None) -> int:
    """Relay until the agent hangs up; gives the exit status.

    ``server`` starts a server, when ``--root R`` is added, in place of the installed one.
    """
    options = _options(argv)
    if isinstance(options, str):
        sys.stderr.write(options + "\n")
        return 2
    cwd, session = options
    # An agent that reads no more has no use for us.
    relay = Relay(Seeker(cwd, command=server), session, Outlet(1, lambda: os._exit(0)))
    threading.Thread(target=relay.run, name="link", daemon=True).start()
    try:
        with open(0, "rb", buffering=1 << 18, closefd=False) as agent:
            _read(agent, relay)
    except KeyboardInterrupt:
        return 130
    relay.leave()
    return 0


def _read(agent: BinaryIO, relay: Relay) -> None:
    while line := agent.readline(LINE_BYTES):
        if len(line) == LINE_BYTES and not line.endswith(b"\n"):
            start, end = line[:_KEPT], line[-_KEPT:]
            while line and not line.endswith(b"\n"):
                line = agent.readline(LINE_BYTES)
                end = (end + line[-_KEPT:])[-_KEPT:]
            relay.take_oversize(start, end, LINE_BYTES)
        elif stripped := line.strip():
            relay.take(stripped)


def _options(argv: Sequence[str]) -> tuple[str, str] | str:
    """The folder and the session, or what is wrong with the command line."""
    session = os.environ.get("COEDITOR_SESSION") or f"relay-{os.urandom(8).hex()}"
    root = None
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word in ("--session", "--root") and rest:
            value = rest.pop(0)
            session, root = (value, root) if word == "--session" else (session, value)
        elif word != "--stdio":
            return f"coeditor mcp: unknown argument {word!r}; known are --root FOLDER and --session ID."
    if root is not None and not os.path.isdir(root):
        return f"coeditor mcp: there is no folder {root}."
    try:
        return os.path.realpath(root or os.getcwd()), session
    except OSError as error:
        return f"coeditor mcp: the current folder cannot be found ({error.strerror})."
