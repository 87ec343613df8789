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

    async def workspace_for(
        self, workspace: Workspace, connection: str | None, *, waits: bool = True
    ) -> Workspace:
        """The workspace as the agent behind ``connection`` has it.

        Errors: FS_EDITOR_REFUSED without its host; unless it ``waits`` not at all, and has the folder's server alone.
        """
        if connection is None or not is_hosted(connection):
            return workspace
        link = self._links.get(connection)
        if link is None and not waits:
            return workspace
        link = link or await self._awaited(connection)
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
