"""The extension's own types, lint rules and unit tests."""

from __future__ import annotations

import shutil

import pytest

from tests.e2e.vscode.install import EXTENSION, node_modules, run

pytestmark = pytest.mark.timeout(600)


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
@pytest.mark.parametrize("script", ["check", "test"])
def test_extension(script: str) -> None:
    node_modules()
    run(["npm", "run", "--silent", script], EXTENSION)
