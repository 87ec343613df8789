"""One server per workspace folder: who owns it, and how the others find out.

::

    owner.lock    held as long as the owner lives, whatever kills it
    heir.lock     held by an editor's server that waits for a headless owner to give way
    start.lock    held by whoever is starting a headless server, so that ten do not start ten
    editor.lost   an editor's server was found dead: it may come back (``editor_returns``)
    server.json   where the owner listens; worth nothing without the lock
    token         what a client must show, fresh with each owner

A lock file that was removed or replaced under its holder counts as lost (``Owner.holds``). Never: a protocol,
or imports that cost time.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress

from lsp_server.platforms import take_lock, user_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, Literal, Self

    from lsp_server.paths import Folder

    Kind = Literal["headless", "editor"]

PROTOCOL: Final = 1
"""Of the socket; a server refuses a client that speaks another."""

EDITOR_RETURNS: Final = 3.0
"""Seconds that a killed server of an editor has to come back before a headless one takes its place."""
STARTS: Final = 30.0
"""Seconds within which a server of an editor's that is starting counts as coming back."""
_STARTING: Final = "starting-"
_RECORD_LIMIT: Final = 1 << 16
"""Bytes of a discovery file that are looked at."""
_PATIENCE: Final = 0.3
"""Seconds for which a lock is tried again: a client that cleans up holds it for a moment."""


