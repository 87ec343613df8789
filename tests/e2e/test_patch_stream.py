"""A patch that is handed over as it is written, on the editor's connection and on the socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from lsp_server.agents.owner import PROTOCOL
from tests.e2e.agents import PATIENCE, Place
from tests.e2e.doors import editor
from tests.shapes import check_shape

Ask = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]
"""A step of a patch; gives its result or its error object."""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, {"side_effects": {"diagnostics": False}})


def checked(step: str, answer: dict[str, Any]) -> dict[str, Any]:
    """The object of a JSON-RPC answer."""
    found = answer["result"] if "result" in answer else {**answer["error"]["data"], "ok": False}
    return check_shape(f"apply_patch/{step}", found)


@asynccontextmanager
async def by_lsp(place: Place) -> AsyncIterator[Ask]:
    async with editor(place) as connection:

        async def ask(step: str, fields: dict[str, Any]) -> dict[str, Any]:
            answer = await connection.request(f"coeditor/applyPatch/{step}", {**fields, "session": "s"})
            return checked(step, answer)

        yield ask


@asynccontextmanager
async def by_socket(place: Place) -> AsyncIterator[Ask]:
    async with editor(place) as connection:
        assert "result" in await connection.request("coeditor/status", {})
        (path,) = (place.base / "run").glob("coeditor/*/server.json")
        address = json.loads(path.read_text())["address"]
        token = path.with_name("token").read_text().strip()
        reader, writer = await asyncio.open_unix_connection(address)

        async def say(message: dict[str, Any]) -> dict[str, Any]:
            writer.write(json.dumps(message).encode() + b"\n")
            found: dict[str, Any] = json.loads(await asyncio.wait_for(reader.readline(), PATIENCE))
            return found

        async def ask(step: str, fields: dict[str, Any]) -> dict[str, Any]:
            params = {**fields, "session": "s", "cwd": str(place.folder)}
            method = f"coeditor/applyPatch/{step}"
            return checked(step, await say({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))

        try:
            assert "welcome" in await say({"hello": {"token": token, "door": "cli", "protocol": PROTOCOL}})
            yield ask
        finally:
            writer.close()


@pytest.mark.parametrize("door", [by_lsp, by_socket])
async def test_a_patch_in_pieces(place: Place, door: Callable[[Place], Any]) -> None:
    async with door(place) as ask:
        stream = (await ask("begin", {}))["stream"]
        for piece in ("*** Begin Patch\n*** Add Fi", "le: a.txt\n+on", "e\n*** End Patch\n"):
            told = await ask("append", {"stream": stream, "text": piece})
            assert told["ok"], told
        assert (told["files"], told["lines"], told["path"], told["complete"]) == (1, 1, "a.txt", True)
        assert (await ask("commit", {"stream": stream, "validate_only": True}))["applied"] == "planned"
        done = await ask("commit", {"stream": stream})
        assert (done["applied"], place.text("a.txt")) == ("applied", "one\n")
        refused = await ask("append", {"stream": stream, "text": "x"})
        assert refused["code"] == "INVALID_ARGUMENT"
