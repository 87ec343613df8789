"""From what a caller wrote, a path, a relative path or a URI, to the one target that it means.

Never: opening a file, or deciding whether it may be touched (``editor_clients.walls`` does).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from ledger.errors import Code, CoeditorError
from ledger.types import TargetKey

_DRIVE = re.compile(r"^/[A-Za-z]:(/|$)")
_ELSEWHERE = re.compile(r"(?:[A-Za-z]:\\|\\\\|//wsl(?:\$|\.localhost)/)", re.IGNORECASE)
"""Paths as Windows has them, which on another system would be odd names of files in the current folder."""
_OTHER_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True, slots=True)
class Target:
    """One file: its identity, and how the caller spelled it."""

    key: TargetKey
    path: str
    """Absolute, symlinks not resolved; what results show."""


class Targets:
    """Resolves spellings against the workspace folders."""

    def __init__(self, roots: Sequence[str], canonical: Callable[[str], str]) -> None:
        """``roots`` are canonical absolute folders; ``canonical`` resolves links of the part that exists."""
        self.roots = tuple(roots)
        self._canonical = canonical

    def resolve(self, spelled: str, cwd: str | None = None) -> Target:
        """The target that ``spelled`` means to a caller in ``cwd``.

        Errors: INVALID_ARGUMENT (not a path, or several folders have it), FS_NOT_FOUND (through a file),
        FS_IO (a loop of links).
        """
        if is_untitled(spelled):
            return Target(TargetKey(spelled), spelled)
        absolute = self.absolute(spelled, cwd)
        try:
            key = self._canonical(absolute)
        except CoeditorError as error:
            error.file_path = os.path.normpath(absolute)
            raise
        return Target(TargetKey(key), self._shown(absolute, key))

    def absolute(self, spelled: str, cwd: str | None = None) -> str:
        """The absolute path that ``spelled`` means, not tidied. Errors: INVALID_ARGUMENT."""
        if spelled[:5].lower() == "file:":
            plain = path_of_uri(spelled)
        elif _OTHER_SCHEME.match(spelled) or (os.name != "nt" and _ELSEWHERE.match(spelled)):
            raise CoeditorError(
                Code.INVALID_ARGUMENT,
                f"{spelled} is no path of a file on this machine; give one, or a file: URI.",
                file_path=spelled,
            )
        else:
            plain = spelled
        _check_characters(plain, spelled)
        return plain if os.path.isabs(plain) else self._beside_root(plain, cwd)

    def folder_of(self, cwd: str | None) -> str:
        """The deepest workspace folder that holds ``cwd``, else the first."""
        if len(self.roots) == 1:
            return self.roots[0]
        holding = [root for root in self.roots if cwd is not None and is_within(real_path(cwd), root)]
        return max(holding, key=len) if holding else self.roots[0]

    def _beside_root(self, relative: str, cwd: str | None) -> str:
        if len(self.roots) == 1 or (cwd and any(is_within(real_path(cwd), r) for r in self.roots)):
            return os.path.join(self.folder_of(cwd), relative)
        having = [path for root in self.roots if os.path.lexists(path := os.path.join(root, relative))]
        if len(having) == 1:
            return having[0]
        if not having and (named := self._by_folder_name(relative)) is not None:
            return named
        candidates = having or [os.path.join(root, relative) for root in self.roots]
        raise CoeditorError(
            Code.INVALID_ARGUMENT,
            f"{relative} could be in several workspace folders; say which by an absolute path.",
            file_path=relative,
            data={"candidates": candidates},
        )

    def _by_folder_name(self, relative: str) -> str | None:
        """Editors show files of several folders with the folder's name before them."""
        name, _, rest = relative.removeprefix("./").partition("/")
        paths = [os.path.join(root, rest) for root in self.roots if rest and os.path.basename(root) == name]
        return paths[0] if len(paths) == 1 and os.path.lexists(paths[0]) else None

    def _shown(self, absolute: str, key: str) -> str:
        """The spelling to show: tidied, unless ``..`` behind a link means that tidying changes the file."""
        tidy = os.path.normpath(absolute)
        if tidy.startswith("//"):
            tidy = tidy[1:]
        if ".." not in absolute.split("/"):
            return tidy
        try:
            return tidy if self._canonical(tidy) == key else key
        except CoeditorError:
            return key


def path_of_uri(uri: str, *, windows: bool = os.name == "nt") -> str:
    """The path of a ``file:`` URI, percent-decoded exactly once; with a drive letter in lower case on ``windows``.

    Errors: INVALID_ARGUMENT for another host, or bytes that are no UTF-8.
    """
    rest = uri[5:]
    if rest.startswith("//"):
        host, slash, rest = rest[2:].partition("/")
        rest = slash + rest
        if host.lower() not in ("", "localhost"):
            raise CoeditorError(
                Code.INVALID_ARGUMENT,
                f"{uri} is on another host ({host}); give the path of a file on this machine.",
                file_path=uri,
            )
    rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    try:
        path = unquote(rest, encoding="utf-8", errors="strict")
    except UnicodeDecodeError as error:
        raise CoeditorError(
            Code.INVALID_ARGUMENT, f"{uri} is not percent-encoded UTF-8; give the plain path.", file_path=uri
        ) from error
    if windows and _DRIVE.match(path):
        path = path[1].lower() + path[2:]
    return path


def names_folder(spelled: str) -> bool:
    """Whether a path, or ``file:`` URI, ends as only that of a folder can."""
    plain = re.split(r"[?#]", spelled, maxsplit=1)[0] if spelled[:5].lower() == "file:" else spelled
    last = plain.replace(os.sep, "/").rpartition("/")[2] if "/" in plain or os.sep in plain else "x"
    return last in ("", ".", "..")


def real_path(path: str) -> str:
    """``path`` without symbolic links; as it is spelled where they are being changed at this moment."""
    try:
        return os.path.realpath(path)
    except OSError:
        return os.path.normpath(path)


def is_untitled(key: str) -> bool:
    """Whether a target is a document that only an editor has."""
    return key.startswith("untitled:")


def is_within(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or below it; both canonical."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _check_characters(path: str, spelled: str) -> None:
    problem = None
    if not path:
        problem = "The path is empty; give the path of a file."
    elif "\0" in path:
        problem = "The path has a NUL character, which no file name can hold."
    elif not path.isascii() and any("\ud800" <= char <= "\udfff" for char in path):
        problem = "The path has half of a surrogate pair, which cannot be written as UTF-8."
    if problem:
        raise CoeditorError(Code.INVALID_ARGUMENT, problem, file_path=spelled.replace("\0", "\\0") or None)