class Record:
    """What an owner tells about itself: the discovery file."""

    __slots__ = ("address", "kind", "pid", "protocol", "roots", "version")

    def __init__(
        self, pid: int, kind: Kind, address: str, roots: list[str], version: str, protocol: int = PROTOCOL
    ) -> None:
        self.pid = pid
        self.kind = kind
        self.address = address
        """Path of a Unix socket, or ``127.0.0.1:port``."""
        self.roots = roots
        """Canonical workspace folders; the first is the one whose state the server keeps."""
        self.version = version
        self.protocol = protocol

    def to_json(self) -> str:
        """As it stands in the discovery file; `from_json` reads it."""
        return json.dumps({name: getattr(self, name) for name in self.__slots__}, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self | None:
        """The record in ``text``; None when it is not one."""
        try:
            found: dict[str, Any] = json.loads(text)
            pid, roots = int(found["pid"]), [str(root) for root in found["roots"]]
            if not roots:
                return None
            kind: Kind = "editor" if found["kind"] == "editor" else "headless"
            return cls(pid, kind, str(found["address"]), roots, str(found["version"]), int(found["protocol"]))
        except (ValueError, KeyError, TypeError):
            return None


def read_record(folder: Folder) -> Record | None:
    """What the folder's discovery file says; None when there is none of this user's making."""
    text = _read_own(folder.run("server.json"))
    return None if text is None else Record.from_json(text)


def read_token(folder: Folder) -> str | None:
    """The token that the folder's owner wants to be shown."""
    text = _read_own(folder.run("token"))
    return None if text is None else text.strip()


def discard_stale(folder: Folder) -> bool:
    """Remove what a vanished owner left behind. False, and nothing is touched, while an owner lives."""
    lock = Lock.take(folder.run("owner.lock"), patience=0)
    if lock is None:
        return False
    record = read_record(folder)
    if record is not None and record.kind == "editor":
        with suppress(OSError):
            write_private(folder.run("editor.lost"), f"{record.pid}\n")
    _discard(folder)
    lock.release()
    return True


def editor_returns(folder: Folder) -> bool:
    """Whether an editor's server was found dead a moment ago.

    The editor starts it again, and knows of unsaved text that a headless server would not.
    """
    try:
        age = time.time() - os.stat(folder.run("editor.lost")).st_mtime
    except OSError:
        return False
    return 0 <= age < EDITOR_RETURNS or (0 <= age < STARTS and _is_starting(os.path.dirname(folder.runtime)))


def announce_start(runtime: str) -> str:
    """Tell that an editor's server starts, of which the folders are not known yet; gives what to remove later.

    Errors: OSError.
    """
    path = os.path.join(runtime, f"{_STARTING}{os.getpid()}")
    write_private(path, "")
    return path


def _is_starting(runtime: str) -> bool:
    for name in os.listdir(runtime):
        if name.startswith(_STARTING) and name.removeprefix(_STARTING).isdigit():
            try:
                os.kill(int(name.removeprefix(_STARTING)), 0)
            except ProcessLookupError:
                with suppress(OSError):
                    os.unlink(os.path.join(runtime, name))
            except OSError:
                continue
            else:
                return True
    return False


class Lock:
    """An exclusive lock on a file, between processes; gone with its holder."""

    __slots__ = ("_descriptor", "path")

    def __init__(self, path: str, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor

    @classmethod
    def take(cls, path: str, *, patience: float = _PATIENCE) -> Self | None:
        """The lock, or None when somebody else has it for ``patience`` seconds, or there is no folder."""
        deadline = time.monotonic() + patience
        while True:
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | _NO_FOLLOW, 0o600)
            except OSError:
                return None
            if take_lock(descriptor):
                lock = cls(path, descriptor)
                if lock.holds():
                    return lock
            os.close(descriptor)
            if time.monotonic() >= deadline:
                return None
            time.sleep(0.01)

    def holds(self) -> bool:
        """Whether the path still names the locked file."""
        try:
            there, here = os.stat(self.path), os.fstat(self._descriptor)
        except OSError:
            return False
        return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)

    def release(self) -> None:
        """Afterwards others can take it. May be called twice."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class Owner:
    """The right to serve one workspace folder, from ``claim`` to ``release`` or the process's end."""

    __slots__ = ("_lock", "folder", "token")

    def __init__(self, folder: Folder, lock: Lock, token: str | None = None) -> None:
        self.folder = folder
        self.token = token or os.urandom(32).hex()
        self._lock = lock

    @classmethod
    def claim(cls, folder: Folder, kind: Kind, *, token: str | None = None) -> Self | None:
        """The ownership of ``folder``, whose run-time folder exists; None when somebody has it.

        A headless server also stands back for an editor's server that is waiting. The folders of one server
        share a ``token``.
        """
        heir = None
        if kind == "headless":
            heir = Lock.take(folder.run("heir.lock"))
            if heir is None:
                return None
        lock = Lock.take(folder.run("owner.lock"))
        if heir is not None:
            heir.release()
        if lock is None:
            return None
        _discard(folder)
        with suppress(OSError):
            os.unlink(folder.run("editor.lost"))
        return cls(folder, lock, token)

    def publish(self, record: Record) -> None:
        """Afterwards clients find the server that ``record`` describes. Errors: OSError."""
        write_private(self.folder.run("token"), self.token + "\n")
        write_private(self.folder.run("server.json"), record.to_json())

    def holds(self) -> bool:
        """False when the run-time folder was removed or replaced, so that somebody else may be the owner."""
        return self._lock.holds()

    def withdraw(self) -> None:
        """Afterwards nobody finds this server any more; the folder is still its own. Never raises."""
        if self._lock.holds():
            _discard(self.folder)

    def release(self) -> None:
        """Afterwards the folder is free and nothing points to this server. Never raises."""
        self.withdraw()
        self._lock.release()


def write_private(path: str, text: str) -> None:
    """Replace the file at ``path`` at once; only this user can read it. Errors: OSError."""
    staged = f"{path}.{os.getpid()}"
    descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | _NO_FOLLOW, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(staged, path)


def _read_own(path: str) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | _NO_FOLLOW | _NO_BLOCK)
    except OSError:
        return None
    try:
        if os.fstat(descriptor).st_uid != user_id():
            return None
        return os.read(descriptor, _RECORD_LIMIT).decode("utf-8")
    except (OSError, UnicodeDecodeError):  # a folder, for one
        return None
    finally:
        os.close(descriptor)


def _discard(folder: Folder) -> None:
    """Remove the discovery file first: what it names goes after it."""
    record = read_record(folder)
    names = [folder.run("server.json"), folder.run("token"), folder.run("socket")]
    if record is not None and os.path.isabs(record.address):
        names.append(record.address)
    for name in names:
        try:
            os.unlink(name)
        except OSError:
            continue


_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
_NO_BLOCK: Final = getattr(os, "O_NONBLOCK", 0)
