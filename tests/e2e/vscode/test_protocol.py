"""What a real server sends has the types that the extension's `protocol.ts` gives it, as TypeScript sees it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Place, agent
from tests.e2e.vscode.install import EXTENSION, node_modules, run
from tests.fakes.editor import EditorProcess, ScriptedEditor

pytestmark = [pytest.mark.timeout(600)]

OPEN = """\
import type * as p from "./protocol";
// A server may say more than an older extension knows.
type Open<T> = T extends (infer U)[]
  ? Open<U>[]
  : T extends object ? { [K in keyof T]: Open<T[K]> } & { [name: string]: unknown } : T;
"""
OPTIONS = {
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noEmit": True,
    "types": [],
    "target": "es2022",
}


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
async def test_messages_of_a_server_fit_the_extensions_types(tmp_path: Path) -> None:
    found = await messages(Place(tmp_path, {"side_effects": {"diagnostics": False}}))
    rows = [
        f"export const m{number}: Open<p.{name}> = {json.dumps(value)};"
        for number, (name, value) in enumerate(found)
    ]
    folder = tmp_path / "types"
    folder.mkdir()
    shutil.copy(EXTENSION / "src" / "protocol.ts", folder)
    (folder / "messages.ts").write_text(OPEN + "\n".join(rows) + "\n")
    node_modules()
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS, "files": ["messages.ts"]}))
    run([str(EXTENSION / "node_modules" / ".bin" / "tsc"), "-p", "."], folder)


async def messages(place: Place) -> list[tuple[str, Any]]:
    """Of each kind some, with the name of its type."""
    held = place.write("held.txt", "one\ntwo\n")
    place.write("closed.txt", "one\n")
    editor = ScriptedEditor()
    process = EditorProcess(editor, place.folder, place.environment)
    await process.start()
    editor.open(held)
    who = {"session": "s1"}
    async with agent(place) as one:
        for name in ("held.txt", "closed.txt"):
            await one.call("read", who, file_path=name)
            done = await one.call("edit", who, file_path=name, old_string="one", new_string="1")
            assert done["ok"] is True, done
        await one.call("write", who, file_path="new.txt", content="new\n")
        edit_id = str(done["edit_id"])
        told = await process.told("coeditor/didApplyEdit", lambda edit: edit["edit_id"] == edit_id)
        agents = await process.told("coeditor/agents", lambda row: bool(row["agents"]))
        found: list[tuple[str, Any]] = [("DidApplyEdit", told), ("Agents", agents)]
        found.append(("FileVersions", await process.request("coeditor/fileVersions", {"edit_id": edit_id})))
        found.append(("Status", await process.request("coeditor/status", {})))
        for arguments in ({"file_path": "held.txt"}, {"file_path": "none.txt"}):
            params = {"tool": "read", "arguments": arguments}
            found.append(("CallToolResult", await process.request("coeditor/callTool", params)))
    await process.stop()
    for method, params in editor.asked:
        if method == "workspace/applyEdit":
            found.append(("CheckedApply", params["coeditor"]))
        elif method in ("coeditor/save", "coeditor/reload"):
            found.append(({"coeditor/save": "SaveParams"}.get(method, "ReloadParams"), params))
    assert {name for name, _ in found} >= {"DidApplyEdit", "Agents", "FileVersions", "Status", "CheckedApply"}
    return found
