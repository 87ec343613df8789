"""The composition root: joins settings, ledger, texts and effects into the service that the doors call.

Never: a global. Two services can live in one process.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from editor_clients.folders import remove_empty
from editor_clients.headless import Headless
from editor_clients.hosted import HostLink
from editor_clients.locks import TargetLocks
from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError
from ledger.ledger import Ledger
from ledger.limits import DAY, DEFAULTS, MIB, Limits
from ledger.policy import decide
from ledger.secret_files import SecretFiles
from lsp_server import paths
from lsp_server.asking.asker import Asker, DeferredError
from lsp_server.asking.walk import with_consent
from lsp_server.authorities import Authority, Connect, Ground, headless
from lsp_server.completing import complete
from lsp_server.effects.conflicts import Conflicts, mark_refusal, unmark
from lsp_server.effects.events import EventStream
from lsp_server.effects.late import LateReports
from lsp_server.effects.notices import Notices
from lsp_server.effects.previews import Previewed
from lsp_server.effects.sources import own_servers
from lsp_server.effects.wiring import effects_of
from lsp_server.git_events import GitEvents
from lsp_server.hosted import Hosts
from lsp_server.leftovers import Leftovers
from lsp_server.native.copies import Copies
from lsp_server.native.state import NativeState
from lsp_server.news import Bulletin, Hearer, News
from lsp_server.paths import Folder
from lsp_server.platforms import refuse_unsupported
from lsp_server.reconcile import Look, look_again, reconcile
from lsp_server.service import CallContext
from lsp_server.settings import Settings, from_environment
from lsp_server.targets import Targets
from lsp_server.tools.table import import_all, tool_function
from lsp_server.wire.arguments import decode_arguments
from lsp_server.wire.tools import STEPS
from lsp_server.workspace import Workspace

if TYPE_CHECKING:
    from lsp_server.tracing import Tracer

log = logging.getLogger(__name__)

_SETTLE_SECONDS = 3.0
_SETTLE_STEP = 0.05
_LOOK_AGAIN = 90.0
"""Seconds; longer than an edit that was given up may still show up in an editor."""
_IMPORT_AFTER = 0.5
"""Seconds after the first call."""
_TIDY_AFTER = 3600.0
_OUT_OF = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT})
"""What is nobody's mistake, and may meet any step."""
_FAR = frozenset({errno.EIO, errno.ESTALE, errno.ETIMEDOUT, errno.ENOTCONN, errno.EROFS, errno.EDQUOT})
"""What a disk may answer at any step."""


