"""Two packages of the extension from the same sources are the same bytes."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import pytest

from tests.e2e.vscode.install import EXTENSION, node_modules, run

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed"),
]
NAMES = [
    "src",
    "media",
    "scripts",
    "package.json",
    "package-lock.json",
    "README.md",
    "LICENSE",
    ".vscodeignore",
    "tsconfig.json",
]


def test_two_packages_of_the_same_sources_are_the_same_bytes(tmp_path: Path) -> None:
    node_modules()
    found = []
    for number in range(2):
        place = tmp_path / f"{number}"
        place.mkdir()
        for name in NAMES:
            source = EXTENSION / name
            if source.is_dir():
                shutil.copytree(source, place / name)
            else:
                shutil.copyfile(source, place / name)
        for path in place.rglob("*"):
            os.utime(path, (1_000_000_000 + number * 86_400,) * 2)
        (place / "node_modules").symlink_to(EXTENSION / "node_modules")
        extra = {"SOURCE_DATE_EPOCH": "1700000000", "TZ": ("UTC", "Asia/Tokyo")[number]}
        run(["node", "scripts/package.mjs"], place, extra)
        found.append(hashlib.sha256((place / "coeditor.vsix").read_bytes()).hexdigest())
    assert found[0] == found[1]
