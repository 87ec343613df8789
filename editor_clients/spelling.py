"""How a file system that folds letter case or Unicode forms spells a name.

Never: guessing from the platform; the file system itself is asked.
"""

from __future__ import annotations

import os


def folds_case(folder: str) -> bool:
    """Whether ``folder``, or where its name has no letter something in it, is found under another case as well."""
    parent, name = os.path.split(folder)
    try:
        if name.swapcase() == name:
            with os.scandir(folder) as entries:
                name = next((entry.name for entry in entries if entry.name.swapcase() != entry.name), name)
            parent = folder
        if name.swapcase() == name:
            return False
        paths = (os.path.join(parent, spelled) for spelled in (name, name.swapcase()))
        return os.path.samestat(*(os.stat(path) for path in paths))
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
