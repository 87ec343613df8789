"""Where files may be read and written: inside the workspace's folders, and not below what is protected.

A path is judged by where it really is: the real path of its nearest existing ancestor plus the missing rest.
It is judged again at the moment of the write, when every folder below the root is opened without following
links, so that a link swapped in between cannot lead out.

Never: asking a person, or reading a file's content.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from contextlib import suppress

from editor_clients.disk_errors import denied, disk_error, through_file
from editor_clients.patterns import Patterns
from editor_clients.places import Place, open_folder, open_subfolder
from editor_clients.spelling import folds_case, true_spelling
from ledger.errors import Code, CoeditorError

_LOOKS = 10
"""At a path whose links are being swapped."""
_O_PATH = getattr(os, "O_PATH", 0) if os.path.isdir("/proc/self/fd") else 0
_REMEMBERED = 10_000


class Walls:
    """The folders that are open to us, and the patterns that are not.

    ``roots``: workspace folders, absolute. ``state_folders``: our own state, closed to everyone.
    ``protected`` and ``ask_first`` (for writes) and ``forbidden`` (for reads too) are gitignore patterns
    relative to their root, outside of all roots to the file system's; everything at or below a ``.git`` is always
    protected. ``everywhere``: what no root holds is open as well, to whom names it; it is not listed.
    """

    def __init__(
        self,
        roots: Sequence[str],
        *,
        state_folders: Sequence[str] = (),
        protected: Sequence[str] = (),
        forbidden: Sequence[str] = (),
        ask_first: Sequence[str] = (),
        everywhere: bool = False,
    ) -> None:
        self._everywhere = everywhere
        self.roots = tuple(dict.fromkeys(os.path.realpath(root) for root in roots))
        """Canonical."""
        self._state = tuple(os.path.realpath(folder) for folder in state_folders)
        self._protected = Patterns(protected)
        self._forbidden = Patterns(forbidden)
        self._ask_first = Patterns(ask_first)
        self._folding = {root: folds_case(root) for root in self.roots}
        self._admitted: set[str] = set()
        self._passed: set[tuple[str, bool, bool]] = set()
        """What was judged and let through; a judgement hangs on nothing but the path and the settings."""
        self._marks: dict[str, tuple[int, int]] = {}
        """Device and number of each root, as it was seen last."""

    def canonical(self, path: str) -> str:
        """The one spelling of the file's identity. ``path`` is absolute.

        Errors: INVALID_ARGUMENT (relative, or not a path), FS_NOT_FOUND (runs through a file), FS_IO (loop of
        links).
        """
        real = self._real(path)
        _probe(real, path)
        return real

    def check(self, path: str, *, write: bool) -> str:
        """The canonical path, if it may be read (or written).

        Errors: FS_DENIED with ``data.rule``, and those of `canonical`.
        """
        real = self._real(path)
        self._judge(path, real, write=write)
        self._judge(path, os.path.normpath(path), write=write, spelled=True)
        _probe(real, path)
        return real

    def check_entry(self, path: str) -> str:
        """The canonical path of the name itself, which may be a link, for a delete or the source of a move.

        Errors: as `check` for a write.
        """
        real = self._real_entry(path)
        self._judge(path, real, write=True)
        self._judge(path, os.path.normpath(path), write=True, spelled=True)
        _probe(real, path)
        return real

    def judge(self, path: str, canonical: str, *, write: bool) -> None:
        """The same as ``check`` for a path that was resolved to ``canonical`` a moment ago; it is checked again
        when it is read or written.

        Errors: FS_DENIED with ``data.rule``.
        """
        self._judge(path, canonical, write=write)
        self._judge(path, os.path.normpath(path), write=write, spelled=True)

    def ask_first_pattern(self, path: str, canonical: str) -> str | None:
        """The pattern that wants a person's consent before a write to ``path``, which is ``canonical``; None when
        none does.
        """
        return self._match(self._ask_first, canonical) or self._match(self._ask_first, os.path.normpath(path))

    def admit(self, canonical: str) -> None:
        """Open one file outside of the folders, since a person agreed; what is protected stays so."""
        self._admitted.add(canonical)
        self._passed.clear()

    def may_admit(self, canonical: str) -> bool:
        """Whether a person could open this path: a file, or a name for one, that is nobody's protected data."""
        closed = any(_below(canonical, folder) is not None for folder in self._state)
        in_git = any(part.casefold() == ".git" for part in canonical.split(os.sep))
        is_name = os.path.isdir(os.path.dirname(canonical)) and not os.path.isdir(canonical)
        return is_name and not closed and not in_git

    def is_outside(self, canonical: str) -> bool:
        """Whether no workspace folder holds the path, admitted or not."""
        return all(_below(canonical, root) is None for root in self.roots)

    def may_list(self, canonical: str) -> bool:
        """Whether a file may be named to anyone; of a folder (a slash behind): whether anything below may."""
        if self.is_outside(canonical):
            return False
        if any(_below(canonical.rstrip(os.sep), folder) is not None for folder in self._state):
            return False
        return self._match(self._forbidden, canonical) is None

    def root_of(self, canonical: str) -> str | None:
        """The innermost workspace folder that holds the path, or the folder of a file that was admitted."""
        holding = [root for root in self.roots if _below(canonical, root) is not None]
        if not holding and canonical in self._admitted:
            return os.path.dirname(canonical)
        if not holding and self._everywhere:
            return os.sep
        return max(holding, key=len, default=None)

    def is_link(self, path: str) -> bool:
        """Whether the last part of ``path`` is a symbolic link (also one that leads nowhere)."""
        return os.path.islink(path)

    def open_entry(self, canonical: str) -> Place:
        """The name of ``canonical`` in its opened folder, reached from the root without following any link.

        Errors: FS_DENIED (outside, or a link was put in the way), FS_NOT_FOUND, FS_IO.
        """
        root = self.root_of(canonical)
        inside = None if root is None else _below(canonical, root)
        if root is None or not inside:
            raise denied(canonical, "workspace", "is outside the workspace.")
        *folders, name = inside.split(os.sep)
        try:
            return Place(_walk(root, folders), name, canonical)
        except OSError as error:
            if error.errno not in (errno.ENOTDIR, errno.ELOOP):
                raise disk_error(error, canonical, doing="reach") from error
            if _realpath(canonical) != canonical:
                raise denied(canonical, "workspace", "now leads somewhere else; read it again.") from error
            raise through_file(canonical) from error

    def open_plain(self, path: str) -> Place | None:
        """``check`` for a read and ``open_entry`` in one, where ``path`` is canonical and no link is on its way.

        None where that cannot be told so simply. Errors: FS_DENIED, as ``check``.
        """
        root = self.root_of(path)
        inside = None if root is None else _below(path, root)
        if root is None or not inside or any(self._folding.values()) or os.path.normpath(path) != path:
            return None
        self._judge(path, path, write=False)
        *folders, name = inside.split(os.sep)
        try:
            here = open_folder(root)
        except OSError:
            return None
        try:
            if not self._is_same_root(root, here):
                os.close(here)
                return None
            for folder in folders:
                below = open_subfolder(here, folder)
                os.close(here)
                here = below
        except OSError:
            os.close(here)
            return None
        return Place(here, name, path)

    def _is_same_root(self, root: str, opened: int) -> bool:
        """Whether the opened folder is the one that ``root`` was when it was canonical."""
        status = os.fstat(opened)
        mark = (status.st_dev, status.st_ino)
        if self._marks.get(root) != mark:
            if os.path.realpath(root) != root:
                return False
            self._marks[root] = mark
        return True

    def _real(self, path: str) -> str:
        try:
            real = _realpath(_absolute(path))
        except (ValueError, UnicodeError) as error:
            raise _no_path(path) from error
        return self._spelled_truly(real)

    def _real_entry(self, path: str) -> str:
        parent, name = os.path.split(_absolute(path).rstrip(os.sep) or os.sep)
        if name in ("", os.curdir, os.pardir):
            return self._real(path)
        return self._spelled_truly(os.path.join(_realpath(parent), name))

    def _spelled_truly(self, real: str) -> str:
        for root, folding in self._folding.items():
            if folding and real.casefold().startswith(root.casefold() + os.sep):
                return true_spelling(root, real)
        return real

    def _match(self, patterns: Patterns, path: str) -> str | None:
        """The pattern that means ``path``, seen from any root that holds it, else from the file system's."""
        inside = [below for root in self.roots if (below := _below(path, root)) is not None]
        inside = inside or [path.lstrip(os.sep)]
        found = (patterns.match(one.replace(os.sep, "/")) for one in inside if one)
        return next((one for one in found if one is not None), None)

    def _judge(self, path: str, place: str, *, write: bool, spelled: bool = False) -> None:
        key = (place, write, spelled)
        if key in self._passed:
            return
        self._refuse(path, place, write=write, spelled=spelled)
        if len(self._passed) >= _REMEMBERED:
            self._passed.clear()
        self._passed.add(key)

    def _refuse(self, path: str, place: str, *, write: bool, spelled: bool) -> None:
        root = self.root_of(place)
        if root is None:
            if spelled:
                return  # the canonical path decides containment; a spelling may come in from outside
            raise denied(path, "workspace", "is outside the workspace; only files inside it can be used.")
        if any(_below(place, folder) is not None for folder in self._state):
            raise denied(path, "protected:state", "belongs to Coeditor's own state.")
        found = self._match(self._forbidden, place)
        if found is not None:
            raise denied(path, f"protected:{found}", "is closed by the settings (forbidden).")
        if not write:
            return
        inside = place if self.is_outside(place) else _below(place, root) or ""
        if any(part.casefold() == ".git" for part in inside.split(os.sep)):
            raise denied(path, "protected:.git", "is part of the git repository's own data; use git instead.")
        found = self._match(self._protected, place)
        if found is not None:
            raise denied(path, f"protected:{found}", "is protected by the settings; it can only be read.")


