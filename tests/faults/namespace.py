"""A test's part that runs in mounts of its own, as a process below ``unshare``: nothing outside sees them.

Never: root's rights on the machine; where even that is not allowed, ``ALLOWED`` is false.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

OWN = ("unshare", "--user", "--map-root-user", "--mount")
PATIENCE = 280.0


@cache
def allowed(fuse: bool = False) -> bool:
    """Whether this machine lets a user mount in a name space of its own (and a file system of its own making)."""
    if shutil.which("unshare") is None or (fuse and not Path("/dev/fuse").exists()):
        return False
    probe = "mount -t tmpfs tmpfs /mnt"
    if fuse:
        probe += " && test -r /dev/fuse -a -w /dev/fuse"
    return subprocess.run([*OWN, "sh", "-c", probe], capture_output=True, check=False).returncode == 0


def run_inside(module: str, *words: str) -> dict[str, Any]:
    """What ``python -m module words`` printed as JSON, in mounts of its own."""
    done = subprocess.run(
        [*OWN, sys.executable, "-m", module, *words],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-6_000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def mount(*words: str) -> None:
    """``mount``, inside."""
    subprocess.run(["mount", *words], check=True)
