"""The operating system's locks on open files: they end with whoever holds them.

Never: waiting for a lock, or imports that cost time.
"""

from __future__ import annotations

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def try_lock(descriptor: int) -> bool:
    """Take the exclusive lock of an open file without waiting; it goes when the descriptor is closed.

    Errors: OSError where the file system knows no locks.
    """
    if fcntl is None:
        return _try_lock_bytes(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _try_lock_bytes(descriptor: int) -> bool:
    """The same where whole files cannot be locked: one byte, far behind all that anybody writes."""
    import msvcrt
    import os

    at = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return False
    finally:
        os.lseek(descriptor, at, os.SEEK_SET)
    return True


_FAR = 1 << 30
