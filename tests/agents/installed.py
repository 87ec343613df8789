"""The agents' binaries in pinned versions, installed by npm into the tests' cache.

Never: anything installed outside of that folder, or a newer version by itself.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.vscode.install import cache_folder, locked, run

PINNED = {
    "claude": ("@anthropic-ai/claude-code", "2.1.332"),
    "cline": ("cline", "3.0.65"),
    "codex": ("@openai/codex", "0.171.0"),
    "copilot": ("@github/copilot", "1.0.102"),
    "gemini": ("@google/gemini-cli", "0.61.0"),
    "opencode": ("opencode-ai", "1.18.33"),
}
ADAPTERS = {
    "claude": ("@agentclientprotocol/claude-agent-acp", "0.101.0", "claude-agent-acp"),
    "codex": ("@agentclientprotocol/codex-acp", "2.6.0", "codex-acp"),
}
"""What speaks the Agent Client Protocol for an agent that does not itself, and starts that agent's program."""


def program(name: str) -> Path:
    """The agent's program; takes a minute the first time. Errors: AssertionError with what npm said."""
    return _installed(f"agent-{name}", *PINNED[name], name)


def adapter(name: str) -> Path | None:
    """The program that speaks the Agent Client Protocol for the agent; None where its own does."""
    found = ADAPTERS.get(name)
    # The agent's program comes with it as well; the one that is there is taken.
    return _installed(f"acp-{name}", *found, "--omit=optional") if found is not None else None


def _installed(title: str, package: str, version: str, name: str, *more: str) -> Path:
    folder = cache_folder() / f"{title}-{version}"
    with locked(folder):
        if not (folder / "complete").exists():
            manifest = {
                "private": True,
                "name": f"coeditor-tests-{title}",
                "dependencies": {package: version},
            }
            (folder / "package.json").write_text(json.dumps(manifest))
            run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", *more], folder)
            (folder / "complete").touch()
    return folder / "node_modules" / ".bin" / name
