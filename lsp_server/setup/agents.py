"""What goes into which agent's files: the MCP server, approvals for the tools that only look, and the hooks.

Never: an approval for a tool that changes something, or a lock file of another product.
"""

from __future__ import annotations

import json
import shlex
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
    guard = {**handler, "onFailure": "block"} if places.fails_closed else handler
    around = ("PostToolUse", "PostToolUseFailure")
    rest = ("SessionStart", "SessionEnd", "SubagentStart", "SubagentStop", "PostCompact")
    hooks: list[Entry] = [JsonItem(("hooks", "PreToolUse"), {"matcher": _CLAUDE_TOOLS, "hooks": [guard]})]
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
    hooks: list[Entry] = [
        JsonItem(("hooks", event), {"matcher": _CODEX_TOOLS, "hooks": [handler]})
        for event in ("PreToolUse", "PostToolUse")
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
    before = {"matcher": f"{_GEMINI_TOOLS}|mcp_coeditor_.*", "hooks": [handler]}
    entries: list[Entry] = [JsonMember(("mcpServers", "coeditor"), _server(command))]
    entries += [JsonItem(("tools", "allowed"), f"mcp_coeditor_{name}") for name in READ_TOOLS]
    entries.append(JsonItem(("hooks", "BeforeTool"), before))
    entries.append(JsonItem(("hooks", "AfterTool"), {"matcher": _GEMINI_TOOLS, "hooks": [handler]}))
    entries += [JsonItem(("hooks", event), {"hooks": [handler]}) for event in ("SessionStart", "SessionEnd")]
    return [(base / ".gemini" / "settings.json", entries)]


def copilot(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """Copilot CLI; its servers are the person's in every scope."""
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
    hooks = {"hooks": {event: [handler] for event in events}}
    return [
        (places.project / ".vscode" / "mcp.json", [server]),
        (places.project / ".github" / "hooks" / "coeditor-vscode.json", [OwnFile(_json(hooks))]),
    ]


def cursor(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """Cursor."""
    base = (places.home if scope == "user" else places.project) / ".cursor"
    handler = {"command": _line(command, "hook"), "timeout": SECONDS}
    guard = {**handler, "failClosed": True} if places.fails_closed else handler
    events = ("sessionStart", "sessionEnd", "postToolUse", "postToolUseFailure")
    hooks: list[Entry] = [JsonMember(("version",), 1), JsonItem(("hooks", "preToolUse"), guard)]
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
    script = OwnFile(f"#!/bin/sh\nexec {_line(command, 'hook')}\n", executable=True)
    events = ("TaskStart", "TaskResume", "TaskComplete", "PreToolUse", "PostToolUse", "PreCompact")
    found: Plan = [
        (
            base / "data" / "settings" / "cline_mcp_settings.json",
            [JsonMember(("mcpServers", "coeditor"), server)],
        )
    ]
    return found + [(folder / event, [script]) for event in events]


def opencode(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """OpenCode; its hooks are a plugin."""
    base = places.config("opencode") if scope == "user" else places.project
    plugins = base / "plugin" if scope == "user" else base / ".opencode" / "plugin"
    server = {"type": "local", "command": [*command, "mcp"], "enabled": True}
    source = files("lsp_server.setup").joinpath("opencode_plugin.js").read_text(encoding="utf-8")
    plugin = source.replace('["coeditor", "hook"]', _json([*command, "hook"]).strip(), 1)
    known = base / "opencode.jsonc"
    settings = known if known.exists() else base / "opencode.json"
    return [
        (settings, [JsonMember(("mcp", "coeditor"), server)]),
        (plugins / "coeditor.js", [OwnFile(plugin)]),
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


def _toml(text: str) -> str:
    """A string of TOML, and of YAML."""
    return json.dumps(text)


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"
