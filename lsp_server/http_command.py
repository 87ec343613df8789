"""``coeditor serve --http``: the endpoint for agents that speak MCP over HTTP, and where to find it.

The endpoint relays like ``coeditor mcp``, to whatever server the folder has, so it outlives servers. Address and
token are in ``http.json`` in the folder's run-time folder, for this user only. Never: started without being asked.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Final

from lsp_server import paths
from lsp_server.agents.http_door import HttpDoor
from lsp_server.agents.http_sessions import HttpSession
from lsp_server.agents.link import IDENTITY_VARIABLES, Seeker

TOKEN_VARIABLE: Final = "COEDITOR_HTTP_TOKEN"
SHORTEST_TOKEN: Final = 16


def serve_http(root: str, port: int) -> int:
    """Serve agents over HTTP until told to end; gives the exit status."""
    try:
        asyncio.run(_serve(root, port, signals=True))
    except OSError as error:
        sys.stderr.write(f"coeditor serve --http: cannot listen on port {port} ({error.strerror}).\n")
        return 1
    except ValueError as error:
        sys.stderr.write(f"coeditor serve --http: {error}\n")
        return 2
    return 0


def serve_http_beside(root: str, port: int) -> None:
    """The same in a thread of its own, for as long as this process lives."""
    threading.Thread(target=_beside, args=(root, port), name="http", daemon=True).start()


def _beside(root: str, port: int) -> None:
    try:
        asyncio.run(_serve(root, port, signals=False))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"coeditor serve --http: {error}\n")


async def _serve(root: str, port: int, *, signals: bool) -> None:
    token = os.environ.pop(TOKEN_VARIABLE, None) or os.urandom(32).hex()  # no child is told
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise ValueError(f"{TOKEN_VARIABLE} must have {SHORTEST_TOKEN} visible ASCII characters or more.")
    for name in IDENTITY_VARIABLES:
        os.environ.pop(name, None)  # of whoever started this, not of those who call
    folder = paths.folder_of(root)
    folder.make()
    door = HttpDoor(token, lambda agent: HttpSession(Seeker(root), agent))
    url = await door.listen(port)
    ending = asyncio.Event()
    if signals:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, ending.set)
    path = folder.run("http.json")
    atexit.register(_remove, path)  # where the loop is not run to its end
    _write(path, {"url": url, "token": token, "pid": os.getpid()})
    sys.stderr.write(f"MCP over HTTP at {url}; the token is in {path}\n")
    sys.stderr.flush()
    try:
        await ending.wait()
    finally:
        _remove(path)
        await door.close()


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _write(path: str, record: dict[str, object]) -> None:
    _remove(path)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(record, file)
