"""`coeditor/callTool`: an editor lends the tools to a model, which reads what MCP clients read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.e2e.agents import Place
from tests.fakes.editor import ScriptedEditor
from tests.fakes.editor_process import EditorProcess


async def test_a_model_reads_texts_of_successes_and_of_refusals(tmp_path: Path) -> None:
    place = Place(tmp_path, {"side_effects": {"diagnostics": False}})
    path = place.write("a.txt", "one\ntwo\n")
    process = EditorProcess(ScriptedEditor(), place.folder, place.environment)
    await process.start()

    async def call(tool: object, arguments: object, **who: str) -> tuple[str, bool]:
        params = {"tool": tool, "arguments": arguments, **who}
        found = await process.request("coeditor/callTool", params)
        (part,) = found["content"]
        assert part["type"] == "text"
        return part["text"], found["isError"]

    change: dict[str, Any] = {"file_path": "a.txt", "old_string": "two", "new_string": "2"}
    try:
        assert await call("read", {"file_path": "a.txt"}, session="chat-1") == ("1\tone\n2\ttwo", False)
        text, failed = await call("edit", change, session="chat-2")
        assert failed
        assert text.startswith("FS_NOT_OBSERVED")
        assert path.read_text() == "one\ntwo\n"
        text, failed = await call("edit", change, session="chat-1", turn="t1")
        assert not failed
        assert "+2" in text
        assert path.read_text() == "one\n2\n"
        (row,) = (await process.request("coeditor/history", {"session": "chat-1"}))["edits"]
        assert (row["turn"], row["tool"]) == ("t1", "edit")
        wrong: list[tuple[object, object]] = [
            ("reed", {}),
            ("read", "a.txt"),
            (None, {}),
            ("read", {"path": "a.txt"}),
        ]
        for tool, arguments in wrong:
            text, failed = await call(tool, arguments)
            assert failed
            assert text.startswith("INVALID_ARGUMENT"), text
        status = await process.request("coeditor/status", {})
        assert status["server"]["runtime"] == str(place.base / "run" / "coeditor")
    finally:
        await process.stop()
