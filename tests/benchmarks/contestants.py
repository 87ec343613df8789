"""Who competes: how each is started and asked for a read, an edit, and edits of many files.

Versions are those that were measured last; a newer one is measured by changing its line here.
Never: a peer made slower than its users would have it; each gets the settings that its speed needs.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Call = tuple[str, dict[str, Any]]
"""A tool's name and its arguments."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One line of one file replaced."""

    path: Path
    line: int
    """1-based."""
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Contestant:
    """One program, as it is installed and spoken to."""

    name: str
    """Short, for tables."""
    about: str
    """What it is, with its version."""
    command: Callable[[Path, Path], list[str]]
    """From the folder of what is installed, and the workspace folder."""
    read: Callable[[Path, int, int], Call] | None = None
    """Lines from one on, so many; None where it has no such tool. A tool without a window gives all of it."""
    edit: Callable[[Edit], Call] | None = None
    """None where it takes patches only."""
    patch: Callable[[Sequence[Edit], Path], Call] | None = None
    """Edits of several files in one call, where it has one."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """With ``{cache}`` where the folder of what is installed is to stand, and ``{PATH}``."""
    home: Mapping[str, str] = field(default_factory=dict)
    """Files of its home, with ``{root}`` where the workspace folder is to stand."""
    npm: str = ""
    """What is installed for it, by npm's client."""
    pypi: str = ""
    """What is installed for it, by pip, in an environment of its own; several with blanks between them."""
    python: str = "3.11"
    """The lowest that its release wants."""
    is_process_a_call: bool = False
    """No server: its command gets the patch as an argument."""
    reads_first: bool = False
    """It refuses edits of what was not read; the reading is not counted."""
    hashes_first: bool = False
    """Each edit wants hashes of a read just before it, which is counted."""
    folder_wide: bool = False
    """Its server outlives the one that speaks to the agent."""


def patch_text(edits: Sequence[Edit], root: Path) -> str:
    """The edits as one V4A patch."""
    lines = ["*** Begin Patch"]
    for each in edits:
        lines += [f"*** Update File: {each.path.relative_to(root)}", "@@", f"-{each.old}", f"+{each.new}"]
    return "\n".join([*lines, "*** End Patch"])


OURS = "coeditor"
FAST = "coeditor, fast"
FILESYSTEM = "server-filesystem"
CODEX = "codex"
NAIVE = "naive"
FLOOR = "naive, flushed"
"""The floor in this language over this transport of an edit that a power cut cannot half make."""
_WIDE = {"read_chars": 20_000_000}
"""So that 20,000 lines come in one answer, as from the others."""


def _ours(name: str, about: str, **settings: object) -> Contestant:
    program = str(Path(sys.executable).with_name("coeditor"))
    return Contestant(
        name,
        about,
        command=lambda _, root: [program, "mcp", "--root", str(root)],
        read=lambda path, first, count: (
            "read",
            {"file_path": str(path), "offset": first, "limit": count},
        ),
        edit=lambda edit: (
            "edit",
            {"file_path": str(edit.path), "old_string": edit.old, "new_string": edit.new},
        ),
        patch=lambda edits, root: ("apply_patch", {"patch": patch_text(edits, root)}),
        environment={"COEDITOR_SETTINGS": json.dumps({**_WIDE, **settings})},
        reads_first=True,
        folder_wide=True,
    )


def _naive(name: str, about: str, *options: str) -> Contestant:
    program = str(Path(__file__).with_name("naive_server.py"))
    return Contestant(
        name,
        about,
        command=lambda _, root: [sys.executable, program, str(root), *options],
        read=lambda path, first, count: ("read", {"path": str(path)}),
        edit=lambda edit: ("edit", {"path": str(edit.path), "old": edit.old, "new": edit.new}),
    )


def _node(cache: Path, script: str, *arguments: str) -> list[str]:
    return ["node", str(cache / "npm" / "node_modules" / script), *arguments]


