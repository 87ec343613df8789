"""An owner that refuses is asked ever more rarely, is told of once, and is known by its process and address."""

from __future__ import annotations

import asyncio
import json
import logging
import os
from pathlib import Path
from typing import Any

import pytest

from editor_clients.editor_link import Abilities
from editor_clients.overlay import Overlay
from lsp_server.agents.owner import Record
from lsp_server.handlers.backing_off import FIRST, LONGEST, BackOff
from lsp_server.handlers.bridge import Bridge, RefusedError
from lsp_server.handlers.documents import Documents, Early
from lsp_server.paths import folder_of
from tests.fakes.editor import DirectLink, ScriptedEditor

ONE, OTHER = (1, "socket"), (2, "socket")


def test_waits_double_up_to_the_longest_and_are_each_owners_own() -> None:
    now = 0.0
    back_off = BackOff(lambda: now)
    assert back_off.may_try(ONE)
    waits = [FIRST]
    while waits[-1] < LONGEST:
        waits.append(min(LONGEST, 2 * waits[-1]))
    for count, wait in enumerate([*waits, LONGEST]):
        assert back_off.refused(ONE) is (count == 0)
        now += wait * 0.99
        assert not back_off.may_try(ONE)
        now += wait * 0.02
        assert back_off.may_try(ONE)
    assert back_off.may_try(OTHER)


def test_who_is_gone_is_forgotten() -> None:
    back_off = BackOff(lambda: 0.0)
    assert back_off.refused(ONE)
    back_off.keep([OTHER])
    assert back_off.may_try(ONE)
    assert back_off.refused(ONE)


@pytest.mark.parametrize(
    ("answer", "word"),
    [({"refused": {"message": "the token is wrong"}}, "the token is wrong"), (None, "without a reason")],
    ids=["refuses", "hangs up"],
)
async def test_a_refusal_says_why_and_leaves_nothing_behind(
    tmp_path: Path,
    answer: dict[str, Any] | None,
    word: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = folder_of(str(tmp_path))
    os.makedirs(folder.runtime, mode=0o700)
    (Path(folder.runtime) / "token").write_text("t" * 64)
    (Path(folder.runtime) / "token").chmod(0o600)

    async def owner(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        if answer is not None:
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        writer.close()

    server = await asyncio.start_unix_server(owner, str(tmp_path / "socket"))
    record = Record(1, "editor", str(tmp_path / "socket"), [str(tmp_path)], "1")
    overlay = Overlay()
    documents = Documents(Early(overlay))
    link = DirectLink(ScriptedEditor())
    assert isinstance(link.abilities, Abilities)
    async with server:
        with caplog.at_level(logging.WARNING), pytest.raises(RefusedError, match=word):
            await Bridge.build(folder, record, link, documents, overlay)
    assert documents.followers == []
    assert caplog.records == []
