"""Sessions whose files an agent's host holds, and who asks it.

A session of that kind is known by its name, so that a call that comes while its host is not connected waits for it,
and never goes to the local file. Never: the connection itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from editor_clients.hosted import HostedFiles, HostLink
from ledger.errors import Code, CoeditorError
from lsp_server.acp.names import is_hosted
from lsp_server.service import CallContext
from lsp_server.workspace import Workspace

_PATIENCE: Final = 30.0
"""Seconds for a host to come back after a change of servers."""


class Hosts:
    """The hosts that are connected now."""

    def __init__(self, *, patience: float = _PATIENCE) -> None:
        self._links: dict[str, HostLink] = {}
        self._came = asyncio.Event()
        self._patience = patience

    def add(self, session: str, link: HostLink) -> Callable[[], None]:
        """``link`` holds the files of ``session``, until what is given is called."""
        self._links[session] = link
        came, self._came = self._came, asyncio.Event()
        came.set()

        def leave() -> None:
            if self._links.get(session) is link:
                del self._links[session]

        return leave

    async def workspace_for(self, workspace: Workspace, context: CallContext) -> Workspace:
        """The workspace as the agent that calls has it.

        What a host started itself waits for it; an agent's hook and its own server do not, since an agent can go on
        without its host. Errors: FS_EDITOR_REFUSED without the host that is waited for.
        """
        connection = context.connection or ""
        session = connection if is_hosted(connection) else context.caller.scope.session
        if not is_hosted(session):
            return workspace
        link = self._links.get(session)
        if link is None and (session != connection or context.door == "hook"):
            return workspace
        link = link or await self._awaited(session)
        # What is made when it is needed first is the same for everybody.
        assert workspace.reviews is not None
        assert workspace.shell is not None
        return replace(workspace, client=HostedFiles(workspace.client, link))

    async def _awaited(self, session: str) -> HostLink:
        try:
            async with asyncio.timeout(self._patience):
                while session not in self._links:
                    await self._came.wait()
        except TimeoutError:
            raise CoeditorError(
                Code.FS_EDITOR_REFUSED,
                "The program that holds the files of this session is not connected. Nothing was changed.",
                data={"reason": "no_host"},
            ) from None
        return self._links[session]
