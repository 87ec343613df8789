"""The README's decision table, and its picture of one file in one scope, as they really are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import Code, CoeditorError
from ledger.policy import Decision, Refusal, decide
from ledger.ranges import LineRanges
from ledger.session import ABSENT, UNSEEN, Observation, Present, after_read, after_refusal
from ledger.types import (
    Caller,
    CreateIfAbsent,
    Operation,
    ReplaceCurrent,
    ReplaceIfVersion,
    ScopeKey,
    TargetKey,
    VersionToken,
)
from lsp_server.app import App, build
from lsp_server.service import CallContext
from tests.house.readme import blocks, section, tables

V = VersionToken("v")
WHOLE = after_read(UNSEEN, V, 3, LineRanges.of((1, 3)))
COLUMNS: tuple[Observation, ...] = (UNSEEN, ABSENT, WHOLE)
ROWS = {
    "write": [Operation.WRITE],
    "edit, patch Update": [Operation.EDIT, Operation.PATCH_UPDATE],
    "edit with an empty `old_string`": [Operation.EDIT],
    "patch Delete, Move source": [Operation.PATCH_DELETE, Operation.MOVE_SOURCE],
    "patch Add, Move destination": [Operation.PATCH_ADD, Operation.MOVE_DESTINATION],
}
TABLE = tables(section("How it works"))[0]
CELLS = [
    (row[0], operation, seen, cell)
    for row in TABLE
    for operation in ROWS[row[0]]
    for seen, cell in zip(COLUMNS, row[1:], strict=True)
]


def told(decision: Decision) -> str:
    """A decision in the words of the table."""
    match decision:
        case Refusal(code):
            return f"`{code}`"
        case CreateIfAbsent():
            return "create if absent"
        case ReplaceIfVersion():
            return "replace v"
        case ReplaceCurrent():
            return "replace what is there"


def test_the_table_has_every_operation() -> None:
    assert [row[0] for row in TABLE] == list(ROWS)
    assert {operation for row in ROWS.values() for operation in row} == set(Operation)


@pytest.mark.parametrize(("row", "operation", "seen", "cell"), CELLS)
def test_the_table_is_the_policy(row: str, operation: Operation, seen: Observation, cell: str) -> None:
    assert told(decide(operation, seen, creates="empty" in row)) == re.sub(r" \(\d\)$", "", cell)


def test_the_tables_first_note_holds() -> None:
    part = after_read(UNSEEN, V, 3, LineRanges.of((1, 2)))
    assert told(decide(Operation.WRITE, part)) == f"`{Code.FS_PARTIALLY_OBSERVED}`"


@pytest.mark.parametrize("operation", ROWS["patch Delete, Move source"])
def test_the_tables_second_note_holds(operation: Operation) -> None:
    refused = after_refusal(WHOLE, VersionToken("w"), 3, LineRanges.of((1, 3)))
    assert told(decide(operation, refused)) == f"`{Code.FS_NOT_OBSERVED}`"


@pytest.mark.parametrize("operation", ROWS["patch Add, Move destination"])
def test_the_tables_third_note_holds(operation: Operation) -> None:
    assert told(decide(operation, WHOLE, deleted_first=True)) == "replace v"


def pictured() -> list[str]:
    """What the picture says that the ledger has, one step after the other."""
    picture = next(block for block in blocks(section("The ledger"), "text"))
    found = re.findall(r"^.{36}v\d +(unseen|v\d  shown \S+ +read \S+)", picture, re.MULTILINE)
    return [" ".join(each.split()) for each in found]


class Story:
    """One scope, one file, and what the ledger has after each step."""

    def __init__(self, app: App, path: Path) -> None:
        self.app = app
        self.path = path
        self.tokens: list[str] = []
        self.has: list[str] = []

    def note(self) -> None:
        """Keep what the ledger has now; texts are numbered as they come."""
        seen = self.app.workspace.ledger.observation(ScopeKey("agent"), TargetKey(str(self.path)))
        if not isinstance(seen, Present):
            self.has.append("unseen")
            return
        if seen.token not in self.tokens:
            self.tokens.append(seen.token)
        number = self.tokens.index(seen.token) + 1
        self.has.append(f"v{number} shown {seen.shown or 'none'} read {seen.read or 'none'}")

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result or error object of one call."""
        context = CallContext(Caller(ScopeKey("agent")), "mcp", str(self.path.parent))
        try:
            found = await self.app.call(tool, arguments, context)
        except CoeditorError as error:
            found = error.to_object()
        self.note()
        return found


async def test_the_picture_is_what_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "RUNTIME"):
        folder = tmp_path / name.lower()
        folder.mkdir(mode=0o700)
        monkeypatch.setenv(f"XDG_{name}_{'HOME' if name == 'STATE' else 'DIR'}", str(folder))
    root = (tmp_path / "project").resolve()
    root.mkdir()
    path = root / "notes.txt"
    path.write_text("".join(f"line {number}\n" for number in range(1, 61)), encoding="utf-8")
    app = build(str(root))
    story = Story(app, path)
    try:
        story.note()
        await story.call("read", file_path="notes.txt", limit=40)
        await story.call("edit", file_path="notes.txt", old_string="line 10\n", new_string="ten\nand more\n")
        await story.call("read", file_path="notes.txt", offset=42)
        path.write_text(path.read_text(encoding="utf-8").replace("line 3\n", "three\n"), encoding="utf-8")
        story.note()
        wish = {"file_path": "notes.txt", "old_string": "and more", "new_string": "and less"}
        refused = await story.call("edit", **wish)
        assert (refused["data"]["start_line"], refused["data"]["end_line"]) == (6, 16)
        assert (await story.call("edit", **wish))["ok"] is True
        await story.call("context_event", event="contextEvicted", all=True)
    finally:
        await app.close()
    assert story.has == pictured()
