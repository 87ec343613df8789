"""``python -m tests.load``: the soak by hand, with its figures."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path

from tests.load.soak import Load, soak


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.load")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--agents", type=int, default=50)
    parser.add_argument("--documents", type=int, default=1_000)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--big", type=int, default=64 << 20, help="bytes of one large file")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between an agent's calls")
    told = parser.parse_args()
    load = Load(
        told.minutes * 60, told.agents, told.documents, files=told.files, big=told.big, pause=told.pause
    )
    with tempfile.TemporaryDirectory(prefix="coeditor-soak-") as base:
        figures = asyncio.run(soak(Path(base), load))
    print(figures.table())
    for one in figures.lost[:20]:
        print("lost:", one)
    return 1 if figures.lost else 0


if __name__ == "__main__":
    raise SystemExit(main())
