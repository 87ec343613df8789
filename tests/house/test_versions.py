"""One version, in one place: what else has to name it is held to that.

Never: which version it should be.
"""

from __future__ import annotations

import json
import re
import tomllib

from lsp_server import __version__
from lsp_server.wire import handshake
from tests.house.readme import ROOT, section

EXTENSION = ROOT / "vscode-extension"


def test_the_package_takes_it_from_the_sources() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "lsp_server/__init__.py"
    assert handshake.server_info()["version"] == __version__


def test_the_extension_has_the_same() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    lock = json.loads((EXTENSION / "package-lock.json").read_text(encoding="utf-8"))
    assert {manifest["version"], lock["version"], lock["packages"][""]["version"]} == {__version__}


def test_no_other_file_names_it() -> None:
    """Neovim's plugin comes with the package, and has no version of its own."""
    found = [
        str(path.relative_to(ROOT))
        for folder in ("ledger", "editor_clients", "lsp_server")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".lua"} and f'"{__version__}"' in path.read_text(encoding="utf-8")
    ]
    assert found == ["lsp_server/__init__.py"]


def test_the_changelog_has_it_first_with_its_day() -> None:
    heads = re.findall(r"^### (.+)$", section("Changelog"), re.MULTILINE)
    released = [head for head in heads if head != "Unreleased"]
    assert re.fullmatch(rf"{re.escape(__version__)}, \d{{4}}-\d\d-\d\d", released[0])
