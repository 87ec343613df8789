"""What agents are offered: names, texts, hints, schemas."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from lsp_server.wire import results
from lsp_server.wire.params import MISSING, Tool
from lsp_server.wire.tools import BY_NAME, INSTRUCTIONS, TOOLS, mcp_tool, mcp_tools

NAMES = [
    "read",
    "edit",
    "write",
    "apply_patch",
    "edit_notebook",
    "glob",
    "grep",
    "diagnostics",
    "history",
    "diff",
    "rewind",
    "status",
    "context_event",
]
EVERY_TOOL = pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])


def test_the_table_has_every_tool_of_the_contract_once() -> None:
    assert [tool.name for tool in TOOLS] == NAMES


def test_first_line_of_the_instructions_fits_where_agents_cut() -> None:
    assert len(INSTRUCTIONS.split("\n")[0]) <= 95
    assert len(INSTRUCTIONS) < 4096


@EVERY_TOOL
def test_descriptions_fit_where_agents_cut(tool: Tool) -> None:
    assert 80 < len(tool.description) < 4096
    assert all(param.about.endswith((".", ")")) for param in tool.params)


@EVERY_TOOL
def test_every_tool_carries_all_four_hints(tool: Tool) -> None:
    hints = {name: value for name, value in tool.annotations().items() if name.endswith("Hint")}
    edits = tool.name in ("edit", "write", "apply_patch", "edit_notebook", "rewind")
    quiet = tool.name == "context_event"
    assert hints == {
        "readOnlyHint": not edits and not quiet,
        "destructiveHint": False,
        "idempotentHint": not edits,
        "openWorldHint": False,
    }


@EVERY_TOOL
def test_schemas_are_schemas(tool: Tool) -> None:
    Draft202012Validator.check_schema(tool.input_schema())
    Draft202012Validator.check_schema(results.closed(tool.result))
    Draft202012Validator.check_schema(results.opened(tool.result))


@EVERY_TOOL
def test_defaults_and_required_parameters_do_not_mix(tool: Tool) -> None:
    for param in tool.params:
        assert not (param.required and param.default is not MISSING)
        if param.default is not MISSING:
            Draft202012Validator(param.schema()).validate(param.default)


def test_tools_to_be_shown_at_once_say_so() -> None:
    loaded = [tool.name for tool in TOOLS if mcp_tool(tool, structured=True).get("_meta")]
    assert loaded == ["read", "edit", "write", "apply_patch"]
    assert mcp_tool(BY_NAME["read"], structured=True)["_meta"] == {"anthropic/alwaysLoad": True}


@pytest.mark.parametrize("structured", [True, False])
def test_all_tools_are_offered_and_schemas_only_to_those_who_use_them(structured: bool) -> None:
    rows = mcp_tools(structured=structured)
    assert [row["name"] for row in rows] == [tool.name for tool in TOOLS]
    assert all(("outputSchema" in row) is structured for row in rows)


def test_offered_schemas_forgive_a_missing_and_an_unknown_field() -> None:
    whole: dict[str, Any] = {"ok": True, "paths": ["/a"], "truncated": False, "total": 1}
    strict = Draft202012Validator(results.closed(results.GLOB))
    lenient = Draft202012Validator(results.opened(results.GLOB))
    assert strict.is_valid(whole)
    for changed in ({"ok": True, "paths": []}, {**whole, "later": 1}):
        assert not strict.is_valid(changed)
        assert lenient.is_valid(changed)
    assert not lenient.is_valid({**whole, "paths": "a"})
    assert not lenient.is_valid({"paths": []})


def test_the_handshake_needs_nothing_beyond_the_standard_library_and_little_of_that() -> None:
    code = (
        "import sys; before = set(sys.modules); import lsp_server.wire.handshake\n"
        "print('\\n'.join(sorted(set(sys.modules) - before)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {name.partition(".")[0] for name in run.stdout.split()} == {"__future__", "lsp_server"}
