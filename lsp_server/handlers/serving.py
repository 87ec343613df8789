"""``coeditor serve`` for an editor: one process, one event loop, the editor on the pipes and agents on the socket.

Never: a tool, or a decision.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import sys
from contextlib import AsyncExitStack

from lsprotocol import types as lsp

from lsp_server import __version__, paths
from lsp_server.agents.gate import Gate, GateLimits
from lsp_server.agents.owner import Owner, Record
from lsp_server.app import App, build
from lsp_server.handlers.protocol import EditorServer
from lsp_server.handlers.requests import register
from lsp_server.handlers.transport import serve_pipes
from lsp_server.targets import path_of_uri

log = logging.getLogger(__name__)


def serve_editor(root: str) -> int:
    """Serve the editor on standard input and output; ``root`` is the folder if it names none."""
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("pygls").setLevel(logging.WARNING)  # it logs whole messages, and so file contents
    asyncio.run(_serve(root))
    return 0


async def _serve(root: str) -> None:
    server = EditorServer(__version__)
    async with AsyncExitStack() as stack:

        @server.feature(lsp.INITIALIZE)
        async def initialize(params: lsp.InitializeParams) -> None:
            """The folders are known: the service can be there before the first request."""
            await stack.enter_async_context(_Session(server, _root_of(params) or root))

        await serve_pipes(server)


class _Session:
    """The service of one editor's folder with its endpoint, from ``initialize`` to the end."""

    def __init__(self, server: EditorServer, root: str) -> None:
        self._server = server
        self._root = paths.canonical(root)
        self._owner: Owner | None = None
        self._gate: Gate | None = None
        self._app: App | None = None

    async def __aenter__(self) -> None:
        folder = paths.folder_of(self._root)
        folder.make()
        self._owner = await _claim(self._root)
        self._app = build(self._root)
        register(self._server, self._app, connection=f"lsp-{secrets.token_hex(4)}")
        if self._owner is None:
            return
        about = {"version": __version__, "kind": "editor", "roots": [self._root]}
        self._gate = Gate(self._app, token=self._owner.token, about=about, limits=GateLimits())
        address = await self._gate.listen(paths.socket_path(folder))
        self._owner.publish(Record(os.getpid(), "editor", address, [self._root], __version__))

    async def __aexit__(self, *_: object) -> None:
        if self._owner is not None:
            self._owner.withdraw()
        if self._gate is not None:
            await self._gate.close()
        if self._app is not None:
            await self._app.close()
        if self._owner is not None:
            self._owner.release()


async def _claim(root: str) -> Owner | None:
    """Own the folder; a headless owner is asked to give way. None when another editor's server has it."""
    folder = paths.folder_of(root)
    owner = Owner.claim(folder, "editor")
    if owner is None:
        log.warning("another server owns %s", root)
    return owner


def _root_of(params: lsp.InitializeParams) -> str | None:
    """The first folder that the editor opened, as a path."""
    folders = params.workspace_folders or []
    uris = [folder.uri for folder in folders] or [uri for uri in (params.root_uri,) if uri]
    return next((path_of_uri(uri) for uri in uris if uri.startswith("file:")), None)
