"""The README's reference has what the code has: tools, errors, settings, commands, messages.

Never: the meaning of a row; that is for a reader.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from ledger.errors import Code
from lsp_server.__main__ import PROGRAMS
from lsp_server.agents.cli_parser import command_of
from lsp_server.handlers import methods
from lsp_server.settings import CHOICES, DEFAULT_EFFECTS, DEFAULT_LIMITS, NAMES, POLICY, Settings
from lsp_server.setup.agents import AGENTS
from lsp_server.setup.editors import EDITORS
from lsp_server.wire import results
from lsp_server.wire.clients import CLIENTS
from lsp_server.wire.params import MISSING, Param
from lsp_server.wire.remedies import REMEDIES
from lsp_server.wire.tools import BY_NAME
from tests.house.readme import code_words, section, tables

COMMON = {"ok", "warnings", "notices"}
"""Fields of every success."""
ERRORS = {row[0].strip("`"): row for row in tables(section("Errors"))[0]}
SETTINGS, LIMITS = ({row[0].strip("`"): row for row in table} for table in tables(section("Settings")))


def default_of(param: Param) -> str:
    """How the tables spell it."""
    if param.required:
        return "required"
    if param.default is MISSING:
        return ""
    return f"`{param.default if isinstance(param.default, str) else json.dumps(param.default)}`"


def type_of(param: Param) -> str:
    if param.choices:
        return ", ".join(f"`{choice}`" for choice in param.choices)
    return "list of strings" if param.kind == "strings" else param.kind


def test_the_tools_are_listed_with_their_first_sentences() -> None:
    def sentence(text: str) -> str:
        return " ".join(text.split("\n\n")[0].split()).split(". ")[0].rstrip(".") + "."

    wanted = [[f"[`{name}`](#{name})", sentence(tool.description)] for name, tool in BY_NAME.items()]
    assert tables(section("Tools"))[0] == wanted


@pytest.mark.parametrize("name", BY_NAME)
def test_parameters_of_a_tool(name: str) -> None:
    found = [row[:3] for table in tables(section(name)) for row in table]
    wanted = [[f"`{one.name}`", type_of(one), default_of(one)] for one in BY_NAME[name].params]
    assert found == wanted


@pytest.mark.parametrize(
    "name", [name for name, tool in BY_NAME.items() if tool.result is not results.OUTCOME]
)
def test_result_fields_of_a_tool(name: str) -> None:
    assert set(BY_NAME[name].result["properties"]) - COMMON <= code_words(section(name))


def test_fields_of_the_edit_outcome() -> None:
    rows = {row[0].strip("`") for row in tables(section("Edit outcome"))[0]}
    assert rows == set(results.OUTCOME["properties"]) - (COMMON - {"warnings"})


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        (results.CHANGED_FILE, "Edit outcome"),
        (results.DELTA, "Edit outcome"),
        (results.SIDE_EFFECT, "Edit outcome"),
        (results.MATCH, "Edit outcome"),
        (results.DIAGNOSTIC, "Shapes"),
        (results.HISTORY["properties"]["edits"]["items"], "history"),
        (results.error_schema(), "Errors"),
    ],
    ids=["changed_files", "diagnostics", "side_effects", "match", "diagnostic", "history", "error"],
)
def test_fields_of_a_shape(schema: Mapping[str, Any], where: str) -> None:
    told = code_words(section(where)) | code_words(section("Shapes"))
    assert set(schema["properties"]) - {"ok"} <= {word.split(":")[0] for word in told} | {"ok"}


def test_every_error_code_has_a_row() -> None:
    assert list(ERRORS) == [str(code) for code in Code]


@pytest.mark.parametrize("code", Code)
def test_remedies_are_those_that_are_told(code: Code) -> None:
    assert ERRORS[code][2] == REMEDIES[code]


def test_every_setting_has_a_row() -> None:
    assert list(SETTINGS) == list(NAMES)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"limits", "side_effects"}))
def test_default_of_a_setting(name: str) -> None:
    value = getattr(Settings(), name)
    value = dict(value) if isinstance(value, Mapping) else value
    assert SETTINGS[name][1] == f"`{json.dumps(list(value) if isinstance(value, tuple) else value)}`"


@pytest.mark.parametrize("name", CHOICES)
def test_choices_of_a_setting(name: str) -> None:
    assert SETTINGS[name][2] == ", ".join(f"`{choice}`" for choice in CHOICES[name])


@pytest.mark.parametrize("name", NAMES)
def test_what_a_repository_may_do_with_a_setting(name: str) -> None:
    assert SETTINGS[name][4].partition(":")[0] == ("tighten" if name in POLICY else "set")


def test_limits_and_side_effects() -> None:
    assert {name: int(row[1]) for name, row in LIMITS.items()} == dict(DEFAULT_LIMITS)
    assert set(DEFAULT_EFFECTS) <= code_words(SETTINGS["side_effects"][3])
    assert all(DEFAULT_EFFECTS.values())
    assert SETTINGS["side_effects"][1] == "all `true`"


def test_each_agent_and_editor_has_its_command() -> None:
    told = code_words("\n".join(row[1] for row in tables(section("Use it with"))[0]))
    wanted = {f"coeditor setup {name}" for name in (*AGENTS, *EDITORS)}
    assert {word for word in told if word.startswith("coeditor setup ")} == wanted


def test_every_command_that_is_there_is_named() -> None:
    there = {command_of(name) for name in BY_NAME} | set(PROGRAMS)
    lost = {name for name in there if f"`coeditor {name}`" not in section("Processes")}
    assert not lost


def test_nothing_that_is_there_is_called_missing() -> None:
    told = code_words(section("Limits"))
    assert not {f"coeditor {name}" for name in PROGRAMS} & told
    assert not set(BY_NAME) & told


def test_every_message_to_and_from_editors_has_a_row() -> None:
    told = {row[0].strip("`") for row in tables(section("Editors"))[0]}
    wanted = {
        *methods.ASKED_OF_EDITOR,
        *methods.TOLD_TO_EDITOR,
        *methods.TOLD_BY_EDITOR,
        methods.FILE_VERSIONS,
    }
    assert wanted <= told


def test_variables_that_name_a_session_are_told() -> None:
    wanted = {client.session_variable for client in CLIENTS.values()} - {None}
    assert wanted <= code_words(section("Processes"))
