"""A person, an agent and another process at one file, in any order: what the agent does costs nobody a character."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from editor_clients.editor_edits import Patience
from editor_clients.port import FileChange, Replacement
from ledger.errors import Code, CoeditorError
from ledger.types import ReplaceIfVersion
from tests.contract.benches import Bench, attached
from tests.fakes.editor import Document, Manners, ScriptedEditor

QUICK = Patience(answer=0.05, confirm=0.05, refusal=0.001, reload=0.002)
TYPED = re.compile(r"<\d+>")
TOKEN = re.compile(r"<\d+>|\[\d+\]")
"""What the person or the agent put in; nobody cuts another's in two, so that they can be counted."""
PERSON = ("type", "undo", "save", "close", "open", "reload", "write")
RACES = ("none", "before", "after", "during save", "write during save", "refuse", "lie", "mute")
Step = tuple[str, int]

steps = st.lists(
    st.tuples(
        st.sampled_from([*PERSON, "type", *(f"agent {race}" for race in RACES), "agent none", "agent stale"]),
        st.integers(0, 10_000),
    ),
    max_size=14,
)


class World:
    """The file, the editor and the agent's last look."""

    def __init__(self, base: Path, *, extras: bool, order: Literal["answer-first", "change-first"]) -> None:
        self.editor = ScriptedEditor(extras=extras, manners=Manners(order=order))
        self.bench: Bench = attached(base, self.editor, open_files=False, patience=QUICK)
        self.target = self.bench.file("a.txt", "one\r\ntwo 😀\nthree\n")
        self.count = 0

    @property
    def document(self) -> Document | None:
        return next(iter(self.editor.documents.values()), None)

    def on_disk(self) -> str:
        return Path(self.target).read_bytes().decode()

    def text(self) -> str:
        """What counts, by this test's own reckoning."""
        document, disk = self.document, self.on_disk()
        if document is None or (document.text != disk and not document.dirty):
            return disk
        return document.text

    def token(self, form: str = "<{}>") -> str:
        self.count += 1
        return form.format(self.count)

    def type(self, place: int) -> None:
        document = self.document
        if document is not None:
            self.editor.type(document, spot(document.text, place), self.token())

    def person(self, what: str, place: int) -> None:
        document = self.document
        if what == "type":
            self.type(place)
        elif what == "write":
            Path(self.target).write_bytes(f"external {place}\n".encode())
        elif what == "open":
            if document is None:
                self.editor.open(Path(self.target))
        elif document is None:
            return
        elif what == "undo" and document.undo:
            self.editor.undo(document)
        elif what == "save":
            self.editor.save(document)
        elif what == "close":
            self.editor.close(document)
        elif what == "reload":
            self.editor.reload(document)

    async def change(self, place: int, marker: str) -> FileChange:
        """The agent puts a marker somewhere into what it sees."""
        seen = await self.bench.seen(self.target)
        at = spot(seen.text, place)
        after = seen.text[:at] + marker + seen.text[at:]
        wanted = ReplaceIfVersion(seen.token)
        return FileChange(self.target, "update", wanted, seen, after, (Replacement(at, at, marker),))

    def prepare(self, race: str, place: int) -> None:
        manners = self.editor.manners
        if race == "before":
            manners.before_apply = lambda: self.type(place * 7)
        elif race == "after":
            manners.after_apply = lambda: self.type(place * 7)
        elif race == "during save":
            manners.before_save = lambda: self.type(place * 7)
        elif race == "write during save":
            manners.before_save = lambda: self.person("write", place)
        elif race == "refuse":
            manners.refuse = "no"
        elif race == "lie":
            manners.lies = True
        elif race == "mute":
            manners.mute = {"workspace/applyEdit"}

    async def agent(self, race: str, place: int) -> None:
        marker = self.token("[{}]")
        change = await self.change(place, marker)
        if race == "stale":
            self.type(place * 3)
        typed = set(TYPED.findall(self.text()))
        was_dirty, disk = self.document is not None and self.document.dirty, self.on_disk()
        self.prepare(race, place)
        failed: CoeditorError | None = None
        try:
            await self.bench.client.apply([change])
        except CoeditorError as error:
            failed = error
        order = self.editor.manners.order
        self.editor.flush()
        self.editor.manners = Manners(order=order)
        times = self.text().count(marker)
        if failed is None:
            assert times == 1
        elif failed.code is not Code.FS_UNCONFIRMED:
            assert times == 0
            assert marker not in (self.document.text if self.document is not None else "")
        if race != "write during save":
            assert typed <= set(TYPED.findall(self.text()))
        if was_dirty and change.before is not None and disk != change.before.text:
            assert self.on_disk() == disk


def spot(text: str, place: int) -> int:
    """An offset at which a person's cursor can be, outside of all tokens."""
    at = place % (len(text) + 1)
    at -= text[max(at - 1, 0) : at + 1] == "\r\n"
    inside = [match for match in TOKEN.finditer(text) if match.start() < at < match.end()]
    return inside[0].start() if inside else at


@given(steps=steps, extras=st.booleans(), order=st.sampled_from(["answer-first", "change-first"]))
async def test_nothing_typed_is_lost_and_nothing_refused_leaves_a_trace(
    steps: list[Step], extras: bool, order: Literal["answer-first", "change-first"]
) -> None:
    with tempfile.TemporaryDirectory() as base:
        world = World(Path(base), extras=extras, order=order)
        world.editor.open(Path(world.target))
        for what, place in steps:
            if what.startswith("agent "):
                await world.agent(what.removeprefix("agent "), place)
            else:
                world.person(what, place)
            document = world.document
            if document is not None:
                held = world.bench.client.buffers._overlay.find(document.uri)  # type: ignore[attr-defined]
                assert held.text == document.text
            assert await world.bench.now(world.target) == world.text()
