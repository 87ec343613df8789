"""How much memory a process group uses.

Never: a guess; where the system does not tell, there is no figure.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")


def memory_of(group: int) -> int | None:
    """Bytes of memory that the processes of ``group`` hold; None where the system does not tell (Linux does)."""
    if not _PROC.is_dir():
        return None
    page = os.sysconf("SC_PAGE_SIZE")
    total = 0
    for folder in os.listdir(_PROC):
        if folder.isdecimal():
            with suppress(OSError, ValueError, IndexError):  # it ended meanwhile
                fields = (_PROC / folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
                # After the name: state, parent, group, ...; the 22nd is the resident set, in pages.
                if int(fields[2]) == group:
                    total += int(fields[21]) * page
    return total
