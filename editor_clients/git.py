"""What git says of a folder: where HEAD stands, and a file as it is committed.

HEAD is read from git's own files, since every edit asks for it; contents are asked of the program.

Never: a change of the repository, or a look at the network.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from dataclasses import dataclass

from editor_clients.git_folder import find_git, head_of

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
    git = find_git(top)
    found = head_of(git) if git is not None else None
    if found is None:
        return None
    told, commit = found
    if not told.startswith("ref: "):
        return Head(commit or None, None)
    return Head(commit or None, told.removeprefix("ref: ").removeprefix("refs/heads/"))


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
            env={name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _QUIET,
        )
    except OSError:
        return None
    try:
        async with asyncio.timeout(_PATIENCE):
            found, _ = await child.communicate()
    except TimeoutError:
        return None
    finally:
        if child.returncode is None:  # too slow, or nobody waits for it any more
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    return found if child.returncode == 0 else None
