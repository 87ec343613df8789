"""The life of one language server's process: started when needed, again after a crash, stopped when idle.

Never: documents or diagnostics; whoever owns it is told what came and that the process is gone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from editor_clients.footprint import memory_of
from editor_clients.language_specs import ServerSpec
from editor_clients.loose_json import Json, as_object, as_text
from editor_clients.lsp_handshake import Agreed, agreed_from, configuration, initialize_params, with_python
from editor_clients.lsp_stdio import Asked, ConnectionLostError, Notified, ResponseError, StdioConnection

_ANSWERED_WITH_NULL = frozenset(
    {
        "client/registerCapability",
        "client/unregisterCapability",
        "window/workDoneProgress/create",
        "window/showMessageRequest",
        "workspace/diagnostic/refresh",
    }
)
_MOST_WAIT = 300.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What a language server may cost; times in seconds."""

    start: float = 30.0
    """Until it must have answered ``initialize``."""
    idle: float = 600.0
    """Without use before it is stopped."""
    grace: float = 1.0
    """For an orderly end."""
    first_wait: float = 1.0
    """Before it is started again after a failure; doubles with each further one."""
    failures: int = 5
    """In a row, without one report between them, after which it is left alone."""
    documents: int = 32
    """Open at a time."""
    characters: int = 64 * 1024 * 1024
    """In all open documents."""
    document_characters: int = 4 * 1024 * 1024
    """In one document; longer ones are not shown to it."""
    memory: int = 4 * 1024 * 1024 * 1024
    """Bytes that it may use with its children; over that it is ended and, when asked again, started afresh."""
    stall: float = 60.0
    """In which it has to read what it is sent and to say something when it is asked."""
    look: float = 5.0
    """Between two looks at memory and stalling."""


class UnavailableError(Exception):
    """There is no running server now; the text is a sentence for a person."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whoever owns a process, as a set of calls; none of them may raise."""

    notified: Notified
    asked: Asked
    ready: Callable[[], None]
    """It runs and is initialised."""
    gone: Callable[[], None]
    """It ran, and does no longer."""


