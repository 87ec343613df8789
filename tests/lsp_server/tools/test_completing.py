"""What a crash left half in buffers and half on disk: the disk decides, and typing stays."""

from __future__ import annotations

from typing import Any

import pytest

from editor_clients.port import Applied, CurrentText, FileChange
from ledger.types import (
    Authority,
    Caller,
    EditId,
    FileOperation,
    FileRecord,
    FileState,
    ScopeKey,
    TargetKey,
    token_of,
)
from lsp_server.completing import complete
from lsp_server.reconcile import reconcile
from tests.lsp_server.tools.conftest import MakeWalk, Walk

BUFFER, FILE = TargetKey("/ws/open.txt"), TargetKey("/ws/closed.txt")


class Held:
    """Texts, whoever holds them."""

    def __init__(self, walk: Walk, **texts: tuple[str, Authority] | None) -> None:
        self.workspace = walk.app.workspace
        self.texts: dict[TargetKey, tuple[str, Authority] | None] = {
            BUFFER: texts.get("open"),
            FILE: texts.get("closed"),
        }
        self.workspace.client = self  # type: ignore[assignment]
        for text in ("old", "new"):
            self.workspace.ledger.keep_text(BUFFER, token_of(text), text)

    def look(self, target: TargetKey) -> CurrentText | None:
        held = self.texts[target]
        return None if held is None else CurrentText(held[0], token_of(held[0]), held[1], "utf-8")

    async def apply(self, changes: list[FileChange]) -> Applied:
        for change in changes:
            held = self.texts[change.target]
            assert held is not None
            self.texts[change.target] = (change.after or "", held[1])
        return Applied({}, {})

    def intend(self, *records: FileRecord) -> EditId:
        return self.workspace.ledger.intend(Caller(ScopeKey("s")), "apply_patch", records)

    async def settled(self, edit_id: EditId) -> tuple[Any, Any, str]:
        await complete(self.workspace, self.look, final=True)
        reconcile(self.workspace.ledger, self.look)
        entry = self.workspace.ledger.entry(edit_id)
        assert entry is not None
        found = [None if held is None else held[0] for held in self.texts.values()]
        return found[0], found[1], entry.state


def record(target: TargetKey, operation: FileOperation = "update", held_by: Authority = "disk") -> FileRecord:
    old, new = (FileState(token_of(text), None, "utf-8") for text in ("old", "new"))
    before, after = (None if operation == "create" else old), (None if operation == "delete" else new)
    return FileRecord(target, target, operation, before, after, authority=held_by)


@pytest.mark.parametrize(
    ("buffer", "held_by", "file", "settled"),
    [
        # The disk has not had its part.
        ("new", "editor", "old", ("old", "old", "refused")),
        ("old", "editor", "old", ("old", "old", "refused")),
        # It has.
        ("new", "editor", "new", ("new", "new", "applied")),
        ("old", "editor", "new", ("new", "new", "applied")),
        ("old", "disk", "new", ("new", "new", "applied")),
        # Somebody was there since: what is theirs stays.
        ("typed", "editor", "old", ("typed", "old", "unknown")),
        ("typed", "editor", "new", ("typed", "new", "unknown")),
        ("new", "editor", "theirs", ("new", "theirs", "unknown")),
    ],
)
async def test_buffers_follow_the_disk(
    make_walk: MakeWalk, buffer: str, held_by: Authority, file: str, settled: tuple[str, str, str]
) -> None:
    held = Held(make_walk(), open=(buffer, held_by), closed=(file, "disk"))
    edit_id = held.intend(record(BUFFER, held_by="editor"), record(FILE))
    assert await held.settled(edit_id) == settled


@pytest.mark.parametrize(
    ("operation", "file", "settled"),
    [
        ("create", None, ("old", None, "refused")),
        ("create", "new", ("new", "new", "applied")),
        ("delete", "old", ("old", "old", "refused")),
        ("delete", None, ("new", None, "applied")),
    ],
)
async def test_files_that_come_and_go_decide_as_well(
    make_walk: MakeWalk, operation: FileOperation, file: str | None, settled: tuple[str, str | None, str]
) -> None:
    held = Held(make_walk(), open=("new", "editor"), closed=None if file is None else (file, "disk"))
    edit_id = held.intend(record(BUFFER, held_by="editor"), record(FILE, operation))
    assert await held.settled(edit_id) == settled


async def test_documents_alone_are_taken_back(make_walk: MakeWalk) -> None:
    held = Held(make_walk(), open=("new", "editor"), closed=("old", "editor"))
    edit_id = held.intend(record(BUFFER, held_by="editor"), record(FILE, held_by="editor"))
    assert await held.settled(edit_id) == ("old", "old", "refused")


async def test_a_document_that_was_not_told_of_yet_is_waited_for(make_walk: MakeWalk) -> None:
    held = Held(make_walk(), open=("old", "disk"), closed=("new", "disk"))
    held.intend(record(BUFFER, held_by="editor"), record(FILE))
    await complete(held.workspace, held.look, final=False)
    assert reconcile(held.workspace.ledger, held.look, final=False) is False
    assert held.texts[BUFFER] == ("old", "disk")
