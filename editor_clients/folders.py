"""Folders that were made for a file, and go with it.

Never: a folder that holds anything, or one outside the workspace.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from editor_clients.walls import Walls
from ledger.errors import CoeditorError


def missing_folders(path: str) -> tuple[str, ...]:
    """The folders above ``path`` that are not there, outermost first."""
    found: list[str] = []
    folder = os.path.dirname(path)
    while folder and not os.path.lexists(folder):
        found.append(folder)
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return tuple(reversed(found))


def remove_empty(walls: Walls, folders: Iterable[str]) -> list[str]:
    """Remove those of ``folders`` that are empty now, innermost first; gives them."""
    found = []
    for folder in sorted(set(folders), key=len, reverse=True):
        with suppress(OSError, CoeditorError):
            walls.check(folder, write=True)
            if walls.root_of(folder) == folder:
                continue
            os.rmdir(folder)
            found.append(folder)
    return found