def _below(path: str, folder: str) -> str | None:
    """The part of ``path`` inside ``folder``, empty for the folder itself; None outside. Both are normal."""
    if path == folder:
        return ""
    start = folder if folder.endswith(os.sep) else folder + os.sep
    return path[len(start) :] if path.startswith(start) else None


def _realpath(path: str) -> str:
    """The real path; looked for again when a link goes while it is followed. Errors: FS_DENIED, ValueError."""
    for _ in range(_LOOKS):
        with suppress(OSError):
            return _asked_of_the_system(path) or os.path.realpath(path)
    raise denied(path, "workspace", "leads somewhere else at every look; try again when it stands still.")


def _asked_of_the_system(path: str) -> str | None:
    """The real path of what is there, as Linux tells it in three calls; None where it cannot."""
    if _O_PATH == 0:
        return None
    try:
        handle = os.open(path, _O_PATH | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = os.readlink(f"/proc/self/fd/{handle}")
    except OSError:
        return None
    finally:
        os.close(handle)
    # What is gone, or in another root, is told in words; a file may also be named like that.
    return found if found.startswith(os.sep) and not found.endswith(" (deleted)") else None


def _absolute(path: str) -> str:
    if "\0" in path or not os.path.isabs(path):
        raise _no_path(path)
    return path


def _no_path(path: str) -> CoeditorError:
    shown = path.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\0")
    return CoeditorError(Code.INVALID_ARGUMENT, f"{shown!r} is not an absolute path.")


def _probe(real: str, path: str) -> None:
    """Tell a missing file from a path that can never be one."""
    try:
        status = os.lstat(real)
    except FileNotFoundError:
        return
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG):
            raise disk_error(error, path, doing="reach") from error
        return  # a folder that may not be searched says so when the file is opened
    if stat.S_ISLNK(status.st_mode) and _realpath(real) == real:
        raise disk_error(OSError(errno.ELOOP, os.strerror(errno.ELOOP)), path, doing="reach")


def _walk(root: str, folders: Sequence[str]) -> int:
    """A descriptor of the folder below ``root``."""
    here = open_folder(root)
    for name in folders:
        try:
            below = open_subfolder(here, name)
        finally:
            os.close(here)
        here = below
    return here
