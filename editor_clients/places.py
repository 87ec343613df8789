"""One name in one opened folder: the system calls that change the disk, relative to the folder's descriptor.

Never: following a symbolic link, or building a path as text once a folder is open. Whoever swaps a folder for
a link after the walk reached it changes nothing about where these calls land.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Callable
from functools import cache
from types import TracebackType
from typing import Self

STAGE_PREFIX = ".coeditor-"
"""How the names of staged files and backups begin."""
_FOLDER_FLAGS = getattr(os, "O_PATH", os.O_RDONLY)
for _flag in ("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC"):  # the server does not start where they are missing
    _FOLDER_FLAGS |= getattr(os, _flag, 0)
_NO_SUCH_CALL = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP)
_NO_HARD_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)
_RENAME_NOREPLACE = 1
_START_WRITING = 2


class Place:
    """A name below an open folder; closes the folder when left."""

    __slots__ = ("folder", "name", "path")

    def __init__(self, folder: int, name: str, path: str) -> None:
        self.folder = folder
        """Descriptor of the open folder."""
        self.name = name
        """One path component."""
        self.path = path
        """The whole canonical path, for messages only."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder; further calls fail."""
        if self.folder >= 0:
            os.close(self.folder)
            self.folder = -1

    def sibling(self, name: str) -> Place:
        """Another name in the same folder, with a descriptor of its own."""
        return Place(os.dup(self.folder), name, os.path.join(os.path.dirname(self.path), name))

    def status(self) -> os.stat_result | None:
        """What the name itself is (a link is a link); None when nothing is there."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self, flags: int, mode: int = 0o600) -> int:
        """A descriptor of the file; a link in its place is ELOOP, and no FIFO or terminal makes it wait."""
        extra = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
        return os.open(self.name, flags | extra, mode, dir_fd=self.folder)

    def read_link(self) -> str:
        """The text of the symbolic link."""
        return os.readlink(self.name, dir_fd=self.folder)

    def make_link(self, text: str) -> None:
        """Make the name a symbolic link; EEXIST when it is taken."""
        os.symlink(text, self.name, dir_fd=self.folder)

    def unlink(self) -> None:
        """Remove the name; nothing there is fine."""
        try:
            os.unlink(self.name, dir_fd=self.folder)
        except OSError:
            if self.status() is not None:  # a read-only file system refuses before it looks
                raise

    def hard_link_to(self, other: Place) -> None:
        """Give the same file the name ``other`` as well; EEXIST when that is taken."""
        os.link(self.name, other.name, src_dir_fd=self.folder, dst_dir_fd=other.folder, follow_symlinks=False)

    def replace(self, other: Place) -> None:
        """Take the name ``other`` in one step, whatever it names now."""
        os.rename(self.name, other.name, src_dir_fd=self.folder, dst_dir_fd=other.folder)

    def rename_new(self, other: Place) -> None:
        """Take the name ``other`` in one step, if nothing has it; else EEXIST and nothing happened."""
        rename = _rename_exclusive()
        if rename is not None:
            try:
                rename(self, other)
            except OSError as error:
                if error.errno not in _NO_SUCH_CALL:
                    raise
            else:
                return
        self._rename_new_by_link(other)

    def _rename_new_by_link(self, other: Place) -> None:
        try:
            self.hard_link_to(other)
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
        else:
            self.unlink()
            return
        # No exclusive rename and no hard links (some network and USB file systems): an empty file of our own
        # holds the name, so that a file of somebody else can never be the one that is replaced.
        os.close(other.open(os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        try:
            self.replace(other)
        except OSError:
            other.unlink()
            raise

    def make_folder(self) -> None:
        """Make the name a folder; EEXIST when it is taken."""
        os.mkdir(self.name, 0o777, dir_fd=self.folder)

    def remove_folder(self) -> None:
        """Remove the folder if it is empty; one that is not, or is not there, stays as it is."""
        try:
            os.rmdir(self.name, dir_fd=self.folder)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                return
            if self.status() is not None:
                raise

    def sync_folder(self) -> None:
        """Names made, taken and removed in the folder so far survive a power cut."""
        try:
            folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.folder)
        except PermissionError:
            return  # a folder that may be searched but not listed cannot be opened for this
        try:
            sync(folder)
        finally:
            os.close(folder)


def sync(descriptor: int) -> None:
    """Flush to the disk; a file system that has nothing to flush is fine."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise


def start_writing(descriptor: int) -> bool:
    """Let the system begin to write the file to the disk; False where it cannot be asked to. ``sync`` waits for it
    and tells of errors: of many files that were begun together it waits for about as long as for one.
    """
    begin = _begin_writing()
    return begin is not None and begin(descriptor, 0, 0, _START_WRITING) == 0


def open_folder(path: str) -> int:
    """Open a folder by its canonical path; its last component must not be a link."""
    return os.open(path, _FOLDER_FLAGS)


def open_subfolder(folder: int, name: str) -> int:
    """Open a folder inside an open one; a link there is ENOTDIR or ELOOP."""
    return os.open(name, _FOLDER_FLAGS, dir_fd=folder)


def is_link(status: os.stat_result | None) -> bool:
    """Whether the name is a symbolic link."""
    return status is not None and stat.S_ISLNK(status.st_mode)


@cache
def _begin_writing() -> Callable[[int, int, int, int], int] | None:
    """The platform's call for it; None where there is none."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        call = ctypes.CDLL(None).sync_file_range
    except (OSError, AttributeError):
        return None
    call.argtypes = (ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint)
    call.restype = ctypes.c_int
    return call


@cache
def _rename_exclusive() -> Callable[[Place, Place], None] | None:
    """The platform's rename that refuses to replace; None where there is none."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return None
    call.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)

    def rename(source: Place, target: Place) -> None:
        names = os.fsencode(source.name), os.fsencode(target.name)
        if call(source.folder, names[0], target.folder, names[1], _RENAME_NOREPLACE) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), source.path, None, target.path)

    return rename
