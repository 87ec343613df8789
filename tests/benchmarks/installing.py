"""The peers, from their registries into a cache outside the repository, by npm and pip.

Never: a second installation of what is there; a peer that cannot be had is told of, and left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.benchmarks.contestants import Contestant


def cache_folder() -> Path:
    """Where they are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "coeditor-benchmarks"


def install(contestants: Iterable[Contestant], cache: Path) -> dict[str, str]:
    """Put in place what is missing. Returns why not, by the name of each that cannot be had."""
    wanted = list(contestants)
    cache.mkdir(parents=True, exist_ok=True)
    missing: dict[str, str] = {}
    packages = sorted(each.npm for each in wanted if each.npm)
    trouble = _npm(packages, cache) if packages else ""
    for each in wanted:
        why = (trouble if each.npm else "") or (_pypi(each, cache) if each.pypi else "")
        if not why:
            try:
                each.command(cache, cache)
            except OSError as error:
                why = str(error)
        if why:
            missing[each.name] = why
    return missing


def _npm(packages: list[str], cache: Path) -> str:
    """Install into one folder, which remembers what it has."""
    if shutil.which("npm") is None:
        return "npm is not installed"
    folder, note = cache / "npm", cache / "npm.installed"
    if note.exists() and set(packages) <= set(note.read_text().split()):
        return ""
    folder.mkdir(exist_ok=True)
    if not (folder / "package.json").exists():
        (folder / "package.json").write_text('{"private": true}\n')
    print(f"Installing {' '.join(packages)} ...", file=sys.stderr)
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *packages]
    why = _run(command, folder)
    if not why:
        note.write_text("\n".join(packages))
    return why


def _pypi(contestant: Contestant, cache: Path) -> str:
    folder, note = cache / contestant.name, cache / f"{contestant.name}.installed"
    if note.exists() and note.read_text() == contestant.pypi:
        return ""
    python = _python(contestant.python)
    if python is None:
        return f"{contestant.pypi} wants Python {contestant.python}, which is not installed"
    print(f"Installing {contestant.pypi} ...", file=sys.stderr)
    why = _run([python, "-m", "venv", "--clear", str(folder)], cache) or _run(
        [str(folder / "bin" / "pip"), "install", "-q", *contestant.pypi.split()], cache
    )
    if not why:
        note.write_text(contestant.pypi)
    return why


def _python(lowest: str) -> str | None:
    """A Python of at least this version: our own if it will do, else one that is installed beside it."""
    wanted = tuple(int(part) for part in lowest.split("."))
    if sys.version_info[:2] >= wanted:
        return sys.executable
    candidates = [f"python3.{minor}" for minor in range(wanted[1], wanted[1] + 5)]
    beside = [str(path) for name in candidates for path in Path.home().glob(f".pyenv/versions/*/bin/{name}")]
    for candidate in [*candidates, *beside]:
        found = shutil.which(candidate)
        if found and not _run([found, "-c", "import venv"], Path("/")):
            return found
    return None


def _run(command: list[str], folder: Path) -> str:
    """What went wrong; empty when nothing did."""
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    lines = (done.stderr or done.stdout).strip().splitlines() or ["it said nothing"]
    return f"{Path(command[0]).name} failed: {lines[-1][:200]}"
