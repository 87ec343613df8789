"""Where our own files live: state that lasts, and the run-time folder in which processes find each other.

Everything follows from the environment and the workspace folder's canonical path. Never: a path inside the
workspace, or an import that costs time (the relay and the hook start from here).

::

    <state>/coeditor/folders/<key>/ledger.db, transactions/      what was seen and done
    <state>/coeditor/logs/<key>.log                              what a server said on standard error
    <runtime>/coeditor/<key>/owner.lock, server.json, socket, token, ...

``<key>`` names the workspace folder. ``<runtime>`` does not hang on variables that agents scrub from their
children's environment, where that can be helped: one user's agents and editors must come to the same place. An
editor tells its terminals both folders of its server (``STATE_VARIABLE``, ``RUNTIME_VARIABLE``), which win.
"""

from __future__ import annotations

import os
import stat

try:
    # hashlib has the same one, and loads OpenSSL first, for which every hook would wait
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

from ledger.errors import Code, CoeditorError
from lsp_server.platforms import user_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Final

STATE_VARIABLE: Final = "COEDITOR_STATE_DIR"
RUNTIME_VARIABLE: Final = "COEDITOR_RUNTIME_DIR"
OTHER_FOLDERS: Final = (
    f"See to it that you can write there, or name other folders: {STATE_VARIABLE}, {RUNTIME_VARIABLE}."
)
SOCKET_PATH_LIMIT: Final = 100
"""Bytes of a socket's path; the smallest limit of the systems we know is 104 with its terminator."""


class Folder:
    """The places that belong to one workspace folder. Making one touches nothing; see ``make``."""

    __slots__ = ("key", "ledger", "log", "root", "runtime", "state", "transactions")

    def __init__(self, root: str, state_home: str, runtime_home: str) -> None:
        self.root = root
        """Canonical path of the workspace folder."""
        self.key = blake2b(os.fsencode(root), digest_size=10).hexdigest()
        self.state = os.path.join(state_home, "folders", self.key)
        self.ledger = os.path.join(self.state, "ledger.db")
        self.transactions = os.path.join(self.state, "transactions")
        self.log = os.path.join(state_home, "logs", self.key + ".log")
        self.runtime = os.path.join(runtime_home, self.key)

    def run(self, name: str) -> str:
        """Path of one file in the run-time folder."""
        return os.path.join(self.runtime, name)

    def make(self) -> None:
        """Afterwards the folders are there, private to this user. Errors: NO_SERVER."""
        folders = os.path.dirname(self.state)
        logs = os.path.dirname(self.log)
        home = os.path.dirname(logs)
        for path in (home, folders, self.state, self.transactions, logs, self.runtime):
            make_private(path)


def folder_of(root: str, env: Mapping[str, str] | None = None) -> Folder:
    """The places of the workspace folder ``root`` (canonical). Errors: NO_SERVER."""
    return Folder(root, state_home(env), runtime_home(env))


def canonical(path: str) -> str:
    """The real path, absolute."""
    return os.path.realpath(path)


def workspace_root(cwd: str) -> str:
    """The folder that a headless server takes for ``cwd``: the git top level at or above it, else itself."""
    here = canonical(cwd)
    return next((path for path in upwards(here) if os.path.lexists(os.path.join(path, ".git"))), here)


def upwards(path: str) -> Iterator[str]:
    """``path`` and every folder above it, deepest first."""
    while True:
        yield path
        above = os.path.dirname(path)
        if above == path:
            return
        path = above


def state_home(env: Mapping[str, str] | None = None) -> str:
    """Our folder for what lasts."""
    values = os.environ if env is None else env
    told = values.get(STATE_VARIABLE, "")
    if os.path.isabs(told):
        return told
    found = values.get("XDG_STATE_HOME", "")
    if not os.path.isabs(found):
        found = os.path.join(_home(env), ".local", "state")
    return os.path.join(found, "coeditor")


def runtime_home(env: Mapping[str, str] | None = None) -> str:
    """Our folder for locks and sockets, made if need be, private to this user. Errors: NO_SERVER.

    The first of these that is this user's own: what an editor told; ``XDG_RUNTIME_DIR``; the place that the system
    gives it, also when the variable was scrubbed; a folder in the system's temporary folder (not ``TMPDIR``, which
    differs between a user's processes).
    """
    values = os.environ if env is None else env
    told = values.get(RUNTIME_VARIABLE, "")
    if os.path.isabs(told) and _is_ours(told):
        return make_private(told)
    given = values.get("XDG_RUNTIME_DIR", "")
    for base in (given, f"/run/user/{user_id()}"):
        if os.path.isabs(base) and _is_ours(base):
            return make_private(os.path.join(base, "coeditor"))
    return make_private(os.path.join(_system_temp(env), f"coeditor-{user_id()}"))


def socket_path(folder: Folder) -> str:
    """Where the folder's socket goes: beside its lock, else, where that is too long, in the temporary folder.

    Errors: NO_SERVER.
    """
    near = folder.run("socket")
    if len(os.fsencode(near)) <= SOCKET_PATH_LIMIT:
        return near
    name = blake2b(os.fsencode(folder.runtime), digest_size=10).hexdigest()
    return os.path.join(make_private(os.path.join("/tmp", f"coeditor-{user_id()}")), name)


def make_private(path: str) -> str:
    """Afterwards ``path`` is a folder of this user that nobody else can enter. Errors: NO_SERVER."""
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        found = os.lstat(path)
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != user_id():
            raise CoeditorError(
                Code.NO_SERVER,
                f"{path} is not a folder of this user, so no server can be reached through it; remove it, "
                "or set XDG_RUNTIME_DIR to a private folder.",
            )
        if stat.S_IMODE(found.st_mode) & 0o077:
            os.chmod(path, 0o700)
    except OSError as error:
        why = f"{path} cannot be made or made private: {error.strerror}. {OTHER_FOLDERS}"
        raise CoeditorError(Code.NO_SERVER, why) from error
    return path


def _is_ours(path: str) -> bool:
    try:
        found = os.stat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == user_id()


def _home(env: Mapping[str, str] | None) -> str:
    return (os.environ if env is None else env).get("HOME") or os.path.expanduser("~")


def _system_temp(env: Mapping[str, str] | None) -> str:
    if os.name == "posix":
        return "/tmp"
    values = os.environ if env is None else env
    return values.get("LOCALAPPDATA") or values.get("TEMP") or _home(env)
