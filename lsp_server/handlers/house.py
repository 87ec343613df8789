"""The service of the folders that this editor's server owns, with its endpoint: from ``opened`` to ``close``.

Never: how the folders came to be ours.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from editor_clients.editor_link import EditorLink
from editor_clients.hosted import HostLink
from editor_clients.overlay import Overlay
from ledger.errors import Code, CoeditorError
from ledger.types import EditId
from lsp_server import __version__, paths
from lsp_server.agents.channel import Channel
from lsp_server.agents.gate import Gate, GateLimits
from lsp_server.agents.messages import Hello
from lsp_server.agents.owner import Owner, Record
from lsp_server.agents.takeover import call_in
from lsp_server.app import App, build
from lsp_server.authorities import Authority, Ground
from lsp_server.handlers.attaching import Attachment, JoinedView
from lsp_server.handlers.documents import Documents
from lsp_server.handlers.joining import VIEWS, FurtherEditor, Intro
from lsp_server.handlers.methods import DID_CHANGE_REVIEW
from lsp_server.handlers.options import EditorOptions
from lsp_server.handlers.telling import tell_agents
from lsp_server.news import Hearer, News
from lsp_server.service import CallContext
from lsp_server.settings import load
from lsp_server.tools.records import file_versions

log = logging.getLogger(__name__)

_REJOIN = 3.0
"""Seconds for editors that were there under the last owner, or whose server was killed, to join again."""


@dataclass(frozen=True, slots=True)
class Awaited:
    """Which editors ought to join before agents go on: what is unsaved there must be known."""

    pids: frozenset[int] = frozenset()
    returning: bool = False
    """One whose server was killed starts it again, as another process."""

    def are_here(self, joined: Set[int]) -> bool:
        """Whether those that still live have come."""
        missing = [pid for pid in self.pids - joined if _lives(pid)]
        return not missing and not (self.returning and not joined - self.pids)


class House:
    """One app, its gate, and the editors that look in."""

    def __init__(self, app: App, attachment: Attachment, owners: Sequence[Owner], awaited: Awaited) -> None:
        self.owners = tuple(owners)
        self.attachment = attachment
        self._app = app
        self._awaited = awaited
        self._joined = asyncio.Event()
        about = {"version": __version__, "kind": "editor", "roots": self.roots}
        self._gate = Gate(
            self, token=self.owners[0].token, about=about, editors=self._further, limits=GateLimits()
        )
        self._all_here = asyncio.Event()
        self._told: object = None
        """What the editors were told last of the agents."""
        self._tasks: list[asyncio.Task[None]] = []

    @classmethod
    async def opened(
        cls,
        owners: Sequence[Owner],
        options: EditorOptions,
        overlay: Overlay,
        link: EditorLink,
        documents: Documents,
        awaited: Awaited,
    ) -> House:
        """The service of the folders of ``owners``, reachable. Errors: as ``app.build``; OSError."""
        made: list[Attachment] = []

        def connect(ground: Ground) -> Authority:
            made.append(Attachment(ground, overlay, link, documents))
            return made[0].authority()

        first, *others = (owner.folder.root for owner in owners)
        settings = load(first, os.environ, options.settings, options.workspace_settings)
        app = build(first, settings=settings, roots=others, connect=connect, trusted=options.trusted)
        app.workspace.on_review = lambda: made[0].tell(DID_CHANGE_REVIEW, {})
        app.workspace.conflicts.changed = lambda: made[0].tell(DID_CHANGE_REVIEW, {})
        house = cls(app, made[0], owners, awaited)
        try:
            await house._open()
        except BaseException:
            await house.close()  # the caller tries again, with another one
            raise
        return house

    @property
    def roots(self) -> list[str]:
        """The folders, the one whose state is kept first."""
        return [owner.folder.root for owner in self.owners]

    async def call(self, tool: str, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        """See ``Service.call``; waits for the editors that ought to be here."""
        await self._all_here.wait()
        return await self._app.call(tool, arguments, context)

    async def outcome_of(self, session: str, call_id: str) -> dict[str, Any] | None:
        """See ``Service.outcome_of``."""
        await self._all_here.wait()
        return await self._app.outcome_of(session, call_id)

    def hear(self, hearer: Hearer) -> Callable[[], None]:
        """See ``Bulletin.hear``."""
        return self._app.hear(hearer)

    def hold(self, session: str, link: HostLink) -> Callable[[], None]:
        """See ``Hosts.add``."""
        return self._app.hold(session, link)

    async def file_versions(self, edit_id: EditId) -> dict[str, Any]:
        """See ``EditorService.file_versions``."""
        return file_versions(self._app.workspace, edit_id)

    def join(self, told: Intro, link: EditorLink) -> JoinedView:
        """See ``Host.join``."""
        return self.attachment.join(told, link)

    async def close(self) -> None:
        """Nobody finds this service any more; what runs is finished. The folders stay ours."""
        for owner in self.owners:
            owner.withdraw()
        await self._gate.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._app.close()

    def _further(self, channel: Channel, hello: Hello) -> FurtherEditor:
        return FurtherEditor(channel, hello, self)

    async def _open(self) -> None:
        self.attachment.changed = self._on_joined
        address = await self._gate.listen(paths.socket_path(self.owners[0].folder))
        for owner in self.owners:
            owner.publish(Record(os.getpid(), "editor", address, self.roots, __version__))
        log.info("serving %s as process %d", ", ".join(self.roots), os.getpid())
        self._app.hear(self._on_news)
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(self._tell_agents()), loop.create_task(self._await_editors())]
        await call_in(self.roots)

    def _on_joined(self) -> None:
        """An editor came or went."""
        self._joined.set()
        self._told = None
        pids = sorted(self.attachment.pids | {os.getpid()})
        self.attachment.tell_joined(VIEWS, {"pids": pids})
        self._gate.changed.set()

    async def _await_editors(self) -> None:
        """Let calls through once those are here that ought to be, or when they had their time."""
        try:
            async with asyncio.timeout(_REJOIN):
                while not self._awaited.are_here(self.attachment.pids):
                    self._joined.clear()
                    await self._joined.wait()
        except TimeoutError:
            log.warning("not every editor that was here came again")
        finally:
            self._all_here.set()

    async def _tell_agents(self) -> None:
        """Tell the editors whenever an agent comes or goes; who went is stopped nowhere any more."""
        before: set[str] = set()
        await self._all_here.wait()
        with suppress(CoeditorError):  # the next call tries again
            await self._app.settle()  # what a crash left open
        while True:
            self._gate.changed.clear()
            now = {str(agent["session"]) for agent in self._gate.agents()}
            for session in before - now:
                self._app.workspace.conflicts.ended(session)
            before = now
            conflicts = self._app.workspace.counts[str(Code.FS_UNSAVED_CHANGES)]
            agents = self._with_files(self._gate.agents())
            if self._told != (agents, conflicts):
                tell_agents(self.attachment, agents, conflicts)
                self._told = (agents, conflicts)
            await self._gate.changed.wait()

    def _with_files(self, agents: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """``agents``, each with how many files it has seen."""
        seen: dict[str, int] = {}
        for scope, count in self._app.workspace.ledger.scopes_at_work():
            seen[scope.session] = seen.get(scope.session, 0) + count
        return [agent | {"files": seen.get(str(agent["session"]), 0)} for agent in agents]

    def _on_news(self, news: News) -> None:
        """An agent saw something, or was refused."""
        if news.what == "ledger":
            self._gate.changed.set()


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return pid > 0
