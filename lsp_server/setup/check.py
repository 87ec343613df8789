"""What is wrong with the configuration that setup writes: for ``coeditor doctor``.

Never: a change, or a look into a file that has nothing of ours.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

from lsp_server.setup import stale as stale_entries
from lsp_server.setup.agents import AGENTS, Plan
from lsp_server.setup.editors import EDITORS
from lsp_server.setup.pieces import Entry, LeftAloneError
from lsp_server.setup.places import Places, Scope, own_command
from lsp_server.setup.programs import TAKES_TOOL_HOOKS, claude_version
from lsp_server.setup.record import Kept, planned
from lsp_server.setup.stale import Stale, parsed, text_of

_MAKES: Final = {**AGENTS, **EDITORS}
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


def configured(places: Places, kept: Kept) -> Iterator[tuple[str, Scope, Plan]]:
    """The agents and editors that have something of ours, or had: name, scope, and what each such file needs."""
    for name, make in _MAKES.items():
        seen: set[Path] = set()
        plans = [(scope, make(places, scope, own_command())) for scope in get_args(Scope)]
        # Some have the same file in every scope: it belongs to the one that more of was put in.
        for scope, plan in sorted(plans, key=lambda row: -_known(row[1], kept)):
            found = [
                (path, entries)
                for path, entries in plan
                if path not in seen and (kept.of(path) is not None or _is_there(entries, text_of(path)))
            ]
            seen |= {path for path, _ in found}
            if found:
                yield name, scope, found


def _known(plan: Plan, kept: Kept) -> int:
    return sum(kept.of(path) is not None for path, _ in plan)


def _is_there(entries: list[Entry], text: str) -> bool:
    return "coeditor" in text and any(entry.is_there(text) for entry in entries)


def examine(places: Places, kept: Kept) -> tuple[list[tuple[str, str]], list[Trouble]]:
    """Facts about agents that are set up, and what is wrong with them."""
    facts: list[tuple[str, str]] = []
    troubles: list[Trouble] = []
    for name, scope, plan in configured(places, kept):
        again = _again(name, scope)
        stale = stale_entries.of_plan(_MAKES[name], places, scope, plan)
        here = [(path, entries) for path, entries in plan if _is_there(entries, text_of(path))]
        if name in AGENTS and here:
            facts.append((f"{name} ({scope})", ", ".join(str(path) for path, _ in here)))
            if name in _SEARCHED:
                facts.append((f"{name}'s model finds our tools", _found_how(name, places, here)))
        for path, entries in plan:
            if (path, entries) not in here:
                troubles.append(_taken_away(path, again))
            elif gone := list(_gone(path, entries, stale, kept, again)):
                troubles += gone
            elif name in AGENTS:  # what else stands in an editor's file is the person's
                troubles += _of_file(name, path, entries, kept, again)
            if name == "codex" and path.name == "hooks.json":
                troubles += _untrusted(path, places)
    return list(dict.fromkeys(facts)), list(dict.fromkeys(troubles))


def _taken_away(path: Path, again: str) -> Trouble:
    what = "lacks" if path.exists() else "is not there any more, with"
    return Trouble(
        f"{path} {what} all that coeditor setup had put in.",
        f"{again}; or, if you took it out on purpose: {again.removeprefix('Run ')} --undo.",
    )


def _found_how(name: str, places: Places, files: Plan) -> str:
    """Whether tools are hidden behind the agent's tool search."""
    told = [_at(parsed(path, text_of(path)), "env", _SEARCH) for path, _ in files]
    told.append(places.environ.get(_SEARCH))
    if name == "claude-code" and "false" in told:
        return f"all at once, by {_SEARCH}=false"
    return _SEARCHED[name]


def _of_file(name: str, path: Path, entries: list[Entry], kept: Kept, again: str) -> Iterator[Trouble]:
    text = text_of(path)
    try:
        if planned(path, entries, kept).is_change:
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


def _gone(path: Path, entries: list[Entry], stale: Stale, kept: Kept, again: str) -> Iterator[Trouble]:
    """The first program of ours that the file starts and that is not there."""
    for program in stale_entries.gone_programs(path, text_of(path))[:1]:
        remedy = (
            f"{again}."
            if _repairs(path, entries, stale, kept)
            else f"Correct the path there; {again.removeprefix('Run ')} --print shows what setup would write."
        )
        yield Trouble(f"{path} starts {program}, which is not there.", remedy)


def _repairs(path: Path, entries: list[Entry], stale: Stale, kept: Kept) -> bool:
    """Whether setup puts it right by itself."""
    try:
        after = planned(path, entries, kept, stale.get(path, [])).after or b""
    except (LeftAloneError, OSError):
        return False
    return not stale_entries.gone_programs(path, after.decode("utf-8", "surrogateescape"))


def _again(name: str, scope: Scope) -> str:
    return f"Run coeditor setup {name}{' --project' if scope == 'project' else ''}"


def _switched_off(path: Path, text: str) -> Iterator[Trouble]:
    """Where our tools or hooks are there and nobody sees them."""
    found = parsed(path, text)
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
    told = text_of(places.of("CODEX_HOME", ".codex") / "config.toml")
    if "trusted_hash" not in told:
        yield Trouble(
            f"Codex runs no hook of {path} before you trust it.", "Start codex, and trust them in /hooks."
        )


def _at(found: Any, *keys: str) -> Any:
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found
