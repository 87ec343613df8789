"""``coeditor serve`` for an editor: one process, one event loop, the editor on the pipes and agents on the socket.

::

    initialize        the folders are known; ownership of them is sought while the editor goes on
    initialized       and the documents that the editor had open already are told one after the other
    owned             the service is there, the socket open, the discovery file written
    shutdown, exit, or the end of the pipe: all of that in reverse

While another editor's server owns the folder this one stands by: it follows its editor's documents, answers our
own requests with NO_SERVER, touches nothing, and takes over when the other one ends.

Never: a tool, or a decision about an edit.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from lsprotocol import types as lsp

from editor_clients.attached import Attached
from editor_clients.editor_diagnostics import EditorDiagnostics
from editor_clients.editor_link import Abilities
from editor_clients.lines import PositionEncoding
from editor_clients.lsp_diagnostics import position_encoding
from editor_clients.overlay import Overlay
from ledger.errors import Code, CoeditorError
from ledger.types import EditId, TargetKey
from lsp_server import __version__, paths
from lsp_server.agents.gate import Gate, GateLimits
from lsp_server.agents.owner import Owner, Record
from lsp_server.agents.takeover import call_in, take_over
from lsp_server.app import App, build
from lsp_server.authorities import Authority, Ground
from lsp_server.handlers.documents import Documents, Early
from lsp_server.handlers.methods import DID_CHANGE_REVIEW
from lsp_server.handlers.options import EditorOptions, options_from
from lsp_server.handlers.protocol import EditorServer
from lsp_server.handlers.requests import register
from lsp_server.handlers.telling import refresh_of, tell_agents
from lsp_server.handlers.transport import serve_pipes
from lsp_server.service import CallContext
from lsp_server.settings import load
from lsp_server.tools.records import file_versions

log = logging.getLogger(__name__)

_SETTLE = 0.2
"""Seconds without a newly opened document after which the editor has told of all that were open."""
_SETTLE_MOST = 2.0
_AGAIN = 1.0
"""Seconds between tries of a server that stands by, and between looks at the run-time folder."""
_READY = 20.0
"""Seconds that an editor's own request waits for the service."""


def serve_editor(root: str) -> int:
    """Serve the editor on standard input and output; ``root`` is the folder if it names none."""
    logging.basicConfig(
        level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    # It logs whole messages, and so the contents of files; and every refusal with a traceback.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    return asyncio.run(_serve(root))


async def _serve(root: str) -> int:
    server = EditorServer(__version__)
    session = Session(server, root)
    session.register()
    pipes = asyncio.ensure_future(serve_pipes(server))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, pipes.cancel)
    try:
        with suppress(asyncio.CancelledError):
            await pipes
    finally:
        await session.close()
    return 0


class Link:
    """The editor's end of the pipes, with what it can do."""

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self.abilities = Abilities()

    async def ask(self, method: str, params: Mapping[str, Any], *, patience: float) -> object:
        return await self._server.ask(method, params, patience=patience)

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        self._server.tell(method, params)