class ServerProcess:
    """At most one process. ``running`` starts it; after ``failures`` bad ends in a row it stays down."""

    def __init__(
        self,
        spec: ServerSpec,
        program: str,
        root: str,
        limits: Limits,
        owner: Owner,
    ) -> None:
        self._spec = spec
        self._command = (program, *spec.command[1:])
        self._root = root
        self._limits = limits
        self._owner = owner
        self._starting: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._failures = 0
        self._not_before = 0.0
        self._reason: str | None = None
        self._closed = False
        self.connection: StdioConnection | None = None
        """While it runs and is initialised."""
        self.agreed = Agreed()

    @property
    def failure(self) -> str | None:
        """Why it does not run: the last bad end since the last report; None when all is well."""
        return self._reason

    def succeeded(self) -> None:
        """It gave a report: earlier failures are forgiven."""
        self._failures = 0
        self._reason = None

    async def running(self) -> StdioConnection:
        """The initialised connection. Cancelling the wait does not cancel the start.

        Errors: UnavailableError: it cannot be started, or not yet again.
        """
        if self.connection is not None and not self.connection.ended.is_set():
            return self.connection
        if self._closed:
            raise UnavailableError(f"{self._spec.name} was stopped.")
        if self._starting is None:
            if asyncio.get_running_loop().time() < self._not_before:
                raise UnavailableError(self._reason or f"{self._spec.name} is not running.")
            self._starting = asyncio.create_task(self._start())
        await asyncio.wait({self._starting})
        if self.connection is None:
            raise UnavailableError(self._reason or f"{self._spec.name} ended.")
        return self.connection

    async def stop(self, *, for_good: bool) -> None:
        """End the process, its children and our tasks. ``for_good``: it is not started again."""
        self._closed = self._closed or for_good
        starting, self._starting = self._starting, None
        watching, self._watching = self._watching, None
        connection, self.connection = self.connection, None
        if starting is not None:
            starting.cancel()
        if connection is not None:
            if watching is not None:
                watching.cancel()
            self._owner.gone()
            await connection.stop(self._limits.grace)
        await asyncio.gather(*(task for task in (starting, watching) if task), return_exceptions=True)

    async def _start(self) -> None:
        """Start and initialise; afterwards ``connection`` is set, or the failure noted."""
        connection: StdioConnection | None = None
        try:
            connection = await StdioConnection.start(
                self._command, cwd=self._root, notified=self._owner.notified, asked=self._answer
            )
            async with asyncio.timeout(self._limits.start):
                await self._initialize(connection)
            self.connection, connection = connection, None
            self._watching = asyncio.create_task(self._watch(self.connection))
            self._owner.ready()
        except TimeoutError:
            self._failed(f"{self._spec.name} did not answer when it was started.")
        except OSError as error:
            reason = error.strerror or str(error)
            self._failed(f"{self._spec.name} cannot be started: {reason}.")
        except ResponseError as error:
            self._failed(f"{self._spec.name} refused to start: {str(error)[:200]}")
        except ConnectionLostError:
            self._failed(_ended(self._spec.name, "ended when it was started", connection))
        finally:
            if self._starting is asyncio.current_task():
                self._starting = None
            if connection is not None:
                await connection.kill()

    async def _initialize(self, connection: StdioConnection) -> None:
        self.agreed = agreed_from(
            await connection.request("initialize", initialize_params(self._spec, self._root)),
            self._spec.mode,
        )
        connection.notify("initialized", {})
        if self._spec.settings:
            settings = with_python(self._spec.settings, self._root)
            connection.notify("workspace/didChangeConfiguration", {"settings": settings})

    async def _watch(self, connection: StdioConnection) -> None:
        excess = None
        while excess is None:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._limits.look):
                    await connection.ended.wait()
            if connection.ended.is_set():
                break
            excess = await self._excess(connection)
        self.connection = None
        self._failed(excess or _ended(self._spec.name, "ended unexpectedly", connection))
        self._owner.gone()
        await connection.kill()

    async def _excess(self, connection: StdioConnection) -> str | None:
        """Why it has to be ended, in a sentence; None while it behaves."""
        if connection.stalled_for() > self._limits.stall:
            return f"{self._spec.name} did not react for {self._limits.stall:g} s and was ended."
        used = await asyncio.to_thread(memory_of, connection.pid)
        if used is not None and used > self._limits.memory:
            return f"{self._spec.name} used more than {self._limits.memory >> 20} MiB and was ended."
        return None

    def _failed(self, reason: str) -> None:
        self._failures += 1
        self._reason = reason
        if self._failures >= self._limits.failures:
            self._not_before = float("inf")
            self._reason = f"{reason} It is not started again."
            return
        wait = min(self._limits.first_wait * 2.0 ** (self._failures - 1), _MOST_WAIT)
        self._not_before = asyncio.get_running_loop().time() + wait

    def _answer(self, method: str, params: Json) -> object:
        """Answer the server's question. Errors: KeyError for a method that nobody knows."""
        if method == "workspace/configuration":
            return configuration(self._spec, self._root, params)
        answer = self._owner.asked(method, params) if method in _ANSWERED_WITH_NULL else None
        if method in _ANSWERED_WITH_NULL:
            return answer
        if method == "workspace/applyEdit":
            return {"applied": False}
        if method == "workspace/workspaceFolders":
            return initialize_params(self._spec, self._root)["workspaceFolders"]
        raise KeyError(method)


def _ended(name: str, how: str, connection: StdioConnection | None) -> str:
    last = connection.stderr_tail() if connection is not None else ""
    return f"{name} {how}: {last}" if last else f"{name} {how}."


def registrations(params: Json) -> list[tuple[str, object]]:
    """What ``client/registerCapability`` registers: methods with their options."""
    listed = params.get("registrations")
    fields = [as_object(one) for one in listed] if isinstance(listed, list) else []
    return [(as_text(one.get("method")), one.get("registerOptions")) for one in fields]
