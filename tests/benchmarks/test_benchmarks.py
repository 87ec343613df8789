"""Every subject still runs, and says what it measured."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from tests.benchmarks import registry
from tests.benchmarks.__main__ import main
from tests.benchmarks.figures import Figure, percentile
from tests.benchmarks.registry import Measured


@pytest.mark.parametrize("subject", registry.subjects())
def test_subject_measures_something(subject: str) -> None:
    measured = registry.run(subject, quick=True)
    assert measured.figures
    for figure in measured.figures:
        assert figure.name
        assert figure.unit
        assert math.isfinite(figure.value)


def test_report_holds_what_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = (
        Figure("short", 3.0, "us", goal=2.0),
        Figure("many", 5.0, "a second", goal=4.0, at_least=True, note="by one"),
        Figure("plain", 12345.0, "MiB"),
    )
    monkeypatch.setattr(registry, "subjects", lambda: ["sample"])
    monkeypatch.setattr(registry, "run", lambda subject, quick: Measured(subject, 0.5, figures))
    file = tmp_path / "sub" / "found.json"
    assert main(["--json", str(file)]) == 0
    assert main(["--json", str(file), "--check", "--only", "sample"]) == 1
    assert main(["--only", "other"]) == 2
    printed = capsys.readouterr().out
    assert "MISSED: at most 2" in printed
    assert "ok: at least 4  (by one)" in printed
    assert "12,345 MiB" in printed
    written = json.loads(file.read_text(encoding="utf-8"))["subjects"]["sample"]["figures"]
    assert [row["met"] for row in written] == [False, True, True]


@pytest.mark.parametrize(("share", "wanted"), [(0.0, 1.0), (0.5, 3.0), (0.95, 5.0), (1.0, 5.0)])
def test_percentile_is_a_measured_value(share: float, wanted: float) -> None:
    assert percentile([5.0, 1.0, 3.0, 2.0, 4.0], share) == wanted
