"""What a real server sends has the types that the extension's `protocol.ts` gives it, as TypeScript sees it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.agents import Place, agent
from tests.e2e.vscode.install import EXTENSION, node_modules, run
from tests.fakes.editor import Manners, ScriptedEditor, Shown
from tests.fakes.editor_process import EditorProcess

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
    found = await messages(Place(tmp_path, {"side_effects": {"diagnostics": False}, "approval": "always"}))
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
    answers: list[dict[str, Any]] = []
    editor = ScriptedEditor(manners=Manners(shows_questions=True, chooses=agreeing(answers)))
    process = EditorProcess(editor, place.folder, place.environment)
    await process.start()
    editor.open(held)
    who = {"session": "s1"}
    async with agent(place) as one:
        for name in ("held.txt", "closed.txt"):
            await one.call("read", who, file_path=name)
            done = await one.call("edit", who, file_path=name, old_string="one", new_string="1")
            assert done["ok"] is True, done
        made = await one.call("write", who, file_path="new.txt", content="new\n")
        assert "+new, and mine" in made["amended"], made
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
    found += [("Asked", one.params) for one in editor.shown] + [("AskedAnswer", one) for one in answers]
    for method, params in editor.asked:
        if method == "workspace/applyEdit":
            found.append(("CheckedApply", params["coeditor"]))
        elif method in ("coeditor/save", "coeditor/reload"):
            found.append(({"coeditor/save": "SaveParams"}.get(method, "ReloadParams"), params))
    wanted = {"DidApplyEdit", "Agents", "FileVersions", "Status", "CheckedApply", "Asked", "AskedAnswer"}
    assert {name for name, _ in found} >= wanted
    return found


def agreeing(answers: list[dict[str, Any]]) -> Callable[[Shown], None]:
    """The person agrees, to a new file with a text of their own; what they answered is kept in ``answers``."""

    def choose(shown: Shown) -> None:
        answer: dict[str, Any] = {"title": "Allow Once"}
        files = [row for row in shown.params["coeditor"]["files"] if row["before"] is None]
        if files:
            answer["coeditor"] = {"files": [{"uri": row["uri"], "after": "new, and mine\n"} for row in files]}
        answers.append(answer)
        shown.answer.set_result(answer)

    return choose
