"""Being somebody else than root for a moment, where the tests run as root.

Never: used by the product.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65_534


@contextmanager
def plain_user(*folders: Path) -> Iterator[None]:
    """Permissions count inside the block; ``folders`` belong to whoever it is then."""
    if os.geteuid() != 0:
        yield
        return
    for folder in folders:
        os.chown(folder, NOBODY, NOBODY)
        for parent in folder.parents:
            if parent.stat().st_uid == 0 and parent.stat().st_mode & 0o011 == 0:
                parent.chmod(parent.stat().st_mode | 0o011)
    groups = os.getgroups()
    os.setgroups([])
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)
