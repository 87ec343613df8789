"""Copies of unsaved texts, for agents whose reads can be pointed at another file.

They lie in our run-time folder, private to this user, and go when a newer one of the same file is made, or when the
server ends.

Never: a copy in the workspace.
"""

from __future__ import annotations

import os
import shutil
from collections import OrderedDict
from contextlib import suppress
from hashlib import blake2b

from editor_clients.encoding import encode
from editor_clients.port import CurrentText
from ledger.types import TargetKey, VersionToken
from lsp_server.paths import make_private

MOST = 100


class Copies:
    """Where each copy is of."""

    def __init__(self, folder: str) -> None:
        """``folder`` is made when it is needed."""
        self._folder = folder
        self._of: OrderedDict[str, tuple[TargetKey, VersionToken, str]] = OrderedDict()

    def make(self, target: TargetKey, spelled: str, current: CurrentText) -> str:
        """The path of a file that holds the current text. Errors: OSError, NO_SERVER, FS_ENCODING."""
        name = blake2b(f"{target}\0{current.token}".encode(), digest_size=8).hexdigest()
        folder = os.path.join(make_private(self._folder), name)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, os.path.basename(target) or "text")
        data = encode(current.text, "utf-8")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        for older in [each for each, (of, _, _) in self._of.items() if of == target and each != path]:
            self._drop(older)
        self._of[path] = (target, current.token, spelled)
        while len(self._of) > MOST:
            self._drop(next(iter(self._of)))
        return path

    def of(self, path: str) -> tuple[TargetKey, VersionToken, str] | None:
        """The target that a copy is of, the text in it, and how its path was spelled."""
        return self._of.get(path)

    def is_ours(self, path: str) -> bool:
        """Whether the path is in the folder of copies, also of those that are gone."""
        return path.startswith(self._folder + os.sep)

    def clear(self) -> None:
        """Remove all."""
        self._of.clear()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _drop(self, path: str) -> None:
        self._of.pop(path, None)
        with suppress(OSError):
            os.unlink(path)
            os.rmdir(os.path.dirname(path))
