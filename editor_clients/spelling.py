"""How a file system that folds letter case or Unicode forms spells a name.

Never: guessing from the platform; the file system itself is asked.
"""

from __future__ import annotations

import os


def folds_case(folder: str) -> bool:
    """Whether ``folder`` is found under a differently cased name as well."""
    parent, name = os.path.split(folder)
    other = name.swapcase()
    if other == name:
        return False
    try:
        return os.path.samestat(os.stat(folder), os.stat(os.path.join(parent, other)))
    except OSError:
        return False


def true_spelling(root: str, path: str) -> str:
    """``path``, below ``root``, with every existing part spelled as its folder lists it."""
    here = root
    parts = path[len(root) :].strip(os.sep).split(os.sep)
    for position, part in enumerate(parts):
        listed = _listed(here, part)
        if listed is None:
            return os.path.join(here, *parts[position:])
        here = os.path.join(here, listed)
    return here


def _listed(folder: str, name: str) -> str | None:
    try:
        wanted = os.lstat(os.path.join(folder, name))
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.inode() == wanted.st_ino]
    except OSError:
        return None
    if name in names:
        return name
    folded = [other for other in names if other.casefold() == name.casefold()]
    return next(iter(folded or names), None)
