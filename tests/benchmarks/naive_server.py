"""The least that edits files over MCP in Python: what language and transport cost by themselves.

With ``--flushed`` it flushes the old text in a journal, the staged file and, after the rename, the folder, and reads
the file once more: what no edit that outlives a power cut can be without.
Never: a ledger, a lock, or a way back. Nobody should use it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from mcp.server import MCPServer

server = MCPServer("naive")
root = Path(sys.argv[1]).resolve()
flushed = "--flushed" in sys.argv[2:]


def inside(path: str) -> Path:
    """The real path. Errors: ValueError outside the folder."""
    found = (root / path).resolve()
    if not found.is_relative_to(root):
        raise ValueError("outside the folder")
    return found


def flush(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


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
    if flushed:
        journal = place.with_name(f".{place.name}.before")
        journal.write_bytes(data)
        flush(journal)
    handle, staged = tempfile.mkstemp(dir=place.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data[:at])
        file.write(new.encode())
        file.write(data[at + len(wanted) :])
        if flushed:
            file.flush()
            os.fsync(file.fileno())
    os.chmod(staged, place.stat().st_mode & 0o7777)
    os.replace(staged, place)
    if flushed:
        flush(place.parent)
        place.read_bytes()
        journal.unlink()
    line = data.count(b"\n", 0, at) + 1
    return f"@@ -{line} +{line} @@\n-{old}\n+{new}\n"


if __name__ == "__main__":
    server.run("stdio")
