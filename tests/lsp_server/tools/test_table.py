from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

from lsp_server.tools.table import TOOLS, tool_function
from lsp_server.wire.tools import BY_NAME, STEPS


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_of_the_table_is_there(name: str) -> None:
    assert inspect.iscoroutinefunction(tool_function(name))


def test_every_tool_that_agents_are_told_of_is_in_the_table() -> None:
    assert {tool.name for tool in BY_NAME.values()} | set(STEPS) <= set(TOOLS)


def test_a_server_that_is_asked_to_read_has_imported_no_other_tool() -> None:
    code = """
import sys
import lsp_server.app
from lsp_server.tools.table import tool_function
tool_function("read")
print(*(name for name in sys.modules if name.startswith(("lsp_server.tools.", "lsp_server.edits.v4a"))))
"""
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert set(found.split()) == {"lsp_server.tools.read", "lsp_server.tools.table"}
