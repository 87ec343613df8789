"""Patches: reading and planning them, and a change of 20 files on disk.

Never: a server; what a call costs besides is measured with the calls.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from editor_clients.disk_changes import DiskChange, Durability, WriteBytes
from editor_clients.transaction import publish
from editor_clients.walls import Walls
from ledger.types import TargetKey
from lsp_server.edits.v4a_parse import parse_patch
from lsp_server.edits.v4a_plan import plan_patch
from lsp_server.edits.v4a_rows import PatchFile
from tests.benchmarks.figures import Figure, best

TEXT = "".join(f"line {number} of a file that is patched\n" for number in range(2_000))


def run(quick: bool) -> list[Figure]:
    """A patch of 20 files with 5 chunks each, one file of 10 MB, and publishing 20 files."""
    rounds = 1 if quick else 7
    found = [*_planning(rounds), _large(rounds, 1_000 if quick else 250_000)]
    return [*found, *(_publishing(durability, rounds) for durability in ("fast", "full"))]


def _patch(files: int) -> str:
    lines = ["*** Begin Patch"]
    for number in range(files):
        lines.append(f"*** Update File: f{number}.txt")
        for chunk in range(5):
            at = 100 + chunk * 300
            lines += [
                "@@",
                f" line {at} of a file that is patched",
                f"-line {at + 1} of a file that is patched",
            ]
            lines += ["+another line", f" line {at + 2} of a file that is patched"]
    return "\n".join([*lines, "*** End Patch"])


def _planning(rounds: int) -> list[Figure]:
    text = _patch(20)
    patch = parse_patch(text)
    files = {TargetKey(f"f{number}.txt"): PatchFile(TEXT, 0o644) for number in range(20)}
    parse = best(lambda: parse_patch(text), rounds=rounds)
    plan = best(lambda: plan_patch(patch, TargetKey, files, tolerant=True), rounds=rounds)
    return [
        Figure("parse a patch of 20 files with 100 chunks", parse * 1e3, "ms", goal=10),
        Figure("plan it over files of 2,000 lines", plan * 1e3, "ms", goal=200),
    ]


def _large(rounds: int, lines: int) -> Figure:
    text = "".join(f"line {number} of a file that is patched\n" for number in range(lines))
    at = lines // 2
    chunk = f"@@\n line {at} of a file that is patched\n-line {at + 1} of a file that is patched\n+another\n"
    patch = parse_patch(f"*** Begin Patch\n*** Update File: f\n{chunk}*** End Patch")
    files = {TargetKey("f"): PatchFile(text, 0o644)}
    seconds = best(lambda: plan_patch(patch, TargetKey, files, tolerant=True), rounds=rounds)
    return Figure("plan one chunk in the middle of 250,000 lines", seconds * 1e3, "ms", goal=500)


def _publishing(durability: Durability, rounds: int) -> Figure:
    base = Path(tempfile.mkdtemp(prefix="coeditor-bench-"))
    try:
        workspace = base / "workspace"
        workspace.mkdir()
        walls = Walls([str(workspace)])
        texts = [TEXT.encode(), TEXT.upper().encode()]
        paths = [workspace / f"f{number}.txt" for number in range(20)]
        for path in paths:
            path.write_bytes(texts[0])

        def turn() -> None:
            changes: list[DiskChange] = [WriteBytes(str(path), texts[1], texts[0]) for path in paths]
            publish(changes, journal_dir=str(base / "journals"), walls=walls, durability=durability)
            texts.reverse()

        seconds = best(turn, rounds=rounds)
    finally:
        shutil.rmtree(base)
    flushed = "flushed to the disk" if durability == "full" else "not flushed"
    return Figure(f"publish 20 files of {len(TEXT) // 1000} KB, {flushed}", seconds * 1e3, "ms")
