from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp_server.agents.harness import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A workspace of its own."""
    return Place(tmp_path)