class Session:
    """One editor's connection and, once its folders are owned, their service with its endpoint."""

    def __init__(self, server: EditorServer, root: str) -> None:
        self._server = server
        self._root = root
        self._link = Link(server)
        self._overlay = Overlay()
        self._documents = Documents(Early(self._overlay))
        self._options = EditorOptions((), Abilities())
        self._initialized = asyncio.Event()
        self._app: asyncio.Future[App] = asyncio.get_running_loop().create_future()
        self._standing_by = False
        self._work: asyncio.Task[None] | None = None
        self._owners: list[Owner] = []
        self._gate: Gate | None = None

    def register(self) -> None:
        """Take the messages of the editor."""
        server = self._server
        server.on(lsp.INITIALIZE, self._initialize)
        server.on(lsp.INITIALIZED, self._on_initialized)
        self._documents.register(server)
        register(server, self, connection=f"lsp-{secrets.token_hex(4)}")

    # What the editor asks, as soon as there is a service.

    async def call(self, tool: str, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        """See ``Service.call``; NO_SERVER while another editor's server owns the folder."""
        return await (await self._ready()).call(tool, arguments, context)

    async def outcome_of(self, session: str, call_id: str) -> dict[str, Any] | None:
        """See ``Service.outcome_of``."""
        return await (await self._ready()).outcome_of(session, call_id)

    async def file_versions(self, edit_id: EditId) -> dict[str, Any]:
        """See ``EditorService.file_versions``."""
        return file_versions((await self._ready()).workspace, edit_id)

    async def close(self) -> None:
        """Nobody finds this server any more; what runs is finished, the folders are free."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait([self._work])
        for owner in self._owners:
            owner.withdraw()
        if self._gate is not None:
            await self._gate.close()
        if self._app.done() and not self._app.cancelled() and self._app.exception() is None:
            await self._app.result().close()
        for owner in self._owners:
            owner.release()

    def _initialize(self, params: lsp.InitializeParams) -> None:
        """The folders are known. The service is made meanwhile, so that the editor need not wait."""
        self._options = options_from(self._server.protocol.initialize_params)
        self._link.abilities = self._options.abilities
        self._overlay.encoding = _encoding(self._server)
        self._work = asyncio.get_running_loop().create_task(self._run())

    def _on_initialized(self, params: lsp.InitializedParams) -> None:
        self._initialized.set()

    async def _ready(self) -> App:
        if self._standing_by:
            raise CoeditorError(
                Code.NO_SERVER,
                f"Another editor's server owns {self._roots()[0]}; this one stands by. Agents work with the other.",
            )
        try:
            async with asyncio.timeout(_READY):
                return await asyncio.shield(self._app)
        except TimeoutError:
            raise CoeditorError(Code.NO_SERVER, "The service is not there yet; try again.") from None

    def _roots(self) -> tuple[str, ...]:
        return self._options.roots or (self._root,)

    async def _run(self) -> None:
        """Own the folders, then serve them."""
        try:
            await self._own()
            await self._documents_told()
            app = self._build()
            await self._open_gate(app)
        except CoeditorError as error:
            log.error("no service: %s", error.message)
            self._app.set_exception(error)
            self._app.exception()  # looked at: nobody may ever ask for it
            return
        except Exception as error:
            log.exception("no service")
            self._app.set_exception(
                CoeditorError(Code.INTERNAL, f"The server failed to start: {type(error).__name__}.")
            )
            self._app.exception()
            return
        app.workspace.on_review = lambda: self._link.tell(DID_CHANGE_REVIEW, {})
        self._app.set_result(app)
        await self._tell_agents(app)

    async def _own(self) -> None:
        """Return when the first folder is ours. Further ones that others own stay theirs."""
        first, *others = self._roots()
        while (owner := await take_over(paths.folder_of(first))) is None:
            if not self._standing_by:
                log.warning("another editor's server owns %s; standing by", first)
            self._standing_by = True
            await asyncio.sleep(_AGAIN)
        self._owners.append(owner)
        self._standing_by = False
        for root in others:
            further = await take_over(paths.folder_of(root), token=owner.token)
            if further is not None:
                self._owners.append(further)

    async def _documents_told(self) -> None:
        """Return when the editor has told of the documents that it had open when the server came."""
        await self._initialized.wait()
        started = time.monotonic()
        while time.monotonic() < started + _SETTLE_MOST:
            last = max(started, self._documents.opened_last or 0.0)
            left = last + _SETTLE - time.monotonic()
            if left <= 0:
                return
            await asyncio.sleep(left)

    def _build(self) -> App:
        first, *others = self._roots()
        settings = load(first, os.environ, self._options.settings)
        return build(
            first, settings=settings, roots=others, connect=self._connect, trusted=self._options.trusted
        )

    def _connect(self, ground: Ground) -> Authority:
        """The editor as the authority over the texts of ``ground``."""

        def resolve(uri: str) -> TargetKey | None:
            try:
                target = ground.targets.resolve(uri)
                if not target.key.startswith("untitled:"):
                    ground.walls.check(target.path, write=False)
            except CoeditorError:
                return None
            return target.key

        client = Attached(
            ground.disk,
            self._overlay,
            self._link,
            resolve=resolve,
            save=ground.settings.save,
            moved=lambda target: ground.notices.touched(frozenset({str(target)})),
        )
        self._documents.mirror = client.buffers
        diagnostics = EditorDiagnostics(self._overlay, self._link, ground.servers)
        self._documents.hand_diagnostics_to(diagnostics.told)
        return Authority(
            client,
            client.look,
            diagnostics,
            kind="editor",
            refresh=refresh_of(self._link, client.buffers.uri_of),
        )

    async def _open_gate(self, app: App) -> None:
        folder = self._owners[0].folder
        roots = [owner.folder.root for owner in self._owners]
        about = {"version": __version__, "kind": "editor", "roots": roots}
        self._gate = Gate(app, token=self._owners[0].token, about=about, limits=GateLimits())
        address = await self._gate.listen(paths.socket_path(folder))
        for owner in self._owners:
            owner.publish(Record(os.getpid(), "editor", address, roots, __version__))
        log.info("serving %s as process %d", ", ".join(roots), os.getpid())
        await call_in(roots)

    async def _tell_agents(self, app: App) -> None:
        """Tell the editor whenever an agent comes or goes, for as long as the server runs."""
        gate = self._gate
        while gate is not None:
            gate.changed.clear()
            tell_agents(self._link, gate.agents(), app.workspace.counts[str(Code.FS_UNSAVED_CHANGES)])
            await gate.changed.wait()


def _encoding(server: EditorServer) -> PositionEncoding:
    """The one that was agreed on; pygls has it as an enum or as a string."""
    chosen = server.protocol.workspace.position_encoding
    return position_encoding(getattr(chosen, "value", chosen))
