"""Entries of ours whose program is gone: after a folder was moved, or a path was mistyped.

An entry counts as ours when it is what setup would write, but for the path of a program named ``coeditor``.

Never: an entry of somebody else, or one whose program is there.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from lsp_server.setup import jsonc
from lsp_server.setup.agents import Make, Plan
from lsp_server.setup.pieces import Entry, JsonItem, LeftAloneError, TomlBlock, YamlEntry
from lsp_server.setup.places import Places, Scope

Pairs = Sequence[tuple[Entry, Entry]]
"""Entries that start a program which is gone, each with what setup writes today."""
Stale = dict[Path, list[tuple[Entry, Entry]]]
"""Those of each file."""

_COMMANDS: Final = ("command", "bash")
"""What agents and editors call what they start."""
_PROGRAMS: Final = (
    re.compile(r"\"(/[^\"\n]*/coeditor)\""),
    re.compile(r"'(/[^'\n]*/coeditor)'"),
    re.compile(r"(?:(?<=[\s\"'])|^)(/[^\s\"']*/coeditor)(?=[\s\"']|$)", re.MULTILINE),
    re.compile(r"^(/[^\"'\n]*/coeditor)$", re.MULTILINE),
)


def of_plan(make: Make, places: Places, scope: Scope, plan: Plan) -> Stale:
    """What may be taken out of the files of ``plan``."""
    found: Stale = {}
    for path, entries in plan:
        for program in gone_programs(path, text_of(path)):
            former = dict(make(places, scope, [program]))[path]
            found.setdefault(path, []).extend(pair for pair in zip(former, entries, strict=True))
    return found


def without(text: str, pairs: Pairs) -> str:
    """``text`` without the entries that start a program which is gone."""
    for former, now in pairs:
        try:
            text = _taken_out(text, former, now)
        except LeftAloneError:
            continue  # another value: not ours
    return text


def _taken_out(text: str, former: Entry, now: Entry) -> str:
    if former == now:
        return text
    if isinstance(former, JsonItem) and isinstance(now, JsonItem):
        kept = (now.value, now.other, now.former)
        for form in (former.value, former.other, former.former):
            item = JsonItem(former.keys, form)
            while form is not None and form not in kept and (less := item.remove(text)) != text:
                text = less
        return text
    if isinstance(former, TomlBlock | YamlEntry) and former.add(text) != text:
        return text  # the lines between the comments are others
    return former.remove(text)


def gone_programs(path: Path, text: str) -> list[str]:
    """The programs named ``coeditor`` that the file starts and that are not there."""
    commands = "\n".join(_commands(path, text))
    found = {program for one in _PROGRAMS for program in one.findall(commands)}
    return sorted(program for program in found if not any(map(_runs, (program, program.split()[0]))))


def _runs(program: str) -> bool:
    return os.access(program, os.X_OK) and not os.path.isdir(program)


def _commands(path: Path, text: str) -> Iterator[str]:
    """What the file starts. Agents also note in such files which folders they were in, whatever those are called."""
    match path.suffix:
        case ".json" | ".jsonc" | ".toml":
            yield from _started(parsed(path, text))
        case ".yaml":
            yield from re.findall(r"^\s*cmd:(.*)$", text, re.MULTILINE)
        case _:
            yield text


def _started(found: Any, key: str = "") -> Iterator[str]:
    """The words of every command in a configuration."""
    if isinstance(found, dict):
        for name, value in found.items():
            yield from _started(value, name)
    elif isinstance(found, list):
        for value in found:
            yield from _started(value, key)
    elif isinstance(found, str) and key in _COMMANDS:
        yield found


def parsed(path: Path, text: str) -> Any:
    """None where it cannot be read."""
    try:
        return tomllib.loads(text) if path.suffix == ".toml" else jsonc.parse(text).value
    except (ValueError, tomllib.TOMLDecodeError):
        return None


def text_of(path: Path) -> str:
    """The file's text; empty when there is none."""
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return ""
