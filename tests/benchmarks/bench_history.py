"""The history: 10,000 edits of 100 files, listed, rewound, and what they take on disk.

Never: a file of the person's; everything is in a temporary folder.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import time
import zlib
from pathlib import Path
from unittest.mock import patch

from ledger.ledger import Ledger
from ledger.types import Caller, FileRecord, FileState, ScopeKey, TargetKey, token_of
from lsp_server.app import App, build
from lsp_server.service import CallContext
from lsp_server.settings import Settings, merge
from tests.benchmarks.figures import Figure, best

SCOPE = ScopeKey("bench")
_HOMES = {"RUNTIME_DIR": "run", "STATE_HOME": "state", "CONFIG_HOME": "config"}
LINES = 100
"""Of each file."""


def run(quick: bool) -> list[Figure]:
    """Edits are recorded as the walk records them; the rewind is a real one, on files."""
    files, edits = (10, 200) if quick else (100, 10_000)
    folder = Path(tempfile.mkdtemp(prefix="coeditor-bench-")).resolve()
    try:
        return [*_recorded(folder, files, edits), *asyncio.run(_rewound(folder, files))]
    finally:
        shutil.rmtree(folder)


def _text(number: int, step: int) -> str:
    """A file after its ``step``-th edit: one line more of it is new."""
    lines = [
        f"def function_{number}_{line}(value: int) -> int:  # {line * 7919 % 997}" for line in range(LINES)
    ]
    for done in range(max(0, step - LINES) + 1, step + 1):
        lines[done * 37 % LINES] = f"    return value * {done} + {number}  # changed by edit {done}"
    return "\n".join(lines) + "\n"


def _recorded(folder: Path, files: int, edits: int) -> list[Figure]:
    ledger = Ledger.open(str(folder / "ledger.db"))
    texts: dict[str, int] = {}

    def state(text: str, made_of: str | None = None) -> FileState:
        data, base = text.encode(), made_of.encode() if made_of is not None else None
        texts[text] = len(zlib.compress(data, 1))
        return FileState(token_of(text), ledger.put_blob(data, base=base), "utf-8", 0o644)

    started = time.perf_counter()
    for index in range(edits):
        number, step = index % files, index // files
        path = str(folder / f"file_{number}.py")
        old, new = _text(number, step), _text(number, step + 1)
        before, after = state(old), state(new, old)
        record = FileRecord(TargetKey(path), path, "update", before, after, 1, 1)
        edit = ledger.intend(Caller(SCOPE, turn=f"t{step}"), "edit", [record], '{"file_path": "x"}')
        ledger.mark_applied(edit, [record])
    seconds = time.perf_counter() - started
    listing = best(lambda: len(ledger.entries(session=SCOPE.session, limit=50)))
    one_file = best(lambda: len(ledger.entries(target=TargetKey(str(folder / "file_0.py")), limit=50)))
    ledger.compact()
    size = sum(os.path.getsize(path) for path in folder.glob("ledger.db*"))
    ledger.close()
    packed = sum(texts.values())
    return [
        Figure("recording an edit", seconds / edits * 1000, "ms"),
        Figure(f"listing the last 50 of {edits} edits", listing * 1000, "ms", goal=50),
        Figure("listing those of one file", one_file * 1000, "ms", goal=50),
        Figure("store over compressed texts", size / packed, "times", goal=2, note=f"{size / 2**20:.1f} MiB"),
    ]


async def _rewound(folder: Path, files: int) -> list[Figure]:
    """One patch over all files, taken back."""
    for name in ("run", "state", "config"):
        (folder / name).mkdir(mode=0o700)
    root = folder / "ws"
    root.mkdir()
    settings = merge(Settings(), {"side_effects": {"diagnostics": False}}, "user")
    ours = {f"XDG_{name}": str(folder / place) for name, place in _HOMES.items()}
    with patch.dict(os.environ, ours):
        app = build(str(root), settings=settings)
        try:
            return await _patched(app, root, files)
        finally:
            await app.close()


async def _patched(app: App, root: Path, files: int) -> list[Figure]:
    context = CallContext(Caller(SCOPE), "mcp", str(root))
    steps = []
    for number in range(files):
        (root / f"f{number}.py").write_text(_text(number, 0))
        await app.call("read", {"file_path": f"f{number}.py"}, context)
        old, new = _text(number, 0).splitlines()[37], _text(number, 1).splitlines()[37]
        steps += [f"*** Update File: f{number}.py", "@@", f"-{old}", f"+{new}"]
    text = "\n".join(["*** Begin Patch", *steps, "*** End Patch"])
    edit = (await app.call("apply_patch", {"patch": text}, context))["edit_id"]
    started = time.perf_counter()
    await app.call("rewind", {"to": edit}, context)
    seconds = time.perf_counter() - started
    assert (root / "f0.py").read_text() == _text(0, 0)
    return [Figure(f"rewind of {files} files", seconds * 1000, "ms", goal=1000)]
