"""Which files a search leaves out: ``.gitignore``, ``.ignore``, ``.rgignore`` and ``.git/info/exclude``.

::

    kinds, the first that says something decides      .rgignore, .ignore, .gitignore, .git/info/exclude
    within a kind                                     the file of the deepest folder decides
    within a file                                     the last pattern that fits decides; ``!`` takes back

A repository inside a repository is not bound by the outer one's ``.gitignore``. A person's own global
patterns are left aside, so that everyone finds the same.

Never: a change, a link followed, or a file of content.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Self

from editor_clients.search_globs import wildmatch

KINDS = (".rgignore", ".ignore", ".gitignore")
"""Names of ignore files, strongest first."""
_GIT_KIND, _EXCLUDE_KIND = 2, 3
_MOST_BYTES = 8 << 20
_MAGIC = re.compile(r"[*?\[\\]")


@dataclass(frozen=True, slots=True)
class _Rule:
    place: int
    """Where it stands in its file; later ones win."""
    negated: bool
    folders_only: bool
    regex: re.Pattern[str] | None = None
    """None where a table finds it."""
    on_name: bool = False
    """Held against the last part of the path alone."""


@dataclass(slots=True)
class Rules:
    """The patterns of one ignore file; most are found in tables, without trying each."""

    _names: dict[str, list[_Rule]] = field(default_factory=dict)
    _paths: dict[str, list[_Rule]] = field(default_factory=dict)
    _suffixes: list[tuple[str, _Rule]] = field(default_factory=list)
    _others: list[_Rule] = field(default_factory=list)
    _endings: tuple[str, ...] = ()

    @classmethod
    def parsed(cls, text: str) -> Self:
        """The rules of a file's text."""
        return cls.of_lines(line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n"))

    @classmethod
    def of_lines(cls, lines: Iterable[str]) -> Self:
        """The rules of patterns, one an item; what makes no sense among them is no rule."""
        rules = cls()
        for place, line in enumerate(lines):
            rules._add(place, _trimmed(line))
        rules._endings = tuple(suffix for suffix, _ in rules._suffixes)
        return rules

    def __bool__(self) -> bool:
        return bool(self._names or self._paths or self._suffixes or self._others)

    def verdict(self, inside: str, name: str, *, is_folder: bool) -> bool | None:
        """True: left out; False: taken back; None: nothing said. ``inside``: relative to the file's folder."""
        found = self.deciding(inside, name, is_folder=is_folder)
        return None if found is None else not found[1]

    def deciding(self, inside: str, name: str, *, is_folder: bool) -> tuple[int, bool] | None:
        """Which line decides, counted from 0, and whether it is an exception; None where none fits."""
        found = [*self._names.get(name, ()), *self._paths.get(inside, ())]
        if self._endings and name.endswith(self._endings):
            found += [rule for suffix, rule in self._suffixes if name.endswith(suffix)]
        for rule in self._others:
            assert rule.regex is not None
            if rule.regex.match(name if rule.on_name else inside):
                found.append(rule)
        best = max(
            (rule for rule in found if is_folder or not rule.folders_only),
            key=lambda rule: rule.place,
            default=None,
        )
        return None if best is None else (best.place, best.negated)

    def _add(self, place: int, line: str) -> None:
        if not line or line.startswith("#"):
            return
        negated = line.startswith("!")
        body = line[1:] if negated else line
        folders_only = body.endswith("/")
        body = body[:-1] if folders_only else body
        anchored = "/" in body
        body = body.removeprefix("/")
        if not body:
            return
        rule = _Rule(place, negated, folders_only, on_name=not anchored)
        if not _MAGIC.search(body):
            table = self._paths if anchored else self._names
            table.setdefault(body, []).append(rule)
        elif not anchored and body.startswith("*") and not _MAGIC.search(body[1:]):
            self._suffixes.append((body[1:], rule))
        elif (found := wildmatch(body)) is not None:
            self._others.append(replace(rule, regex=re.compile(found + r"\Z", re.DOTALL)))


def _trimmed(line: str) -> str:
    """``line`` without blanks at its end, unless a backslash keeps them."""
    end = len(line)
    while end and line[end - 1] == " ":
        slashes = 0
        while end - 2 - slashes >= 0 and line[end - 2 - slashes] == "\\":
            slashes += 1
        if slashes % 2:
            break
        end -= 1
    return line[:end]


@dataclass(frozen=True, slots=True)
class Ignores:
    """What holds in one folder: the rules of it and of the folders above, the deepest first."""

    levels: tuple[tuple[tuple[int, Rules], ...], ...] = ((), (), (), ())
    """By kind; with each file's rules, the length of its folder's path with the slash."""

    @classmethod
    def above(cls, start: str, top: str) -> Ignores:
        """What holds in the folder that holds ``start``, by the files from ``top`` down to it."""
        found = cls()
        if start == top:
            return found
        inside = os.path.relpath(os.path.dirname(start), top)
        folder = top
        found = found.entered(folder)
        for part in [] if inside == os.curdir else inside.split(os.sep):
            folder = os.path.join(folder, part)
            found = found.entered(folder)
        return found

    def entered(self, folder: str, names: Collection[str] | None = None) -> Ignores:
        """What holds inside ``folder``; ``names``: what is in it, where that is known already."""

        def there(name: str) -> bool:
            return name in names if names is not None else os.path.lexists(os.path.join(folder, name))

        levels = list(self.levels)
        base = len(folder.rstrip(os.sep)) + 1
        if there(".git"):
            levels[_GIT_KIND], levels[_EXCLUDE_KIND] = (), ()
            text = _text(_exclude_file(os.path.join(folder, ".git")), follow=True)
            if text:
                levels[_EXCLUDE_KIND] = ((base, Rules.parsed(text)),)
        for kind, name in enumerate(KINDS):
            if there(name) and (text := _text(os.path.join(folder, name))):
                levels[kind] = ((base, Rules.parsed(text)), *levels[kind])
        found = tuple(levels)
        return self if found == self.levels else Ignores(found)

    def ignores(self, path: str, name: str, *, is_folder: bool) -> bool:
        """Whether the entry ``name`` of this folder, whose whole path is ``path``, is left out."""
        for kind in self.levels:
            for base, rules in kind:
                verdict = rules.verdict(path[base:], name, is_folder=is_folder)
                if verdict is not None:
                    return verdict
        return False


def is_ignored(path: str, roots: Iterable[str]) -> bool:
    """Whether git and searches would leave this file (or one of its name) out; ``path`` is canonical."""
    folder = top_of(os.path.dirname(path), roots)
    inside = os.path.relpath(path, folder).split(os.sep)
    holds = Ignores().entered(folder)
    for name in inside[:-1]:
        folder = os.path.join(folder, name)
        if holds.ignores(folder, name, is_folder=True):
            return True
        holds = holds.entered(folder)
    return holds.ignores(path, inside[-1], is_folder=False)


def top_of(start: str, roots: Iterable[str]) -> str:
    """The folder from which ignore files count for ``start``: its repository's, else its workspace folder."""
    folder = start
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    holding = [root for root in roots if start == root or start.startswith(root.rstrip(os.sep) + os.sep)]
    return min(holding, key=len, default=start)


def _exclude_file(git: str) -> str:
    """``info/exclude`` of a repository; ``git`` may be a file that names the folder (a worktree, a module)."""
    if os.path.isfile(git):
        said = _text(git, follow=True).removeprefix("gitdir:").strip()
        git = os.path.join(os.path.dirname(git), said)
        common = _text(os.path.join(git, "commondir"), follow=True).strip()
        git = os.path.join(git, common) if common else git
    return os.path.join(git, "info", "exclude")


def _text(path: str, *, follow: bool = False) -> str:
    """The text of a small file; empty where it cannot be read."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    try:
        with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
            return file.read(_MOST_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
