"""Which session a command line belongs to, so that one call knows what the one before it read.

::

    --session S, else COEDITOR_SESSION                         as told
    else the variable by which an agent tells its children     that agent's conversation
    else the terminal and the workspace folder                 a person, or an agent that tells nothing

Never: a session shared by two terminals, or kept when a terminal's name is used again.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

from lsp_server.platforms import parent_of, process_fields
from lsp_server.wire.clients import CLIENTS


@dataclass(frozen=True, slots=True)
class CliSession:
    """Whose call this is."""

    session: str
    agent: str | None = None
    """Name for people, where an agent's variable told."""
    person: bool = False
    """Nobody said that an agent is calling."""


def session_of(told: str | None, environment: Mapping[str, str], terminal: str, root: str) -> CliSession:
    """The session; ``told`` is ``--session``, ``terminal`` from ``terminal_of``, ``root`` the folder."""
    named = told or environment.get("COEDITOR_SESSION")
    for client in CLIENTS.values():
        own = environment.get(client.session_variable) if client.session_variable else None
        if own:
            return CliSession(named or own, client.agent)
    if named:
        return CliSession(named)
    key = blake2b(f"{terminal}\0{root}".encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return CliSession(f"cli-{key}", person=True)


def terminal_of() -> str:
    """A name for this terminal that no other, earlier or later, has.

    Without a terminal: one for what started this process's session. Agents start each command in a session of
    its own, so the starter counts, not the command.
    """
    if sys.platform == "win32":
        return f"parent {os.getppid()}"
    leader = os.getsid(0)
    for descriptor in (0, 1, 2):
        try:
            return f"{os.ttyname(descriptor)} {leader} {_started(leader)}"
        except OSError:
            continue
    starter = parent_of(leader) or 0
    known = starter if starter > 1 else leader
    return f"process {known} {_started(known)}"


def _started(pid: int) -> str:
    """When the process started, in the system's own ticks; empty where that cannot be told."""
    fields = process_fields(pid)
    return fields[19] if len(fields) > 19 else ""
