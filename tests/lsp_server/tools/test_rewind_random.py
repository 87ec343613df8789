"""Two agents, a person who types and saves, rewinds and reviews in any order, held against a simpler model.

The model knows whole lines, each of which is written once, and what each entry made of which: a rewind that says ok
must give exactly what it gives, and no line of the person's is ever gone.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

import pytest

from editor_clients.overlay import Overlay
from lsp_server.app import build
from lsp_server.authorities import Authority, Ground
from lsp_server.handlers.attaching import Attachment
from lsp_server.handlers.documents import Documents, Early
from lsp_server.service import CallContext
from lsp_server.settings import Settings, merge
from tests.fakes.editor import DirectLink, Document, Manners, ScriptedEditor
from tests.lsp_server.tools.conftest import MakeWalk, Walk
from tests.shapes import check_shape

SEEDS = 400 if os.environ.get("COEDITOR_HYPOTHESIS") == "full" else 8
STEPS = 40
NAMES = ("a.txt", "b.txt")

Lines = list[str]


@dataclass
class Entry:
    """One change of one file: which lines became which, and between which neighbours."""

    name: str
    blocks: list[tuple[Lines, Lines, str | None, str | None]]

    @classmethod
    def of(cls, name: str, before: Lines, after: Lines) -> Entry:
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        blocks = []
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag != "equal":
                left = after[j1 - 1] if j1 else None
                right = after[j2] if j2 < len(after) else None
                blocks.append((before[i1:i2], after[j1:j2], left, right))
        return cls(name, blocks)

    def taken_back(self, now: Lines) -> Lines | None:
        """The text without it; None where its lines are not as it left them."""
        for old, new, left, right in self.blocks:
            at = _place(now, new, left, right)
            if at is None:
                around = [each for each in (left, *old, right) if each is not None]
                if _place(now, around, None, None) is None:
                    return None
                continue  # somebody put it back already
            now = [*now[:at], *old, *now[at + len(new) :]]
        return now


def _place(now: Lines, new: Lines, left: str | None, right: str | None) -> int | None:
    if new:
        starts = [at for at in range(len(now) - len(new) + 1) if now[at : at + len(new)] == new]
        return starts[0] if starts else None
    at = 0 if left is None else now.index(left) + 1 if left in now else -1
    if at < 0 or (now[at] if at < len(now) else None) != right:
        return None
    return at


@dataclass
class Story:
    """What happened so far."""

    walk: Walk
    chance: random.Random
    entries: dict[str, list[tuple[str, list[Entry]]]] = field(default_factory=dict)
    """Of each session: edit ids with what they did."""
    rewound: dict[str, str] = field(default_factory=dict)
    """What was taken back, and by what."""
    mine: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in NAMES})
    """The person's lines, by file."""
    count: int = 0
    refusals: tuple[str, ...] = ("FS_REWIND_CONFLICT", "FS_NO_CHANGE")

    def fresh(self, who: str) -> str:
        self.count += 1
        return f"{who} {self.count}"

    def lines(self, name: str) -> Lines:
        return self.walk.text(name).splitlines()

    def put(self, name: str, lines: Lines) -> None:
        self.walk.put(name, "".join(line + "\n" for line in lines))

    async def agent_edits(self, session: str) -> None:
        """Replace, insert after, or remove one line that is not the person's."""
        name = self.chance.choice(NAMES)
        before = self.lines(name)
        others = [line for line in before if line not in self.mine[name]]
        if not others:
            return
        await self.walk.read(name, session=session)
        old = self.chance.choice(others) + "\n"
        new = {
            "replace": self.fresh(session) + "\n",
            "insert": old + self.fresh(session) + "\n",
            "remove": "",
        }[self.chance.choice(("replace", "replace", "insert", "remove"))]
        found = await self.walk.edit(name, old, new, session=session)
        if found["ok"]:
            done = Entry.of(name, before, self.lines(name))
            self.entries.setdefault(session, []).append((found["edit_id"], [done]))

    def person_types(self) -> None:
        """A line of the person's somewhere, or another one of theirs changed."""
        name = self.chance.choice(NAMES)
        lines = self.lines(name)
        own = [line for line in lines if line in self.mine[name]]
        line = self.fresh("person")
        if own and self.chance.random() < 0.3:
            old = self.chance.choice(own)
            lines[lines.index(old)] = line
            self.mine[name].discard(old)
        else:
            lines.insert(self.chance.randint(0, len(lines)), line)
        self.mine[name].add(line)
        self.put(name, lines)

    async def rewinds(self, session: str) -> None:
        """To any of the session's entries; when it says ok it gives what the model gives."""
        known = self.entries.get(session, [])
        if not known:
            return
        at = self.chance.randrange(len(known))
        before = {name: self.lines(name) for name in NAMES}
        found = await self.walk.call("rewind", to=known[at][0], session=session)
        if not found["ok"]:
            assert found["code"] in self.refusals, found
            assert {name: self.lines(name) for name in NAMES} == before
            return
        wanted: dict[str, Lines | None] = dict(before)
        undone = self.to_undo([edit for edit, _ in known[:at]], [edit for edit, _ in known[at:]])
        for edit, entries in reversed(known[at:]):
            for entry in entries if edit in undone else ():
                now = wanted[entry.name]
                wanted[entry.name] = None if now is None else entry.taken_back(now)
        after = {name: self.lines(name) for name in NAMES}
        assert wanted == after
        self.rewound = {edit: by for edit, by in self.rewound.items() if by not in undone}
        self.rewound |= dict.fromkeys(undone, found["edit_id"])
        done = [Entry.of(name, before[name], after[name]) for name in NAMES if before[name] != after[name]]
        known.append((found["edit_id"], done))

    def to_undo(self, earlier: Lines, reach: Lines) -> set[str]:
        """Without rewinds and what they took back, where both are undone: they cancel out."""
        older = {self.rewound[edit] for edit in earlier if edit in self.rewound}
        cancelled = {by for edit, by in self.rewound.items() if edit in reach and by not in older}
        return {edit for edit in reach if edit not in cancelled and self.rewound.get(edit) not in cancelled}

    async def reviews(self) -> None:
        """Keep or undo some of what is pending."""
        found = await self.person("review")
        names = [hunk["hunk"] for file in found["files"] for hunk in file["hunks"] if hunk["undoable"]]
        if names:
            chosen = self.chance.sample(names, self.chance.randint(1, len(names)))
            tool = self.chance.choice(("review/keep", "review/undo"))
            assert (await self.person(tool, hunks=chosen))["ok"]

    async def person(self, tool: str, **arguments: Any) -> dict[str, Any]:
        context = CallContext(self.walk.caller("person"), "lsp", str(self.walk.root), person=True)
        return check_shape(tool, await self.walk.app.call(tool, arguments, context))

    def check(self) -> None:
        """Every line of the person's is there, once."""
        for name in NAMES:
            lines = self.lines(name)
            assert all(lines.count(line) == 1 for line in self.mine[name])


