"""The demo holds, and says so when it does not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.agents import Place


def run_demo(place: Place) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lsp_server", "demo"],
        cwd=place.folder,
        env={**place.environment, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


def test_every_step_holds(tmp_path: Path) -> None:
    done = run_demo(Place(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"All {done.stdout.count('✓')} checks in " in done.stdout
    assert "✗" not in done.stdout


@pytest.mark.parametrize("settings", [{"staleness": "on-miss"}, {"side_effects": {"diagnostics": False}}])
def test_a_step_that_does_not_hold_ends_it(tmp_path: Path, settings: dict[str, object]) -> None:
    """With the check, or the diagnostics, switched off the story is not true any more."""
    done = run_demo(Place(tmp_path, settings))
    assert done.returncode == 1, json.dumps(settings) + done.stdout
    assert "The demo stopped" in done.stdout
