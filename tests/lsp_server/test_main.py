"""The ``coeditor`` command by itself: its subcommands, and their help."""

from __future__ import annotations

from pathlib import Path

import pytest

from lsp_server.__main__ import PROGRAMS, USAGES, main
from tests.house.readme import code_words, section


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_subcommand_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: object = main([name, "--help"])
    except SystemExit as end:
        code = end.code
    told = capsys.readouterr()
    assert code == 0
    assert f"coeditor {name}" in told.out + told.err


@pytest.mark.parametrize("words", [["ledger"], ["serve", "--headless"], ["doctor"], ["acp", "--print", "."]])
def test_a_current_folder_that_is_gone_is_told(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(words) == 2
    told = "coeditor: the current folder is not there any more; go to another one.\n"
    assert capsys.readouterr() == ("", told)


def test_the_readme_has_the_options_of_those_that_have_no_help_of_their_own() -> None:
    words = {word for usage in USAGES.values() for word in usage.split() if word.startswith(("--", "[--"))}
    told = " ".join(code_words(section("Processes")))
    assert {word.strip("[]") for word in words if word.strip("[]") not in told} == set()
