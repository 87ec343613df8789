"""Agents' programs, and which versions of them are here.

Never: anything of them started but ``--version``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Final

PROGRAMS: Final = {
    "claude-code": "claude",
    "codex": "codex",
    "gemini": "gemini",
    "copilot": "copilot",
    "vscode": "code",
    "cursor": "cursor-agent",
    "cline": "cline",
    "opencode": "opencode",
    "zed": "zed",
    "goose": "goose",
}
"""What agents' programs are called."""
TRIED: Final = {
    "claude-code": "2.1.332",
    "codex": "0.171.0",
    "gemini": "0.61.0",
    "copilot": "1.0.102",
    "cline": "3.0.65",
    "opencode": "1.18.33",
}
"""Versions that Coeditor was tried with."""
ACP_PROGRAMS: Final = {
    "gemini": ("Gemini CLI", "--acp"),
    "opencode": ("OpenCode", "acp"),
    "copilot": ("Copilot CLI", "--acp"),
    "claude-agent-acp": ("Claude Code",),
    "codex-acp": ("Codex",),
}
"""What speaks the Agent Client Protocol: whose it is, and what it is called with.

Copilot CLI takes no server like ours from its host, and needs ``coeditor setup copilot`` besides.
"""
TAKES_TOOL_HOOKS: Final = (2, 1, 118)
"""The first Claude Code with hooks of the type ``mcp_tool``; to one before it settings with such a hook are void."""
_SECONDS: Final = 20


def versions() -> list[tuple[str, str]]:
    """The versions of the agents' programs that are installed; each is started once."""
    found = []
    for name, program in PROGRAMS.items():
        told = None if name == "vscode" else _told(program)
        if told is not None:
            tried = f" (tried with {TRIED[name]})" if name in TRIED and TRIED[name] not in told else ""
            found.append((f"{name} version", told + tried))
    return found


def acp_programs() -> list[str]:
    """Those that are on the path."""
    return [name for name in ACP_PROGRAMS if shutil.which(name) is not None]


def claude_version() -> tuple[int, ...] | None:
    """Of the Claude Code that is on the path; None where there is none, or it does not say."""
    numbers = re.match(r"(\d+)\.(\d+)\.(\d+)", _told(PROGRAMS["claude-code"]) or "")
    return tuple(map(int, numbers.groups())) if numbers else None


def _told(program: str) -> str | None:
    path = shutil.which(program)
    if path is None:
        return None
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return "does not answer"
    return (done.stdout.strip().splitlines() or ["nothing"])[0]
