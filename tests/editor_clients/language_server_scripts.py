"""Builds language servers from the scripted fake, for tests that want odd behaviour.

Never: tests.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from editor_clients.language_servers import LanguageServers
from editor_clients.language_specs import ServerSpec
from editor_clients.server_process import Limits

_PROGRAM = Path(__file__).parent.parent / "fakes" / "scripted_language_server.py"

Start = Callable[..., LanguageServers]

QUICK = Limits(start=5.0, grace=1.0, first_wait=0.0)
"""A second start follows a failure at once."""


def scripted(name: str = "scripted", /, **script: object) -> ServerSpec:
    """A server for ``.txt`` files that follows the script."""
    return ServerSpec(
        name,
        (sys.executable, str(_PROGRAM), json.dumps(script)),
        {".txt": "plaintext"},
        mode="pull" if script.get("pull") else "push",
        versioned=script.get("versioned") is not False,
    )


def servers_of(*specs: ServerSpec, root: Path, limits: Limits = QUICK) -> LanguageServers:
    """The servers of one root, every program taken as found."""
    return LanguageServers(str(root), specs, limits=limits, finder=lambda name, _: name)


@asynccontextmanager
async def starting(root: Path) -> AsyncIterator[Start]:
    """Makes servers from specs; all are closed at the end of the block."""
    made: list[LanguageServers] = []

    def make(*specs: ServerSpec, limits: Limits = QUICK) -> LanguageServers:
        made.append(servers_of(*specs, root=root, limits=limits))
        return made[-1]

    yield make
    await asyncio.gather(*(servers.close() for servers in made))


def within(seconds: float) -> float:
    """A deadline."""
    return asyncio.get_running_loop().time() + seconds


async def until(holds: Callable[[], bool], *, seconds: float = 10.0) -> None:
    """Return as soon as ``holds``. Errors: TimeoutError."""
    async with asyncio.timeout(seconds):
        while not holds():  # noqa: ASYNC110 - processes come and go without telling an event
            await asyncio.sleep(0.01)
