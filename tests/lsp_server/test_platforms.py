"""A system whose Python has neither ``fcntl`` nor folders as descriptors: locks all the same, or a clear word."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ELSEWHERE = """
import asyncio, os, subprocess, sys, types  # before the system changes
sys.modules["fcntl"] = None
locked = set()
def locking(descriptor, mode, count):
    place = os.fstat(descriptor).st_ino
    if place in locked:
        raise OSError("locked by somebody else")
    locked.add(place)
sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=locking)
for name in ("O_DIRECTORY", "O_NOFOLLOW", "O_PATH", "O_CLOEXEC"):
    delattr(os, name)
os.supports_dir_fd = set()
"""


def run(code: str, *arguments: str) -> str:
    command = [sys.executable, "-c", ELSEWHERE + code, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_server_says_that_it_cannot_run_there(tmp_path: Path) -> None:
    found = run(
        """
from ledger.errors import CoeditorError
from lsp_server.app import build
try:
    build(sys.argv[1])
except CoeditorError as error:
    print(error.code, error.message)
""",
        str(tmp_path),
    )
    assert found.startswith("NO_SERVER ")
    assert "WSL" in found


def test_locks_are_those_that_there_are(tmp_path: Path) -> None:
    found = run(
        """
import asyncio
from editor_clients.file_locks import try_lock
from editor_clients.locks import TargetLocks

async def main():
    async with TargetLocks(sys.argv[1]).hold(["/w/a"]):
        (path,) = [entry.path for entry in os.scandir(sys.argv[1]) if entry.name.endswith(".lock")]
        print(try_lock(os.open(path, os.O_RDWR)), open(path).read().strip() == str(os.getpid()))

asyncio.run(main())
""",
        str(tmp_path / "locks"),
    )
    assert found == "False True\n"
