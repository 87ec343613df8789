"""The VS Code extension in the real workbench: how long its activation takes of the extension host's time.

VS Code measures that itself: loading the code and the call of ``activate``, as "Show Running Extensions" shows it.
Never: part of a quick run, which looks at the size of what ships alone.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

from tests.benchmarks.figures import Figure
from tests.e2e.agents import Place
from tests.e2e.vscode.install import EXTENSION, install, missing_program, packaged_extension
from tests.e2e.vscode.workbench import workbench

GOAL_MS = 100.0
ROUNDS = 3
ROW = '.runtime-extensions-editor .monaco-list-row:has(.name:text-is("Coeditor")) .activation-time'


def run(quick: bool) -> list[Figure]:
    """Of several windows the fastest; nothing but the sources' size where VS Code cannot be driven."""
    sources = sum(path.stat().st_size for path in (EXTENSION / "src").rglob("*.ts"))
    found = [Figure("TypeScript sources", sources / 1024, "KiB")]
    if quick or missing_program() is not None:
        return found
    extension = packaged_extension()
    times = [asyncio.run(_activation(extension)) for _ in range(ROUNDS)]
    note = "of " + ", ".join(f"{time:.0f}" for time in times)
    return [
        *found,
        Figure("package", extension.stat().st_size / 1024, "KiB", goal=5_000_000 / 1024),
        Figure("activation", min(times), "ms", goal=GOAL_MS, note=note),
    ]


async def _activation(extension: Path) -> float:
    with tempfile.TemporaryDirectory(prefix="bench-vscode-") as base:
        async with workbench(install(), extension, Place(Path(base))) as bench:
            await bench.palette("Developer: Show Running Extensions")
            await bench.wait(ROW)
            text = " ".join(await bench.texts(ROW))
    time = re.search(r"(\d+)\s*ms", text)
    assert time is not None, text
    return float(time[1])
