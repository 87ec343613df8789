"""How much memory a process group uses is seen, its children included."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from editor_clients.footprint import memory_of

needs_proc = pytest.mark.skipif(not Path("/proc").is_dir(), reason="the system has no /proc")


@needs_proc
def test_a_group_is_counted_with_its_children() -> None:
    grow = "import sys; held = bytearray(64 << 20); print(flush=True); sys.stdin.read()"
    parent = f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {grow!r}]))"
    with subprocess.Popen(
        [sys.executable, "-c", parent],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        used = memory_of(process.pid)
        assert used is not None
        assert used > 64 << 20
        process.communicate(b"")


@needs_proc
def test_a_group_that_is_not_there_uses_nothing() -> None:
    assert memory_of(2**31 - 2) == 0
    own = memory_of(os.getpgrp())
    assert own is not None
    assert own > 0
