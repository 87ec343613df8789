"""What is wrong with the configuration that setup writes: for ``coeditor doctor``.

Never: a change, or a look into a file that has nothing of ours.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

from lsp_server.setup import jsonc
from lsp_server.setup.agents import AGENTS
from lsp_server.setup.editors import EDITORS
from lsp_server.setup.pieces import Entry, LeftAloneError
from lsp_server.setup.places import Places, Scope, own_command
from lsp_server.setup.programs import TAKES_TOOL_HOOKS, claude_version

_COMMANDS: Final = ("command", "bash")
"""What agents and editors call what they start."""
_SEARCHED: Final = {
    "claude-code": "read, edit, write and apply_patch at once, the others by its tool search",
    "codex": "by its tool search, with models that have one",
    "copilot": "at once; sub-agents by their tool search",
}
"""How the model of an agent that does not show all tools comes to ours."""
_SEARCH: Final = "ENABLE_TOOL_SEARCH"
_CODEX_HANDLERS: Final = ("command", "mcp_tool", "prompt", "agent")


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong, and the next step."""

    what: str
    remedy: str


def configured(places: Places) -> Iterator[tuple[str, Scope, list[tuple[Path, list[Entry], str]]]]:
    """The agents that have something of ours: name, scope, and each such file with its entries and text."""
    for name, make in AGENTS.items():
        for scope in get_args(Scope):
            found = []
            for path, entries in make(places, scope, own_command()):
                text = _text_of(path)
                if "coeditor" in text:
                    found.append((path, entries, text))
            if found:
                yield name, scope, found


def of_editors(places: Places) -> Iterator[Trouble]:
    """Editors' files that start a program which is not there; what else stands in them is the person's."""
    seen = set()
    for name, make in EDITORS.items():
        for scope in get_args(Scope):
            for path, _ in make(places, scope, own_command()):
                if path in seen:
                    continue  # some have the same file in every scope
                seen.add(path)
                yield from _gone(path, _text_of(path), _again(name, scope))


def examine(places: Places) -> tuple[list[tuple[str, str]], list[Trouble]]:
    """Facts about agents that are set up, and what is wrong with them."""
    facts: list[tuple[str, str]] = []
    troubles: list[Trouble] = []
    for name, scope, files in configured(places):
        facts.append((f"{name} ({scope})", ", ".join(str(path) for path, _, _ in files)))
        if name in _SEARCHED:
            facts.append((f"{name}'s model finds our tools", _found_how(name, places, files)))
        for path, entries, text in files:
            troubles += _of_file(name, scope, path, entries, text)
            if name == "codex" and path.name == "hooks.json":
                troubles += _untrusted(path, places)
    troubles += of_editors(places)
    return list(dict.fromkeys(facts)), list(dict.fromkeys(troubles))


def _found_how(name: str, places: Places, files: Iterable[tuple[Path, list[Entry], str]]) -> str:
    """Whether tools are hidden behind the agent's tool search."""
    told = [_at(_parsed(path, text), "env", _SEARCH) for path, _, text in files] + [
        places.environ.get(_SEARCH)
    ]
    if name == "claude-code" and "false" in told:
        return f"all at once, by {_SEARCH}=false"
    return _SEARCHED[name]


def _of_file(name: str, scope: Scope, path: Path, entries: list[Entry], text: str) -> Iterator[Trouble]:
    again = _again(name, scope)
    if gone := list(_gone(path, text, again)):
        yield from gone
        return
    try:
        wanted = text
        for entry in entries:
            wanted = entry.add(wanted)
        if wanted != text:
            yield Trouble(f"{path} lacks a part of what {name} needs.", f"{again}.")
    except LeftAloneError as error:
        yield Trouble(
            f"{path} is not as setup writes it: {error}.", f"Look at it, or put it right: {again} --print."
        )
    if (
        name == "claude-code"
        and '"mcp_tool"' in text
        and (claude_version() or TAKES_TOOL_HOOKS) < TAKES_TOOL_HOOKS
    ):
        needed = ".".join(map(str, TAKES_TOOL_HOOKS))
        yield Trouble(
            f"{path} has a hook of the type mcp_tool; a Claude Code before {needed} throws the file away for it.",
            f"Update Claude Code, or: {again} --undo, then without --undo.",
        )
    yield from _switched_off(path, text)


