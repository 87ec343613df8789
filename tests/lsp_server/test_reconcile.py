"""Entries that a crash left open, settled by what is there."""

from __future__ import annotations

import pytest

from editor_clients.port import CurrentText
from ledger.errors import Code, CoeditorError
from ledger.ledger import Ledger
from ledger.types import Authority, Caller, FileRecord, FileState, ScopeKey, TargetKey, token_of
from lsp_server.reconcile import reconcile

TARGET = TargetKey("/ws/a.py")
OTHER = TargetKey("/ws/b.py")


def state(text: str) -> FileState:
    return FileState(token_of(text), None, "utf-8")


def text(value: str, authority: Authority = "disk") -> CurrentText:
    return CurrentText(value, token_of(value), authority, "utf-8")


@pytest.mark.parametrize(
    ("held_by", "now", "settled"),
    [
        ("disk", text("new"), "applied"),
        ("disk", text("old"), "refused"),
        ("disk", text("third"), "unknown"),
        ("disk", None, "unknown"),
        ("editor", text("new", "editor"), "applied"),
        ("editor", text("old", "editor"), "refused"),
        ("editor", text("new"), "applied"),
        # The editor has not told of its documents yet, or is gone: its buffer may hold the edit.
        ("editor", text("old"), "unknown"),
        ("editor", None, "unknown"),
    ],
)
def test_an_update(held_by: Authority, now: CurrentText | None, settled: str) -> None:
    ledger = Ledger.open(None)
    record = FileRecord(TARGET, TARGET, "update", state("old"), state("new"), authority=held_by)
    edit_id = ledger.intend(Caller(ScopeKey("s")), "edit", [record])
    reconcile(ledger, lambda target: now)
    entry = ledger.entry(edit_id)
    assert entry is not None
    assert entry.state == settled
    assert entry.files[0].authority == held_by


@pytest.mark.parametrize(
    ("here", "there", "settled"),
    [
        (None, "text", "applied"),
        ("text", None, "refused"),
        ("text", "text", "unknown"),
        (None, None, "unknown"),
    ],
)
def test_a_move(here: str | None, there: str | None, settled: str) -> None:
    ledger = Ledger.open(None)
    record = FileRecord(
        OTHER, OTHER, "move", state("text"), state("text"), from_target=TARGET, from_path=TARGET
    )
    edit_id = ledger.intend(Caller(ScopeKey("s")), "apply_patch", [record])
    found = {TARGET: here, OTHER: there}
    reconcile(ledger, lambda target: text(value) if (value := found[target]) is not None else None)
    entry = ledger.entry(edit_id)
    assert entry is not None
    assert entry.state == settled


@pytest.mark.parametrize(
    ("here", "there", "settled"),
    [("moved", "replaced", "refused"), (None, "moved", "applied"), ("moved", "moved", "unknown")],
)
def test_a_move_in_place_of_what_was_there(here: str | None, there: str, settled: str) -> None:
    ledger = Ledger.open(None)
    files = [
        FileRecord(OTHER, OTHER, "delete", state("replaced"), None),
        FileRecord(
            OTHER, OTHER, "move", state("moved"), state("moved"), from_target=TARGET, from_path=TARGET
        ),
    ]
    edit_id = ledger.intend(Caller(ScopeKey("s")), "apply_patch", files)
    found = {TARGET: here, OTHER: there}
    reconcile(ledger, lambda target: text(value) if (value := found[target]) is not None else None)
    entry = ledger.entry(edit_id)
    assert entry is not None
    assert entry.state == settled


def test_what_cannot_be_read_is_unknown() -> None:
    def look(target: TargetKey) -> CurrentText | None:
        raise CoeditorError(Code.FS_IO, "The disk refused.")

    ledger = Ledger.open(None)
    edit_id = ledger.intend(
        Caller(ScopeKey("s")), "edit", [FileRecord(TARGET, TARGET, "update", state("old"), state("new"))]
    )
    reconcile(ledger, look)
    entry = ledger.entry(edit_id)
    assert entry is not None
    assert entry.state == "unknown"


def test_a_document_that_the_editor_has_not_told_of_yet_is_waited_for() -> None:
    ledger = Ledger.open(None)
    record = FileRecord(TARGET, TARGET, "update", state("old"), state("new"), authority="editor")
    edit_id = ledger.intend(Caller(ScopeKey("s")), "edit", [record])
    assert reconcile(ledger, lambda target: text("old"), final=False) is False
    assert [entry.edit_id for entry in ledger.intended_entries()] == [edit_id]
    assert reconcile(ledger, lambda target: text("new", "editor"), final=False) is True
    entry = ledger.entry(edit_id)
    assert entry is not None
    assert entry.state == "applied"