CONTESTANTS: tuple[Contestant, ...] = (
    _ours(OURS, "this one: ledger, journal, locks, history and fsync on"),
    _ours(FAST, 'this one with `durability = "fast"`', durability="fast"),
    Contestant(
        FILESYSTEM,
        "@modelcontextprotocol/server-filesystem 2026.8.31",
        command=lambda cache, root: _node(
            cache, "@modelcontextprotocol/server-filesystem/dist/index.js", str(root)
        ),
        read=lambda path, first, count: ("read_text_file", {"path": str(path)}),
        edit=lambda edit: (
            "edit_file",
            {"path": str(edit.path), "edits": [{"oldText": edit.old, "newText": edit.new}]},
        ),
        npm="@modelcontextprotocol/server-filesystem@2026.8.31",
    ),
    Contestant(
        "desktop-commander",
        "@wonderwhy-er/desktop-commander 0.2.52",
        command=lambda cache, root: _node(cache, "@wonderwhy-er/desktop-commander/dist/index.js"),
        read=lambda path, first, count: ("read_file", {"path": str(path), "length": 100_000}),
        edit=lambda edit: (
            "edit_block",
            {"file_path": str(edit.path), "old_string": edit.old, "new_string": edit.new},
        ),
        environment={"DESKTOP_COMMANDER_DISABLE_TELEMETRY": "1"},
        home={
            ".claude-server-commander/config.json": '{"allowedDirectories": ["{root}"], "blockedCommands": [], '
            '"telemetryEnabled": false, "fileReadLineLimit": 100000, "defaultShell": "/bin/bash"}'
        },
        npm="@wonderwhy-er/desktop-commander@0.2.52",
    ),
    Contestant(
        "mcp-text-editor",
        "mcp-text-editor 1.2.2",
        command=lambda cache, root: [str(cache / "mcp-text-editor" / "bin" / "mcp-text-editor")],
        read=lambda path, first, count: (
            "get_text_file_contents",
            {"files": [{"file_path": str(path), "ranges": [{"start": 1}]}]},
        ),
        pypi="mcp-text-editor==1.2.2",
        python="3.13",
        hashes_first=True,
    ),
    Contestant(
        "serena",
        "serena-agent 2.1.0, with the language server that it starts",
        command=lambda cache, root: [
            str(cache / "serena" / "bin" / "serena"),
            *("start-mcp-server", "--project", str(root), "--context", "desktop-app"),
            *("--agent-interface", "tools", "--enable-web-dashboard", "false"),
            *("--enable-gui-log-window", "false", "--log-level", "ERROR"),
        ],
        read=lambda path, first, count: (
            "read_file",
            {"relative_path": path.name, "max_answer_chars": 100_000_000},
        ),
        edit=lambda edit: (
            "replace_content",
            {"relative_path": edit.path.name, "needle": edit.old, "repl": edit.new, "mode": "literal"},
        ),
        environment={
            "SERENA_USAGE_REPORTING": "false",
            # It has uv fetch and start the language server of the workspace.
            "PATH": "{cache}/serena/bin:{PATH}",
            "UV_CACHE_DIR": "{cache}/uv",
            "PYRIGHT_PYTHON_CACHE_DIR": "{cache}/pyright",
            "UV_PYTHON_DOWNLOADS": "never",
        },
        pypi="serena-agent==2.1.0 uv",
        python="3.13",
    ),
    Contestant(
        CODEX,
        "@openai/codex 0.171.0 apply_patch, a process a call",
        command=lambda cache, root: [str(_codex(cache))],
        patch=lambda edits, root: ("apply_patch", {"patch": patch_text(edits, root)}),
        npm="@openai/codex@0.171.0",
        is_process_a_call=True,
    ),
    _naive(NAIVE, "a Python MCP server of 40 lines, no safety (not a peer)"),
    _naive(
        FLOOR, "the same, that flushes a journal, the file and its folder: the floor of an edit", "--flushed"
    ),
)


def _codex(cache: Path) -> Path:
    """Codex's program for this system. Errors: FileNotFoundError."""
    for found in (cache / "npm" / "node_modules" / "@openai").glob("codex-*/vendor/*/bin/codex"):
        return found
    raise FileNotFoundError("codex has no program for this system")
