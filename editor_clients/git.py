"""What git says of a folder: where HEAD stands, and a file as it is committed.

HEAD is read from git's own files, since every edit asks for it; contents are asked of the program.

Never: a change of the repository, or a look at the network.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PATIENCE = 10.0
"""Seconds for one question to the program."""
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD stands."""

    commit: str | None
    """None before the first commit, or where refs are kept in another form than files."""
    branch: str | None
    """``main``; None where no branch is checked out."""

    def __str__(self) -> str:
        return f"{self.commit or ''} {self.branch or ''}"

    @classmethod
    def of(cls, text: str) -> Head:
        """The other way round."""
        commit, _, branch = text.partition(" ")
        return cls(commit or None, branch or None)


def read_head(top: str) -> Head | None:
    """HEAD of the work tree ``top``; None where it cannot be read."""
    try:
        folder = _git_folder(top)
        told = _text(folder / "HEAD")
        if not told.startswith("ref: "):
            return Head(told or None, None)
        name = told.removeprefix("ref: ").strip()
        return Head(_commit_of(folder, name), name.removeprefix("refs/heads/"))
    except (OSError, UnicodeDecodeError):
        return None


async def committed(top: str, name: str) -> bytes | None:
    """The file ``name`` (relative to ``top``, with slashes) as HEAD has it; None where it has none.

    Errors: LookupError when git cannot tell.
    """
    data = await _asked(top, "cat-file", "blob", f"HEAD:{name}")
    if data is None and await _asked(top, "ls-tree", "HEAD", "--", f":(literal){name}") != b"":
        raise LookupError(name)
    return data


async def changed_between(top: str, old: str, new: str) -> frozenset[str]:
    """The files, relative to ``top``, that two commits have differently; none where git cannot tell."""
    data = await _asked(top, "diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", old, new, "--")
    return frozenset(os.fsdecode(name) for name in (data or b"").split(b"\0") if name)


async def _asked(top: str, *words: str) -> bytes | None:
    """What the program answers; None where it is missing, fails, or takes too long."""
    try:
        child = await asyncio.create_subprocess_exec(
            "git",
            "-C",
            top,
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, **_QUIET},
        )
    except OSError:
        return None
    try:
        async with asyncio.timeout(_PATIENCE):
            found, _ = await child.communicate()
    except TimeoutError:
        with suppress(ProcessLookupError):
            child.kill()
        await child.wait()
        return None
    return found if child.returncode == 0 else None


def _git_folder(top: str) -> Path:
    """``.git``, or what it names where the work tree is a linked one or a submodule."""
    path = Path(top) / ".git"
    if path.is_dir():
        return path
    return path.parent / _text(path).removeprefix("gitdir:").strip()


def _commit_of(folder: Path, name: str) -> str | None:
    """The commit that the ref ``name`` stands at."""
    shared = folder
    with suppress(FileNotFoundError):
        shared = folder / _text(folder / "commondir")
    for place in (folder, shared):
        with suppress(FileNotFoundError, NotADirectoryError):
            return _text(place / name)
    with suppress(FileNotFoundError):
        for line in _text(shared / "packed-refs").splitlines():
            commit, _, found = line.partition(" ")
            if found == name:
                return commit
    return None


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip()
