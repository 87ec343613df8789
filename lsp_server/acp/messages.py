"""What of the Agent Client Protocol is looked into, and what is put into it.

::

    initialize                           the agent is told that files are read and written for it
    session/new, load, resume, fork      our MCP server goes into ``mcpServers``
    fs/read_text_file, write_text_file   answered by the server of the folder, by way of the host if it does that

Pure. Never: a change of anything else.
"""

from __future__ import annotations

import os

from lsp_server.setup.places import own_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

BEGINNING: Final = ("session/new", "session/load", "session/resume", "session/fork")
FILES: Final = ("fs/read_text_file", "fs/write_text_file")
ENDING: Final = ("session/close", "session/delete")
NOT_FOUND: Final = -32002
FAILED: Final = -32603
_HANDED_ON: Final = ("XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "COEDITOR_SETTINGS")
"""Variables that our MCP server needs where an agent does not give its own environment to children."""


def table(found: object, *names: str) -> dict[str, Any]:
    """The object at the end of ``names``; empty where there is none."""
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def with_files(message: Mapping[str, Any]) -> dict[str, Any]:
    """``initialize``, as the agent is to get it."""
    params = table(message, "params")
    told = table(params, "clientCapabilities")
    files = {**table(told, "fs"), "readTextFile": True, "writeTextFile": True}
    return {**message, "params": {**params, "clientCapabilities": {**told, "fs": files}}}


def holds_files(message: Mapping[str, Any]) -> bool:
    """Whether the host that sent this ``initialize`` reads and writes files: both, or what is written is not seen."""
    files = table(message, "params", "clientCapabilities", "fs")
    return files.get("readTextFile") is True and files.get("writeTextFile") is True


def name_of(told: Mapping[str, Any], otherwise: str) -> str:
    """For people, from ``clientInfo`` or ``agentInfo``."""
    for key in ("title", "name"):
        if isinstance(told.get(key), str) and told[key]:
            return str(told[key])[:80]
    return otherwise


def with_server(message: Mapping[str, Any], session: str, version: int) -> dict[str, Any]:
    """A request that begins a session, with our MCP server in it; one that is there by its name stays."""
    params = table(message, "params")
    servers = params.get("mcpServers")
    servers = list(servers) if isinstance(servers, list) else []
    if not any(isinstance(one, dict) and one.get("name") == "coeditor" for one in servers):
        servers.append(server_entry(str(params.get("cwd")), session, version, os.environ))
    return {**message, "params": {**params, "mcpServers": servers}}


def server_entry(cwd: str, session: str, version: int, environ: Mapping[str, str]) -> dict[str, Any]:
    """Our MCP server as an entry of ``mcpServers``."""
    command, *rest = own_command()
    found = {
        "name": "coeditor",
        "command": command,
        "args": [*rest, "mcp", "--root", cwd, "--session", session],
        "env": [{"name": name, "value": environ[name]} for name in _HANDED_ON if name in environ],
    }
    return found if version < 2 else {"type": "stdio", **found}


def is_text(text: object) -> bool:
    """Whether it is a text that a file can hold."""
    if not isinstance(text, str):
        return False
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
