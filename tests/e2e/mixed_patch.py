"""A patch over 20 files, some open in a scripted editor, and the tree before and after it: a bench for faults.

Nothing in the product is replaced: the server is ``coeditor serve``, faults come from strace or from the editor.

Never: tests.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import stat
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.agents import PATIENCE, Place, killed
from tests.fakes.editor import Document, ScriptedEditor
from tests.fakes.editor_process import EditorProcess, ServerError

CHANGING = (
    *("write", "writev", "pwrite64", "sendto", "sendmsg", "fsync", "fdatasync", "ftruncate", "fchmod"),
    *("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir"),
)
ERRORS = {
    "write": "ENOSPC",
    "pwrite64": "ENOSPC",
    "sendto": "EPIPE",
    "renameat2": "EACCES",
    "linkat": "EMLINK",
    "mkdirat": "EDQUOT",
}
OPEN = ("o1.txt", "o2.txt", "o3.txt", "o4.txt")
UNSAVED = "typed.txt"
CLOSED = tuple(f"sub/u{number}.txt" for number in range(1, 6))
MOVED = {"m1.txt": "moved/m1.txt", "sub/m2.txt": "m2.txt", "open-moved.txt": "moved/open.txt"}
DELETED = ("d1.txt", "sub/d2.txt", "open-deleted.txt")
ADDED = ("new/n1.txt", "new/deep/n2.txt", "n3.txt", "n4.txt")
TYPED = "typed by a person\n"
Picture = dict[str, object]


def text_of(name: str) -> str:
    return f"{name}\nsecond\n" + "".join(f"row {row}\n" for row in range(20))


def the_patch() -> str:
    """Updates of open and closed files, moves with and without edits, deletes, creates: 20 files."""
    lines = ["*** Begin Patch"]
    for name in (*OPEN[:2], *CLOSED[:3], UNSAVED, *CLOSED[3:], *OPEN[2:]):
        lines += [f"*** Update File: {name}", "@@", "-second", "+SECOND"]
    for number, (source, target) in enumerate(MOVED.items()):
        lines += [f"*** Update File: {source}", f"*** Move to: {target}"]
        lines += ["@@", "-second", "+SECOND"] if number == 1 else []
    lines += [f"*** Delete File: {name}" for name in DELETED]
    for name in ADDED:
        lines += [f"*** Add File: {name}", f"+{name}", "+made"]
    return "\n".join([*lines, "*** End Patch"]) + "\n"


@dataclass
class Bench:
    """One workspace with its editor, and the server as long as one runs."""

    place: Place
    editor: ScriptedEditor
    process: EditorProcess | None = None
    tries: int = 0
    edit_id: str = ""
    """What the last patch was recorded as."""
    call_id: str = ""
    """Of the last change that was asked for."""

    @classmethod
    def fresh(cls, base: Path, editor: ScriptedEditor | None = None) -> Bench:
        """Files on disk, documents open in the editor, one of them typed into; no server yet."""
        base.mkdir(parents=True)
        settings = {"side_effects": {"diagnostics": False}, "limits": {"lock_seconds": 20}}
        bench = cls(Place(base, settings), editor or ScriptedEditor())
        bench.reset()
        return bench

    def reset(self) -> None:
        """The tree before, whatever is there; documents are opened anew."""
        for path in self.place.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name in (*OPEN, UNSAVED, *CLOSED, *MOVED, *DELETED):
            self.place.write(name, text_of(name))
        os.chmod(self.place.folder / OPEN[0], 0o640)
        os.chmod(self.place.folder / "m1.txt", 0o755)
        for document in list(self.editor.documents.values()):
            self.editor.close(document)
        self.reopen()
        self.editor.type(self.document(UNSAVED), 0, TYPED)
        self.tries += 1

    def reopen(self) -> None:
        """The documents as a new editor opens them."""
        for name in (*OPEN, UNSAVED, "open-moved.txt", "open-deleted.txt"):
            if (self.place.folder / name).exists():
                self.editor.open(self.place.folder / name)

    def document(self, name: str) -> Document:
        path = self.place.folder / name
        return next(one for one in self.editor.documents.values() if one.path == path)

    @property
    def pid(self) -> int:
        assert self.process is not None
        assert self.process.process is not None
        return self.process.process.pid

    @property
    def runs(self) -> bool:
        return (
            self.process is not None
            and self.process.process is not None
            and self.process.process.returncode is None
        )

    async def start(self) -> None:
        """A server that has seen the editor's documents and settled what an earlier one left."""
        self.process = EditorProcess(self.editor, self.place.folder, self.place.environment)
        self.editor.told.clear()
        await self.process.start()
        await self.process.told("coeditor/agents")

    def die(self) -> None:
        """The editor dies, and the server finds out."""
        assert self.process is not None
        self.process.die()

    async def ended(self) -> None:
        """Return when the server has ended by itself."""
        assert self.process is not None
        await self.process.gone()

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's result or error object; ``{}`` when the server died over it."""
        assert self.process is not None
        params = {**arguments, "session": f"s-{self.tries}", "cwd": str(self.place.folder)}
        asked = asyncio.ensure_future(self.process.request(f"coeditor/{tool}", params))
        assert self.process.process is not None
        ended = asyncio.ensure_future(self.process.process.wait())
        try:
            await asyncio.wait([asked, ended], return_when=asyncio.FIRST_COMPLETED, timeout=PATIENCE)
            if not asked.done():
                await asyncio.wait([asked], timeout=0.2)
            if not asked.done() or asked.cancelled():
                return {}
            found: dict[str, Any] = await asked
        except ServerError as error:
            return {"ok": False, **error.data}
        finally:
            ended.cancel()
            if not asked.done():
                asked.cancel()
                await asyncio.wait([asked])
        return found

    async def read_all(self) -> None:
        """The agent has everything before it that the patch needs."""
        for name in (*OPEN, UNSAVED, *CLOSED, *MOVED, *DELETED):
            found = await self.call("read", file_path=name, refresh=True)
            assert found["ok"], found

    async def apply(self) -> dict[str, Any]:
        self.call_id = f"try-{self.tries}"
        found = await self.call("applyPatch", patch=the_patch(), call_id=self.call_id)
        self.edit_id = found.get("edit_id", "")
        return found

    async def take_back(self) -> dict[str, Any]:
        """The reverse of the last patch."""
        self.call_id = f"back-{self.tries}"
        return await self.call("rewind", to=self.edit_id, call_id=self.call_id)

    def picture(self) -> Picture:
        """Every name with its current text and mode, as the person sees it: buffers before the disk."""
        found: Picture = {}
        for path in sorted(self.place.folder.rglob("*")):
            name = str(path.relative_to(self.place.folder))
            mode = stat.S_IMODE(path.lstat().st_mode)
            found[name] = ("folder",) if path.is_dir() else (mode, path.read_text())
        for document in self.editor.documents.values():
            if document.dirty and document.path is not None:
                name = str(document.path.relative_to(self.place.folder))
                there = document.path.exists()
                found[name] = (stat.S_IMODE(document.path.lstat().st_mode) if there else None, document.text)
        found["below the unsaved text"] = (self.place.folder / UNSAVED).read_text()
        return found

    async def journal(self) -> str | None:
        """What the history of the restarted server says of the last try; None when it is not in there."""
        rows = (await self.call("history", limit=1))["edits"]
        return str(rows[0]["state"]) if rows and rows[0]["call_id"] == self.call_id else None

    def leftovers(self) -> list[str]:
        """Files of transactions that nobody has tidied up, in the workspace or in our state."""
        journals = [
            path.name
            for path in (self.place.base / "state").glob("coeditor/folders/*/transactions/*")
            if path.name not in ("kept",) and not path.name.endswith(".newborn")
        ]
        staged = [path.name for path in self.place.folder.rglob(".coeditor-*")]
        return journals + staged


