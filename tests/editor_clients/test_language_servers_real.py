"""The language servers that come with the test extra, as they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from editor_clients.language_servers import LanguageServers
from editor_clients.language_specs import DEFAULT_SPECS, find_program
from editor_clients.port import Replacement
from lsp_server.effects.diagnostics import FileEdit, edit_diagnostics
from tests.editor_clients.language_server_scripts import within

PATIENCE = 60.0
BY_NAME = {spec.name: spec for spec in DEFAULT_SPECS}

needs_ruff = pytest.mark.skipif(find_program("ruff", "/") is None, reason="ruff is not installed")
needs_basedpyright = pytest.mark.skipif(
    find_program("basedpyright-langserver", "/") is None, reason="basedpyright is not installed"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.ruff.lint]\nselect = ['F']\n")
    return tmp_path


@pytest_asyncio.fixture
async def ruff(root: Path) -> AsyncIterator[LanguageServers]:
    servers = LanguageServers(str(root), [BY_NAME["ruff"]])
    yield servers
    await servers.close()


@pytest_asyncio.fixture
async def basedpyright(root: Path) -> AsyncIterator[LanguageServers]:
    servers = LanguageServers(str(root), [BY_NAME["basedpyright"], BY_NAME["pyright"]])
    yield servers
    await servers.close()


def edit(path: Path, before: str, old: str, new: str) -> FileEdit:
    at = before.index(old)
    after = before[:at] + new + before[at + len(old) :]
    return FileEdit(str(path), before, after, [Replacement(at, at + len(old), new)])


@needs_ruff
async def test_ruff_names_places_in_code_points(ruff: LanguageServers, root: Path) -> None:
    report = await ruff.diagnostics(str(root / "a.py"), "print('😀é', wrong)\n", deadline=within(PATIENCE))
    assert (report.state, report.sources) == ("fresh", ("ruff",))
    (found,) = report.items
    assert (found.code, found.source, found.severity) == ("F821", "ruff", "error")
    assert (found.line, found.column, found.end_line, found.end_column) == (1, 13, 1, 17)


@needs_ruff
async def test_ruff_new_shifted_and_resolved(ruff: LanguageServers, root: Path) -> None:
    path, text = root / "a.py", "import os\nprint(wrong)\n"
    shifted = edit(path, text, "import os\n", "import os\nimport sys\n\n")
    first = await edit_diagnostics(ruff, [shifted], deadline=within(PATIENCE))
    assert [(item.code, item.line) for item in first.new] == [("F401", 2)]
    assert (first.resolved, sum(first.remaining.values()), first.state) == ((), 2, "fresh")
    repaired = edit(path, shifted.after or "", "wrong", "os, sys")
    second = await edit_diagnostics(ruff, [repaired], deadline=within(PATIENCE))
    assert (second.new, len(second.resolved), second.state) == ((), 3, "fresh")


@needs_basedpyright
async def test_basedpyright_sees_what_a_change_breaks_elsewhere(
    basedpyright: LanguageServers, root: Path
) -> None:
    library, user = root / "library.py", root / "user.py"
    texts = {
        library: "def size(of: str) -> int:\n    return len(of)\n",
        user: "import library\n\nlibrary.size('a')\n",
    }
    for path, text in texts.items():
        path.write_text(text)
        report = await basedpyright.diagnostics(str(path), text, deadline=within(PATIENCE))
        assert (report.state, report.items) == ("fresh", ())
    change = edit(
        library, texts[library], "of: str) -> int:\n    return len(of)", "of: int) -> int:\n    return of + x"
    )
    broken = await edit_diagnostics(basedpyright, [change], deadline=within(PATIENCE))
    assert [(Path(item.file_path).name, item.line, item.code) for item in broken.new] == [
        ("library.py", 2, "reportUndefinedVariable"),
        ("user.py", 3, "reportArgumentType"),
    ]
    back = FileEdit(
        str(library), change.after, change.before, [Replacement(0, len(change.after or ""), texts[library])]
    )
    repaired = await edit_diagnostics(basedpyright, [back], deadline=within(PATIENCE))
    assert (repaired.new, len(repaired.resolved), repaired.state) == ((), 2, "fresh")


@needs_basedpyright
async def test_basedpyright_knows_of_files_as_they_come_and_go(
    basedpyright: LanguageServers, root: Path
) -> None:
    user = str(root / "user.py")
    missing = await basedpyright.diagnostics(
        user, "import helper\n\nprint(helper)\n", deadline=within(PATIENCE)
    )
    assert [item.code for item in missing.items] == ["reportMissingImports"]
    (root / "helper.py").write_text("x = 1\n")
    created = FileEdit(str(root / "helper.py"), None, "x = 1\n")
    found = await edit_diagnostics(basedpyright, [created], deadline=within(PATIENCE))
    assert [(Path(item.file_path).name, item.code) for item in found.resolved] == [
        ("user.py", "reportMissingImports")
    ]


@needs_ruff
@needs_basedpyright
async def test_both_look_at_a_python_file_at_once(root: Path) -> None:
    servers = LanguageServers(str(root))
    try:
        texts = [f"value_{number} = wrong\n" for number in range(8)]
        reports = await asyncio.gather(
            *(
                servers.diagnostics(str(root / f"{number}.py"), text, deadline=within(PATIENCE))
                for number, text in enumerate(texts)
            )
        )
        assert {report.state for report in reports} == {"fresh"}
        assert {report.sources for report in reports} == {("ruff", "basedpyright")}
        for report in reports:
            assert [item.code for item in report.items] == ["F821", "reportUndefinedVariable"]
    finally:
        await servers.close()
