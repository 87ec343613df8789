"""Every tool, called by the SDK's client in both eras of the protocol, by its schema and with its answer checked."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import validate
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from lsp_server.wire.tools import TOOLS
from tests.e2e.agents import PATIENCE, Place
from tests.shapes import check_shape

QUIET = {"side_effects": {"diagnostics": False}}
NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 4,
    "metadata": {},
    "cells": [{"cell_type": "code", "source": ["1"], "metadata": {}, "outputs": [], "execution_count": None}],
}
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 2\n+x = 3\n*** End Patch"
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("status", {}),
    ("glob", {"pattern": "*.py"}),
    ("grep", {"pattern": "x ="}),
    ("read", {"file_path": "a.py"}),
    ("edit", {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}),
    ("apply_patch", {"patch": PATCH}),
    ("write", {"file_path": "b.py", "content": "y = 1\n"}),
    ("read", {"file_path": "n.ipynb"}),
    ("edit_notebook", {"file_path": "n.ipynb", "cell_id": "#1", "new_source": "y = 2"}),
    ("diagnostics", {"file_path": "a.py"}),
    ("diff", {}),
    ("history", {}),
    ("context_event", {"event": "contextEvicted", "all": True}),
)


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
async def test_every_tool_by_the_sdk(tmp_path: Path, era: Any) -> None:
    place = Place(tmp_path, QUIET)
    place.write("a.py", "x = 1\n")
    place.write("n.ipynb", json.dumps(NOTEBOOK))
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "lsp_server", "mcp"], env=place.environment, cwd=place.folder
    )
    async with Client(command, mode=era, read_timeout_seconds=PATIENCE) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(listed) == {tool.name for tool in TOOLS} == {name for name, _ in CALLS} | {"rewind"}
        history: list[dict[str, Any]] = []
        for name, arguments in CALLS:
            found = await client.call_tool(name, arguments)
            assert not found.is_error, found
            assert found.structured_content is not None
            check_shape(name, dict(found.structured_content))
            history = found.structured_content.get("edits", history)
        refused = await client.call_tool("read", {"file_path": "none.py"})
        shape = listed["read"].output_schema
        assert shape is not None
        validate(refused.structured_content, shape)  # as some clients do
        undone = await client.call_tool("rewind", {"to": history[-1]["edit_id"]})
        assert not undone.is_error, undone
    assert (place.text("a.py"), sorted(path.name for path in place.folder.iterdir())) == (
        "x = 1\n",
        ["a.py", "n.ipynb"],
    )