@dataclass(frozen=True)
class Point:
    """One system call of the undisturbed patch."""

    call: str
    when: int
    """So many-th of its name since the patch was sent."""

    def fails(self) -> str:
        return f"inject={self.call}:error={ERRORS.get(self.call, 'EIO')}:when={self.when}"

    def dies(self) -> str:
        return f"inject={self.call}:signal=KILL:when={self.when}"


@asynccontextmanager
async def traced(pid: int, log: Path, *options: str) -> AsyncIterator[None]:
    """The process's main thread under strace for as long as the block runs, or until it dies."""
    command = ["strace", "-p", str(pid), "-o", str(log), *options]
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert process.stderr is not None
    said = await asyncio.wait_for(process.stderr.readline(), PATIENCE)
    assert b"attached" in said, said
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGINT)
        await asyncio.wait_for(process.communicate(), PATIENCE)


async def points_of(
    bench: Bench, calls: Sequence[str] = CHANGING, *, act: Callable[[], Awaitable[Picture]] | None = None
) -> list[Point]:
    """Every call of an undisturbed patch, which is applied; or of another act that succeeds."""
    log = bench.place.base / "strace"
    async with traced(bench.pid, log, "-e", "trace=" + ",".join("?" + call for call in calls)):
        answer = await (act or bench.apply)()
        assert answer["ok"], answer
    seen: Counter[str] = Counter()
    points = []
    for line in log.read_text().splitlines():
        found = re.match(r"(\w+)\(", line)
        if found is not None and found[1] in calls:
            seen[found[1]] += 1
            points.append(Point(found[1], seen[found[1]]))
    assert points
    return points


async def kill(bench: Bench) -> None:
    """SIGKILL, and wait until the system has let go of all it had."""
    if bench.runs:
        await killed(bench.pid)
    if bench.process is not None:
        await bench.process.gone()
