"""``Coeditor``: the Python client that blocks.

Never: a tool's parameters, which ``requests`` has.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Concatenate, ParamSpec, Self, TypeVar, cast

from lsp_server.agents.link import Caller, Seeker
from lsp_server.client import requests
from lsp_server.client.requests import Path, Request

P = ParamSpec("P")
R = TypeVar("R")


def session_name(told: str | None) -> str:
    """``told``, else ``COEDITOR_SESSION``, else one that nobody else has."""
    return told or os.environ.get("COEDITOR_SESSION") or f"python-{os.urandom(8).hex()}"


def folder(root: Path | None) -> str:
    """The folder that a client works in. Errors: FileNotFoundError, NotADirectoryError."""
    found = os.path.realpath(root or os.getcwd())
    os.scandir(found).close()
    return found


def _calls(make: Callable[P, Request[R]]) -> Callable[Concatenate[Coeditor, P], R]:
    """The method that makes a request and carries it out."""

    def method(self: Coeditor, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.run(make(*args, **kwargs))

    method.__name__ = make.__name__
    method.__doc__ = make.__doc__
    return method


class Coeditor:
    """One scope of one session, connected; may be used by several threads, one call at a time."""

    def __init__(
        self,
        root: Path | None = None,
        *,
        session: str | None = None,
        scope: str | None = None,
        agent: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Connect to the server of the folder, an editor's or a headless one, which is started if need be.

        ``root``: the current folder when left out; ``session``: ``COEDITOR_SESSION``, else a new one;
        ``scope``: ``main``; ``agent``: its name for people; ``environment`` of a server that is started.
        Errors: CoeditorError (NO_SERVER, UNAUTHORIZED), OSError when there is no such folder.
        """
        self.session = session_name(session)
        self.turn: str | None = None
        """Goes with each call; ``diff`` and ``rewind`` take it."""
        self._meta = {"scope": scope, "agent": agent}
        self._one = threading.Lock()
        self._caller = Caller(Seeker(folder(root), env=environment), self.session)

    def run(self, request: Request[R], *, call_id: str | None = None) -> R:
        """Carry out a request of ``requests``; ``call_id`` names it for a later ``context_event``.

        When the server dies meanwhile, a call that may change something is not sent again: its outcome is
        asked for. Errors: CoeditorError.
        """
        meta = {**self._meta, "turn": self.turn, "call_id": call_id}
        told = {name: value for name, value in meta.items() if value is not None}
        with self._one:
            return cast(R, self._caller.call(request.tool, request.arguments, **told))

    read = _calls(requests.read)
    edit = _calls(requests.edit)
    write = _calls(requests.write)
    apply_patch = _calls(requests.apply_patch)
    edit_notebook = _calls(requests.edit_notebook)
    glob = _calls(requests.glob)
    grep = _calls(requests.grep)
    diagnostics = _calls(requests.diagnostics)
    history = _calls(requests.history)
    diff = _calls(requests.diff)
    rewind = _calls(requests.rewind)
    status = _calls(requests.status)
    context_event = _calls(requests.context_event)

    def close(self) -> None:
        """Hang up. A server that was started for this client ends by itself."""
        self._caller.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
