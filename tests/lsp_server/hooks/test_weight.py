"""What an agent waits for at every call is small."""

from __future__ import annotations

import subprocess
import sys

import pytest

from lsp_server.hooks.dialects import DIALECTS

HEAVY = {
    "asyncio",
    "dataclasses",
    "subprocess",
    "hashlib",
    "typing",
    "argparse",
    "logging",
    "tomllib",
    "orjson",
}


@pytest.mark.parametrize("name", DIALECTS)
def test_a_hook_imports_little(name: str) -> None:
    program = (
        "import sys; known = set(sys.modules); import lsp_server.agents.hooking; "
        f"from lsp_server.hooks.dialects import dialect; dialect({name!r}); print(*set(sys.modules) - known)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=100
    )
    assert not HEAVY & set(done.stdout.split())
