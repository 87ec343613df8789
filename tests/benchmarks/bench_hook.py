"""``coeditor hook`` with the server up: from its spawn to its end, and its own CPU time.

Never: the first call, which starts the server.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.benchmarks.figures import Figure, percentile
from tests.e2e.agents import Place
from tests.lsp_server.hooks import payloads

GOAL_MS = 60.0


def run(quick: bool) -> list[Figure]:
    """A native read and edit that may go on, and an empty Python beside them."""
    with tempfile.TemporaryDirectory(prefix="coeditor-bench-") as base:
        place = Place(Path(base).resolve())
        try:
            return _measured(place, rounds=3 if quick else 40)
        finally:
            for pid in place.server_pids():
                os.kill(pid, signal.SIGTERM)


def _measured(place: Place, *, rounds: int) -> list[Figure]:
    path = str(place.write("a.txt", "one\n"))
    hook = [sys.executable, "-m", "lsp_server", "hook"]
    found = []
    for tool in ("Read", "Edit"):
        event = payloads.claude("PreToolUse", tool_name=tool, tool_input={"file_path": path}, tool_use_id="C")
        sent = json.dumps({**event, "cwd": str(place.folder)}).encode()
        _once(place, hook, sent)
        times = [_once(place, hook, sent) for _ in range(rounds)]
        walls, cpus = [wall for wall, _ in times], [cpu for _, cpu in times]
        name = f"a hook before {tool}"
        found.append(Figure(f"{name}, p50", percentile(walls, 0.5) * 1_000, "ms", goal=GOAL_MS))
        found.append(Figure(f"{name}, CPU", percentile(cpus, 0.5) * 1_000, "ms", note="without the server's"))
    empty = [_once(place, [sys.executable, "-c", "pass"], b"")[0] for _ in range(rounds)]
    return [*found, Figure("an empty Python, p50", percentile(empty, 0.5) * 1_000, "ms")]


def _once(place: Place, command: list[str], sent: bytes) -> tuple[float, float]:
    """Seconds from spawn to end, and of CPU."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        command,
        input=sent,
        cwd=place.folder,
        env=place.environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
