"""What is shipped can be installed: the wheel, the source package, and the ways people install them.

With ``COEDITOR_PACKAGES=full`` each way is gone, with the registry's packages; else the wheel alone is unpacked.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from lsp_server import __version__
from tests.house.readme import ROOT

FULL = os.environ.get("COEDITOR_PACKAGES") == "full"
WAYS = {
    "pip": ["python", "-m", "pip", "install", "-q", "{wheel}"],
    "pipx": ["pipx", "install", "-q", "{wheel}"],
    "uv tool": ["uv", "tool", "install", "-q", "{wheel}"],
    "uvx": ["uvx", "-q", "--from", "{wheel}", "coeditor", "--version"],
}


def run(*words: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> str:
    """What a program says that ends well."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=900 if FULL else 110,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(kind: str, sources: Path, place: Path) -> Path:
    """One package, made of ``sources``."""
    run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", place, cwd=sources)
    (made,) = place.iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


def tracked(*folders: str) -> set[str]:
    return set(run("git", "ls-files", "--", *folders).splitlines())


def test_the_source_package_has_all_that_git_has_and_gives_the_same_wheel(
    wheel: Path, tmp_path: Path
) -> None:
    package = build("sdist", ROOT, tmp_path / "sdist")
    with tarfile.open(package) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / f"coeditor-{__version__}"
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert tracked() - found == set()
    assert build("wheel", folder, tmp_path / "again").read_bytes() == wheel.read_bytes()


def test_the_wheel_has_the_three_packages_their_types_and_the_neovim_plugin(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    packages = ("ledger", "editor_clients", "lsp_server")
    assert names == {name for name in tracked(*packages) if not name.endswith("stylua.toml")}
    assert {f"{package}/py.typed" for package in packages} <= names
    assert "editor_clients/neovim/plugin/coeditor.lua" in names


def test_it_runs_from_the_wheel_alone(wheel: Path, tmp_path: Path) -> None:
    run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", tmp_path, wheel)
    told = run(
        sys.executable, "-m", "lsp_server", "--version", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)}
    )
    assert told.strip() == f"coeditor {__version__}"


if FULL:

    @pytest.mark.parametrize("way", WAYS)
    def test_each_way_to_install_it(way: str, wheel: Path, tmp_path: Path) -> None:
        place = tmp_path / "environment"
        venv.create(place, with_pip=True)
        programs = place / "bin"
        if way != "pip":
            run(programs / "python", "-m", "pip", "install", "-q", "pipx" if way == "pipx" else "uv")
        own = {name: str(tmp_path / name) for name in ("PIPX_HOME", "UV_TOOL_DIR", "UV_CACHE_DIR", "HOME")}
        own |= {"PIPX_BIN_DIR": str(programs), "UV_TOOL_BIN_DIR": str(programs)}
        command, *words = (word.format(wheel=wheel) for word in WAYS[way])
        told = run(programs / command, *words, env=own)
        if way != "uvx":
            told = run(programs / "coeditor", "--version", cwd=tmp_path, env=own)
        assert told.strip() == f"coeditor {__version__}"
