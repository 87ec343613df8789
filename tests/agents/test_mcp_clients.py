"""Every tool, by the official inspector's command line and by the first SDK, of 2024-11-05."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lsp_server.wire.tools import TOOLS
from tests.agents.mcp_clients import installed
from tests.e2e.agents import PATIENCE, Place
from tests.e2e.test_mcp_eras import CALLS, NOTEBOOK, QUIET
from tests.e2e.vscode.install import missing_npm
from tests.shapes import check_shape

MISSING = missing_npm()
pytestmark = [
    pytest.mark.agents,
    pytest.mark.skipif(MISSING is not None, reason=MISSING or ""),
    pytest.mark.timeout(900),
]
SERVER = (sys.executable, "-m", "lsp_server", "mcp")
NAMES = ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "COEDITOR_SETTINGS")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    found = Place(tmp_path, QUIET)
    found.write("a.py", "x = 1\n")
    found.write("n.ipynb", json.dumps(NOTEBOOK))
    return found


def told(place: Place) -> dict[str, str]:
    """What our server has to be told of where things are."""
    return {name: place.environment[name] for name in NAMES} | {"COEDITOR_SESSION": "one"}


async def node(place: Place, *words: str) -> dict[str, Any]:
    process = await asyncio.create_subprocess_exec(
        "node", *words, cwd=place.folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode == 0, out.decode() + err.decode()
    found: dict[str, Any] = json.loads(out)
    return found


def checked(name: str, result: Mapping[str, Any]) -> dict[str, Any]:
    assert not result.get("isError"), result
    found: dict[str, Any] = check_shape(name, result["structuredContent"])
    return found


async def test_the_inspector_calls_every_tool(place: Place) -> None:
    command = str(
        installed() / "node_modules" / "@modelcontextprotocol" / "inspector-cli" / "build" / "cli.js"
    )
    environment = [word for name, value in told(place).items() for word in ("-e", f"{name}={value}")]

    async def inspect(*words: str) -> dict[str, Any]:
        return await node(place, command, "--cli", *environment, "--", *SERVER, *words)

    listed = await inspect("--method", "tools/list")
    assert [tool["name"] for tool in listed["tools"]] == [tool.name for tool in TOOLS]
    history: list[dict[str, Any]] = []
    for name, arguments in CALLS:
        given = [
            word for key, value in arguments.items() for word in ("--tool-arg", f"{key}={_spelled(value)}")
        ]
        found = checked(name, await inspect("--method", "tools/call", "--tool-name", name, *given))
        history = found.get("edits", history)
    last = ("--tool-name", "rewind", "--tool-arg", f"to={history[-1]['edit_id']}")
    checked("rewind", await inspect("--method", "tools/call", *last))
    assert place.text("a.py") == "x = 1\n"


async def test_the_first_sdk_calls_every_tool(place: Place) -> None:
    script = str(installed() / "first.mjs")
    asked = {"command": SERVER[0], "args": SERVER[1:], "env": told(place), "cwd": str(place.folder)}
    found = await node(place, script, json.dumps({**asked, "calls": CALLS}))
    assert found["listed"] == [tool.name for tool in TOOLS]
    answers = [checked(name, result) for (name, _), result in zip(CALLS, found["results"], strict=True)]
    (edits,) = (answer["edits"] for answer in answers if "edits" in answer)
    undo = [["rewind", {"to": edits[-1]["edit_id"]}]]
    again = await node(place, script, json.dumps({**asked, "calls": undo}))
    checked("rewind", again["results"][0])
    assert place.text("a.py") == "x = 1\n"


def _spelled(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
