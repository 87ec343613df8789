"""How each agent is started with a scripted model, without login, and what it calls its tools and ours.

Never: a key or an address of anybody; the keys are dummies and the models are on loopback.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.agents.installed import program
from tests.e2e.agents import Place
from tests.e2e.vscode.install import cache_folder

Json = dict[str, Any]


@dataclass(frozen=True)
class Staged:
    """How the agent is started."""

    argv: list[str]
    environment: dict[str, str]
    first: list[str] = field(default_factory=list)
    """What the program is called with before that, to be told of its model."""
    turns: list[str] = field(default_factory=list)
    """Lines for its standard input, one after the other."""


@dataclass(frozen=True)
class Player:
    """One agent."""

    name: str
    setup: str
    """For ``coeditor setup``."""
    ours: Callable[[str], str]
    """What the model calls one of our tools."""
    stage: Callable[..., Staged]
    read: Callable[[str], Json] | None
    edit: Callable[[str, str, str], Json]
    write: Callable[[str, str], Json]
    sub_agent: Callable[[str], Json] | None = None
    acp: tuple[str, ...] = ("--acp",)
    """What its program is called with to speak the Agent Client Protocol, unless something else does."""
    leaves_daemon: bool = False
    """It leaves a process behind, which has to end with the play."""
    rules: list[Json] = field(default_factory=list)


def _merged(path: Path, more: Json) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    found = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(found | more))


def _claude(home: Path, place: Place, port: int, *, prompts: list[str] | None = None) -> Staged:
    # Folders are trusted in a dialogue, which nobody is there to answer.
    trusted = {str(place.folder): {"hasTrustDialogAccepted": True}}
    _merged(home / ".claude.json", {"hasCompletedOnboarding": True, "projects": trusted})
    environment = {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": "sk-ant-dummy",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_EXECUTABLE": str(program("claude")),
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",  # as root, as in a container
    }
    words = ["--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"]
    if prompts is None:
        return Staged(["-p", "<<main>> go", *words], environment)
    rows = [{"type": "user", "message": {"role": "user", "content": text}} for text in prompts]
    turns = [json.dumps(row) for row in rows]
    return Staged(["-p", "--input-format", "stream-json", *words], environment, turns=turns)


_CODEX_ENVIRONMENT = """
[mcp_servers.coeditor.env]
XDG_RUNTIME_DIR = "{base}/run"
XDG_STATE_HOME = "{base}/state"
"""
"""It scrubs its servers' environment, and this server is in a run-time folder of the test's."""


def _codex(home: Path, place: Place, port: int, *, window: int | None = None) -> Staged:
    config = home / ".codex" / "config.toml"
    own = config.read_text() if config.exists() else ""
    config.parent.mkdir(exist_ok=True)
    limits = (
        f"model_context_window = {window}\nmodel_auto_compact_token_limit = {window * 3 // 4}\n"
        if window
        else ""
    )
    config.write_text(
        'model = "gpt-5.5"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n'
        f"{limits}"
        '[model_providers.scripted]\nname = "scripted"\n'
        f'base_url = "http://127.0.0.1:{port}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n'
        "request_max_retries = 0\nstream_max_retries = 0\n"
        f"{own}" + (_CODEX_ENVIRONMENT.format(base=place.base) if own else "")
    )
    words = ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
    return Staged(
        [*words, "--dangerously-bypass-approvals-and-sandbox", "<<main>> go"],
        {"SCRIPTED_KEY": "dummy", "CODEX_PATH": str(program("codex"))},
    )


def _cline(home: Path, place: Place, port: int) -> Staged:
    address = f"http://127.0.0.1:{port}/v1"
    first = ["auth", "-p", "openai-compatible", "-k", "dummy", "-m", "scripted", "-b", address]
    words = ["--json", "-P", "openai-compatible", "-m", "scripted", "--auto-approve", "true", "-t", "100"]
    environment = {"CLINE_NO_AUTO_UPDATE": "1", "CLINE_TELEMETRY_DISABLED": "1"}
    return Staged([*words, "<<main>> go"], environment, first)


def _copilot(home: Path, place: Place, port: int) -> Staged:
    environment = {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"http://127.0.0.1:{port}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_WIRE_API": "responses",
        "COPILOT_PROVIDER_API_KEY": "dummy",
        "COPILOT_MODEL": "gpt-5.4",
        "COPILOT_AUTO_UPDATE": "false",
        "XDG_CACHE_HOME": str(cache_folder() / "copilot-unpacked"),  # 200 MB that it unpacks
    }
    words = ["--output-format", "json", "--allow-all-tools", "--allow-all-paths"]
    return Staged(["-p", "<<main>> go", *words], environment)


def _gemini(home: Path, place: Place, port: int) -> Staged:
    quiet = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    _merged(home / ".gemini" / "settings.json", quiet)
    environment = {
        "GEMINI_API_KEY": "dummy",
        "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{port}",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }
    words = ["-m", "gemini-2.5-pro", "--approval-mode", "yolo", "--output-format", "stream-json"]
    return Staged([*words, "-p", "<<main>> go"], environment)


def _opencode(home: Path, place: Place, port: int, *, window: int = 128_000) -> Staged:
    model = {"name": "scripted", "tool_call": True, "limit": {"context": window, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "dummy"},
        "models": {"scripted": model},
    }
    more = {
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "autoupdate": False,
        "share": "disabled",
        "provider": {"scripted": provider},
        "permission": {"*": "allow"},
    }
    _merged(home / ".config" / "opencode" / "opencode.json", more)
    (home / ".npmrc").write_text(
        "fetch-retries=0\nfetch-timeout=1000\n"
    )  # it looks for a package at the start
    environment = {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "NPM_CONFIG_USERCONFIG": str(home / ".npmrc"),
        "npm_config_fetch_retries": "0",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_CACHE_HOME": str(home / ".cache"),
    }
    return Staged(["run", "--format", "json", "<<main>> go"], environment)


def _patched(path: str, old: str, new: str) -> Json:
    return _patch(f"*** Update File: {path}\n@@\n-{old}\n+{new}")


def _patched_whole(path: str, text: str) -> Json:
    return _patch(f"*** Delete File: {path}\n*** Add File: {path}\n+{text.strip()}")


def _patch(sections: str) -> Json:
    return {"tool": "apply_patch", "input": f"*** Begin Patch\n{sections}\n*** End Patch\n"}


CLAUDE = Player(
    name="claude",
    setup="claude-code",
    ours=lambda tool: f"mcp__coeditor__{tool}",
    stage=_claude,
    read=lambda path: {"tool": "Read", "args": {"file_path": path}},
    edit=lambda path, old, new: {
        "tool": "Edit",
        "args": {"file_path": path, "old_string": old, "new_string": new},
    },
    write=lambda path, text: {"tool": "Write", "args": {"file_path": path, "content": text}},
    sub_agent=lambda prompt: {
        "tool": "Agent",
        "args": {
            "description": "help",
            "prompt": prompt,
            "subagent_type": "general-purpose",
            "run_in_background": False,
        },
    },
    rules=[{"match": "create a detailed summary", "say": "<summary>what was done</summary>"}],
)
CODEX = Player(
    name="codex",
    setup="codex",
    ours=lambda tool: f"mcp__coeditor.{tool}",
    stage=_codex,
    read=None,
    edit=_patched,
    write=_patched_whole,
    sub_agent=lambda prompt: {"tool": "multi_agent_v1.spawn_agent", "args": {"message": prompt}},
    rules=[{"match": "CONTEXT CHECKPOINT COMPACTION|handoff summary", "say": "what was done, for <<main>>"}],
)
CLINE = Player(
    name="cline",
    setup="cline",
    ours=lambda tool: f"coeditor__{tool}",
    stage=_cline,
    read=lambda path: {"tool": "read_files", "args": {"files": [{"path": path}]}},
    edit=lambda path, old, new: {
        "tool": "editor",
        "args": {"path": path, "old_text": old, "new_text": new},
    },
    write=lambda path, text: {"tool": "editor", "args": {"path": path, "new_text": text}},
    leaves_daemon=True,
)
COPILOT = Player(
    name="copilot",
    setup="copilot",
    ours=lambda tool: f"coeditor-{tool}",
    stage=_copilot,
    read=lambda path: {"tool": "view", "args": {"path": path}},
    edit=_patched,
    write=_patched_whole,
    sub_agent=lambda prompt: {
        "tool": "task",
        "args": {
            "description": "help",
            "prompt": prompt,
            "agent_type": "general-purpose",
            "name": "help",
            "mode": "sync",
        },
    },
)
GEMINI = Player(
    name="gemini",
    setup="gemini",
    ours=lambda tool: f"mcp_coeditor_{tool}",
    stage=_gemini,
    acp=("--acp", "-m", "gemini-2.5-pro", "--approval-mode", "yolo"),
    read=lambda path: {"tool": "read_file", "args": {"file_path": path}},
    edit=lambda path, old, new: {
        "tool": "replace",
        "args": {"file_path": path, "old_string": old, "new_string": new, "instruction": "change it"},
    },
    write=lambda path, text: {"tool": "write_file", "args": {"file_path": path, "content": text}},
)
OPENCODE = Player(
    name="opencode",
    setup="opencode",
    ours=lambda tool: f"coeditor_{tool}",
    stage=_opencode,
    acp=("acp",),
    read=lambda path: {"tool": "read", "args": {"filePath": path}},
    edit=lambda path, old, new: {
        "tool": "edit",
        "args": {"filePath": path, "oldString": old, "newString": new},
    },
    write=lambda path, text: {"tool": "write", "args": {"filePath": path, "content": text}},
    sub_agent=lambda prompt: {
        "tool": "task",
        "args": {"description": "help", "prompt": prompt, "subagent_type": "general"},
    },
    rules=[
        {"match": "You are a title generator", "say": "A title"},
        {"match": "context summarization agent", "say": "what was done, for <<main>>"},
    ],
)
PLAYERS = [CLAUDE, CLINE, CODEX, COPILOT, GEMINI, OPENCODE]
