"""``coeditor serve`` for an editor: one process, one event loop, the editor on the pipes and agents on the socket.

::

    initialize        the folders are known; ownership of them is sought while the editor goes on
    initialized       and the documents that the editor had open already are told one after the other
    owned             the service is there, the socket open, the discovery file written
    shutdown, exit, or the end of the pipe: all of that in reverse

A folder that another editor's server owns is bridged to: our editor is a further one of that server's, which asks
it by way of us and answers what it asks. When the owner ends, whoever is first takes its place and the others
bridge to that one. The same holds for servers of folders inside ours or around them.

Never: a tool, or a decision about an edit.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from lsprotocol import types as lsp

from editor_clients.editor_link import Abilities
from editor_clients.lines import PositionEncoding
from editor_clients.lsp_diagnostics import position_encoding
from editor_clients.overlay import Overlay
from ledger.errors import Code, CoeditorError
from ledger.types import EditId
from lsp_server import __version__, paths
from lsp_server.agents.owner import Owner
from lsp_server.agents.takeover import editors_at, take_over
from lsp_server.handlers import lenses
from lsp_server.handlers.backing_off import BackOff
from lsp_server.handlers.bridge import Bridge, RefusedError
from lsp_server.handlers.documents import Documents, Early
from lsp_server.handlers.house import Awaited, House
from lsp_server.handlers.options import EditorOptions, folders_from, options_from
from lsp_server.handlers.protocol import EditorServer
from lsp_server.handlers.requests import EditorService, register
from lsp_server.handlers.transport import serve_pipes
from lsp_server.service import CallContext

log = logging.getLogger(__name__)

_SETTLE = 0.2
"""Seconds without a newly opened document after which the editor has told of all that were open."""
_SETTLE_MOST = 2.0
_AGAIN = 2.0
"""Seconds between looks at the run-time folder: who owns what, and whether ours is still ours."""
_SOON = 0.05
"""The same for the first while in which a folder has no owner that we know of."""
_HURRY = 5.0
_READY = 20.0
"""Seconds that an editor's own request waits for the service."""


def serve_editor(root: str, announced: str | None = None) -> int:
    """Serve the editor on standard input and output; ``root`` is the folder if it names none.

    ``announced``: a file that says that this server starts, to be removed once it serves.
    """
    # It logs whole messages, and so the contents of files; and every refusal with a traceback.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    return asyncio.run(_serve(root, announced))


async def _serve(root: str, announced: str | None) -> int:
    server = EditorServer(__version__)
    connection = EditorConnection(server, root, announced)
    connection.register()
    pipes = asyncio.ensure_future(serve_pipes(server))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, pipes.cancel)
    try:
        with suppress(asyncio.CancelledError):
            await pipes
    finally:
        await connection.close()
    return 0


class Link:
    """The editor's end of the pipes, with what it can do."""

    def __init__(self, server: EditorServer) -> None:
        self._server = server
        self.abilities = Abilities()

    @property
    def is_gone(self) -> bool:
        """See `EditorLink`."""
        return self._server.is_gone

    async def ask(self, method: str, params: Mapping[str, Any], *, patience: float) -> object:
        """See `EditorLink`."""
        return await self._server.ask(method, params, patience=patience)

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """See `EditorLink`."""
        self._server.tell(method, params)


