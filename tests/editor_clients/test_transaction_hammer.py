"""Several processes and agents on overlapping sets of files: every file is one unbroken chain of edits.

``COEDITOR_FAULTS=full`` makes it last about a minute.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from editor_clients.recovery import recover
from editor_clients.walls import Walls

DRIVER = Path(__file__).with_name("hammer_driver.py")
FULL = os.environ.get("COEDITOR_FAULTS") == "full"
TURNS = 1_000 if FULL else 20
AGENTS = 5
pytestmark = pytest.mark.timeout(900 if FULL else 120)


def start(name: str, base: Path) -> subprocess.Popen[str]:
    (base / "workspace").mkdir(exist_ok=True)
    command = [
        sys.executable,
        str(DRIVER),
        name,
        str(AGENTS),
        str(TURNS),
        f"{base}/workspace",
        f"{base}/state",
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def chain(path: Path) -> list[str]:
    """The edits of a file in order; each was made from exactly what the one before left."""
    edits, before = [], b""
    for line in path.read_bytes().splitlines(keepends=True):
        edit, seen = line.decode().split()
        assert seen == hashlib.sha256(before).hexdigest(), f"{edit} was not made from the text before it"
        edits.append(edit)
        before += line
    return edits


def confirmed(output: str) -> Counter[tuple[str, str]]:
    lines = [line.split() for line in output.split("\n") if line]
    return Counter((edit, name) for edit, *names in lines for name in names)


def found_in(workspace: Path) -> Counter[tuple[str, str]]:
    return Counter((edit, path.name) for path in workspace.iterdir() for edit in chain(path))


def test_no_edit_is_lost_and_none_waits_forever(tmp_path: Path) -> None:
    processes = [start(name, tmp_path) for name in ("p", "q")]
    # Read side by side: one whose pipe is full would stop with its locks held.
    with ThreadPoolExecutor() as readers:
        outputs = list(readers.map(lambda process: process.communicate(), processes))
    assert [process.returncode for process in processes] == [0, 0], [errors for _, errors in outputs]
    told = confirmed(outputs[0][0]) + confirmed(outputs[1][0])
    assert len({edit for edit, _ in told}) == 2 * AGENTS * TURNS
    assert found_in(tmp_path / "workspace") == told
    assert os.listdir(tmp_path / "state/journals") == []
    assert os.listdir(tmp_path / "state/locks") == []


@pytest.mark.parametrize("after", [3, 40])
def test_a_process_killed_among_others_breaks_no_chain(tmp_path: Path, after: int) -> None:
    victim, survivor = start("v", tmp_path), start("s", tmp_path)
    assert victim.stdout is not None
    told = "".join(victim.stdout.readline() for _ in range(after))
    victim.send_signal(signal.SIGKILL)
    with ThreadPoolExecutor() as readers:
        (rest, _), (output, errors) = readers.map(lambda process: process.communicate(), (victim, survivor))
    assert survivor.returncode == 0, errors
    recover(str(tmp_path / "state/journals"), Walls([str(tmp_path / "workspace")]))
    workspace = tmp_path / "workspace"
    found = found_in(workspace)
    known = confirmed(told + rest) + confirmed(output)
    lost = known - found
    assert not lost
    # What was published when its process died, before it could say so, is there in all of its files or in none.
    unsaid = {edit for edit, _ in found - known}
    assert len(unsaid) <= AGENTS
    for edit in unsaid:
        names = {f"file-{number}" for number in edit.partition(":")[2].split("+")}
        assert {name for other, name in found if other == edit} == names
    left = [name for name in os.listdir(tmp_path / "state/journals") if not name.endswith(".newborn")]
    assert left == []
    assert sorted(path.name for path in workspace.iterdir()) == sorted({name for _, name in found})
