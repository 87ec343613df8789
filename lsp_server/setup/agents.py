"""What goes into which agent's files: the MCP server, approvals for the tools that only look, and the hooks.

Never: an approval for a tool that changes something, or a lock file of another product.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from lsp_server.setup.pieces import Entry, JsonItem, JsonMember, OwnFile, TomlBlock, YamlEntry
from lsp_server.setup.places import Places, Scope
from lsp_server.setup.programs import ACP_PROGRAMS
from lsp_server.wire.tools import TOOLS

Plan = list[tuple[Path, list[Entry]]]
"""Files with what goes into each."""
Make = Callable[[Places, Scope, Sequence[str]], Plan]

READ_TOOLS: Final = tuple(tool.name for tool in TOOLS if tool.read_only)
SECONDS: Final = 30
"""For one hook."""

_NOT_RUN: Final = (
    "Coeditor: nothing may be changed while its hook cannot be run. `coeditor doctor` finds what is wrong."
)
"""What a call is refused with where the setting ``hook_failure`` is ``closed``."""

_CLAUDE_TOOLS: Final = "Read|Edit|MultiEdit|Write|NotebookEdit|Bash"
_CODEX_TOOLS: Final = "apply_patch|Bash"
"""Not ours: its calls of them say by themselves whose they are."""
_GEMINI_TOOLS: Final = "read_file|read_many_files|replace|write_file|run_shell_command"
TELLS_CALLER: Final = {
    "type": "mcp_tool",
    "server": "coeditor",
    "tool": "hook",
    "input": {
        "agent": "claude-code",
        "session": "${session_id}",
        "scope": "${agent_id}",
        "turn": "${prompt_id}",
        "call_id": "${tool_use_id}",
    },
    "timeout": SECONDS,
}
"""Claude Code's hook before our tools, by the server that it has anyhow: without that nobody could call them."""


