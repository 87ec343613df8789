"""The least that edits files over MCP in Python: what language and transport cost by themselves.

Never: a ledger, a journal, a lock or a flush to the disk. Nobody should use it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from mcp.server import MCPServer

server = MCPServer("naive")
root = Path(sys.argv[1]).resolve()


def inside(path: str) -> Path:
    """The real path. Errors: ValueError outside the folder."""
    found = (root / path).resolve()
    if not found.is_relative_to(root):
        raise ValueError("outside the folder")
    return found


@server.tool(structured_output=False)
def read(path: str) -> str:
    """The text of a file."""
    with open(inside(path), encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read()


@server.tool(structured_output=False)
def edit(path: str, old: str, new: str) -> str:
    """Replace the only place that has ``old``."""
    place = inside(path)
    data = place.read_bytes()
    wanted = old.encode()
    at = data.find(wanted)
    if at < 0 or data.find(wanted, at + 1) >= 0:
        raise ValueError("not there" if at < 0 else "there more than once")
    handle, staged = tempfile.mkstemp(dir=place.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data[:at])
        file.write(new.encode())
        file.write(data[at + len(wanted) :])
    os.chmod(staged, place.stat().st_mode & 0o7777)
    os.replace(staged, place)
    line = data.count(b"\n", 0, at) + 1
    return f"@@ -{line} +{line} @@\n-{old}\n+{new}\n"


if __name__ == "__main__":
    server.run("stdio")
