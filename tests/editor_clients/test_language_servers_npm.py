"""Real language servers through a day: starting, problems new, shifted and resolved, silence, a crash, a flood."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from editor_clients.language_servers import LanguageServers
from editor_clients.language_specs import DEFAULT_SPECS, find_program
from editor_clients.replacements import replacements_between
from editor_clients.server_process import Limits
from lsp_server.effects.diagnostics import EditDiagnostics, FileEdit, edit_diagnostics
from tests.e2e.vscode.install import missing_npm
from tests.editor_clients.language_server_scripts import until, within
from tests.editor_clients.real_servers import find_installed

PATIENCE = 90.0
FLOOD = 10_000
BY_NAME = {spec.name: spec for spec in DEFAULT_SPECS}


@dataclass(frozen=True)
class Language:
    """One server with a text that it likes, and one with exactly one error."""

    name: str
    file: str
    good: str
    bad: str
    above: str = "\n"
    """Lines that mean nothing, above the others."""
    flood: Callable[[int], str] | None = None
    """So many errors; None where the server stops counting early."""

    @property
    def is_from_npm(self) -> bool:
        return self.name not in ("ruff", "basedpyright", "clangd")


LANGUAGES = (
    Language("ruff", "a.py", "print(1)\n", "print(wrong)\n", "# x\n", lambda n: "print(wrong)\n" * n),
    Language("basedpyright", "a.py", "print(1)\n", "print(wrong)\n", "# x\n"),
    Language(
        "typescript",
        "a.ts",
        "export const a: number = 1;\n",
        "export const a: number = 'x';\n",
        "// x\n",
        lambda n: "".join(f"export const e{number}: number = 'x';\n" for number in range(n)),
    ),
    Language("tsc", "a.ts", "export const a: number = 1;\n", "export const a: number = 'x';\n", "// x\n"),
    Language("json", "a.json", '{"a": 1}\n', '{"a": }\n'),
    Language("css", "a.css", "a { color: red; }\n", "a { color: ; }\n"),
    Language("html", "a.html", "<script>var a = 1;</script>\n", "<script>var a = ;</script>\n"),
    Language("yaml", "a.yaml", "a: [1]\n", "a: [1\n", "# x\n"),
    Language(
        "clangd", "a.c", "int main(void) { return 0; }\n", "int main(void) { return wrong; }\n", "// x\n"
    ),
)


@asynccontextmanager
async def running(language: Language, root: Path) -> AsyncIterator[LanguageServers]:
    """The one server, on a small project."""
    if language.is_from_npm and (reason := missing_npm()) is not None:
        pytest.skip(reason)
    if not language.is_from_npm and find_program(BY_NAME[language.name].command[0], "/") is None:
        pytest.skip(f"{language.name} is not installed")
    (root / "pyproject.toml").write_text("[tool.ruff.lint]\nselect = ['F']\n")
    await asyncio.to_thread(find_installed, BY_NAME[language.name].command[0], str(root))
    servers = LanguageServers(
        str(root), [BY_NAME[language.name]], finder=find_installed, limits=Limits(first_wait=0.0)
    )
    try:
        yield servers
    finally:
        await servers.close()


async def edited(
    servers: LanguageServers, path: Path, before: str, after: str, *, patience: float = PATIENCE
) -> EditDiagnostics:
    edit = FileEdit(str(path), before, after, replacements_between(before, after))
    return await edit_diagnostics(servers, [edit], deadline=within(patience))


def stop_and_wait(group: int) -> None:
    """The processes of a group stand still when this returns."""
    os.killpg(group, signal.SIGSTOP)
    while "T" not in Path(f"/proc/{group}/stat").read_text().rpartition(")")[2].split()[:1]:
        pass


def only(servers: LanguageServers) -> dict[str, object]:
    (found,) = servers.describe()
    return found


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.name)
async def test_a_day_of_a_server(language: Language, tmp_path: Path) -> None:
    path = tmp_path / language.file
    good, bad, shifted = language.good, language.bad, language.above + language.bad
    path.write_text(good)
    async with running(language, tmp_path) as servers:
        starting = await servers.diagnostics(str(path), good, deadline=within(0.001))
        assert (starting.state, starting.silent) == ("none", (language.name,))
        assert starting.notes == (f"{language.name} is still starting.",)

        broken = await edited(servers, path, good, bad)
        assert ([item.severity for item in broken.new], broken.state) == (["error"], "fresh")
        assert broken.resolved == ()
        moved = await edited(servers, path, bad, shifted)
        assert (moved.new, moved.resolved, moved.state) == ((), (), "fresh")
        assert moved.remaining["error"] == 1
        mended = await edited(servers, path, shifted, good)
        assert (mended.new, len(mended.resolved), mended.state) == ((), 1, "fresh")

        pid = only(servers)["pid"]
        assert isinstance(pid, int)
        await asyncio.to_thread(stop_and_wait, pid)
        silent = await edited(servers, path, good, bad, patience=0.2)
        assert (silent.new, silent.resolved, silent.state) == ((), (), "none")
        assert silent.warnings == (f"{language.name} has not answered yet.",)
        os.killpg(pid, signal.SIGCONT)
        late = await servers.overheard(str(path), bad, language.name, deadline=within(PATIENCE))
        assert late is not None
        assert (late.status, [item.severity for item in late.items]) == ("fresh", ["error"])

        os.killpg(pid, signal.SIGKILL)
        await until(lambda: only(servers)["running"] is False)
        assert language.name in str(only(servers)["failure"])
        after = await edited(servers, path, bad, good)
        assert (after.new, len(after.resolved), after.state) == ((), 1, "fresh")


@pytest.mark.parametrize(
    "language", [one for one in LANGUAGES if one.flood is not None], ids=lambda one: one.name
)
async def test_a_flood_is_told_in_few_lines(language: Language, tmp_path: Path) -> None:
    assert language.flood is not None
    path = tmp_path / language.file
    flood = language.flood(FLOOD)
    async with running(language, tmp_path) as servers:
        before = await edited(servers, path, language.good, language.good + flood)
        assert (len(before.new), before.state) == (10, "fresh")
        counted = sum(int(word) for note in before.warnings for word in note.split() if word.isdecimal())
        assert counted + 10 >= FLOOD
        after = await edited(servers, path, language.good + flood, language.above + language.good + flood)
        assert (after.new, after.resolved, after.state) == ((), (), "fresh")
        assert after.remaining["error"] >= FLOOD


async def test_a_server_for_scripts_starts(tmp_path: Path) -> None:
    """Without shellcheck it has nothing to say; that is no silence."""
    language = Language("bash", "a.sh", "echo 1\n", "")
    async with running(language, tmp_path) as servers:
        report = await servers.diagnostics(
            str(tmp_path / language.file), language.good, deadline=within(PATIENCE)
        )
        assert (report.state, report.sources) == ("fresh", ("bash",))


async def test_a_quick_fix_of_a_real_server_is_named(tmp_path: Path) -> None:
    (ruff,) = (one for one in LANGUAGES if one.name == "ruff")
    path, text = tmp_path / "a.py", "def size() -> None:\n    return None\n"
    worse = text.replace("def", "import os\n\n\ndef")
    async with running(ruff, tmp_path) as servers:
        found = await edited(servers, path, text, worse)
        (new,) = found.new
        assert (new.code, new.symbol) == ("F401", None)
        assert new.fix is not None
        assert "Remove unused import" in new.fix
        inside = await edited(servers, path, worse, worse.replace("return None", "return wrong"))
        assert [(item.code, item.symbol) for item in inside.new] == [("F821", "def size() -> None:")]
