"""Agents inside the window: the tools as chats have them, called through VS Code itself."""

from __future__ import annotations

import asyncio

import pytest

from lsp_server.wire.tools import TOOLS
from tests.e2e.vscode.workbench import Workbench

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(600)]

DIALOG = ".monaco-dialog-box"


async def test_chat_reads_what_is_typed_and_edits_with_the_persons_yes(bench: Workbench) -> None:
    bench.place.write("chat.md", "alpha\nbeta\n")
    await bench.open("chat.md")
    tools = {row["name"]: row for row in await bench.host("tools", prefix="coeditor_")}
    for tool in TOOLS:
        assert tools[f"coeditor_{tool.name}"]["description"] == tool.description
        assert tools[f"coeditor_{tool.name}"]["schema"] == tool.input_schema()

    (text,) = await bench.host(
        "invoke", name="coeditor_read", input={"file_path": "chat.md", "refresh": True}
    )
    assert text.endswith("1\talpha\n2\tbeta"), text
    change = {"file_path": "chat.md", "old_string": "beta", "new_string": "gamma"}

    asked = asyncio.create_task(bench.host("invoke", name="coeditor_edit", input=change))
    await bench.wait(f"{DIALOG}:has-text('Edit a file: chat.md')")
    shown = "".join(await bench.texts(DIALOG))
    assert "-beta" in shown, shown
    assert "+gamma" in shown, shown
    await bench.press("Escape")
    with pytest.raises(AssertionError, match="invoke"):
        await asked
    await bench.wait(DIALOG, "detached")
    assert bench.place.text("chat.md") == "alpha\nbeta\n"

    asked = asyncio.create_task(bench.host("invoke", name="coeditor_edit", input=change))
    await bench.wait(DIALOG)
    await bench.press("Enter")
    (text,) = await asked
    assert "+gamma" in text, text
    assert bench.place.text("chat.md") == "alpha\ngamma\n"
    (text,) = await bench.host("invoke", name="coeditor_read", input={"file_path": "none.md"})
    assert text.startswith("FS_NOT_FOUND"), text