def claude_code(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """Claude Code."""
    base = places.of("CLAUDE_CONFIG_DIR", ".claude")
    if scope == "project":
        servers, settings = places.project / ".mcp.json", places.project / ".claude" / "settings.json"
    else:
        moved = "CLAUDE_CONFIG_DIR" in places.environ
        servers = (base if moved else places.home) / ".claude.json"
        settings = base / "settings.json"
    handler = {"type": "command", "command": command[0], "args": [*command[1:], "hook"], "timeout": SECONDS}
    guards = [
        {"matcher": _CLAUDE_TOOLS, "hooks": [one]} for one in (handler, {**handler, "onFailure": "block"})
    ]
    around = ("PostToolUse", "PostToolUseFailure")
    rest = ("SessionStart", "SessionEnd", "SubagentStart", "SubagentStop", "PostCompact")
    hooks: list[Entry] = [_guard(places, ("hooks", "PreToolUse"), *guards)]
    # A project's settings are for everybody's Claude Code, whichever version that is.
    kinds = [TELLS_CALLER, handler] if places.has_tool_hooks and scope == "user" else [handler, TELLS_CALLER]
    told, other = ({"matcher": "mcp__coeditor__.*", "hooks": [kind]} for kind in kinds)
    hooks.append(JsonItem(("hooks", "PreToolUse"), told, other))
    hooks += [JsonItem(("hooks", event), {"matcher": _CLAUDE_TOOLS, "hooks": [handler]}) for event in around]
    hooks += [JsonItem(("hooks", event), {"hooks": [handler]}) for event in rest]
    allowed: list[Entry] = [
        JsonItem(("permissions", "allow"), f"mcp__coeditor__{name}") for name in READ_TOOLS
    ]
    server = {"type": "stdio", **_server(command)}
    return [(servers, [JsonMember(("mcpServers", "coeditor"), server)]), (settings, [*hooks, *allowed])]


def codex(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """Codex. Its approvals follow the tools' own hints."""
    base = places.of("CODEX_HOME", ".codex") if scope == "user" else places.project / ".codex"
    lines = (
        "[mcp_servers.coeditor]",
        f"command = {_toml(command[0])}",
        f"args = [{', '.join(_toml(word) for word in (*command[1:], 'mcp'))}]",
    )
    handler = {"type": "command", "command": _line(command, "hook"), "timeout": SECONDS}
    refusing = {**handler, "command": _refusing_line(command)}
    before, closed = ({"matcher": _CODEX_TOOLS, "hooks": [one]} for one in (handler, refusing))
    hooks: list[Entry] = [
        _guard(places, ("hooks", "PreToolUse"), before, closed),
        JsonItem(("hooks", "PostToolUse"), before),
    ]
    hooks += [
        JsonItem(("hooks", event), {"hooks": [handler]})
        for event in ("SessionStart", "SubagentStart", "SubagentStop", "PostCompact")
    ]
    return [
        (base / "config.toml", [TomlBlock(("mcp_servers", "coeditor"), lines)]),
        (base / "hooks.json", hooks),
    ]


def gemini(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """Gemini CLI."""
    base = places.of("GEMINI_CLI_HOME", "") if scope == "user" else places.project
    handler = {
        "name": "coeditor",
        "type": "command",
        "command": _line(command, "hook"),
        "timeout": SECONDS * 1000,
    }
    refusing = {**handler, "command": _refusing_line(command)}
    before, closed = (
        {"matcher": f"{_GEMINI_TOOLS}|mcp_coeditor_.*", "hooks": [one]} for one in (handler, refusing)
    )
    entries: list[Entry] = [JsonMember(("mcpServers", "coeditor"), _server(command))]
    entries += [JsonItem(("tools", "allowed"), f"mcp_coeditor_{name}") for name in READ_TOOLS]
    entries.append(_guard(places, ("hooks", "BeforeTool"), before, closed))
    entries.append(JsonItem(("hooks", "AfterTool"), {"matcher": _GEMINI_TOOLS, "hooks": [handler]}))
    entries += [JsonItem(("hooks", event), {"hooks": [handler]}) for event in ("SessionStart", "SessionEnd")]
    return [(base / ".gemini" / "settings.json", entries)]


def copilot(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """Copilot CLI; its servers are the person's in every scope. It takes a hook that fails for a refusal by itself."""
    base = places.of("COPILOT_HOME", ".copilot")
    folder = base / "hooks" if scope == "user" else places.project / ".github" / "hooks"
    events = (
        "sessionStart",
        "sessionEnd",
        "preToolUse",
        "postToolUse",
        "postToolUseFailure",
        "subagentStart",
    )
    handler = {"type": "command", "bash": _line(command, "hook"), "timeoutSec": SECONDS}
    hooks = {"version": 1, "hooks": {event: [handler] for event in (*events, "subagentStop", "preCompact")}}
    server = {"type": "local", **_server(command), "tools": ["*"]}
    return [
        (base / "mcp-config.json", [JsonMember(("mcpServers", "coeditor"), server)]),
        (folder / "coeditor.json", [OwnFile(_json(hooks))]),
    ]


def vscode(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """VS Code's agents. Hooks belong to a project there."""
    server = JsonMember(("servers", "coeditor"), {"type": "stdio", **_server(command)})
    if scope == "user":
        return [(places.config("Code") / "User" / "mcp.json", [server])]
    events = ("SessionStart", "PreToolUse", "PostToolUse", "PreCompact", "SubagentStart", "SubagentStop")
    handler = {"type": "command", "command": _line(command, "hook"), "timeout": SECONDS}
    hooks = {event: [handler] for event in events}
    closed = {**hooks, "PreToolUse": [{**handler, "command": _refusing_line(command)}]}
    own = _own_file(places, _json({"hooks": hooks}), _json({"hooks": closed}))
    return [
        (places.project / ".vscode" / "mcp.json", [server]),
        (places.project / ".github" / "hooks" / "coeditor-vscode.json", [own]),
    ]


def cursor(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """Cursor."""
    base = (places.home if scope == "user" else places.project) / ".cursor"
    handler = {"command": _line(command, "hook"), "timeout": SECONDS}
    guard = _guard(places, ("hooks", "preToolUse"), handler, {**handler, "failClosed": True})
    events = ("sessionStart", "sessionEnd", "postToolUse", "postToolUseFailure")
    hooks: list[Entry] = [JsonMember(("version",), 1), guard]
    hooks += [
        JsonItem(("hooks", event), handler)
        for event in (*events, "subagentStart", "subagentStop", "preCompact")
    ]
    return [
        (base / "mcp.json", [JsonMember(("mcpServers", "coeditor"), _server(command))]),
        (base / "hooks.json", hooks),
    ]


def cline(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """Cline; its hooks are programs named after events."""
    server = {**_server(command), "disabled": False, "autoApprove": list(READ_TOOLS), "timeout": 60}
    base = places.home / ".cline"
    folder = base / "hooks" if scope == "user" else places.project / ".clinerules" / "hooks"
    line = _line(command, "hook")
    script = f"#!/bin/sh\nexec {line}\n"
    no = _json({"cancel": True, "errorMessage": _NOT_RUN}, indent=None)
    closed = (
        f"#!/bin/sh\nif answer=$({line})\nthen printf '%s\\n' \"$answer\"\nelse cat <<'END'\n{no}END\nfi\n"
    )
    guard = _own_file(places, script, closed, executable=True)
    events = ("TaskStart", "TaskResume", "TaskComplete", "PostToolUse", "PreCompact")
    found: Plan = [
        (
            base / "data" / "settings" / "cline_mcp_settings.json",
            [JsonMember(("mcpServers", "coeditor"), server)],
        )
    ]
    rest = OwnFile(script, executable=True)
    found.append((folder / "PreToolUse", [guard]))
    return found + [(folder / event, [rest]) for event in events]


def opencode(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """OpenCode; its hooks are a plugin."""
    base = places.config("opencode") if scope == "user" else places.project
    plugins = base / "plugin" if scope == "user" else base / ".opencode" / "plugin"
    server = {"type": "local", "command": [*command, "mcp"], "enabled": True}
    source = files("lsp_server.setup").joinpath("opencode_plugin.js").read_text(encoding="utf-8")
    plugin = source.replace('["coeditor", "hook"]', _json([*command, "hook"]).strip(), 1)
    closed = plugin.replace("CLOSED = false", "CLOSED = true", 1)
    known = base / "opencode.jsonc"
    settings = known if known.exists() else base / "opencode.json"
    return [
        (settings, [JsonMember(("mcp", "coeditor"), server)]),
        (plugins / "coeditor.js", [_own_file(places, plugin, closed)]),
    ]


def zed(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """Zed's agents; as an editor it starts language servers by extensions alone.

    Agents that it runs by their own protocol are offered a second time, checked; a project cannot name such agents.
    """
    base = places.config("zed") if scope == "user" else places.project / ".zed"
    server = {"source": "custom", "command": command[0], "args": [*command[1:], "mcp"], "env": {}}
    entries: list[Entry] = [JsonMember(("context_servers", "coeditor"), server)]
    for program in places.acp_programs if scope == "user" else ():
        title, *words = ACP_PROGRAMS[program]
        started = {"command": command[0], "args": [*command[1:], "acp", "--", program, *words], "env": {}}
        entries.append(JsonMember(("agent_servers", f"{title}, checked"), {"type": "custom", **started}))
    return [(base / "settings.json", entries)]


def goose(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """Goose, which knows the person's configuration only."""
    words = ", ".join(_toml(word) for word in (*command[1:], "mcp"))
    lines = (
        "enabled: true",
        "type: stdio",
        "name: coeditor",
        f"cmd: {_toml(command[0])}",
        f"args: [{words}]",
        "envs: {}",
        "timeout: 300",
    )
    return [(places.config("goose") / "config.yaml", [YamlEntry("extensions", "coeditor", lines)])]


AGENTS: Final[Mapping[str, Make]] = {
    "claude-code": claude_code,
    "codex": codex,
    "gemini": gemini,
    "copilot": copilot,
    "vscode": vscode,
    "cursor": cursor,
    "cline": cline,
    "opencode": opencode,
    "zed": zed,
    "goose": goose,
}


def _server(command: Sequence[str]) -> dict[str, Any]:
    return {"command": command[0], "args": [*command[1:], "mcp"]}


def _line(command: Sequence[str], *more: str) -> str:
    return shlex.join([*command, *more])


def _refusing_line(command: Sequence[str]) -> str:
    """The hook's line for agents that take exit status 2 alone, with words on standard error, for a refusal."""
    line = _line(command, "hook")
    if sys.platform == "win32":
        return line
    return shlex.join(["sh", "-c", f"{line} || {{ echo {shlex.quote(_NOT_RUN)} >&2; exit 2; }}"])


def _guard(places: Places, keys: tuple[str, ...], handler: Any, closed: Any) -> JsonItem:
    """What is asked before a call, in the form that the setting wants and in place of the other."""
    now, former = (closed, handler) if places.fails_closed else (handler, closed)
    return JsonItem(keys, now, former=former)


def _own_file(places: Places, text: str, closed: str, *, executable: bool = False) -> OwnFile:
    now, former = (closed, text) if places.fails_closed else (text, closed)
    return OwnFile(now, executable=executable, former=former)


def _toml(text: str) -> str:
    """A string of TOML, and of YAML."""
    return json.dumps(text)


def _json(value: Any, indent: int | None = 2) -> str:
    return json.dumps(value, indent=indent) + "\n"
