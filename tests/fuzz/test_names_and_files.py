"""Nonsense in names of files, and in the files that our own state is kept in."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor_clients.walls import Walls
from ledger.errors import Code, CoeditorError
from ledger.ledger import Ledger
from ledger.types import ScopeKey, TargetKey, token_of
from lsp_server.targets import Targets, is_untitled
from tests.fuzz.nonsense import ODD_TEXT

PIECES = st.sampled_from(
    [
        "file:",
        "//",
        "/",
        "%2F",
        "%2e%2e",
        "..",
        "%00",
        "%",
        "%zz",
        "%C3%A9",
        "%ff",
        "a",
        "?",
        "#",
        "\\",
        "c:",
        "~",
        " ",
        ":",
    ]
)
SPELLINGS = st.lists(PIECES | ODD_TEXT | st.text(max_size=5), max_size=7).map("".join)


@given(SPELLINGS)
def test_every_spelling_is_a_target_inside_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, spelled: str
) -> None:
    root = tmp_path_factory.getbasetemp() / "names" / "ws"
    root.mkdir(parents=True, exist_ok=True)
    walls = Walls([str(root)])
    try:
        target = Targets(walls.roots, walls.canonical).resolve(spelled)
        if is_untitled(target.key):
            return
        real = walls.check(target.path, write=True)
    except CoeditorError as error:
        if error.code not in (Code.INVALID_ARGUMENT, Code.FS_DENIED, Code.FS_NOT_FOUND, Code.FS_IO):
            raise
        error.message.encode()
        return
    assert real == str(root) or real.startswith(str(root) + os.sep)


def _ledger(folder: Path) -> Path:
    """A ledger with something in it, closed."""
    path = folder / "ledger.db"
    ledger = Ledger.open(str(path), clock=lambda: 1_000.0)
    scope = ScopeKey("s", "main")
    for number in range(30):
        text = f"{number}\n" * 200
        ledger.keep_text(TargetKey(f"/w/{number}"), token_of(text), text)
        ledger.record_absent(scope, TargetKey(f"/w/{number}"))
    ledger.close()
    return path


def _cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def _flip(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 40)):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _zero(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + bytes(min(4_096, len(data) - start)) + data[start + 4_096 :]


def _junk(data: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(data))
    return data[:start] + chance.randbytes(512) + data[start + 512 :]


def _works(path: Path) -> bool:
    """Open it, use it: True when it took a new record; False when it says clearly that it cannot."""
    try:
        ledger = Ledger.open(str(path), clock=lambda: 2_000.0)
    except CoeditorError as error:
        if error.code is not Code.FS_IO:
            raise
        return False
    scope = ScopeKey("s", "main")
    try:
        for number in range(30):
            target = TargetKey(f"/w/{number}")
            ledger.observation(scope, target)
            ledger.text_of(token_of(f"{number}\n" * 200))
        ledger.record_absent(scope, TargetKey("/w/new"))
        ledger.keep_text(TargetKey("/w/new"), token_of("new"), "new")
        assert ledger.text_of(token_of("new")) == "new"
        list(ledger.entries())
        ledger.compact()
    finally:
        ledger.close()
    return True


@pytest.mark.parametrize("spoil", [_cut, _flip, _zero, _junk])
def test_a_spoilt_ledger_is_set_aside_and_work_goes_on(
    tmp_path: Path, spoil: Any, record_property: Callable[[str, object], None]
) -> None:
    whole = _ledger(tmp_path / "whole")
    rounds = 60 if os.environ.get("COEDITOR_FAULTS") == "full" else 12
    worked = 0
    for seed in range(rounds):
        path = tmp_path / f"{seed}" / "ledger.db"
        path.parent.mkdir()
        spoilt = spoil(whole.read_bytes(), random.Random(seed))
        path.write_bytes(spoilt)
        worked += _works(path)
        assert _works(path) or path.read_bytes() == spoilt, "not usable, and not what it was either"
        aside = list(path.parent.glob("ledger.db.damaged-*"))
        assert all(one.stat().st_size for one in aside) or not spoilt
        shutil.rmtree(path.parent)
    assert worked
    record_property("bad inputs tried", rounds)
    record_property("lost", 0)