class EditorConnection:
    """One editor's connection: the service of the folders that are its own, and bridges to the others' owners."""

    def __init__(self, server: EditorServer, root: str, announced: str | None = None) -> None:
        self._server = server
        self._root = root
        self._announced = announced
        self._link = Link(server)
        self._overlay = Overlay()
        self._documents = Documents(Early(self._overlay))
        self._options = EditorOptions((), Abilities())
        self._folders: list[str] = []
        self._initialized = asyncio.Event()
        self._work: asyncio.Task[None] | None = None
        self._owners: dict[str, Owner] = {}
        self._house: House | None = None
        self._bridges: dict[Bridge, asyncio.Task[None]] = {}
        self._back_off = BackOff()
        self._awaited = Awaited()
        self._problem: CoeditorError | None = None
        self._unsettled: float | None = None
        """Since when a folder has no owner that we know of (monotonic)."""
        self._look = asyncio.Event()
        """Set when something happened to folders or owners."""
        self._there = asyncio.Event()
        """Set whenever another service may answer our editor."""

    def register(self) -> None:
        """Take the messages of the editor."""
        server = self._server
        server.on(lsp.INITIALIZE, self._initialize)
        server.on(lsp.INITIALIZED, self._on_initialized)
        server.on(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, self._on_folders)
        self._documents.register(server)
        connection = f"lsp-{secrets.token_hex(4)}"
        register(server, self, connection=connection)
        lenses.register(server, self, connection=connection)

    # What the editor asks, as soon as there is a service.

    async def call(self, tool: str, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        """See ``Service.call``."""
        return await (await self._ready()).call(tool, arguments, context)

    async def outcome_of(self, session: str, call_id: str) -> dict[str, Any] | None:
        """See ``Service.outcome_of``."""
        return await (await self._ready()).outcome_of(session, call_id)

    async def file_versions(self, edit_id: EditId) -> dict[str, Any]:
        """See ``EditorService.file_versions``."""
        return await (await self._ready()).file_versions(edit_id)

    async def close(self) -> None:
        """Nobody finds this server any more; what runs is finished, the folders are free."""
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait([self._work])
        for task in self._bridges.values():
            task.cancel()
        await asyncio.gather(*self._bridges.values(), return_exceptions=True)
        if self._house is not None:
            await self._house.close()
        for owner in self._owners.values():
            owner.release()

    def _initialize(self, params: lsp.InitializeParams) -> None:
        """The folders are known. The service is made meanwhile, so that the editor need not wait."""
        self._options = options_from(self._server.protocol.initialize_params)
        self._folders = list(self._options.roots)
        self._link.abilities = self._options.abilities
        self._overlay.encoding = self._documents.notebooks.encoding = _encoding(self._server)
        self._work = asyncio.get_running_loop().create_task(self._run())

    def _on_initialized(self, params: lsp.InitializedParams) -> None:
        self._initialized.set()

    def _on_folders(self, params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        """The person added or removed workspace folders."""
        gone = folders_from(one.uri for one in params.event.removed)
        come = folders_from(one.uri for one in params.event.added)
        self._folders = list(dict.fromkeys([*(one for one in self._folders if one not in gone), *come]))
        self._look.set()

    async def _ready(self) -> EditorService:
        try:
            async with asyncio.timeout(_READY):
                while (found := self._service()) is None:
                    if self._problem is not None:
                        raise self._problem
                    self._there.clear()
                    await self._there.wait()
        except TimeoutError:
            raise CoeditorError(Code.NO_SERVER, "The service is not there yet; try again.") from None
        return found

    def _service(self) -> EditorService | None:
        """Who serves the editor's first folder, else any of its folders."""
        first = self._roots()[0]
        if first in self._owners:
            return self._house
        bridge = next((one for one in self._bridges if first in one.record.roots), None)
        return bridge or self._house

    def _roots(self) -> Sequence[str]:
        return self._folders or [self._root]

    # Owning and bridging.

    async def _run(self) -> None:
        """Own what nobody owns, serve it, and be a further editor everywhere else; for as long as the editor runs."""
        while True:
            self._look.clear()
            try:
                await self._tend()
                self._problem = None
            except CoeditorError as error:
                log.error("no service: %s", error.message)
                self._problem = error
            except Exception as error:
                log.exception("no service")
                self._problem = CoeditorError(
                    Code.INTERNAL, f"The server failed to start: {type(error).__name__}."
                )
            self._there.set()
            if self._announced is not None:
                with suppress(OSError):
                    os.unlink(self._announced)
                self._announced = None
            with suppress(TimeoutError):
                async with asyncio.timeout(self._pause()):
                    await self._look.wait()

    def _pause(self) -> float:
        """Short for a while where a folder is neither ours nor bridged: its owner just went, or is about to come."""
        if all(root in self._owners or self._bridge_of(root) is not None for root in self._roots()):
            self._unsettled = None
            return _AGAIN
        now = time.monotonic()
        self._unsettled = self._unsettled or now
        return _SOON if now < self._unsettled + _HURRY else _AGAIN

    def _bridge_of(self, root: str) -> Bridge | None:
        return next((one for one in self._bridges if root in one.record.roots), None)

    async def _tend(self) -> None:
        roots = self._roots()
        lost = [root for root, owner in self._owners.items() if root not in roots or not owner.holds()]
        house = self._house
        if house is not None and any(root in lost for root in house.roots):
            await self._close_house(house)
        for root in lost:
            self._owners.pop(root).release()
        for root in roots:
            if root not in self._owners and self._bridge_of(root) is None:
                await self._claim(root)
        owned = [self._owners[root] for root in roots if root in self._owners]
        if self._house is not None and self._house.roots != [owner.folder.root for owner in owned]:
            await self._close_house(self._house)
        if owned and self._house is None:
            await self._documents_told()
            awaited, self._awaited = self._awaited, Awaited()
            self._house = await House.opened(
                owned, self._options, self._overlay, self._link, self._documents, awaited
            )
            self._house.attachment.came = self._look.set
        await self._bridge_to_others()

    async def _claim(self, root: str) -> None:
        token = next((owner.token for owner in self._owners.values()), None)
        owner = await take_over(paths.folder_of(root), token=token)
        if owner is not None:
            self._owners[root] = owner

    async def _close_house(self, house: House) -> None:
        """Another service follows: the editors that are here are to come to that one."""
        self._house = None
        self._awaited = Awaited(house.attachment.pids)
        await house.close()
        self._documents.mirror = Early(self._overlay)

    async def _bridge_to_others(self) -> None:
        """Be a further editor of every other editor's server that has one of our folders, one inside, or around it."""
        known = {(one.record.pid, one.record.address) for one in self._bridges}
        found = await asyncio.to_thread(editors_at, self._roots())
        places = {(record.pid, record.address): record for record in found}
        self._back_off.keep(places.keys() - known)
        for place, record in places.items():
            if place in known or not self._back_off.may_try(place):
                continue
            await self._initialized.wait()
            folder = paths.folder_of(record.roots[0])
            try:
                bridge = await Bridge.build(folder, record, self._link, self._documents, self._overlay)
            except RefusedError as error:
                if self._back_off.refused(place):
                    owner = f"process {record.pid}, which owns {', '.join(record.roots)}"
                    log.warning("%s does not take this editor: %s; it is asked again at times", owner, error)
                continue
            bridge.is_main = lambda bridge=bridge: self._service() is bridge  # type: ignore[misc]
            self._unsettled = None
            log.info("bridging to process %d, which owns %s", record.pid, ", ".join(record.roots))
            self._bridges[bridge] = asyncio.get_running_loop().create_task(self._keep(bridge))

    async def _keep(self, bridge: Bridge) -> None:
        """Until the owner at its far end is gone."""
        try:
            await bridge.run()
        finally:
            del self._bridges[bridge]
            if any(root in bridge.record.roots for root in self._roots()):
                others = bridge.siblings - {os.getpid(), bridge.record.pid}
                self._awaited = Awaited(others, returning=not bridge.said_goodbye)
            log.info("process %d, which owned %s, is gone", bridge.record.pid, ", ".join(bridge.record.roots))
            self._look.set()

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


def _encoding(server: EditorServer) -> PositionEncoding:
    """The one that was agreed on; pygls has it as an enum or as a string."""
    chosen = server.protocol.workspace.position_encoding
    return position_encoding(getattr(chosen, "value", chosen))
