"""A thousand acts of a person, two agents and another process: after each, all is as a simple model says.

Nothing typed is lost, nothing acknowledged is lost, nothing refused leaves a trace, and the mirror is the editor's.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.two_sided.world import World

STEPS = 10_000 if os.environ.get("COEDITOR_HYPOTHESIS") == "full" else 1_000
PARTS = 4
PLAIN = 2
"""The part in which the editor knows LSP only."""


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE_HOME", "RUNTIME_DIR", "CONFIG_HOME"):
        folder = tmp_path / name
        folder.mkdir(mode=0o700)
        monkeypatch.setenv(f"XDG_{name}", str(folder))


@pytest.mark.parametrize("part", range(PARTS))
async def test_all_is_as_the_model_says(tmp_path: Path, part: int) -> None:
    world = World(tmp_path, seed=part, merging=part % 2 == 1, extras=part != PLAIN)
    try:
        for _ in range(STEPS // PARTS):
            await world.step()
        assert world.acknowledged > STEPS // PARTS // 10
        assert world.refused > STEPS // PARTS // 50
    finally:
        await world.close()
