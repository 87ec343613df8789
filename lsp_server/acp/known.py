"""Which session of an agent behind ``coeditor acp`` is which of ours: one small file for each.

Never: an error; a session that cannot be remembered is a new one when it comes back.
"""

from __future__ import annotations

import os

from ledger.errors import CoeditorError
from lsp_server import paths


def known_name(told: str) -> str | None:
    """What a session of the protocol was called by us when it began."""
    try:
        # Few people have an editor run their agents, and each hook asks.
        if not os.path.isdir(_folder()):
            return None
        with open(_place(told), encoding="ascii") as file:
            return file.read(200) or None
    except (OSError, ValueError, CoeditorError):
        return None


def keep_name(told: str, name: str) -> None:
    """From now on the session that the protocol calls ``told`` is known by ``name``."""
    try:
        os.makedirs(_folder(), mode=0o700, exist_ok=True)
        path = os.open(_place(told), os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        with open(path, "w", encoding="ascii") as file:
            file.write(name)
    except (OSError, CoeditorError):
        return


def _folder() -> str:
    return os.path.join(paths.state_home(), "acp")


def _place(told: str) -> str:
    from hashlib import blake2b

    return os.path.join(_folder(), blake2b(told.encode("utf-8", "replace")).hexdigest()[:32])
