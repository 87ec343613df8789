"""A person at an editor, two agents and another process, at two files: the acts, each at the product and the model.

Never: a look into the product where its doors show the same.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any, Literal

from editor_clients.overlay import Overlay
from ledger.errors import CoeditorError
from ledger.types import Caller, ScopeKey
from lsp_server.app import App, build
from lsp_server.authorities import Authority, Ground
from lsp_server.handlers.attaching import Attachment
from lsp_server.handlers.documents import Documents, Early
from lsp_server.service import CallContext
from lsp_server.settings import Settings, merge
from tests.fakes.editor import DirectLink, Document, Manners, ScriptedEditor
from tests.two_sided.model import File, formatted

NAMES = ("a.txt", "b.txt")
SLOTS = 12
AGENTS = ("ada", "bob")
SLOT = re.compile(r"slot (\d+) v(\d+)(?: todo| TODO)?;")
TYPED = re.compile(r"<\d+>")
Moment = Literal["before", "after", None]
MOVED = {"FS_UNSAVED_CHANGES", "FS_STALE_VERSION", "FS_NO_MATCH", "FS_AMBIGUOUS_MATCH", "FS_NOT_OBSERVED"}
"""What an agent may be refused with that works from an old look."""


def start_text(name: str) -> str:
    slots = "".join(f"slot {number} v0;\n\n" for number in range(SLOTS))
    return f"{name} 😀\r\n\r\nnotes:\n\n{slots}end"


class World:
    """All of them."""

    def __init__(self, base: Path, seed: int, *, merging: bool, extras: bool) -> None:
        self.random = Random(seed)
        self.root = base / "ws"
        self.root.mkdir()
        self.files = {name: File(start_text(name), follows=extras) for name in NAMES}
        for name, file in self.files.items():
            (self.root / name).write_bytes(file.disk.encode())
        order = self.random.choice(["answer-first", "change-first"])
        self.editor = ScriptedEditor(extras=extras, manners=Manners(order=order, formatter=formatted))  # type: ignore[arg-type]
        self.extras = extras
        self.overlay = Overlay(self.editor.encoding)
        self.app = self._build(merging=merging)
        self.looks: dict[tuple[str, str], str] = {}
        """What each agent was shown of each file last."""
        self.count = 0
        self.acknowledged = self.refused = self.typed = 0
        self.trace: list[str] = []

    def _build(self, *, merging: bool) -> App:
        documents = Documents(Early(self.overlay))
        self.editor.send = documents.take
        link = DirectLink(self.editor)

        def connect(ground: Ground) -> Authority:
            return Attachment(ground, self.overlay, link, documents).authority()

        values: dict[str, object] = {
            "side_effects": {"diagnostics": False, "events": False},
            "durability": "fast",
        }
        values["on_conflict"] = "merge" if merging else "refuse"
        settings = merge(Settings(), values, "user")
        return build(str(self.root), settings=settings, connect=connect)

    async def close(self) -> None:
        await self.app.close()

    # The steps.

    async def step(self) -> None:
        """One act of somebody, then a look at everything."""
        name = self.random.choice(NAMES)
        act, weight = zip(*self._acts().items(), strict=True)
        (chosen,) = self.random.choices(act, weight)
        self.trace.append(f"{chosen.__name__}({name})")
        done = chosen(name)
        if done is not None:
            await done
        self.check()

    def _acts(self) -> dict[Callable[[str], Awaitable[None] | None], int]:
        return {
            self.type_somewhere: 18,
            self.type_into_a_slot: 3,
            self.take_back: 6,
            self.save: 9,
            self.open: 10,
            self.close_file: 3,
            self.look_at_disk: 4,
            self.write_elsewhere: 6,
            self.read: 12,
            self.edit: 30,
            self.read_and_edit: 14,
            self.patch_both: 10,
        }

    def check(self) -> None:
        """What the editor, the disk and the mirror hold is what the model says."""
        for name, file in self.files.items():
            document = self.document(name)
            if document is not None and document.text == file.disk:
                file.reload()  # whenever it likes: a call on another file may have looked here too
            assert (document.text if document is not None else None) == file.buffer, self.told(name)
            assert document is None or document.dirty == file.dirty, self.told(name)
            assert (self.root / name).read_bytes().decode() == file.disk, self.told(name)
            if document is not None:
                held = self.overlay.find(document.uri)
                assert held is not None, self.told(name)
                assert held.text == document.text, self.told(name)

    def told(self, name: str) -> str:
        return f"{name} after {self.trace[-12:]}"

    def document(self, name: str) -> Document | None:
        return next((one for one in self.editor.documents.values() if one.path == self.root / name), None)

    # The person.

    def type_somewhere(self, name: str) -> None:
        """A token that nobody else would write, outside of the slots."""
        document, file = self.document(name), self.files[name]
        if document is None or file.buffer is None:
            return
        self.count += 1
        self.typed += 1
        text = f"<{self.count}>"
        at = self._place(file.buffer)
        delete = 1 if self.random.random() < 0.2 and file.buffer[at : at + 1] == "n" else 0
        self.editor.type(document, at, text, delete=delete)
        file.type(at, text, delete)

    def type_into_a_slot(self, name: str) -> None:
        document, file = self.document(name), self.files[name]
        found = list(SLOT.finditer(file.buffer or ""))
        if document is None or not found:
            return
        at = self.random.choice(found).start() + 2
        self.editor.type(document, at, "!")
        file.type(at, "!")

    def take_back(self, name: str) -> None:
        document, file = self.document(name), self.files[name]
        if document is not None and document.undo:
            assert document.undo == file.undo, self.told(name)
            self.editor.undo(document)
            file.take_back()

    def save(self, name: str) -> None:
        document = self.document(name)
        if document is not None:
            self.editor.save(document)
            self.files[name].save()

    def open(self, name: str) -> None:
        if self.document(name) is None:
            self.editor.open(self.root / name)
            self.files[name].open()

    def close_file(self, name: str) -> None:
        document = self.document(name)
        if document is not None:
            self.editor.close(document)
            self.files[name].close()

    def look_at_disk(self, name: str) -> None:
        document = self.document(name)
        if document is not None:
            self.editor.reload(document)
            self.files[name].reload()

    def _place(self, text: str) -> int:
        """An offset at which a cursor can be, outside of slots and tokens."""
        at = self.random.randrange(len(text) + 1)
        inside = [
            match
            for pattern in (SLOT, TYPED)
            for match in pattern.finditer(text)
            if match.start() <= at <= match.end()
        ]
        at = inside[0].start() if inside else at
        return at - (text[max(at - 1, 0) : at + 1] == "\r\n")

    # Another process.

    def write_elsewhere(self, name: str) -> None:
        file = self.files[name]
        self.count += 1
        lines = file.disk.split("\n")
        lines.insert(self.random.randrange(len(lines)), f"(other {self.count})")
        text = "\n".join(lines)
        (self.root / name).write_bytes(text.encode())
        file.write(text)

    # The agents.

    async def call(self, agent: str, tool: str, **arguments: Any) -> dict[str, Any]:
        caller = Caller(ScopeKey(agent, "main"), None, None, agent)
        try:
            return await self.app.call(tool, arguments, CallContext(caller, "mcp", str(self.root)))
        except CoeditorError as error:
            return error.to_object()

    async def read(self, name: str, agent: str | None = None) -> None:
        agent = agent or self.random.choice(AGENTS)
        self._followed(name)
        found = await self.call(agent, "read", file_path=name, refresh=True)
        assert found["ok"], (found, self.told(name))
        file = self.files[name]
        shown = "".join(line.split("\t", 1)[1] + "\n" for line in found["text"].split("\n"))
        assert _loose(shown) == _loose(file.text + "\n"), self.told(name)
        assert found["unsaved"] == (file.dirty and file.buffer != file.disk), (found, self.told(name))
        self.looks[agent, name] = file.text

    async def edit(self, name: str) -> None:
        """From what the agent saw last, however long ago."""
        await self._edit(
            name, self.random.choice(AGENTS), self.random.choice(("before", "after", None, None))
        )

    async def read_and_edit(self, name: str) -> None:
        """From a look that is new: nothing but unseen typing may stop it."""
        agent = self.random.choice(AGENTS)
        await self.read(name, agent)
        await self._edit(name, agent, None, must=True)

    async def _edit(self, name: str, agent: str, moment: Moment, *, must: bool = False) -> None:
        slot = self._seen_slot(name, agent)
        if slot is None:
            return
        old, new = slot
        happened = self._at(moment, name, old, new)
        self._followed(name)
        found = await self.call(agent, "edit", file_path=name, old_string=old, new_string=new)
        self.editor.flush()
        self._forget_moments()
        if found["ok"]:
            self.acknowledged += 1
            if not happened():
                self.files[name].replace(old, new)
            self.looks[agent, name] = self.files[name].text
            return
        self.refused += 1
        assert not must, (found, self.told(name))
        assert found["code"] in MOVED, (found, self.told(name))

    async def patch_both(self, name: str) -> None:
        """Both files or none."""
        agent = self.random.choice(AGENTS)
        slots = {one: self._seen_slot(one, agent) for one in NAMES}
        wanted = {one: slot for one, slot in slots.items() if slot is not None}
        if len(wanted) < 2:
            return
        parts = [f"*** Update File: {one}\n@@\n-{old}\n+{new}\n" for one, (old, new) in wanted.items()]
        for one in wanted:
            self._followed(one)
        patch = "*** Begin Patch\n" + "".join(parts) + "*** End Patch\n"
        found = await self.call(agent, "apply_patch", patch=patch)
        self.editor.flush()
        if found["ok"]:
            self.acknowledged += 1
            for one, (old, new) in wanted.items():
                self.files[one].replace(old, new)
                self.looks[agent, one] = self.files[one].text
        else:
            self.refused += 1
            assert found["code"] in MOVED | {"FS_TRANSACTION_FAILED"}, (found, self.told(name))

    def _seen_slot(self, name: str, agent: str) -> tuple[str, str] | None:
        """A slot as the agent saw it, and its next version."""
        found = list(SLOT.finditer(self.looks.get((agent, name), "")))
        if not found:
            return None
        slot = self.random.choice(found)
        self.count += 1
        ending = self.random.choice(("", "", " todo"))
        return slot[0], f"slot {slot[1]} v{self.count}{ending};"

    def _followed(self, name: str) -> None:
        """An agent's call has an editor of ours look at the disk first, where it lags behind."""
        if self.extras:
            self.files[name].reload()

    def _at(self, moment: Moment, name: str, old: str, new: str) -> Callable[[], bool]:
        """Have the person type within the edit; gives whether the edit is in the model already."""
        done: list[bool] = []

        def before() -> None:
            self.type_somewhere(name)

        def after() -> None:
            self.files[name].replace(old, new)
            done.append(True)
            self.type_somewhere(name)

        if moment == "before":
            self.editor.manners.before_apply = before
        elif moment == "after":
            self.editor.manners.after_apply = after
        return lambda: bool(done)

    def _forget_moments(self) -> None:
        self.editor.manners.before_apply = self.editor.manners.after_apply = None


def _loose(text: str) -> str:
    """A read shows each line without its end."""
    return text.replace("\r\n", "\n").rstrip("\n")
