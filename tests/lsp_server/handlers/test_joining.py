"""What another editor's server asks: a fault of ours is not taken for a method that there is not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from editor_clients.overlay import Overlay
from ledger.types import EditId
from lsp_server.agents.channel import Channel
from lsp_server.agents.messages import METHOD_NOT_FOUND, REQUEST_FAILED, Hello
from lsp_server.handlers.documents import Documents, Early
from lsp_server.handlers.joining import VIEW, FurtherEditor, Intro
from lsp_server.service import CallContext

HELLO = Hello("editor", "", 1, None, {}, None, None)


class Faulty:
    """A service in which a key is missing, and the place of an editor that joins it."""

    documents = Documents(Early(Overlay()))

    def join(self, told: Intro, link: FurtherEditor) -> Faulty:
        return self

    def leave(self) -> None:
        """Nothing is held."""

    async def call(self, tool: str, arguments: Mapping[str, Any], context: CallContext) -> dict[str, Any]:
        raise KeyError(tool)

    async def outcome_of(self, session: str, call_id: str) -> dict[str, Any] | None:
        return None

    async def file_versions(self, edit_id: EditId) -> dict[str, Any]:
        return {}


@pytest.mark.parametrize(
    ("method", "code", "is_logged"),
    [("coeditor/call", REQUEST_FAILED, True), ("coeditor/nonsense", METHOD_NOT_FOUND, False)],
)
async def test_a_missing_key_is_no_missing_method(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, method: str, code: int, is_logged: bool
) -> None:
    tasks: list[asyncio.Task[None]] = []
    channels: list[Channel] = []

    def opened(channel: Channel) -> None:
        channels.append(channel)
        tasks.append(asyncio.create_task(FurtherEditor(channel, HELLO, Faulty()).run()))

    loop = asyncio.get_running_loop()
    path = str(tmp_path / "socket")
    async with await loop.create_unix_server(lambda: Channel(opened, limit=1 << 20), path):
        reader, writer = await asyncio.open_unix_connection(path)
        for message in ({"method": VIEW, "params": {}}, {"id": 1, "method": method, "params": {}}):
            writer.write(json.dumps(message).encode() + b"\n")
        assert json.loads(await reader.readline())["error"]["code"] == code
        writer.close()
        await asyncio.gather(*tasks)
        channels[0].close()
        await channels[0].lost.wait()
    assert any(record.exc_info for record in caplog.records) is is_logged
