"""Entries that a crash left open, settled by what is there."""

from __future__ import annotations

import json

import pytest

from editor_clients.port import CurrentText
from ledger.errors import Code, CoeditorError
from ledger.ledger import Ledger
from ledger.types import Authority, Caller, FileRecord, FileState, ScopeKey, TargetKey, token_of
from lsp_server.reconcile import look_again, reconcile

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


@pytest.mark.parametrize(
    ("held_by", "now", "final", "attached", "then"),
    [
        ("disk", text("new"), False, False, "applied"),
        ("disk", text("old"), False, False, "refused"),
        ("disk", text("third"), True, True, "unknown"),
        ("editor", text("new", "editor"), False, True, "applied"),
        ("editor", text("old", "editor"), False, True, "refused"),
        ("editor", text("new"), False, False, "applied"),
        # Not open: the editor may still tell of it, until it has told of all that it has.
        ("editor", text("old"), False, True, "unknown"),
        ("editor", text("old"), True, True, "refused"),
        ("editor", text("old"), True, False, "unknown"),
    ],
)
def test_what_nobody_knew_is_looked_at_again(
    held_by: Authority, now: CurrentText, *, final: bool, attached: bool, then: str
) -> None:
    ledger = Ledger.open(None)
    record = FileRecord(TARGET, TARGET, "update", state("old"), state("new"), authority=held_by)
    edit_id = ledger.intend(Caller(ScopeKey("s")), "edit", [record])
    ledger.mark_unknown(edit_id)
    settled = look_again(ledger, lambda target: now, final=final, attached=attached)
    entry = ledger.entry(edit_id)
    assert entry is not None
    assert (entry.state, settled) == (then, then != "unknown" or final)
    assert len(ledger.entries()) == (then != "refused")


@pytest.mark.parametrize(
    ("on_disk", "in_editor", "then"),
    [
        ("old", "the text below what was typed", "refused"),
        ("old", "new", "unknown"),
        ("new", "the text below what was typed", "unknown"),
        ("new", "new", "applied"),
    ],
)
def test_typing_that_went_with_its_editor_hides_nothing(on_disk: str, in_editor: str, then: str) -> None:
    ledger = Ledger.open(None)
    files = [
        FileRecord(OTHER, OTHER, "update", state("typed"), state("new"), authority="editor"),
        FileRecord(TARGET, TARGET, "update", state("old"), state("new")),
    ]
    edit_id = ledger.intend(Caller(ScopeKey("s")), "apply_patch", files)
    ledger.mark_unknown(edit_id)
    found = {TARGET: text(on_disk), OTHER: text(in_editor, "editor")}
    look_again(ledger, lambda target: found[target], attached=True)
    entry = ledger.entry(edit_id)
    assert entry is not None
    assert entry.state == then


def test_what_was_changed_since_tells_nothing_of_it() -> None:
    ledger = Ledger.open(None)
    first = FileRecord(TARGET, TARGET, "update", state("old"), state("new"))
    back = FileRecord(TARGET, TARGET, "update", state("new"), state("old"))
    lost = ledger.intend(Caller(ScopeKey("s")), "edit", [first])
    ledger.mark_unknown(lost)
    ledger.mark_applied(ledger.intend(Caller(ScopeKey("s")), "edit", [back]))
    assert look_again(ledger, lambda target: text("old"))
    entry = ledger.entry(lost)
    assert entry is not None
    assert entry.state == "unknown"


def test_an_editor_may_still_be_at_work_at_what_is_young() -> None:
    ledger = Ledger.open(None, clock=lambda: 100.0)
    record = FileRecord(TARGET, TARGET, "update", state("old"), state("new"))
    edit_id = ledger.intend(Caller(ScopeKey("s")), "edit", [record])
    ledger.mark_unknown(edit_id)
    for before, then in ((100.0, "unknown"), (100.1, "applied")):
        look_again(ledger, lambda target: text("new"), before=before)
        entry = ledger.entry(edit_id)
        assert entry is not None
        assert entry.state == then


@pytest.mark.parametrize(("to", "undone"), [("all", "rewound"), ("all#1", "applied")])
def test_a_rewind_that_a_crash_cut_off_from_its_record(to: str, undone: str) -> None:
    """What it took back is taken back, and the folders that it emptied go."""
    ledger = Ledger.open(None)
    made = FileRecord(OTHER, OTHER, "create", None, state("x"), folders=("/ws/new",))
    edited = FileRecord(TARGET, TARGET, "update", state("old"), state("new"))
    caller = Caller(ScopeKey("s"))
    edit = ledger.intend(caller, "apply_patch", [made, edited])
    ledger.mark_applied(edit)
    back = [
        FileRecord(OTHER, OTHER, "delete", state("x"), None, folders=("/ws/new",)),
        FileRecord(TARGET, TARGET, "update", state("new"), state("old")),
    ]
    rewind = ledger.intend(caller, "rewind", back, json.dumps({"to": to}), rewinds=edit)
    tidied: list[str] = []
    found = {TARGET: text("old"), OTHER: None}
    assert reconcile(ledger, lambda target: found[target], tidy=tidied.extend)
    states = [entry.state for name in (edit, rewind) if (entry := ledger.entry(name)) is not None]
    assert states == [undone, "applied"]
    assert tidied == ["/ws/new"]
