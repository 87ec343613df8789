"""``coeditor doctor`` on healthy and on broken folders, through the real command."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from lsp_server import __version__
from tests.e2e.agents import Place, agent, killed
from tests.e2e.editors import serving
from tests.fakes.editor import ScriptedEditor


def run(place: Place, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lsp_server", *words],
        cwd=place.folder,
        env=place.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def doctor(place: Place, *words: str) -> tuple[int, dict[str, Any]]:
    done = run(place, "doctor", "--json", *words)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def journals(place: Place) -> Path:
    (folder,) = place.base.glob("state/coeditor/folders/*/transactions")
    return folder


def test_a_healthy_folder(tmp_path: Path) -> None:
    place = Place(tmp_path)
    code, found = doctor(place)
    facts = dict(found["facts"])
    assert (code, found["ok"], found["findings"]) == (0, True, [])
    assert facts["workspace folder"] == str(place.folder)
    assert f"headless, version {__version__}" in facts["server"]
    assert "was started for this" in facts["server"]
    assert "was running" in dict(doctor(place)[1]["facts"])["server"]


async def test_an_editor_and_what_it_can(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with serving(place, ScriptedEditor()):
        _, found = await asyncio.to_thread(doctor, place)
    facts = dict(found["facts"])
    assert "can: checked_apply, document_state" in facts["editor"]
    assert facts["server"].startswith("editor, ")
    assert facts["discovery file"].endswith("server.json")


async def test_a_server_that_is_gone_and_left_its_discovery_file(tmp_path: Path) -> None:
    place = Place(tmp_path)
    await asyncio.to_thread(doctor, place)
    (pid,) = place.server_pids()
    await killed(pid)
    _, found = await asyncio.to_thread(doctor, place)
    assert f"process {pid} of the discovery file is gone" in dict(found["facts"])["server"]


def test_a_setting_that_does_not_fit_is_found(tmp_path: Path) -> None:
    place = Place(tmp_path)
    path = place.write(".coeditor.toml", 'mode = "full"\ncolour = "red"\n')
    code, found = doctor(place)
    assert code == 1
    assert [finding["what"].split(":")[0] for finding in found["findings"]] == [str(path)] * 2
    assert {finding["remedy"] for finding in found["findings"]} == {"Correct or remove that setting."}
    path.write_text("")
    (pid,) = place.server_pids()
    code, found = doctor(place)
    assert code == 1
    assert [f"(process {pid}): end it" in finding["remedy"] for finding in found["findings"]] == [True] * 2


def test_a_state_folder_that_cannot_be_made(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (tmp_path / "state").rmdir()
    (tmp_path / "state").write_text("no folder")
    (finding,) = doctor(place)[1]["findings"]
    assert str(tmp_path / "state") in finding["what"]
    assert "COEDITOR_STATE_DIR" not in finding["what"]
    assert "COEDITOR_STATE_DIR, COEDITOR_RUNTIME_DIR" in finding["remedy"]
    told = run(place, "status").stderr
    assert "COEDITOR_STATE_DIR, COEDITOR_RUNTIME_DIR" in told
    assert "coeditor doctor" not in told


def test_a_damaged_journal_is_found_and_set_aside_when_told(tmp_path: Path) -> None:
    place = Place(tmp_path)
    doctor(place)
    broken = journals(place) / "t0001.publishing"
    broken.write_text("{ this was never one of ours")
    code, found = doctor(place)
    assert code == 1
    assert "t0001" in found["findings"][0]["what"]
    assert broken.exists()
    code, found = doctor(place, "--repair")
    assert (code, found["findings"][0]["repaired"]) == (0, True)
    assert not broken.exists()
    assert doctor(place)[1]["findings"] == []


def test_words_that_are_not_understood(tmp_path: Path) -> None:
    place = Place(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "lsp_server", "doctor", "--fix"],
        cwd=place.folder,
        env=place.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "--repair" in done.stderr


async def test_language_servers_are_named_and_one_that_fails_is_a_finding(tmp_path: Path) -> None:
    broken = {
        "command": [sys.executable, "-c", "import sys; sys.exit('no licence')"],
        "languages": {".txt": "x"},
    }
    off = {"ruff": False, "basedpyright": False}
    place = Place(tmp_path, {"language_servers": {"broken": broken, **off}})
    place.write("a.txt", "one\n")
    async with agent(place) as one:
        await one.call("diagnostics", file_path="a.txt")
        (row,) = (await one.call("status"))["language_servers"]
        assert (row["name"], row["running"]) == ("broken", False)
        code, found = doctor(place)
    facts = dict(found["facts"])
    assert code == 1
    assert "broken" in facts["language servers"]
    assert "ruff" not in facts["language servers"]
    assert facts["language servers that run"] == "none at the moment"
    assert found["findings"][-1]["what"] == "broken ended when it was started: no licence"


async def test_a_spoilt_ledger_is_told_once_and_work_goes_on(tmp_path: Path) -> None:
    place = Place(tmp_path)
    await asyncio.to_thread(doctor, place)
    (pid,) = place.server_pids()
    await killed(pid)
    folder = journals(place).parent
    for name in ("ledger.db-wal", "ledger.db-shm"):
        (folder / name).unlink(missing_ok=True)
    (folder / "ledger.db").write_bytes(b"no database" * 500)
    code, found = await asyncio.to_thread(doctor, place)
    (finding,) = found["findings"]
    assert code == 1
    assert "set aside as ledger.db.damaged-1" in finding["what"]
    assert finding["remedy"].startswith("Nothing needs to be done")
    assert (await asyncio.to_thread(doctor, place))[0] == 0
