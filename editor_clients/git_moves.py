"""What git did to which files: its operations, and for each the content that it left in every file asked about.

A file was moved by an operation if it holds the very content that the operation brought; a time alone proves
nothing. Contents come from ``git ls-tree``, which reads objects and runs nothing that a repository could name.

Never: ``git status`` or anything else that takes a lock, refreshes the index, or talks to a remote.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from editor_clients.git_folder import GitFolder, LogEntry, head_log, pending_of

_MOST = 20
"""Operations that are remembered of one work tree."""
_PATHS_AT_A_TIME = 400
_SECONDS = 5.0
"""That one question to git may take."""

_VERB = re.compile(r"([a-z][a-z-]*)")
_MOVES_FILES = frozenset({"checkout", "rebase", "merge", "pull", "reset", "cherry-pick", "revert", "am"})
"""Verbs of a reflog after which files may hold something else. A commit takes files as they are."""
_FROM_TO = re.compile(r"checkout: moving from (\S+) to (\S+)")
_OURS, _THEIRS = re.compile(r"^<{7} ", re.MULTILINE), re.compile(r"^>{7} ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class GitOperation:
    """One thing that git did in a work tree."""

    name: str
    """``checkout``, ``rebase``, ``stash``, ...: what ``moved_by`` has after ``git:``."""
    before: tuple[str, ...]
    """The trees that the files came from; a later one lies over those before it."""
    after: tuple[str, ...]
    """The trees that they went to."""
    time: float
    """Seconds since the epoch; whole ones where a reflog is the source."""
    detail: str = ""
    """For people: ``from main to topic``."""
    pending: bool = False
    """It stopped half way, for a person to go on with."""


@dataclass(slots=True)
class Contents:
    """What an operation did to the files asked about."""

    left: dict[str, str | None] = field(default_factory=dict)
    """By canonical path the object that it left there; None where it left no file. Others it did not touch."""
    asked: set[str] = field(default_factory=set)
    """The paths that were looked up."""


def operations_of(git: GitFolder) -> list[GitOperation]:
    """What HEAD's reflog and stopped operations tell, oldest first. Stashes are known by who remembers them."""
    found: list[GitOperation] = []
    open_rebase = False
    for entry in head_log(git)[-4 * _MOST :]:
        operation = _operation(entry)
        if operation is None:
            open_rebase = False
            continue
        steps = operation.name == "rebase" or "(" in entry.message.partition(":")[0]
        begins = "(start)" in entry.message
        last = found[-1] if found else None
        if steps and open_rebase and not begins and last is not None and last.name == operation.name:
            found[-1] = GitOperation(last.name, last.before, operation.after, operation.time)
        else:
            found.append(operation)
        open_rebase = steps and "(finish)" not in entry.message
    for name, commit, since in pending_of(git):
        sides = (commit, f"{commit}^") if name == "revert" else (f"{commit}^", commit)
        found.append(GitOperation(name, (sides[0],), (sides[1],), since, pending=True))
    return found[-_MOST:]


def stashed(entry: LogEntry) -> GitOperation:
    """The stash ``entry`` was made: the files are back as the commit below it has them."""
    return GitOperation("stash", _stash_trees(entry.new), (f"{entry.new}^1",), entry.time)


def unstashed(entry: LogEntry, now: float) -> GitOperation:
    """The stash ``entry`` is gone from the list since a moment ago: applied, it brought its files."""
    return GitOperation("stash", (f"{entry.new}^1",), _stash_trees(entry.new), now)


def look_up(git: GitFolder, operation: GitOperation, paths: Iterable[str], found: Contents) -> None:
    """Add to ``found`` what ``operation`` did to those of the canonical ``paths`` that were not looked up yet.

    Blocks on a program. What git does not answer was not touched.
    """
    wanted = [path for path in paths if path not in found.asked and path.startswith(git.top + os.sep)]
    found.asked.update(wanted)
    names = {os.path.relpath(path, git.top): path for path in wanted}
    if not names:
        return
    after = _objects(git, operation.after, list(names))
    if after is None:
        return
    # What was thrown away from the work tree is nowhere written down: then all files may have been touched.
    discards = operation.before == operation.after
    before = {} if discards else _objects(git, operation.before, list(names)) or {}
    for name, path in names.items():
        if discards or before.get(name) != after.get(name):
            found.left[path] = after.get(name)


def is_content(data: bytes | None, left: str | None) -> bool:
    """Whether ``data`` is the object ``left``, also where git wrote its line ends as CRLF; both None: no file."""
    if data is None or left is None:
        return data is None and left is None
    candidates = [data, data.replace(b"\r\n", b"\n")] if b"\r\n" in data else [data]
    return any(_object_id(each, len(left)) == left for each in candidates)


def has_conflict_marks(text: str) -> bool:
    """Whether both sides of a conflict stand in a text, as git writes them."""
    return bool(_OURS.search(text) and _THEIRS.search(text))


def _operation(entry: LogEntry) -> GitOperation | None:
    verb = _VERB.match(entry.message)
    name = verb[1] if verb else ""
    if entry.message.startswith("commit (merge)"):
        name = "merge"
    if name not in _MOVES_FILES or (name == "checkout" and entry.old == entry.new):
        return None
    way = _FROM_TO.match(entry.message)
    detail = f"from {_short(way[1])} to {_short(way[2])}" if way else ""
    return GitOperation(name, (entry.old,), (entry.new,), entry.time, detail)


def _short(name: str) -> str:
    """A branch by its name, a commit by its first letters."""
    return name[:10] if re.fullmatch(r"[0-9a-f]{40,64}", name) else name


def _stash_trees(commit: str) -> tuple[str, ...]:
    """What a stash holds: the files, and in a third parent those that git did not know (there may be none)."""
    return commit, f"{commit}^3"


def _objects(git: GitFolder, trees: Sequence[str], names: Sequence[str]) -> dict[str, str] | None:
    """The objects that ``trees`` have at ``names``; None when the first of them is not known."""
    found: dict[str, str] = {}
    for number, tree in enumerate(trees):
        for start in range(0, len(names), _PATHS_AT_A_TIME):
            part = names[start : start + _PATHS_AT_A_TIME]
            output = _run_git(git, ["ls-tree", "-z", "--full-tree", tree, "--", *part])
            if output is None and number == 0:
                return None
            for row in (output or b"").split(b"\0"):
                about, _, name = row.partition(b"\t")
                if name:
                    found[os.fsdecode(name)] = about.split(b" ")[2].decode("ascii")
    return found


def _run_git(git: GitFolder, arguments: Sequence[str]) -> bytes | None:
    """What git says; None when there is no git, or it does not know."""
    program = shutil.which("git")
    if program is None:
        return None
    command = [program, "--no-pager", "-c", "protocol.allow=never", f"--git-dir={git.git_dir}", *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, timeout=_SECONDS, env=_environment(os.environ), cwd="/"
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Ours, without what would lead git elsewhere, lock, ask or fetch."""
    kept = {name: value for name, value in environ.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_LITERAL_PATHSPECS": "1",
        "LC_ALL": "C",
    }


def _object_id(data: bytes, length: int) -> str:
    """The name that git gives to a file's content, in the hash that names of this ``length`` are of."""
    whole = b"blob %d\0" % len(data) + data
    return (hashlib.sha256(whole) if length == 64 else hashlib.sha1(whole, usedforsecurity=False)).hexdigest()