class App:
    """The service of one folder: every door calls tools through it."""

    def __init__(self, workspace: Workspace, look: Look, *, settled: bool) -> None:
        self.workspace = workspace
        self._look = look
        self._settled = settled
        self._settling = asyncio.Lock()
        self._importing: asyncio.TimerHandle | None = None
        self._closed = False
        self._tidied = self._looked = workspace.ledger.now()
        self._bulletin = Bulletin()
        self._tracer = _tracer()
        self._hosts = Hosts()
        workspace.late.listen(lambda _: self._bulletin.tell(News("diagnostics")))
        workspace.notices.hear(lambda _: self._bulletin.tell(News("diagnostics")))

    def hear(self, hearer: Hearer) -> Callable[[], None]:
        """See ``Bulletin.hear``."""
        return self._bulletin.hear(hearer)

    def hold(self, session: str, link: HostLink) -> Callable[[], None]:
        """See ``Hosts.add``."""
        return self._hosts.add(session, link)

    async def call(self, tool: str, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        """See ``Service.call``."""
        if self._tracer is None:
            return await self._call(tool, arguments, context)
        with self._tracer.span(tool, context) as span:
            found = await self._call(tool, arguments, context)
            span.events = [(one["name"], one["ms"]) for one in found.get("side_effects", ())]
            return found

    async def _call(self, tool: str, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        counts = self.workspace.counts
        try:
            decoded = decode_arguments(tool, arguments)
            await self.settle()
            workspace = await self._hosts.workspace_for(self.workspace, context)
            self._import_soon()
            if context.door == "mcp":
                context = self._joined(tool, arguments, context)
            self.workspace.ledger.touch(context.caller.scope.session)
            self.workspace.titles.note(context.caller.scope.session, context.caller.agent, context.pid)
            found = await with_consent(
                workspace, context, lambda: tool_function(tool)(workspace, decoded, context)
            )
            # What a program is told between two steps, its model does not see.
            is_step = context.quiet or (tool in STEPS and found.get("applied") is None)
            notices = [] if is_step else await self._notices(workspace, context)
        except CoeditorError as error:
            counts[str(error.code)] += 1
            mark_refusal(self.workspace, tool, error, context)
            self._tell(tool, {}, context)  # a refusal shows something too
            raise
        except DeferredError:
            raise  # the call ends here for now, and comes again with the person's answer
        except Exception as error:
            told = _at_a_limit(tool, error)
            counts[str(told.code if told else Code.INTERNAL)] += 1
            if told is None:
                log.exception("%s failed", tool)
            raise told or _failed(tool, error) from error
        counts["ok"] += 1
        self._tidy_up()
        self._tell(tool, found, context)
        if found.get("applied") == "applied":
            unmark(self.workspace, found, context)
        if notices:
            found["notices"] = [*found.get("notices", ()), *notices]
        return found

    def _tell(self, tool: str, found: Mapping[str, Any], context: CallContext) -> None:
        """Tell whoever watches what this call may have changed."""
        if context.quiet:
            return
        session = context.caller.scope.session
        self._bulletin.tell(News("ledger", session))
        if found.get("applied") == "applied" or "edit_id" in found:
            self._bulletin.tell(News("history", session))
            self._bulletin.tell(News("diagnostics"))

    async def _notices(self, workspace: Workspace, context: CallContext) -> list[dict[str, Any]]:
        """What the caller has not been told yet."""
        moved = await workspace.notices.due(workspace, context.caller)
        return [*moved, *(one.to_notice() for one in workspace.late.take(context.caller.scope))]

    async def outcome_of(self, session: str, call_id: str) -> dict[str, Any] | None:
        """See ``Service.outcome_of``."""
        from lsp_server.tools.records import outcome_of

        await self.settle()
        return outcome_of(self.workspace, session, call_id)

    def _joined(self, tool: str, arguments: Mapping[str, Any], context: CallContext) -> CallContext:
        """The call of the context that its agent's hook announced it for."""
        joins = self.workspace.native.joins
        caller = joins.caller_of(context.caller, tool, arguments, context.pid)
        return context if caller is context.caller else replace(context, caller=caller)

    async def settle(self) -> None:
        """Before anybody goes on: what a crash left open in documents that an editor is about to tell of."""
        if self._settled:
            self._look_again()
            return
        async with self._settling:
            loop = asyncio.get_running_loop()
            # Without an editor there is nobody to wait for.
            patience = _SETTLE_SECONDS if self.workspace.kind == "editor" else 0.0
            deadline = loop.time() + patience
            while not self._settled:
                final = loop.time() >= deadline
                await complete(self.workspace, self._look, final=final)
                self._settled = _settle(self.workspace, self._look, final=final)
                if not self._settled:
                    await asyncio.sleep(_SETTLE_STEP)

    def _look_again(self) -> None:
        """Now and then: what an editor did not answer for in time shows in its documents sooner or later."""
        now = self.workspace.ledger.now()
        if abs(now - self._looked) > _LOOK_AGAIN:
            self._looked = now
            attached = self.workspace.kind == "editor"
            with suppress(CoeditorError):
                look_again(self.workspace.ledger, self._look, attached=attached, before=now - _LOOK_AGAIN)

    def _import_soon(self) -> None:
        """Have the tools that were not called yet at hand, once the first answer is out."""
        if self._importing is None:
            loop = asyncio.get_running_loop()
            self._importing = loop.call_later(_IMPORT_AFTER, loop.run_in_executor, None, import_all)

    def _tidy_up(self) -> None:
        """Every hour that is worked in, let go of what is too old or too much to be kept, once the answer is out."""
        now = self.workspace.ledger.now()
        if abs(now - self._tidied) > _TIDY_AFTER:
            self._tidied = now
            asyncio.get_running_loop().call_later(_IMPORT_AFTER, self._compact)

    def _compact(self) -> None:
        if not self._closed:
            self.workspace.ledger.compact()

    async def close(self) -> None:
        """Stop what runs, then close the ledger."""
        if self._importing is not None:
            self._importing.cancel()
        self.workspace.native.copies.clear()
        if self._tracer is not None:
            await asyncio.to_thread(self._tracer.close)
        await self.workspace.notices.close()
        await self.workspace.late.close()
        await self.workspace.servers.close()
        self._closed = True
        self.workspace.ledger.compact()
        self.workspace.ledger.close()


def build(
    root: str,
    *,
    settings: Settings | None = None,
    roots: Sequence[str] = (),
    connect: Connect = headless,
    trusted: bool = True,
) -> App:
    """The service of the canonical folder ``root`` and of further ``roots``, whose texts ``connect`` gives.

    What a crash left unfinished is finished or undone first, and the journal's open entries are settled by the
    texts that are there. Errors: FS_IO when the ledger cannot be opened, NO_SERVER when the state folders
    cannot be made.
    """
    refuse_unsupported()
    settings = settings or from_environment(root)
    folder = paths.folder_of(root)
    folder.make()
    extra = (os.path.realpath(os.path.expanduser(one)) for one in settings.roots)
    roots = tuple(dict.fromkeys((root, *roots, *extra)))
    walls = _walls(roots, settings)
    leftovers = Leftovers(folder.transactions, walls)
    blocked = leftovers.clear()
    disk = _disk(walls, folder, settings)
    targets, notices = Targets(roots, walls.canonical), Notices(GitEvents())
    servers, problems = own_servers(settings, roots, disk.text_now, trusted=trusted)
    settings = replace(settings, problems=(*settings.problems, *problems))
    events = EventStream(os.path.join(folder.state, "events.jsonl"))
    authority = connect(Ground(settings, walls, targets, disk, servers, notices))
    locks = TargetLocks(os.path.join(paths.runtime_home(), "locks"), on_dead_owner=leftovers.look_after)
    workspace = Workspace(
        roots=roots,
        kind=authority.kind,
        settings=settings,
        walls=walls,
        targets=targets,
        ledger=_ledger(folder, settings),
        decide=partial(decide, read_first=settings.read_first),
        client=authority.client,
        locks=locks,
        effects=effects_of(events, settings.limit("diagnostics_ms"), refresh=authority.refresh),
        notices=notices,
        git=notices.git,
        servers=authority.diagnostics,
        late=LateReports(authority.diagnostics),
        conflicts=Conflicts(authority.show_conflicts),
        previewed=Previewed(),
        started=time.time(),
        trusted=trusted,
        events=events,
        asker=_asker(authority, settings),
        blocked=blocked,
        look_at_blocked=leftovers.clear,
        native=NativeState(disk, Copies(folder.run("copies"))),
    )
    # What an editor has open it tells of itself.
    notices.hear(lambda paths: servers.touched(path for path in paths - workspace.client.open_targets()))
    settled = _settle(workspace, authority.look, final=False)
    return App(workspace, authority.look, settled=settled)


def _at_a_limit(tool: str, error: Exception) -> CoeditorError | None:
    """What to tell where the system gives no more; None where the fault is ours."""
    if isinstance(error, MemoryError):
        log.warning("%s found no more memory", tool)
        return CoeditorError(
            Code.FS_IO,
            f"The server has not enough memory for {tool}. Read the file again before you go on, and take "
            "a smaller one, or give it room.",
            data={"errno": "ENOMEM"},
        )
    if isinstance(error, OSError) and error.errno in {*_OUT_OF, *_FAR}:
        log.warning("%s found the system at its limit: %s", tool, error.strerror)
        return CoeditorError(
            Code.FS_IO,
            f"The system is at a limit ({error.strerror}), so {tool} was not carried out. Give it room, and try "
            "again.",
            data={"errno": errno.errorcode.get(error.errno or 0, "EIO")},
        )
    return None


def _failed(tool: str, error: Exception) -> CoeditorError:
    return CoeditorError(
        Code.INTERNAL,
        f"{tool} failed inside Coeditor ({type(error).__name__}). The server's log has the details; please report it.",
    )


def _tracer() -> Tracer | None:
    if os.environ.get("COEDITOR_TRACES") is None:
        return None
    from lsp_server.tracing import tracer_from

    return tracer_from(os.environ)


def _settle(workspace: Workspace, look: Look, *, final: bool) -> bool:
    """Hold what a crash left open, or an editor unanswered, against what is there; whether nobody need wait."""
    ledger, tidy = workspace.ledger, partial(remove_empty, workspace.walls)
    attached = workspace.kind == "editor"
    settled = reconcile(ledger, look, final=final, tidy=tidy)
    return look_again(ledger, look, final=final or not attached, attached=attached, tidy=tidy) and settled


def _disk(walls: Walls, folder: Folder, settings: Settings) -> Headless:
    """The files, as far as the walls let them be reached."""
    limit = settings.limit("file_bytes")
    return Headless(walls, folder.transactions, file_limit=limit, durability=settings.durability)


def _walls(roots: Sequence[str], settings: Settings) -> Walls:
    """Where agents may go."""
    own = [paths.state_home(), paths.runtime_home()]
    return Walls(
        roots,
        state_folders=own,
        forbidden=settings.forbidden,
        ask_first=settings.ask_first,
        everywhere=settings.mode == "full",
    )


def _ledger(folder: Folder, settings: Settings) -> Ledger:
    """What the last server here left. Errors: FS_IO."""
    secrets = SecretFiles(settings.secret_files)
    flushes = settings.durability == "full"
    return Ledger.open(
        folder.ledger, clock=time.time, limits=_kept(settings), secrets=secrets, flushes=flushes
    )


def _kept(settings: Settings) -> Limits:
    """How much the ledger keeps."""
    age = settings.limit("session_days") * DAY
    store = settings.limit("history_mib") * MIB
    return replace(
        DEFAULTS,
        sessions=settings.limit("sessions"),
        session_age=age,
        entries=settings.limit("history_edits"),
        entry_age=settings.limit("history_days") * DAY,
        store=store,
        requests=store // 4,
    )


def _asker(authority: Authority, settings: Settings) -> Asker:
    resolved = authority.client.until_resolved
    return Asker(authority.prompt, patience=settings.limit("ask_seconds"), resolved=resolved)
