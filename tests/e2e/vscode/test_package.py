"""The extension as it ships: small, whole, and with the server in it."""

from __future__ import annotations

import json
import shutil
import zipfile

import pytest

from tests.e2e.vscode.install import EXTENSION, packaged_extension

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed"),
]


def test_package_is_small_and_holds_what_its_manifest_names() -> None:
    path = packaged_extension()
    assert path.stat().st_size < 5_000_000
    with zipfile.ZipFile(path) as package:
        names = set(package.namelist())
        manifest = json.loads(package.read("extension/package.json"))
        (wheel,) = (name for name in names if name.endswith(".whl"))
        with package.open(wheel) as inner, zipfile.ZipFile(inner) as server:
            assert {"lsp_server/__main__.py", "ledger/store.py"} <= set(server.namelist())
    assert {"extension/dist/extension.js", "extension/dist/client.js"} <= names
    assert f"extension/{manifest['icon']}" in names
    offers = manifest["contributes"]["configuration"]["properties"]
    assert [offers[f"coeditor.chat.{one}"]["default"] for one in ("tools", "mcpServer")] == [True, False]
    (walkthrough,) = manifest["contributes"]["walkthroughs"]
    pictures = [step["media"]["svg"] for step in walkthrough["steps"]]
    assert len(set(pictures)) == 4
    assert {f"extension/{picture}" for picture in pictures} <= names
    for picture in pictures:  # VS Code draws them without their styles
        assert "<style" not in (EXTENSION / picture).read_text(), picture
    commands = {row["command"] for row in manifest["contributes"]["commands"]}
    for step in walkthrough["steps"]:
        event = step["completionEvents"][0]
        kind, _, what = event.partition(":")
        assert kind != "onCommand" or what in commands, event
