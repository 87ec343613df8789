"""A system whose Python has neither ``fcntl`` nor folders as descriptors: locks all the same, or a clear word."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lsp_server.agents.link import server_env
from lsp_server.platforms import leave_to_children

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


@pytest.mark.parametrize(
    ("theirs", "server", "children"),
    [
        pytest.param(
            {"A": "1"},
            {"A": "1", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=8388608"},
            {"A": "1"},
            id="ours is for the server alone",
        ),
        pytest.param(
            {"GLIBC_TUNABLES": "glibc.malloc.arena_max=1"},
            {"GLIBC_TUNABLES": "glibc.malloc.arena_max=1"},
            {"GLIBC_TUNABLES": "glibc.malloc.arena_max=1"},
            id="what somebody set stays",
        ),
    ],
)
def test_how_memory_is_given_is_said_to_a_server_and_not_to_what_it_starts(
    theirs: dict[str, str], server: dict[str, str], children: dict[str, str]
) -> None:
    found = server_env(theirs)
    assert {name: found[name] for name in server} == server
    leave_to_children(found)
    assert {name: value for name, value in found.items() if name in server} == children
