"""``coeditor report`` after a session full of secrets: useful, and none of them in it."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

from lsp_server import __version__
from tests.e2e.agents import Place, agent

SECRETS = {
    where: f"hunter2-{where}-planted"
    for where in ("text", "typed", "patch", "setting", "log", "state", "env")
}


def report(place: Place, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lsp_server", "report", *words],
        cwd=place.folder,
        env={**place.environment, **env},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )


def plant(place: Place) -> None:
    """Where an older version, or a crash, could have left some."""
    (folder,) = place.base.glob("state/coeditor/folders/*")
    (log,) = place.base.glob("state/coeditor/logs/*.log")
    secret = SECRETS["log"]
    with log.open("a") as file:
        file.write(
            "2026-01-01 10:00:00,000 ERROR lsp_server.app: edit failed\n"
            "Traceback (most recent call last):\n"
            '  File "/x/lsp_server/app.py", line 7, in call\n'
            f'    raise ValueError("{secret}")\n'
            f"ValueError: {secret}\n"
            f"KeyError: '{secret}'\n"
            f"2026-01-01 10:00:00,000 INFO lsp_server.app: no setting '{secret}' and `{secret}`\n"
            f"2026-01-01 10:00:00,000 INFO pygls.server: {secret}\n"
            f"{secret}\n"
            + json.dumps({"message": secret, "logger": "other", "time": "t", "level": "info"})
            + "\n"
        )
    for name in ("transactions/t1.json", "transactions/backup", "ledger.db.damaged-1"):
        (folder / name).write_text(json.dumps({"text": SECRETS["state"]}))
    with (folder / "events.jsonl").open("a") as file:
        file.write(
            json.dumps({"event": "edit", "time": "t", "files": [{"file_path": SECRETS["state"]}]}) + "\n"
        )


async def test_it_has_what_helps_and_nothing_that_stands_in_a_file(tmp_path: Path) -> None:
    place = Place(
        tmp_path, {"no_such": SECRETS["setting"], "forbidden": [SECRETS["setting"]], "matching": "exact"}
    )
    place.write("a.txt", f"one\n{SECRETS['text']}\n")
    async with agent(place) as one:
        await one.call("read", file_path="a.txt")
        done = await one.call("edit", file_path="a.txt", old_string="one", new_string=SECRETS["typed"])
        assert done["ok"]
        refused = await one.call("edit", file_path="a.txt", old_string=SECRETS["patch"], new_string="x")
        assert refused["code"] == "FS_NO_MATCH"
        await one.call(
            "apply_patch", patch=f"*** Begin Patch\n*** Update File: a.txt\n@@\n-{SECRETS['patch']}\n"
        )
        plant(place)
        out = report(place, "--out", "bundle.zip", COEDITOR_HTTP_TOKEN=SECRETS["env"])
    assert out.returncode == 0, out.stderr
    bundle = place.folder / "bundle.zip"
    assert bundle.stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(bundle) as found:
        parts = {name: found.read(name).decode() for name in found.namelist()}
    told = "\n".join(parts.values())
    token = next(place.base.glob("run/coeditor/*/token"), None)
    secrets = [*SECRETS.values(), *([token.read_text()] if token else [])]
    for secret in secrets:
        for form in (
            secret,
            base64.b64encode(secret.encode()).decode()[:-4],
            secret.encode().hex(),
            repr(secret)[1:-1],
        ):
            assert form not in told
    assert str(place.base) not in told
    about, status, ledger = (json.loads(parts[f"{name}.json"]) for name in ("about", "status", "ledger"))
    assert about["coeditor"] == __version__
    assert "COEDITOR_HTTP_TOKEN" in about["variables"]
    assert status["server"]["calls"]["FS_NO_MATCH"] >= 1
    assert status["settings"] == {"matching": "exact", "forbidden": 1}
    assert (ledger["whole"], ledger["entries"]) == (True, {"applied": 1})
    assert len(json.loads(parts["transactions.json"])) == 2
    assert [one["operations"] for one in json.loads(parts["events.json"])] == [{"update": 1}]
    assert "ERROR lsp_server.app: edit failed" in parts["log.txt"]
    assert 'app.py", line 7, in call' in parts["log.txt"]
    assert "  ValueError\n" in parts["log.txt"]


def test_it_never_writes_over_a_file(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.write("taken.zip", "mine")
    out = report(place, "--out", "taken.zip")
    assert (out.returncode, place.text("taken.zip")) == (1, "mine")
    assert "cannot be written" in out.stderr
    assert report(place, "--what").returncode == 2
    assert os.listdir(place.folder) == ["taken.zip"]