def _gone(path: Path, text: str, again: str) -> Iterator[Trouble]:
    """The first program of ours that the file starts and that is not there."""
    commands = "\n".join(_commands(path, text))
    for program in sorted(set(re.findall(r"(/[^\s\"']*/coeditor)(?=[\s\"']|$)", commands))):
        if not os.access(program, os.X_OK):
            yield Trouble(
                f"{path} starts {program}, which is not there.", f"{again} --undo, then without --undo."
            )
            return


def _commands(path: Path, text: str) -> Iterator[str]:
    """What the file starts. Agents also note in such files which folders they were in, whatever those are called."""
    match path.suffix:
        case ".json" | ".jsonc" | ".toml":
            yield from _started(_parsed(path, text))
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


def _parsed(path: Path, text: str) -> Any:
    """None where it cannot be read."""
    try:
        return tomllib.loads(text) if path.suffix == ".toml" else jsonc.parse(text).value
    except (ValueError, tomllib.TOMLDecodeError):
        return None


def _again(name: str, scope: Scope) -> str:
    return f"Run coeditor setup {name}{' --project' if scope == 'project' else ''}"


def _switched_off(path: Path, text: str) -> Iterator[Trouble]:
    """Where our tools or hooks are there and nobody sees them."""
    found = _parsed(path, text)
    if not isinstance(found, dict):
        return
    for key in ("mcpServers", "mcp_servers", "servers", "mcp", "context_servers"):
        server = (found.get(key) or {}).get("coeditor") if isinstance(found.get(key), dict) else None
        if isinstance(server, dict) and (server.get("disabled") is True or server.get("enabled") is False):
            yield Trouble(f"Coeditor's tools are switched off in {path}.", "Switch them on there.")
        hidden = [
            one
            for one in ("enabled_tools", "disabled_tools", "includeTools", "excludeTools")
            if server and one in server
        ]
        if hidden:
            yield Trouble(
                f"Some of Coeditor's tools are hidden in {path} ({', '.join(hidden)}).", "Remove that key."
            )
    denied = json.dumps([found.get("disabledMcpjsonServers"), _at(found, "permissions", "deny")])
    if "coeditor" in denied:
        yield Trouble(f"Coeditor's tools are denied in {path}.", "Remove them from the list there.")
    if found.get("disableAllHooks") is True or _at(found, "features", "hooks") is False:
        yield Trouble(
            f"Hooks are switched off in {path}.", "Switch them on, or the agent's own tools are not guarded."
        )
    yield from _handlers(path, found)


def _handlers(path: Path, found: dict[str, Any]) -> Iterator[Trouble]:
    """Codex throws the whole file away for one kind of handler that it does not know."""
    if path.parent.name != ".codex" and "CODEX_HOME" not in os.environ:
        return
    kinds = set(re.findall(r'"type":\s*"([^"]*)"', json.dumps(found.get("hooks") or {})))
    unknown = sorted(kinds - set(_CODEX_HANDLERS))
    if unknown and path.name == "hooks.json":
        what = f"{path} has a handler of the type {unknown[0]}, for which Codex throws the whole file away."
        yield Trouble(what, "Remove that handler.")


def _untrusted(path: Path, places: Places) -> Iterator[Trouble]:
    """Codex notes in the person's configuration which hooks they trust, and passes over the others silently."""
    told = _text_of(places.of("CODEX_HOME", ".codex") / "config.toml")
    if "trusted_hash" not in told:
        yield Trouble(
            f"Codex runs no hook of {path} before you trust it.", "Start codex, and trust them in /hooks."
        )


def _at(found: Any, *keys: str) -> Any:
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return ""
