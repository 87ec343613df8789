"""Real disks that are full, read-only, without watches or memory, and another machine's: nothing is lost on them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.namespace import allowed, run_inside

HERE = ["full_workspace", "no_inodes", "full_state", "read_only", "no_watches", "no_memory"]
FAR = ["far_unwatched", "far_plain", "far_held_open", "far_quota", "far_late_quota", "far_broken"]
SCENARIOS = [*(HERE if allowed() else ()), *(FAR if allowed(fuse=True) else ())]

if SCENARIOS:  # else the machine cannot, and what fails there fails in test_transaction_faults.py as well

    @pytest.mark.timeout(300)
    @pytest.mark.parametrize("scenario", SCENARIOS)
    def test_nothing_is_lost(
        tmp_path: Path, record_property: Callable[[str, object], None], scenario: str
    ) -> None:
        found = run_inside("tests.faults.disks", scenario, str(tmp_path))
        record_property("faults survived", found["faults"])
        record_property("lost", len(found["lost"]))
        assert found["lost"] == []
