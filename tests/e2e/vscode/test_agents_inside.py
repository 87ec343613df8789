"""Agents in the window's terminals and of VS Code itself find the server; setting one up and the doctor."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.e2e.vscode.workbench import Workbench

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

FULL = os.environ.get("COEDITOR_FAULTS") == "full"
"""The chat's own parts, which the other tests have switched off, are shown in the long run only."""

ROW = ".quick-input-list .monaco-list-row"
EDITOR = ".editor-group-container.active .view-lines"


async def pick(bench: Workbench, label: str) -> None:
    """Choose in the list that is shown, as a person does who types."""
    await bench.wait(f'{ROW}:has-text("{label}")')
    await bench.type(label)
    await bench.wait(f'{ROW}.focused:has-text("{label}")')
    await bench.press("Enter")


async def test_an_agent_is_set_up_after_its_changes_were_shown(bench: Workbench) -> None:
    where = bench.place.folder / ".mcp.json"
    try:
        await bench.palette("Coeditor: Set Up an Agent")
        await pick(bench, "Claude Code")
        await pick(bench, "For this project")
        await bench.wait(f'{EDITOR}:has-text("would be created")')
        await bench.wait(f'{ROW}:has-text("Change nothing")')
        assert not where.exists()
        await pick(bench, "Write these changes")
        await bench.wait(f'{EDITOR}:not(:has-text("would be")):has-text("created: ")')
        server = json.loads(where.read_text())["mcpServers"]["coeditor"]
        assert Path(server["command"]).is_absolute()
        assert server["args"][-1] == "mcp"
    finally:
        where.unlink(missing_ok=True)
        (bench.place.folder / ".claude" / "settings.json").unlink(missing_ok=True)


async def test_doctor_tells_what_it_looked_at(bench: Workbench) -> None:
    await bench.palette("Coeditor: Run Doctor")
    await bench.wait(f'{EDITOR}:has-text("workspace")')
    uri = (await bench.host("active", scheme="coeditor-report"))["uri"]
    assert str(bench.place.folder) in await bench.text(uri)


async def test_a_terminal_finds_this_windows_server(bench: Workbench) -> None:
    told = bench.place.base / "told"
    told.unlink(missing_ok=True)
    script = f"coeditor status --json > {told}.new; env > {told}.env; mv {told}.new {told}"
    # A shell of its own, as an agent has it: what it has from the window are the variables alone.
    await bench.host("terminal", program="/bin/sh", arguments=["-c", script], without=["XDG_RUNTIME_DIR"])
    await bench.host("fileAppears", path=str(told))
    status = json.loads(told.read_text())
    assert status["server"]["pid"] == await bench.server_pid()
    environment = (told.parent / "told.env").read_text()
    assert f"COEDITOR_RUNTIME_DIR={bench.place.base}/run/coeditor" in environment
    path = re.search(r"^PATH=(.*)$", environment, re.MULTILINE)
    assert path is not None
    assert path[1].split(os.pathsep)[-1].endswith("/bin"), "behind everything of the person's"


if FULL:

    async def test_mcp_server_is_offered_without_configuration(bench: Workbench) -> None:
        bench.place.write("mcp.md", "alpha\n")
        await bench.host("setting", name="chat.disableAIFeatures", value=False)
        await bench.host("setting", name="coeditor.chat.mcpServer", value=True)
        try:
            await bench.palette("MCP: List Servers")
            await pick(bench, "Coeditor")
            await pick(bench, "Start Server")
            names = await bench.host("untilTool", contains="coeditor_apply_patch", besides="coeditor_")
            read = next(name.replace("apply_patch", "read") for name in names)
            found = await bench.host("invoke", name=read, input={"file_path": "mcp.md", "refresh": True})
            assert "1\talpha" in str(found[0]), found
        finally:
            await bench.host("setting", name="coeditor.chat.mcpServer", value=False)
            await bench.host("setting", name="chat.disableAIFeatures", value=True)
