"""Every subject still runs, and says what it measured."""

from __future__ import annotations

import asyncio
import json
import math
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.benchmarks import registry, tables
from tests.benchmarks.__main__ import main
from tests.benchmarks.contestants import CONTESTANTS, FILESYSTEM, OURS
from tests.benchmarks.driving import Reply, Running
from tests.benchmarks.figures import Figure, percentile
from tests.benchmarks.goals import ratios
from tests.benchmarks.page import put
from tests.benchmarks.plot import picture
from tests.benchmarks.race import Results
from tests.benchmarks.registry import Measured
from tests.benchmarks.texts import Target, line


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
    assert main(["--inside", "--json", str(file)]) == 0
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


def sample_results() -> Results:
    """A race of two, in which one of them fails once."""
    results = Results(load=(1.0, 2.0))
    for number, name in enumerate(("start", "edit 10 KB", "edit 10 MB")):
        cell = results.cell(name)
        for who, factor in ((OURS, 1), (FILESYSTEM, 2)):
            cell.seconds[who] = [0.002 * factor * 10**number, 0.004 * factor * 10**number]
            cell.cpu[who], cell.text[who], cell.structured[who] = [0.001], 500 * factor, 0
    results.cell("edit 10 MB").failed[FILESYSTEM] = "it <fell> over"
    results.walk = [{"step": "apply", "p50": 1.5, "mean": 1.0}, {"step": "whole", "p50": 4.0, "mean": 4.0}]
    results.memory = {OURS: {"idle": [14.0, 40.0]}, FILESYSTEM: {"idle": [70.0]}}
    return results


def test_goals_are_shares_of_the_same_run() -> None:
    found = {each.name: each for each in ratios(sample_results())}
    assert found["edit 10 KB"].value == pytest.approx(0.5)
    assert found["edit 10 KB"].is_met
    assert found["start to the first answer, a server running"].is_met is False
    assert found["edit 10 MB"].is_met is None, "who failed is no measure"
    assert found["memory of the relay"].value == pytest.approx(14 / 15)


def test_race_is_told_in_tables_and_a_picture(tmp_path: Path) -> None:
    results = sample_results()
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- it: written by tests.benchmarks -->\nwhat was there\n<!-- end of it -->\nb\n")
    put("it", tables.lines_of(results), page=page)
    text = page.read_text()
    assert text.startswith("a\n")
    assert text.endswith("<!-- end of it -->\nb\n")
    assert "what was there" not in text
    assert "| edit 10 KB | 30 ms | server-filesystem: 60 ms | 0.5 | 1 | met |" in text
    assert "server-filesystem failed at edit 10 MB: it <fell> over" in text
    drawn = ElementTree.fromstring(picture(results))
    bars = [each for each in drawn.iter("{http://www.w3.org/2000/svg}title") if each.text]
    assert [each.text for each in bars][:2] == ["coeditor: 3 ms", "server-filesystem: 6 ms"]
    assert json.loads(json.dumps(tables.as_object(results, quick=True)))["cells"]["start"]["median_ms"]


def test_profile_is_told_as_shares_of_the_whole() -> None:
    assert "| apply | 1.5 | 25 % |" in list(tables.walk_table(sample_results()))


def test_page_without_a_place_is_left_alone(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("text\n")
    with pytest.raises(ValueError, match="no place"):
        put("it", ["x"], page=page)
    assert page.read_text() == "text\n"


def test_our_own_start_reads_and_edits_count() -> None:
    """The race itself, with nobody else in it."""
    ours = next(each for each in CONTESTANTS if each.name == OURS)

    async def run() -> tuple[Reply, Reply]:
        with tempfile.TemporaryDirectory() as folder:
            async with Running(ours, Path(folder), Path(folder)) as runner:
                target = Target(runner.root / "a.txt", 1_000)
                seen = await runner.read(target.path)
                edit = target.next()
                reply = await runner.counted(runner.edit(edit))
                assert target.took(edit)
                assert len(runner.peaks()) == 2, "the relay and the server"
                return seen, reply

    seen, reply = asyncio.run(run())
    assert line(0) in seen.text
    assert reply.cpu > 0
    assert not reply.failed
