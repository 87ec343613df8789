"""The README's commands are those that are run, its names are names of files, and it stays with its subject."""

from __future__ import annotations

import re

import pytest

from tests.house.readme import ROOT, TEXT, blocks, headings, section

PACKAGES = ("ledger", "editor_clients", "lsp_server")
SOURCES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
FORBIDDEN = {
    "a path of somebody's machine": r"/(work|root|mnt|workspace)/|/home/(?!you/)",
    "working papers": r"(?i)\b(CONTRACT|DESIGN|STYLE|INTERNALS)\.md|\bissue #?\d|\bacceptance case",
    "a promise": r"(?i)\bcoming soon\b|\btodo\b|\bwill be (able|added|supported)\b",
}


def test_ci_runs_the_readmes_test_command() -> None:
    last = (ROOT / ".ci" / "run").read_text(encoding="utf-8").rstrip().splitlines()[-1]
    assert last in TEXT.splitlines()


def test_each_command_is_one_line_to_paste() -> None:
    commands = blocks(section("Try it"), "sh")
    assert len(commands) == 2
    assert all(command.count("\n") == 1 for command in commands)
    assert "coeditor demo" in commands[0]
    assert commands[1].rstrip().endswith("pytest")


def test_top_level_is_the_fixed_one() -> None:
    fixed = {"pyproject.toml", "lsp_server", "editor_clients", "ledger", "tests", "vscode-extension"}
    fixed |= {"README.md", "LICENSE", "requirements.lock"}
    ignored = {"__pycache__", "build", "dist", "coeditor.egg-info"}
    found = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    assert found - ignored <= fixed


@pytest.mark.parametrize("what", FORBIDDEN)
def test_it_stays_with_its_subject(what: str) -> None:
    assert not re.findall(FORBIDDEN[what], TEXT)


def test_links_within_the_page_lead_somewhere() -> None:
    anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings()}
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= anchors


def test_links_to_files_lead_somewhere() -> None:
    for path in re.findall(r"\]\(([^#)][^)]*)\)", TEXT):
        assert path.startswith("https://github.com/") or (ROOT / path).exists(), path


def test_the_contents_lead_to_every_section() -> None:
    (contents,) = re.findall(r"^\*\*Contents:\*\*.*?(?=\n\n)", TEXT, re.MULTILINE | re.DOTALL)
    sections = [
        title for title in re.findall(r"^## (.+)$", TEXT, re.MULTILINE) if f"[{title}](#" not in contents
    ]
    assert sections == []


def test_files_that_it_names_are_there() -> None:
    """In full, or from within one of the packages."""
    names = set(re.findall(r"`((?:\w+/)*\w+\.py)`", TEXT))
    known = [f"/{path.relative_to(ROOT)}" for path in SOURCES]
    assert names
    # A user's own files stand in examples.
    lost = {
        name
        for name in names - {"json.py", "stock.py"}
        if not any(k.endswith(f"/{name}") for k in known) and not (ROOT / name).is_file()
    }
    assert not lost


def test_folders_that_it_names_are_there() -> None:
    lost = {
        name
        for name in re.findall(
            r"`((?:ledger|editor_clients|lsp_server|tests|vscode-extension)/[\w/]*/?)`", TEXT
        )
        if not (ROOT / name).is_dir()
    }
    assert not lost


def test_sections_that_the_code_names_are_there() -> None:
    named = set()
    for path in SOURCES:
        named |= set(re.findall(r'README(?:\'s)?, "([^"]+)"', path.read_text(encoding="utf-8")))
    assert named
    assert named <= headings()


def test_the_page_of_the_extension_has_nothing_that_a_marketplace_would_not_find() -> None:
    page = (ROOT / "vscode-extension" / "README.md").read_text()
    assert re.findall(r"\]\((?!https://)[^)]*\)|src=", page) == []
