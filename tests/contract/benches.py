"""Every kind of ``EditorClient``, each with its workspace: what the contract suite runs against.

Never: knowledge of how a client does what it does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editor_clients.attached import Attached
from editor_clients.buffers import Buffers
from editor_clients.editor_edits import Patience
from editor_clients.headless import Headless
from editor_clients.overlay import Overlay
from editor_clients.port import CurrentText, EditorClient, FileChange
from editor_clients.replacements import replacements_between
from editor_clients.views import View
from editor_clients.walls import Walls
from ledger.types import CreateIfAbsent, ReplaceIfVersion, TargetKey
from lsp_server.edits.notebook_view import JupyterForm
from lsp_server.handlers.documents import Documents
from lsp_server.targets import Targets
from tests.fakes.editor import DirectLink, Document, Manners, ScriptedEditor

IMPATIENT = Patience(answer=1.0, confirm=0.5, refusal=0.05, reload=0.3, files=1.0)


@dataclass
class Bench:
    """A workspace, a client over it, and the editor if there is one."""

    folder: Path
    client: EditorClient
    editor: ScriptedEditor | None = None
    open_files: bool = False
    """Whether files are open in the editor before anything happens to them."""
    moved: list[TargetKey] = field(default_factory=list)
    link: DirectLink | None = None

    def die(self) -> None:
        """The editor is gone, and with it what was not saved."""
        assert self.link is not None
        assert self.editor is not None
        self.link.gone = True
        self.editor.documents.clear()

    def file(self, name: str, text: str | bytes) -> TargetKey:
        """Make a file, and open it where this bench does."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        if self.open_files and self.editor is not None and isinstance(text, str):
            self.editor.open(path)
        return TargetKey(str(path))

    def key(self, name: str) -> TargetKey:
        return TargetKey(str(self.folder / name))

    def on_disk(self, target: TargetKey) -> bytes | None:
        path = Path(target)
        return path.read_bytes() if path.exists() else None

    def write(self, target: TargetKey, text: str | bytes) -> None:
        """Somebody else writes to the disk."""
        Path(target).write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))

    def document(self, target: TargetKey) -> Document:
        """The open document of a target."""
        assert self.editor is not None
        return next(one for one in self.editor.documents.values() if str(one.path) == target)

    async def now(self, target: TargetKey) -> str | None:
        found = await self.client.current(target)
        return found.text if found is not None else None

    async def seen(self, target: TargetKey) -> CurrentText:
        found = await self.client.current(target)
        assert found is not None
        return found

    async def update(self, target: TargetKey, after: str) -> FileChange:
        """The change of what is there now to ``after``."""
        before = await self.seen(target)
        parts = replacements_between(before.text, after)
        return FileChange(target, "update", ReplaceIfVersion(before.token), before, after, parts)

    async def deletion(self, target: TargetKey) -> FileChange:
        before = await self.seen(target)
        return FileChange(target, "delete", ReplaceIfVersion(before.token), before, None)

    async def move(self, source: TargetKey, to: TargetKey, after: str | None = None) -> FileChange:
        before = await self.seen(source)
        text = before.text if after is None else after
        parts = replacements_between(before.text, text)
        return FileChange(to, "move", ReplaceIfVersion(before.token), before, text, parts, from_target=source)


def creation(target: TargetKey, text: str) -> FileChange:
    return FileChange(target, "create", CreateIfAbsent(), None, text)


def headless(base: Path) -> Bench:
    folder, disk, _ = _ground(base)
    return Bench(folder, disk)


def attached(base: Path, editor: ScriptedEditor, *, open_files: bool = True, **options: Any) -> Bench:
    """A client over a scripted editor in this process."""
    folder, disk, targets = _ground(base)
    overlay, link = Overlay(editor.encoding), DirectLink(editor)
    options.setdefault("patience", IMPATIENT)
    moved: list[TargetKey] = []
    client = Attached(
        disk,
        overlay,
        link,
        resolve=lambda uri: targets.resolve(uri).key,
        form=JupyterForm(),
        moved=moved.append,
        **options,
    )
    _wire(editor, client.buffers)
    return Bench(folder, client, editor, open_files, moved, link)


def joined(bench: Bench, editor: ScriptedEditor, number: int = 1) -> View:
    """A further editor on the folder of an attached bench."""
    assert isinstance(bench.client, Attached)
    targets = Targets([str(bench.folder)], Walls([str(bench.folder)]).canonical)
    overlay = Overlay(editor.encoding, view=number)
    view = bench.client.join(overlay, DirectLink(editor), lambda uri: targets.resolve(uri).key)
    _wire(editor, view.buffers)
    return view


def _wire(editor: ScriptedEditor, buffers: Buffers) -> None:
    documents = Documents(buffers)
    documents.notebooks.encoding = editor.encoding
    editor.send = documents.take


def _ground(base: Path) -> tuple[Path, Headless, Targets]:
    folder, journals = base / "ws", base / "journals"
    folder.mkdir()
    journals.mkdir(mode=0o700)
    walls = Walls([str(folder)])
    disk = Headless(walls, str(journals), file_limit=1 << 20, durability="fast")
    return folder, disk, Targets([str(folder)], walls.canonical)


KINDS: Mapping[str, Callable[[Path], Bench]] = {
    "headless": headless,
    "attached, all files closed": lambda base: attached(base, ScriptedEditor(), open_files=False),
    "attached, answer first": lambda base: attached(base, ScriptedEditor()),
    "attached, change first": lambda base: attached(
        base, ScriptedEditor(manners=Manners(order="change-first"))
    ),
    "attached, utf-8 positions": lambda base: attached(base, ScriptedEditor(encoding="utf-8")),
}
"""Editors of ours and none: what happens is on disk afterwards."""

PLAIN: Mapping[str, Callable[[Path], Bench]] = {
    "plain, answer first": lambda base: attached(base, ScriptedEditor(extras=False)),
    "plain, change first": lambda base: attached(
        base, ScriptedEditor(extras=False, manners=Manners(order="change-first"))
    ),
}
"""Editors that know nothing of us: edits of open documents stay unsaved."""