def begun(walk: Walk, seed: int) -> Story:
    story = Story(walk, random.Random(seed))
    for name in NAMES:
        story.put(name, [f"{name} {number}" for number in range(12)])
    return story


def acts(story: Story, names: tuple[str, ...]) -> Iterator[str]:
    for _ in range(STEPS):
        yield story.chance.choice(names)


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_a_rewind_that_says_ok_gives_exactly_what_was_there(walk: Walk, seed: int) -> None:
    story = begun(walk, seed)
    for act in acts(story, ("one", "one", "two", "two", "person", "rewind one", "rewind two")):
        if act == "person":
            story.person_types()
        elif act.startswith("rewind"):
            await story.rewinds(act.removeprefix("rewind "))
        else:
            await story.agent_edits(act)
        story.check()


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_nothing_of_the_persons_is_lost_by_reviews_and_rewinds(walk: Walk, seed: int) -> None:
    story = begun(walk, 1_000 + seed)
    for act in acts(story, ("one", "one", "two", "person", "review", "rewind")):
        if act == "person":
            story.person_types()
        elif act == "review":
            await story.reviews()
        elif act == "rewind":
            session = story.chance.choice(("one", "two"))
            rows = (await walk.call("history", session=session))["edits"]
            if rows:
                await walk.call("rewind", to=story.chance.choice(rows)["edit_id"], session=session)
        else:
            await story.agent_edits(act)
        story.check()
    base = {name: (await story.person("review/base", file_path=name))["text"] for name in NAMES}
    found = await story.person("review")
    if found["pending"] and all(hunk["undoable"] for file in found["files"] for hunk in file["hunks"]):
        assert (await story.person("review/undo"))["ok"]
        assert {name: walk.text(name) for name in NAMES} == base
        story.check()


