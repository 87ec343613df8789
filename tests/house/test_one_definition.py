"""Names that more than one room needs have one definition: error codes, methods, and the words of closed sets.

Never: whether they are documented; that is ``test_readme_reference``.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import pytest

from editor_clients import diagnostic
from ledger.errors import Code
from lsp_server.client import requests
from lsp_server.client import results as client_results
from lsp_server.edits.levels import Level
from lsp_server.settings import CHOICES
from lsp_server.wire import look_tools, results
from tests.house.readme import ROOT, code_words, section, tables

SOURCES = sorted(
    path for name in ("ledger", "editor_clients", "lsp_server") for path in (ROOT / name).rglob("*.py")
)
METHODS_ARE_DEFINED_IN = {
    "editor_clients/editor_link.py",
    "lsp_server/agents/socket_methods.py",
    "lsp_server/handlers/joining.py",
    "lsp_server/wire/tools.py",
}
"""Asked of editors, on the agents' socket, between two servers, the steps of a patch; ``methods`` has the others."""
CODES_ARE_WRITTEN_IN = {"ledger/errors.py", "lsp_server/demo.py"}
"""The demo reads what is on the wire, as an agent does."""


def texts_of(path: Path) -> set[str]:
    """Every string of a module that is a string and nothing else."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


TEXTS = {str(path.relative_to(ROOT)): texts_of(path) for path in SOURCES}


def test_error_codes_are_spelled_where_they_are_defined() -> None:
    codes = {str(code) for code in Code}
    assert {name for name, texts in TEXTS.items() if codes & texts} == CODES_ARE_WRITTEN_IN


def test_methods_are_spelled_where_they_are_defined() -> None:
    found = {
        text: [name for name, texts in TEXTS.items() if text in texts]
        for text in set().union(*TEXTS.values())
        if text.startswith("coeditor/") and text.removeprefix("coeditor/").replace("/", "").isalpha()
    }
    assert {text: names for text, names in found.items() if len(names) > 1} == {}
    assert {names[0] for names in found.values()} <= METHODS_ARE_DEFINED_IN


@pytest.mark.parametrize(
    ("words", "others"),
    [
        (
            look_tools.SEVERITIES,
            [
                get_args(diagnostic.Severity),
                get_args(client_results.Severity),
                CHOICES["diagnostics_severity"],
                tuple(results.DIAGNOSTIC["properties"]["severity"]["enum"]),
            ],
        ),
        (look_tools.EVENTS, [get_args(requests.Event)]),
    ],
    ids=["severities", "context events"],
)
def test_closed_sets_that_types_spell_out_are_the_same(
    words: tuple[str, ...], others: list[tuple[str, ...]]
) -> None:
    assert [other for other in others if other != words] == []


def test_the_matching_levels_of_the_page_are_those_of_the_code() -> None:
    (levels,) = (table for table in tables(section("Text")) if table[0][0] == "`exact`")
    assert [row[0].strip("`") for row in levels] == list(Level)
    assert {level for level in Level if level is not Level.ELIDED} <= code_words(section("Patches"))
