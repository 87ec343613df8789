"""What differs between operating systems, in one place: locks, who is at the other end, background processes.

Linux is tested; the branches for the others are kept short and are not. Never: imports that cost time.
"""

from __future__ import annotations

import os
import sys

from ledger.errors import Code, CoeditorError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping, MutableMapping, Sequence
    from typing import Final

HAS_UNIX_SOCKETS: Final = sys.platform != "win32"


def user_id() -> int:
    """This process's user; 0 where the system has no numbers."""
    return os.getuid() if sys.platform != "win32" else 0


def take_lock(descriptor: int) -> bool:
    """Take the exclusive lock of an open file without waiting; it goes when the descriptor is closed.

    ``editor_clients.file_locks`` has the same for the locks of targets: the relay loads nothing of that side.
    """
    try:
        import fcntl
    except ImportError:
        return _take_lock_byte(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _take_lock_byte(descriptor: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return False
    return True


def refuse_unsupported() -> None:
    """Errors: NO_SERVER where files cannot be reached folder by folder, without following links."""
    if os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW"):
        return
    raise CoeditorError(
        Code.NO_SERVER,
        f"Coeditor's server does not run on this system ({sys.platform}): it cannot open a file here so that nobody "
        "can put a link in the way. Run it on Linux or macOS; on Windows, inside WSL.",
    )


def peer_user_id(peer: socket.socket) -> int | None:
    """The user at the other end of a connected Unix socket; None where the system does not tell."""
    import socket

    if sys.platform == "linux":
        import struct

        size = struct.calcsize("3i")
        _, user, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
        return int(user)
    return None


def start_detached(command: Sequence[str], env: Mapping[str, str], log: str) -> int:
    """Start a process that outlives this one and its terminal; its output goes to the end of ``log``.

    It inherits no file but that. Gives its process id; ``exit_status`` must be asked once it may have ended.
    Errors: OSError.
    """
    if sys.platform == "win32":
        import subprocess

        with open(log, "ab") as out:
            child = subprocess.Popen(
                command,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                creationflags=subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP,
            )
        return child.pid
    # Not subprocess: its import alone costs more than all else that the relay does before its first answer.
    out = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        actions: list[tuple[int, int] | tuple[int, int, int] | tuple[int, int, str, int, int]] = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, out, 1),
            (os.POSIX_SPAWN_DUP2, out, 2),
        ]
        actions += [(os.POSIX_SPAWN_CLOSE, number) for number in _inherited_descriptors()]
        return os.posix_spawn(command[0], list(command), dict(env), file_actions=actions, setsid=True)
    finally:
        os.close(out)


def with_large_texts(env: Mapping[str, str]) -> dict[str, str]:
    """``env`` for a server of ours: glibc gives each large text its own pages, huge ones where the system has them.

    In the heap, texts that grow from edit to edit leave holes that none of them fits in again. What somebody set
    there themselves stays.
    """
    return {_TUNABLES: _LARGE_TEXTS, **env}


def leave_to_children(env: MutableMapping[str, str]) -> None:
    """Those that this process starts get their own: what ``with_large_texts`` set is taken out of ``env``."""
    if env.get(_TUNABLES) == _LARGE_TEXTS:
        del env[_TUNABLES]


_TUNABLES = "GLIBC_TUNABLES"
_LARGE_TEXTS = "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=8388608"


def exit_status(pid: int) -> int | None:
    """Exit status of a child started here, negative for a signal; None while it runs, 0 if it is not ours."""
    if sys.platform == "win32":
        return None
    try:
        ended, status = os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return 0
    return os.waitstatus_to_exitcode(status) if ended else None


def process_fields(pid: int) -> list[str]:
    """The fields of Linux's process table after the name, which may hold blanks and brackets itself."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def parent_of(pid: int) -> int | None:
    """The process that started ``pid``; None where that cannot be told."""
    fields = process_fields(pid)
    return int(fields[1]) if len(fields) > 1 else None


def _inherited_descriptors() -> list[int]:
    """Open files beyond the standard three that a child would inherit, and so keep open for somebody else."""
    try:
        names = os.listdir("/dev/fd")
    except OSError:
        return []
    found = []
    for name in names:
        try:
            if (number := int(name)) > 2 and os.get_inheritable(number):
                found.append(number)
        except (ValueError, OSError):
            continue  # the listing's own descriptor is closed by now
    return found
