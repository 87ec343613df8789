"""The ``coeditor`` command by itself: its subcommands, and their help."""

from __future__ import annotations

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


def test_the_readme_has_the_options_of_those_that_have_no_help_of_their_own() -> None:
    words = {word for usage in USAGES.values() for word in usage.split() if word.startswith(("--", "[--"))}
    told = " ".join(code_words(section("Processes")))
    assert {word.strip("[]") for word in words if word.strip("[]") not in told} == set()