@dataclass
class Typing(Story):
    """The person types into an editor, and saves now and then."""

    editor: ScriptedEditor = field(
        default_factory=lambda: ScriptedEditor(manners=Manners(order="change-first"))
    )
    refusals: tuple[str, ...] = ("FS_REWIND_CONFLICT", "FS_NO_CHANGE", "FS_UNSAVED_CHANGES")

    def document(self, name: str) -> Document | None:
        documents = self.editor.documents.values()
        return next((one for one in documents if one.path == self.walk.root / name), None)

    def lines(self, name: str) -> Lines:
        document = self.document(name)
        return super().lines(name) if document is None else document.text.splitlines()

    def put(self, name: str, lines: Lines) -> None:
        document = self.document(name)
        if document is None:
            super().put(name, lines)
            return
        text, old = "".join(line + "\n" for line in lines), document.text
        start = _alike(old, text)
        end = _alike(old[start:][::-1], text[start:][::-1])
        self.editor.type(document, start, text[start : len(text) - end], delete=len(old) - end - start)

    def saves(self) -> None:
        document = self.document(self.chance.choice(NAMES))
        if document is not None:
            self.editor.save(document)

    async def looks(self, session: str) -> None:
        for name in NAMES:
            await self.walk.read(name, session=session)


def _alike(one: str, other: str) -> int:
    """Characters at the start that are the same in both."""
    most = min(len(one), len(other))
    return next((at for at in range(most) if one[at] != other[at]), most)


def attached(walk: Walk, story: Typing) -> None:
    """The walk with the story's editor, in which one file is open."""
    overlay = Overlay(story.editor.encoding)
    documents = Documents(Early(overlay))
    story.editor.send = documents.take

    def connect(ground: Ground) -> Authority:
        return Attachment(ground, overlay, DirectLink(story.editor), documents).authority()

    settings = merge(Settings(), {"side_effects": {"diagnostics": False}}, "user")
    walk.app = build(str(walk.root), settings=settings, connect=connect)
    story.editor.open(walk.root / NAMES[0])


@pytest.mark.parametrize("seed", range(max(4, SEEDS // 4) if SEEDS > 8 else 4))
async def test_what_was_typed_and_not_saved_is_spared_too(make_walk: MakeWalk, seed: int) -> None:
    walk = make_walk()
    await walk.app.close()
    story = Typing(walk, random.Random(2_000 + seed))
    for name in NAMES:
        story.put(name, [f"{name} {number}" for number in range(12)])
    attached(walk, story)
    for act in acts(story, ("one", "one", "two", "person", "person", "save", "rewind one", "rewind two")):
        if act == "person":
            story.person_types()
        elif act == "save":
            story.saves()
        elif act.startswith("rewind"):
            session = act.removeprefix("rewind ")
            if story.chance.random() < 0.7:
                await story.looks(session)
            await story.rewinds(session)
        else:
            await story.agent_edits(act)
        story.check()
