"""``coeditor serve``: the server process of one workspace folder, with an editor or without (``--headless``).

Headless it is started by whoever needs it and ends when nobody does. Never: imports of pygls, the MCP SDK,
watchfiles or rich before they are needed; this is the time between an agent's first call and its answer.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from ledger.errors import CoeditorError
from lsp_server import __version__, logs, paths
from lsp_server.agents.gate import Gate, GateLimits
from lsp_server.agents.link import NOT_OWNER
from lsp_server.agents.owner import Owner, Record, announce_start
from lsp_server.news import NewsService
from lsp_server.platforms import leave_to_children

log = logging.getLogger(__name__)

_WATCH_SECONDS = 5.0
"""Between looks at whether the folder is still this server's own, and its log still short."""


class Middle(NewsService, Protocol):
    """The service of one folder, with its end."""

    async def close(self) -> None:
        """Stop what runs and let go of the files."""
        ...


Build = Callable[[str], Middle]
"""Makes the service of a canonical folder; called before the event loop runs."""


@dataclass(frozen=True, slots=True)
class Linger:
    """How long a headless server stays when nobody is connected, in seconds."""

    unused: float = 20.0
    """After its start."""
    relay: float = 3.0
    """After the last agent."""
    call: float = 60.0
    """After the last command or hook: the next one comes soon."""

    def deadline(self, gate: Gate) -> float:
        """When the server that nobody is connected to may end (monotonic)."""
        found = [gate.started + self.unused] if gate.relay_left is gate.call_left is None else []
        found += [gate.relay_left + self.relay] if gate.relay_left is not None else []
        found += [gate.call_left + self.call] if gate.call_left is not None else []
        return max(found)


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line said."""

    headless: bool
    root: str
    http: int | None = None
    """Port for MCP over HTTP, 0 for any; None where nobody asked for it."""
    log_json: bool = False


def main(argv: Sequence[str], *, build: Build | None = None, linger: Linger | None = None) -> int:
    """Run until told to end, or until nobody needs this server; gives the exit status."""
    options = _options(argv)
    if isinstance(options, str):
        sys.stderr.write(options + "\n")
        return 2
    logs.configure(as_json=options.log_json)
    leave_to_children(os.environ)
    if options.http is not None:
        from lsp_server.http_command import serve_http, serve_http_beside

        if options.headless:
            return serve_http(options.root, options.http)
        serve_http_beside(options.root, options.http)
    if not options.headless:
        # Before what takes time: an agent whose server died a moment ago waits for this one.
        announced = _announced()
        try:
            from lsp_server.handlers.serving import serve_editor

            return int(serve_editor(options.root, announced))
        finally:
            if announced is not None:
                with suppress(OSError):
                    os.unlink(announced)
    return serve_headless(options.root, build=build or _build, linger=linger or Linger())


def _announced() -> str | None:
    try:
        return announce_start(paths.runtime_home())
    except (OSError, CoeditorError):
        return None


def serve_headless(root: str, *, build: Build, linger: Linger) -> int:
    """Own ``root`` and serve it; NOT_OWNER when somebody else does."""
    folder = paths.folder_of(root)
    folder.make()
    os.chdir("/")  # the folder may be removed under us, and nothing may hang on where we were started
    owner = Owner.claim(folder, "headless")
    if owner is None:
        return NOT_OWNER
    try:
        gc.disable()  # what is made until here is code and tables, and none of it garbage
        service = build(root)
        gc.freeze()  # it stays: no collection need look at it
        gc.enable()
        asyncio.run(_serve(owner, service, linger))
    finally:
        owner.release()
    return 0


async def _serve(owner: Owner, service: Middle, linger: Linger) -> None:
    folder = owner.folder
    ending = asyncio.Event()

    def hand_over() -> bool:
        log.info("giving way to an editor's server")
        ending.set()
        return True

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, ending.set)
    about = {"version": __version__, "kind": "headless", "roots": [folder.root]}
    gate = Gate(service, token=owner.token, about=about, hand_over=hand_over, limits=GateLimits())
    try:
        address = await gate.listen(paths.socket_path(folder))
        owner.publish(Record(os.getpid(), "headless", address, [folder.root], __version__))
        log.info("serving %s as process %d", folder.root, os.getpid())
        await _until_unneeded(gate, owner, ending, linger)
    finally:
        # New clients must not find this server any more, nor a next one start before the store is closed.
        owner.withdraw()
        await gate.close()
        await service.close()
        log.info("ended")


async def _until_unneeded(gate: Gate, owner: Owner, ending: asyncio.Event, linger: Linger) -> None:
    """Return when told to end, when nobody was connected for long enough, or when the folder is lost."""
    looked = time.monotonic()
    while not ending.is_set():
        now = time.monotonic()
        patience = _WATCH_SECONDS
        if gate.clients == 0:
            patience = min(patience, linger.deadline(gate) - now)
            if patience <= 0:
                return
        if now - looked >= _WATCH_SECONDS:
            looked = now
            logs.put_aside(owner.folder.log)
            if not owner.holds():
                log.warning("the run-time folder was removed; ending, so that another server can take over")
                return
        gate.changed.clear()
        waits = [asyncio.ensure_future(ending.wait()), asyncio.ensure_future(gate.changed.wait())]
        await asyncio.wait(waits, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        for each in waits:
            each.cancel()


def _build(root: str) -> Middle:
    from lsp_server.app import build

    return build(root)


def _options(argv: Sequence[str]) -> Options | str:
    headless, root, http, log_json = False, None, None, False
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--headless":
            headless = True
        elif word == "--log-json":
            log_json = True
        elif word == "--http":
            http = 0 if http is None else http
        elif word == "--port" and rest and _is_port(rest[0]):
            http = int(rest.pop(0))
        elif word == "--root" and rest:
            root = rest.pop(0)
        elif word.startswith("--root="):
            root = word.removeprefix("--root=")
        elif word != "--stdio":  # editors add it; there is no other way to speak to them
            return (
                f"coeditor serve: unknown argument {word!r}; known are --stdio, --headless, --http, "
                "--port NUMBER, --log-json and --root FOLDER."
            )
    if root is not None and not os.path.isdir(root):
        return f"coeditor serve: there is no folder {root}."
    return Options(
        headless, paths.canonical(root) if root else paths.workspace_root(os.getcwd()), http, log_json
    )


def _is_port(word: str) -> bool:
    return word.isascii() and word.isdigit() and int(word) < 1 << 16
