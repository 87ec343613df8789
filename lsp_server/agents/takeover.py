"""How an editor's server comes to own its folders while headless servers run there.

A headless owner is asked to end; it finishes what runs and tells its relays how far it read, so that they lose
nothing when they turn to the new owner. Never: a lock taken by force.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Iterable

from ledger.errors import CoeditorError
from lsp_server import paths
from lsp_server.agents.link import connect, hello
from lsp_server.agents.owner import Lock, Owner, Record, read_record
from lsp_server.agents.socket_link import LostError
from lsp_server.agents.socket_methods import HAND_OVER
from lsp_server.paths import Folder

_AGAIN = 0.02
"""Seconds between tries."""


async def take_over(folder: Folder, *, token: str | None = None, patience: float = 15.0) -> Owner | None:
    """The ownership of ``folder`` for an editor's server; a headless owner gives way when it is idle.

    None when another editor's server has it, or when the owner does not end within ``patience`` seconds.
    Errors: NO_SERVER when there is no private place for the lock.
    """
    folder.make()
    heir = await asyncio.to_thread(Lock.take, folder.run("heir.lock"))
    if heir is None:
        return None  # another editor's server is waiting already
    try:
        deadline = time.monotonic() + patience
        asked: int | None = None
        while True:
            owner = await asyncio.to_thread(Owner.claim, folder, "editor", token=token)
            if owner is not None or time.monotonic() > deadline:
                return owner
            record = read_record(folder)
            if record is not None and record.pid != asked:
                if record.kind == "editor":
                    return None
                asked = record.pid
                await asyncio.to_thread(ask_to_give_way, folder, record)
            await asyncio.sleep(_AGAIN)
    finally:
        heir.release()


async def call_in(roots: Iterable[str]) -> int:
    """Ask every headless server of a folder inside ``roots`` to give way, so that its agents come to us.

    Gives how many agreed. Errors: NO_SERVER when there is no private place to look.
    """
    inside = [root.rstrip(os.sep) + os.sep for root in roots]
    state, runtime = paths.state_home(), paths.runtime_home()
    agreed = 0
    for name in os.listdir(runtime):
        record = _record_below(os.path.join(runtime, name))
        if record is None or record.kind == "editor":
            continue
        root = record.roots[0]
        if any((root + os.sep).startswith(prefix) for prefix in inside):
            agreed += await asyncio.to_thread(ask_to_give_way, paths.Folder(root, state, runtime), record)
    return agreed


def editors_at(roots: Iterable[str]) -> list[Record]:
    """The other editors' servers that have one of ``roots``, or a folder inside or around one; the deepest first.

    A record is not yet a server that lives. Blocks. Errors: NO_SERVER when there is no private place to look.
    """
    ours = [root.rstrip(os.sep) + os.sep for root in roots]
    runtime = paths.runtime_home()
    found: dict[tuple[int, str], Record] = {}
    for name in os.listdir(runtime):
        record = _record_below(os.path.join(runtime, name))
        if record is None or record.kind != "editor" or record.pid == os.getpid():
            continue
        theirs = [root.rstrip(os.sep) + os.sep for root in record.roots]
        if any(one.startswith(other) or other.startswith(one) for one in ours for other in theirs):
            found[record.pid, record.address] = record
    return sorted(found.values(), key=lambda record: -max(map(len, record.roots)))


def ask_to_give_way(folder: Folder, record: Record) -> bool:
    """Whether the headless server of ``record`` said that it will end. Blocks."""
    try:
        link = connect(folder, record, hello("cli", "/", None))
    except CoeditorError:
        return False
    if link is None:
        return False
    try:
        link.set_timeout(5.0)
        message = {"jsonrpc": "2.0", "id": 1, "method": HAND_OVER, "params": {}}
        link.send(json.dumps(message).encode("ascii"), b"\n")
        return bool(json.loads(link.receive())["result"]["accepted"])
    except (LostError, ValueError, KeyError, TypeError):
        return False
    finally:
        link.close()


def _record_below(folder: str) -> Record | None:
    try:
        with open(os.path.join(folder, "server.json"), encoding="utf-8") as file:
            return Record.from_json(file.read(1 << 16))
    except (OSError, ValueError):
        return None
