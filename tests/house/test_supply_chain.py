"""What is shipped is made the same way twice, of packages that are pinned by their hashes.

Never: a look at a registry.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.house.readme import ROOT

EXTENSION = ROOT / "vscode-extension"


def locked() -> dict[str, str]:
    """Name and version of each package of the lock."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", text, re.MULTILINE))


def test_every_python_package_is_pinned_with_hashes() -> None:
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"^(?=\S)", text, flags=re.MULTILINE)
    loose = [entry.split("\n")[0] for entry in entries if entry.strip() and "--hash=sha256:" not in entry]
    assert loose == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    names = {re.split(r"[\[<>=~!; ]", one)[0].lower().replace("_", "-") for one in wanted} - {"coeditor"}
    assert names <= {name.lower().replace("_", "-") for name in locked()}


def test_every_npm_package_is_pinned_with_hashes() -> None:
    lock = json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: one for name, one in lock["packages"].items() if name and not one.get("link")}
    assert packages
    assert [
        name for name, one in packages.items() if not one.get("integrity", "").startswith("sha512-")
    ] == []
    assert "ignore-scripts=true" in (EXTENSION / ".npmrc").read_text(encoding="utf-8")


def test_few_packages_are_needed_at_run_time() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = sorted(re.split(r"[<>=~!; ]", one)[0] for one in project["dependencies"])
    assert names == ["lsprotocol", "orjson", "pygls", "rich", "watchfiles"]


def test_two_wheels_of_the_same_sources_are_the_same_bytes(tmp_path: Path) -> None:
    tracked = subprocess.run(
        [
            "git",
            "ls-files",
            "-z",
            "lsp_server",
            "editor_clients",
            "ledger",
            "pyproject.toml",
            "README.md",
            "LICENSE",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = [name for name in tracked.stdout.split("\0") if name and (ROOT / name).is_file()]
    found = []
    for number, order in enumerate((names, names[::-1])):
        place = tmp_path / f"{number}" / ("deep/er" if number else "sources")
        for name in order:
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, path)
            os.utime(path, (1_000_000_000 + number * 86_400,) * 2)
        env = {
            **os.environ,
            "TZ": ("UTC", "Asia/Tokyo")[number],
            "LC_ALL": "C",
            "PYTHONHASHSEED": str(number),
        }
        env.pop("SOURCE_DATE_EPOCH", None)
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place / "out")]
        subprocess.run(command, cwd=place, env=env, capture_output=True, check=True, timeout=110)
        (wheel,) = (place / "out").iterdir()
        found.append((wheel.name, hashlib.sha256(wheel.read_bytes()).hexdigest()))
    assert found[0] == found[1]
