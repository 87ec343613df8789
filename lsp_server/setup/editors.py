"""What goes into which editor's files, so that it starts ``coeditor serve``.

Never: a change of somebody's own script; where a language would have to be changed by hand, that is said.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from lsp_server.setup.agents import Make, Plan
from lsp_server.setup.pieces import OwnFile, TomlBlock
from lsp_server.setup.places import Places, Scope


def neovim(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """Neovim: the plugin that is part of this installation."""
    import editor_clients

    plugin = Path(editor_clients.__file__).parent / "neovim"
    words = ", ".join(json.dumps(word) for word in (*command, "serve"))
    text = (
        "-- Made by `coeditor setup neovim`.\n"
        f"local plugin = {json.dumps(str(plugin))}\n"
        "vim.opt.runtimepath:append(plugin)\n"
        "-- Neovim looks for plugins before this file adds one.\n"
        'dofile(plugin .. "/plugin/coeditor.lua")\n'
        'if not vim.uv.fs_stat(plugin .. "/doc/tags") then\n'
        '  pcall(vim.cmd, { cmd = "helptags", args = { plugin .. "/doc" }, magic = { file = false } })\n'
        "end\n"
        f'require("coeditor").setup({{ cmd = {{ {words} }} }})\n'
    )
    return [(places.config("nvim") / "plugin" / "coeditor.lua", [OwnFile(text)])]


def helix(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """Helix: the server; which languages use it is for the person to say."""
    base = places.config("helix") if scope == "user" else places.project / ".helix"
    words = ", ".join(json.dumps(word) for word in (*command[1:], "serve"))
    lines = ("[language-server.coeditor]", f"command = {json.dumps(command[0])}", f"args = [{words}]")
    return [(base / "languages.toml", [TomlBlock(("language-server", "coeditor"), lines)])]


def emacs(places: Places, scope: Scope, command: Sequence[str]) -> Plan:
    """Emacs: a file to load, for eglot."""
    words = " ".join(json.dumps(word) for word in (*command, "serve"))
    text = (
        ";;; coeditor.el --- Coeditor for eglot  -*- lexical-binding: t -*-\n"
        ";; Made by `coeditor setup emacs`.\n"
        "(with-eval-after-load 'eglot\n"
        f"  (add-to-list 'eglot-server-programs '((prog-mode text-mode) . ({words})) t))\n"
        "(provide 'coeditor)\n"
    )
    return [(places.config("emacs") / "coeditor.el", [OwnFile(text)])]


EDITORS: Final[Mapping[str, Make]] = {"neovim": neovim, "helix": helix, "emacs": emacs}

NOTES: Final[Mapping[str, str]] = {
    "codex": "Codex runs no hook before you trusted it once: start it and open /hooks.",
    "copilot": "Copilot CLI takes MCP servers from its own folder only, so that file is the same in every scope.",
    "zed": "Zed starts language servers by extensions only; this makes Coeditor's tools known to its agents. Those "
    "of gemini, opencode, copilot, claude-agent-acp and codex-acp that are on the path are offered as checked "
    'too; put "coeditor acp --" before the command of any other (agent_servers).',
    "helix": 'In languages.toml, add "coeditor" to the language-servers of the languages that agents may edit.',
    "emacs": 'Load it from your init file: (load (locate-user-emacs-file "coeditor.el")).',
    "goose": "Goose has no project configuration; the person's own was used.",
    "vscode": "In VS Code the Coeditor extension brings the tools by itself; this is for windows without it.",
}
"""What is left to do, or to know."""
