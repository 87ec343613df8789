"""The README's commands and map are those that are true."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_ci_runs_the_readmes_test_command() -> None:
    last = (ROOT / ".ci" / "run").read_text(encoding="utf-8").rstrip().splitlines()[-1]
    assert last in (ROOT / "README.md").read_text(encoding="utf-8").splitlines()


def test_top_level_is_the_fixed_one() -> None:
    fixed = {"pyproject.toml", "lsp_server", "editor_clients", "ledger", "tests", "vscode-extension"}
    fixed |= {"README.md", "LICENSE", "requirements.lock"}
    ignored = {"__pycache__", "build", "dist", "coeditor.egg-info"}
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert found - ignored <= fixed
