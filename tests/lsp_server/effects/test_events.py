"""The file for whoever monitors: it is changed for a new one when it is large."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lsp_server.effects import events
from lsp_server.effects.events import EventStream


def test_a_large_file_becomes_the_previous_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "_LARGEST", 0)
    stream = EventStream(str(tmp_path / "events"))
    for session in ("one", "two", "three"):
        stream.session_ended(session, had_edits=False)
    kept = [json.loads((tmp_path / name).read_text())["session"] for name in ("events.1", "events")]
    assert kept == ["two", "three"]


def test_a_file_that_cannot_be_opened_is_told_as_that(tmp_path: Path) -> None:
    (tmp_path / "events").mkdir()
    with pytest.raises(IsADirectoryError):
        EventStream(str(tmp_path / "events")).session_ended("one", had_edits=False)
